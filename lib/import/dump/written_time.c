// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/dump/written_time.h"

#include "base/text.h"
#include "base/text_scan.h"

struct date {
	uint64_t year, month, day, hour, minute, second;
	bool has_zone;
	int64_t zone_s;		/* east of UTC */
};

/* Names that one zone has. */
static const struct { const char *name; int hours; } zones[] = {
	{ "UTC", 0 }, { "GMT", 0 }, { "Z", 0 }, { "PST", -8 }, { "PDT", -7 }, { "MDT", -6 }, { "EST", -5 },
	{ "EDT", -4 }, { "CET", 1 }, { "CEST", 2 }, { "EET", 2 }, { "EEST", 3 }, { "JST", 9 }, { "KST", 9 },
};

enum { S_OF_HOUR = 3600, S_OF_MINUTE = 60, MOST_HOURS = 14 };	/* that a zone is apart from UTC */

static bool take_number(const char **at, size_t most_digits, uint64_t *ret)
{
	bool fits = true;
	size_t nr = scan_u64(at, 10, ret, &fits);

	return nr && nr <= most_digits && fits;
}

static bool take_clock(const char **at, struct date *date)
{
	if (!take_number(at, 2, &date->hour) || !scan_char(at, ':') || !take_number(at, 2, &date->minute) ||
	    !scan_char(at, ':') || !take_number(at, 2, &date->second))
		return false;
	if ((**at == '.' || **at == ',') && is_digit((*at)[1]))
		*at += 1 + strspn(*at + 1, "0123456789");
	return date->hour < 24 && date->minute < 60 && date->second <= 60;
}

/* Letters of other languages, "Mär", are none of ASCII. */
static size_t word_len(const char *at)
{
	size_t len = 0;

	while ((is_letter_or_digit(at[len]) && !is_digit(at[len])) || (unsigned char)at[len] >= 0x80)
		len++;
	return len;
}

/* "+0100", "-08:00" */
static void take_offset(const char *text, size_t len, struct date *date)
{
	char digits[8] = "";
	size_t nr = 0;

	for (size_t i = 1; i < len && nr + 1 < sizeof(digits); i++)
		if (is_digit(text[i]))
			digits[nr++] = text[i];
	if (nr != 4 && nr != 2)
		return;
	date->has_zone = true;
	date->zone_s = ((digits[0] - '0') * 10 + digits[1] - '0') * S_OF_HOUR;
	if (nr == 4)
		date->zone_s += ((digits[2] - '0') * 10 + digits[3] - '0') * S_OF_MINUTE;
	if (*text == '-')
		date->zone_s = -date->zone_s;
}

static void take_zone_name(const char *text, size_t len, struct date *date)
{
	for (size_t i = 0; i < ARRAY_SIZE(zones); i++)
		if (strlen(zones[i].name) == len && !memcmp(text, zones[i].name, len)) {
			date->has_zone = true;
			date->zone_s = (int64_t)zones[i].hours * S_OF_HOUR;
		}
}

/* Half of the day, and a zone by its name or by how far it is from UTC. */
static void take_zone(const char **at, struct date *date)
{
	enum { LONGEST = 5 };	/* "AEST", "+0100" */
	const char *next = past_blanks(*at);
	size_t len;

	if (text_begins(next, "AM") || text_begins(next, "PM")) {
		if (*next == 'A')
			date->hour %= 12;
		else if (date->hour < 12)
			date->hour += 12;
		*at = next + 2;
		next = past_blanks(*at);
	}
	len = *next == '+' || *next == '-' ? 1 + strspn(next + 1, "0123456789:") : word_len(next);
	if (!len || len > LONGEST + 1 || is_letter_or_digit(next[len]))
		return;
	if (is_digit(next[1]))
		take_offset(next, len, date);
	else
		take_zone_name(next, len, date);
	if (len > 1 || date->has_zone)
		*at = next + len;
}

/* "24 Nov", "Nov 24", "24. Nov" */
static bool take_day(const char **at, struct date *date)
{
	date->month = month_by_name(*at);
	if (date->month) {
		*at = past_blanks(*at + word_len(*at));
		return take_number(at, 2, &date->day);
	}
	if (!take_number(at, 2, &date->day))
		return false;
	*at = past_blanks(*at + (**at == '.' ? 1 : 0));
	date->month = month_by_name(*at);
	*at += date->month ? word_len(*at) : 0;
	return date->month != 0;
}

static bool take_words(const char **at, struct date *date)
{
	size_t len = month_by_name(*at) ? 0 : word_len(*at);

	*at = past_blanks(*at + len + (len && (*at)[len] == ',' ? 1 : 0));
	if (!take_day(at, date) || **at != ' ')
		return false;
	*at = past_blanks(*at);
	if (strspn(*at, "0123456789") == 4) {
		if (!take_number(at, 4, &date->year) || **at != ' ')
			return false;
		*at = past_blanks(*at);
		if (!take_clock(at, date))
			return false;
		take_zone(at, date);
		return true;
	}
	if (!take_clock(at, date))
		return false;
	take_zone(at, date);
	*at = past_blanks(*at);
	return take_number(at, 4, &date->year);
}

static bool take_numbers(const char **at, struct date *date)
{
	char between;

	if (strspn(*at, "0123456789") != 4 || !take_number(at, 4, &date->year))
		return false;
	between = **at;
	if ((between != '-' && between != '/') || !scan_char(at, between) || !take_number(at, 2, &date->month) ||
	    !scan_char(at, between) || !take_number(at, 2, &date->day) || (**at != ' ' && **at != 'T'))
		return false;
	++*at;
	if (!take_clock(at, date))
		return false;
	take_zone(at, date);
	return true;
}

struct written_clock written_time(const char *text, const char **ret_end)
{
	struct date date = { .year = 0 };
	const char *at = text;
	char time[80];
	int64_t ret;

	if (!(is_digit(*text) && take_numbers(&at, &date))) {
		at = text;
		date = (struct date){ .year = 0 };
		if (!take_words(&at, &date))
			return (struct written_clock){ .s = 0 };
	}
	if (date.year <= 2000 || date.year >= 2100 || !date.month || date.month > 12 || !date.day || date.day > 31)
		return (struct written_clock){ .s = 0 };
	snprintf(time, sizeof(time), "%04u-%02u-%02uT%02u:%02u:%02u.000Z", (unsigned)date.year, (unsigned)date.month,
		 (unsigned)date.day, (unsigned)date.hour, (unsigned)date.minute, (unsigned)date.second);
	if (parse_rfc3339(time, &ret))
		return (struct written_clock){ .s = 0 };
	*ret_end = at;
	return (struct written_clock){ .s = ret - date.zone_s, .has_zone = date.has_zone };
}

bool written_clock_is_later(struct written_clock clock, struct written_clock than, int64_t least_s)
{
	if (clock.has_zone != than.has_zone)
		least_s += (int64_t)MOST_HOURS * S_OF_HOUR;
	return clock.s && than.s && clock.s - than.s >= least_s;
}
