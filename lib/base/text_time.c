// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"
#include "base/text_scan.h"

#include <errno.h>
#include <inttypes.h>

#define DAY_S 86400

/* RFC 3339 has years of four digits. */
#define FIRST_S (-INT64_C(62167219200))		/* 0000-01-01T00:00:00Z */
#define LAST_S INT64_C(253402300799)		/* 9999-12-31T23:59:59Z */

#define DAYS_OF_400_YEARS 146097U
#define DAYS_OF_100_YEARS 36524U
#define DAYS_OF_4_YEARS 1461U
#define DAYS_OF_JANUARY_FEBRUARY 60U		/* of the year 0, a leap year */

struct date {
	uint16_t year;
	uint8_t month, day;
};

/*
 * The Gregorian date of a day counted from 0000-01-01. Years are taken to
 * begin in March, which makes the leap day the last of its year, and counted
 * in runs of 400, which are all alike; the first begins in March of -400.
 */
static struct date date_of(uint32_t day)
{
	uint32_t shifted = day + DAYS_OF_400_YEARS - DAYS_OF_JANUARY_FEBRUARY;
	uint32_t run = shifted / DAYS_OF_400_YEARS;
	uint32_t in_run = shifted % DAYS_OF_400_YEARS;
	uint32_t year = (in_run - in_run / (DAYS_OF_4_YEARS - 1) + in_run / DAYS_OF_100_YEARS -
			 in_run / (DAYS_OF_400_YEARS - 1)) / 365;
	uint32_t in_year = in_run - (365 * year + year / 4 - year / 100);
	uint32_t month = (5 * in_year + 2) / 153;	/* from March: 31 30 31 30 31 days, 153, and again */

	return (struct date){
		.year = (uint16_t)(run * 400 + year - 400 + (month >= 10)),
		.month = (uint8_t)(month < 10 ? month + 3 : month - 9),
		.day = (uint8_t)(in_year - (153 * month + 2) / 5 + 1),
	};
}

void format_rfc3339(int64_t seconds, unsigned milliseconds, char buf[32])
{
	struct date date;
	unsigned in_day;

	if (seconds < FIRST_S)
		seconds = FIRST_S;
	if (seconds > LAST_S)
		seconds = LAST_S;
	if (milliseconds > 999)
		milliseconds = 999;
	seconds -= FIRST_S;
	date = date_of((uint32_t)(seconds / DAY_S));
	in_day = (unsigned)(seconds % DAY_S);
	snprintf(buf, 32, "%04u-%02u-%02uT%02u:%02u:%02u.%03uZ", date.year, date.month, date.day, in_day / 3600,
		 in_day / 60 % 60, in_day % 60, milliseconds);
}

/* The day, from 0000-01-01, that date_of() gives back as this date. */
static int64_t day_of(unsigned year, unsigned month, unsigned day)
{
	unsigned from_march = month > 2 ? month - 3 : month + 9;
	unsigned years = year + 400 - (month <= 2);

	return (int64_t)365 * years + years / 4 - years / 100 + years / 400 + (153 * from_march + 2) / 5 + day - 1 -
	       (DAYS_OF_400_YEARS - DAYS_OF_JANUARY_FEBRUARY);
}

static bool take_digits(const char **at, unsigned nr, char after, unsigned *ret)
{
	*ret = 0;
	while (nr--) {
		if (**at < '0' || **at > '9')
			return false;
		*ret = *ret * 10 + (unsigned)(*(*at)++ - '0');
	}
	return *(*at)++ == after;
}

int parse_rfc3339(const char *text, int64_t *ret_s)
{
	unsigned year, month, day, hour, minute, second, fraction;

	if (!take_digits(&text, 4, '-', &year) || !take_digits(&text, 2, '-', &month) ||
	    !take_digits(&text, 2, 'T', &day) || !take_digits(&text, 2, ':', &hour) ||
	    !take_digits(&text, 2, ':', &minute) || !take_digits(&text, 2, '.', &second) ||
	    !take_digits(&text, 3, 'Z', &fraction) || *text)
		return -EINVAL;
	if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60)
		return -EINVAL;
	*ret_s = FIRST_S + day_of(year, month, day) * DAY_S + hour * 3600 + minute * 60 + second;
	return 0;
}

/* Does a text begin with a name, in any case of letters, and with nothing that makes it a longer word? */
static bool is_month(const char *text, const char *name)
{
	size_t len = strlen(name);

	return !strncasecmp(text, name, len) && !is_letter_or_digit(text[len]);
}

unsigned month_by_name(const char *text)
{
	static const char names[] = "janfebmaraprmayjunjulaugsepoctnovdec";
	/* "M\xc3\xa4r" of UTF-8; Jan, Feb, Apr and others are as in English. */
	static const struct { const char *name; unsigned month; } german[] = {
		{ "m\xc3\xa4r", 3 }, { "mai", 5 }, { "okt", 10 }, { "dez", 12 },
	};
	char folded[3];

	for (size_t i = 0; i < sizeof(folded); i++) {
		if (!text[i])
			return 0;
		folded[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] | 0x20 : text[i]);
	}
	for (unsigned month = 0; month < 12; month++)
		if (!memcmp(folded, &names[3 * month], sizeof(folded)))
			return month + 1;
	for (size_t i = 0; i < ARRAY_SIZE(german); i++)
		if (is_month(text, german[i].name))
			return german[i].month;
	return 0;
}
