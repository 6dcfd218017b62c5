// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

/* Below this a number is shown as 0. */
#define MAX_DECIMALS 9
#define SMALLEST 1e-9

#define MINUTE_S 60.0
#define HOUR_S 3600.0
#define DAY_S 86400.0

/* A unit with prefixes has steps and no words; the others have the words around their number. */
static const struct unit_row {
	const char *symbol;
	const char *before, *after;
	const char *after_one;		/* where 1 is worded differently */
	double step;			/* from one prefix to the next */
	const char *const *prefixed;	/* what follows the number after 0, 1, 2 … steps; ends in NULL */
} rows[NR_UNITS] = {
	[UNIT_NONE] = { .symbol = "", .before = "", .after = "" },
	[UNIT_COUNT] = { .symbol = "count", .before = "", .after = "" },
	[UNIT_BYTES] = { .symbol = "bytes", .after_one = " byte", .step = 1024,
		.prefixed = (const char *const[]){ " bytes", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB", NULL } },
	[UNIT_BYTES_PER_S] = { .symbol = "bytes/s", .step = 1000,
		.prefixed = (const char *const[]){ " B/s", " kB/s", " MB/s", " GB/s", " TB/s", " PB/s", NULL } },
	[UNIT_GBPS] = { .symbol = "GB/s", .before = "", .after = " GB/s" },
	[UNIT_GFLOPS] = { .symbol = "GFLOP/s", .step = 1000,
		.prefixed = (const char *const[]){ " GFLOP/s", " TFLOP/s", " PFLOP/s", " EFLOP/s", NULL } },
	[UNIT_LANES] = { .symbol = "lanes", .before = "x", .after = "" },
	[UNIT_MTPS] = { .symbol = "MT/s", .step = 1000,
		.prefixed = (const char *const[]){ " MT/s", " GT/s", " TT/s", NULL } },
	[UNIT_NS] = { .symbol = "ns" },
	[UNIT_MS] = { .symbol = "ms" },
	[UNIT_S] = { .symbol = "s" },
	[UNIT_PERCENT] = { .symbol = "%", .before = "", .after = " %" },
	[UNIT_RATIO] = { .symbol = "ratio" },
	[UNIT_MHZ] = { .symbol = "MHz", .before = "", .after = " MHz" },
	[UNIT_PER_S] = { .symbol = "1/s", .before = "", .after = "/s" },
	[UNIT_MBPS] = { .symbol = "Mbit/s", .step = 1000,
		.prefixed = (const char *const[]){ " Mbit/s", " Gbit/s", " Tbit/s", NULL } },
	[UNIT_CELSIUS] = { .symbol = "°C", .before = "", .after = " °C" },
	[UNIT_MW] = { .symbol = "mW", .step = 1000, .prefixed = (const char *const[]){ " mW", " W", " kW", NULL } },
	[UNIT_MJ] = { .symbol = "mJ", .step = 1000,
		.prefixed = (const char *const[]){ " mJ", " J", " kJ", " MJ", " GJ", NULL } },
	[UNIT_PAGES] = { .symbol = "pages", .before = "", .after = " pages", .after_one = " page" },
};

static const char *const time_words[] = { " ns", " µs", " ms", " s", NULL };

const char *unit_symbol(enum unit unit)
{
	return unit < NR_UNITS ? rows[unit].symbol : "";
}

/* Decimals for four significant digits. What stands before the point is never cut. */
static int decimals_of(double value)
{
	int decimals = 0;

	if (value == floor(value))
		return 0;
	for (double limit = 1000; value < limit && decimals < MAX_DECIMALS; limit /= 10)
		decimals++;
	return decimals;
}

static void add_number(struct strbuf *out, double value)
{
	int decimals = decimals_of(value);

	strbuf_addf(out, "%.*f", decimals, value);
	if (!decimals)
		return;
	while (out->buf[out->len - 1] == '0')
		strbuf_setlen(out, out->len - 1);
	if (out->buf[out->len - 1] == '.')
		strbuf_setlen(out, out->len - 1);
}

/* Is value, as add_number() writes it, at least limit? 999.96 reads 1000, and is better said with the next prefix. */
static bool reads_at_least(double value, double limit)
{
	char buf[32];

	if (value >= limit)
		return true;
	snprintf(buf, sizeof(buf), "%.*f", decimals_of(value), value);
	return strtod(buf, NULL) >= limit;
}

static void add_prefixed(struct strbuf *out, double value, double step, const char *const *words)
{
	for (; words[1] && reads_at_least(value, step); words++)
		value /= step;
	add_number(out, value);
	strbuf_addstr(out, *words);
}

/* The two largest of days, hours, minutes and seconds, the second one only where it says something. */
static void add_long_time(struct strbuf *out, double seconds)
{
	static const struct {
		double s;
		const char *word;
	} parts[] = { { DAY_S, "d" }, { HOUR_S, "h" }, { MINUTE_S, "min" }, { 1, "s" } };
	double rest = floor(seconds + 0.5);
	size_t i = 0;

	while (rest < parts[i].s)
		i++;
	strbuf_addf(out, "%.0f %s", floor(rest / parts[i].s), parts[i].word);
	rest = fmod(rest, parts[i].s);
	if (rest >= parts[i + 1].s)
		strbuf_addf(out, " %.0f %s", floor(rest / parts[i + 1].s), parts[i + 1].word);
}

static void add_time(struct strbuf *out, enum unit unit, double value)
{
	double seconds = unit == UNIT_S ? value : unit == UNIT_MS ? value / 1e3 : value / 1e9;

	if (value == 0)
		strbuf_addf(out, "0 %s", rows[unit].symbol);
	else if (reads_at_least(seconds, MINUTE_S))
		add_long_time(out, seconds);
	else
		add_prefixed(out, seconds * 1e9, 1000, time_words);
}

static void add_magnitude(struct strbuf *out, enum unit unit, double value)
{
	const struct unit_row *row = &rows[unit];

	if (unit == UNIT_NS || unit == UNIT_MS || unit == UNIT_S) {
		add_time(out, unit, value);
	} else if (row->after_one && value == 1) {
		strbuf_addf(out, "1%s", row->after_one);
	} else if (row->prefixed) {
		add_prefixed(out, value, row->step, row->prefixed);
	} else {
		strbuf_addstr(out, row->before);
		add_number(out, value);
		strbuf_addstr(out, row->after);
	}
}

void unit_format(struct strbuf *out, enum unit unit, double value)
{
	if (unit >= NR_UNITS)
		unit = UNIT_NONE;
	if (unit == UNIT_RATIO) {
		unit = UNIT_PERCENT;
		value *= 100;
	}
	if (!isfinite(value)) {
		strbuf_addch(out, '?');
		return;
	}
	if (value <= -SMALLEST)
		strbuf_addch(out, '-');
	value = fabs(value);
	add_magnitude(out, unit, value < SMALLEST ? 0 : value);
}

void unit_format_u64(struct strbuf *out, enum unit unit, uint64_t value)
{
	const struct unit_row *row = &rows[unit < NR_UNITS ? unit : UNIT_NONE];

	/* A double holds whole numbers up to 2^53 only. */
	if (!row->before || (row->after_one && value == 1))
		unit_format(out, unit, (double)value);
	else
		strbuf_addf(out, "%s%" PRIu64 "%s", row->before, value, row->after);
}
