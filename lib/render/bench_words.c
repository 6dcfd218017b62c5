// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "render/bench_words.h"

#include "eval/judge/subject.h"

const char *bench_device_words(struct arena *arena, const struct bench_device *device)
{
	if (device->subject.gpu)
		return arena_printf(arena, "%s: %s (%s)", device->subject.name, device->name,
				    str_or(device->subject.gpu->key, "?"));
	return arena_printf(arena, "%s: %s", device->subject.name, device->name);
}

const char *bench_clock_words(const struct report_timing *timing)
{
	if (str_is(timing->timing->clock, "events"))
		return "events";
	return str_is(timing->timing->clock, "host") ? "host clock" : "";
}

const char *bench_figure(struct arena *arena, enum unit unit, double value)
{
	STRBUF_AUTO text = STRBUF_INIT;

	unit_format(&text, unit, value);
	return arena_strdup(arena, text.buf);
}

const char *bench_cell_u64(struct arena *arena, enum unit unit, struct val_u64 value)
{
	STRBUF_AUTO text = STRBUF_INIT;

	if (is_known(value))
		unit_format_u64(&text, unit, u64_or(value, 0));
	return arena_strdup(arena, text.buf);
}

const char *bench_cell_f64(struct arena *arena, enum unit unit, struct val_f64 value)
{
	return is_known(value) ? bench_figure(arena, unit, f64_or(value, 0)) : "";
}

static void add_part(struct strbuf *out, const char *format, const char *text)
{
	strbuf_addstr(out, out->len ? ", " : "");
	strbuf_addstr(out, format);
	strbuf_addstr(out, text);
}

static void add_known(struct strbuf *out, const char *what, enum unit unit, struct val_u64 value)
{
	STRBUF_AUTO text = STRBUF_INIT;

	if (!is_known(value))
		return;
	unit_format_u64(&text, unit, u64_or(value, 0));
	add_part(out, what, text.buf);
}

const char *bench_condition_words(struct arena *arena, const struct conditions *conditions)
{
	const char *throttle = conditions_throttle_words(arena, conditions);
	STRBUF_AUTO out = STRBUF_INIT;

	add_known(&out, "link ", UNIT_MTPS, conditions->link_speed_mtps);
	if (is_known(conditions->link_speed_mtps) && is_known(conditions->link_width))
		strbuf_addf(&out, " x%llu", (unsigned long long)u64_or(conditions->link_width, 0));
	else
		add_known(&out, "link ", UNIT_LANES, conditions->link_width);
	add_known(&out, "clock ", UNIT_MHZ, conditions->clock_mhz);
	add_known(&out, "memory ", UNIT_MHZ, conditions->memory_clock_mhz);
	add_known(&out, "", UNIT_MW, conditions->power_mean_mw);
	add_known(&out, "at most ", UNIT_MW, conditions->power_max_mw);
	if (is_known(conditions->temperature_max_c))
		add_part(&out, "up to ", bench_figure(arena, UNIT_CELSIUS, f64_or(conditions->temperature_max_c, 0.0)));
	if (is_known(conditions->busy_percent))
		add_part(&out, "use ", bench_figure(arena, UNIT_PERCENT, f64_or(conditions->busy_percent, 0.0)));
	if (throttle)
		add_part(&out, "held back: ", throttle);
	return out.len ? arena_strdup(arena, out.buf) : NULL;
}

void bench_gaps(struct arena *arena, const struct bench_device *device, struct strs *ret)
{
	if (device->skipped) {
		strs_add(arena, ret, arena_printf(arena, "not measured: %s", device->skipped));
		return;
	}
	for (size_t i = 0; i < device->failed.nr; i++)
		strs_add(arena, ret, arena_printf(arena, "failed: %s", device->failed.v[i]));
	for (size_t i = 0; i < device->lacking.nr; i++)
		strs_add(arena, ret, arena_printf(arena, "not there: %s", device->lacking.v[i]));
}

/* ---- series */

/* "h2d-pinned/node1" of "h2d-pinned/node1/65536", "h2d-pinned" of "h2d-pinned/65536" */
static const char *series_name(struct arena *arena, const struct report_timing *timing)
{
	const char *node = strstr(timing->key, "/node");

	if (!node)
		return timing->test;
	return arena_strndup(arena, timing->key, (size_t)(node - timing->key) + 1 + strcspn(node + 1, "/"));
}

static void add_points(struct arena *arena, const struct bench_device *device, struct bench_series_list *ret)
{
	for (size_t i = 0; i < device->nr_timings; i++) {
		const struct report_timing *timing = &device->timings[i];
		struct bench_series *last = ret->nr ? &ret->items[ret->nr - 1] : NULL;
		const char *name = series_name(arena, timing);

		if (last && last->device == device && !strcmp(last->name, name)) {
			last->nr++;
			continue;
		}
		ret->items = arena_grow(arena, ret->items, ret->nr, sizeof(*ret->items));
		ret->items[ret->nr++] =
			(struct bench_series){ .device = device, .name = name, .points = timing, .nr = 1 };
	}
}

void bench_series_of(struct arena *arena, const struct bench_report *bench, struct bench_series_list *ret)
{
	*ret = (struct bench_series_list){ .nr = 0 };
	for (size_t i = 0; i < bench->nr_devices; i++)
		add_points(arena, &bench->devices[i], ret);
}

/* ---- lines */

void bench_put_line(struct term_writer *term, enum style style, const char *label, const char *text)
{
	term_move(term, BENCH_INDENT);
	term_put(term, style, label);
	term_flow(term, BENCH_HANG, text);
	term_end_line(term);
}
