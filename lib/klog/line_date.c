// SPDX-License-Identifier: GPL-2.0-or-later
/* line_date.c - dates as logs write them, in whatever language. */
#include "base/compat.h"
#include "klog/line_internal.h"

#include "base/text.h"

#define SECOND_US INT64_C(1000000)
#define DAY_S 86400

struct date {
	unsigned year, month, day;	/* month 0: not known */
	unsigned hour, minute, second, us;
};

/*
 * How months begin, as strftime(%b) has them in the languages that servers are run in; those of one language do not
 * fit another's, and what begins like two months is in here for the longer word first.
 */
static const struct {
	const char *word;
	unsigned char month;
} months[] = {
	{ "jan", 1 },  { "ene", 1 },  { "gen", 1 },  { "sty", 1 },  { "led", 1 },  { "tammi", 1 },
	{ "янв", 1 },  { "1月", 1 },  { "1월", 1 },  { "oca", 1 },  { "jän", 1 },
	{ "feb", 2 },  { "fév", 2 },  { "fev", 2 },  { "lut", 2 },  { "úno", 2 },  { "helmi", 2 }, { "фев", 2 },
	{ "2月", 2 },  { "2월", 2 },  { "şub", 2 },
	{ "marras", 11 }, { "mar", 3 }, { "mär", 3 }, { "mrt", 3 },  { "mrz", 3 },  { "maalis", 3 }, { "bře", 3 },
	{ "мар", 3 },  { "3月", 3 },  { "3월", 3 },  { "már", 3 },
	{ "apr", 4 },  { "avr", 4 },  { "abr", 4 },  { "kwi", 4 },  { "dub", 4 },  { "huhti", 4 }, { "апр", 4 },
	{ "4月", 4 },  { "4월", 4 },  { "ápr", 4 },  { "nis", 4 },
	{ "may", 5 },  { "mai", 5 },  { "maj", 5 },  { "mag", 5 },  { "mei", 5 },  { "kvě", 5 },   { "touko", 5 },
	{ "мая", 5 },  { "май", 5 },  { "5月", 5 },  { "5월", 5 },  { "máj", 5 },
	{ "jun", 6 },  { "juin", 6 }, { "giu", 6 },  { "cze", 6 },  { "čen", 6 }, { "kesä", 6 },
	{ "июн", 6 },  { "6月", 6 },  { "6월", 6 },  { "jún", 6 },  { "haz", 6 },
	{ "jul", 7 },  { "juil", 7 }, { "lug", 7 },  { "lip", 7 },  { "čec", 7 },  { "heinä", 7 }, { "июл", 7 },
	{ "7月", 7 },  { "7월", 7 },  { "júl", 7 },  { "tem", 7 },
	{ "aug", 8 },  { "aoû", 8 },  { "ago", 8 },  { "sie", 8 },  { "srp", 8 },  { "elo", 8 },   { "авг", 8 },
	{ "8月", 8 },  { "8월", 8 },  { "ağu", 8 },
	{ "sep", 9 },  { "set", 9 },  { "wrz", 9 },  { "zář", 9 },  { "syys", 9 }, { "сен", 9 },   { "9月", 9 },
	{ "9월", 9 },  { "sze", 9 },  { "eyl", 9 },
	{ "oct", 10 }, { "okt", 10 }, { "ott", 10 }, { "out", 10 }, { "paź", 10 }, { "říj", 10 },  { "loka", 10 },
	{ "окт", 10 }, { "10月", 10 }, { "10월", 10 }, { "eki", 10 },
	{ "nov", 11 }, { "lis", 11 }, { "ноя", 11 }, { "11月", 11 }, { "11월", 11 }, { "kas", 11 },
	{ "dec", 12 }, { "dez", 12 }, { "déc", 12 }, { "dic", 12 }, { "gru", 12 }, { "pro", 12 },  { "joulu", 12 },
	{ "дек", 12 }, { "12月", 12 }, { "12월", 12 }, { "ara", 12 }, { "des", 12 },
};

/* A month by its name, 0 where no language knows it. Capitals of ASCII alone are folded: months begin with them. */
static unsigned month_of(struct span word)
{
	char folded[16] = "";
	size_t len = span_len(word);
	unsigned month;

	if (len >= sizeof(folded))
		return 0;
	for (size_t i = 0; i < len; i++)
		folded[i] = (char)(word.at[i] >= 'A' && word.at[i] <= 'Z' ? word.at[i] | 0x20 : word.at[i]);
	/* Nearly all logs are in English: the list is for the rest. */
	month = len == 3 ? month_by_name(folded) : 0;
	if (month)
		return month;
	for (size_t i = 0; i < ARRAY_SIZE(months); i++)
		if (span_begins((struct span){ folded, folded + len }, months[i].word))
			return months[i].month;
	return 0;
}

static bool is_leap(unsigned year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static unsigned days_in(unsigned year, unsigned month)
{
	static const unsigned char days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

	return days[month - 1] + (month == 2 && is_leap(year));
}

/* Is there such a day and time? A leap second counts as one. */
static bool date_exists(const struct date *date)
{
	return date->year >= 1970 && date->month >= 1 && date->month <= 12 && date->day >= 1 &&
	       date->day <= days_in(date->year, date->month) && date->hour <= 23 && date->minute <= 59 &&
	       date->second <= 60;
}

/* Since 1970, of a date that exists. */
static int64_t date_us(const struct date *date)
{
	unsigned past = date->year - 1;
	int64_t days = 365 * (int64_t)(date->year - 1970) + past / 4 - past / 100 + past / 400 - 477;

	for (unsigned month = 1; month < date->month; month++)
		days += days_in(date->year, month);
	days += date->day - 1;
	return ((days * 24 + date->hour) * 3600 + date->minute * 60 + date->second) * SECOND_US + date->us;
}

static bool take_number(struct span *at, size_t least, size_t most, unsigned *ret)
{
	size_t nr = 0;

	*ret = 0;
	while (nr < most && at->at + nr < at->end && is_digit(at->at[nr]))
		*ret = *ret * 10 + (unsigned)(at->at[nr++] - '0');
	if (nr < least || (at->at + nr < at->end && is_digit(at->at[nr])))
		return false;
	at->at += nr;
	return true;
}

/* ".283302" or ",283", to microseconds. There need not be one. */
static unsigned take_fraction(struct span *at)
{
	unsigned us = 0, digits = 0;
	const char *c = at->at;

	if (c + 1 >= at->end || (*c != '.' && *c != ',') || !is_digit(c[1]))
		return 0;
	for (c++; c < at->end && is_digit(*c); c++)
		if (digits < 6) {
			us = us * 10 + (unsigned)(*c - '0');
			digits++;
		}
	for (; digits < 6; digits++)
		us *= 10;
	at->at = c;
	return us;
}

/* "08:03:20.123456" */
static bool take_time_of_day(struct span *at, struct date *ret)
{
	struct span from = *at;

	if (!take_number(&from, 1, 2, &ret->hour) || !span_take(&from, ":") ||
	    !take_number(&from, 2, 2, &ret->minute) || !span_take(&from, ":") ||
	    !take_number(&from, 2, 2, &ret->second))
		return false;
	ret->us = take_fraction(&from);
	*at = from;
	return true;
}

/* "Z", " UTC", "+02:00", "-0700", "+03": how far the clock is ahead. False: no zone. */
static bool take_zone(struct span *at, int64_t *ret_us)
{
	struct span from = *at;
	unsigned hours, minutes = 0;
	bool is_west = span_begins(from, "-");

	*ret_us = 0;
	if (span_take(at, "Z") || span_take(at, " UTC") || span_take(at, " GMT"))
		return true;
	/* Go and Ruby put a blank before it. */
	if (span_begins(from, " +") || span_begins(from, " -")) {
		from.at++;
		is_west = *from.at == '-';
		if (span_len(from) < 5 || !is_digit(from.at[4]))
			return false;
	}
	if (!span_take(&from, "+") && !span_take(&from, "-"))
		return false;
	if (take_number(&from, 4, 4, &hours)) {
		minutes = hours % 100;
		hours /= 100;
	} else if (!take_number(&from, 2, 2, &hours) ||
		   (span_take(&from, ":") && !take_number(&from, 2, 2, &minutes))) {
		return false;
	}
	if (hours > 15 || minutes > 59)
		return false;
	*ret_us = (int64_t)(hours * 60 + minutes) * 60 * SECOND_US * (is_west ? -1 : 1);
	*at = from;
	return true;
}

static void set_wall(struct klog_time *ret, int64_t us, bool is_local)
{
	ret->has_wall = true;
	ret->wall_is_local = is_local;
	ret->wall_us = us;
}

static void set_date(struct klog_time *ret, const struct date *date, bool is_local, int64_t ahead_us)
{
	if (date_exists(date))
		set_wall(ret, date_us(date) - ahead_us, is_local);
}

bool klog_take_iso(struct span *at, struct klog_time *ret)
{
	struct span from = *at;
	struct date date;
	int64_t ahead_us;
	bool is_told;

	if (!take_number(&from, 4, 4, &date.year) || (!span_take(&from, "-") && !span_take(&from, "/")) ||
	    !take_number(&from, 2, 2, &date.month) || (!span_take(&from, "-") && !span_take(&from, "/")) ||
	    !take_number(&from, 2, 2, &date.day) || (!span_take(&from, "T") && !span_take(&from, " ")) ||
	    !take_time_of_day(&from, &date))
		return false;
	is_told = take_zone(&from, &ahead_us);
	set_date(ret, &date, !is_told, ahead_us);
	*at = from;
	return true;
}

/* The last year that puts it at most a day after now. */
static void set_yearless(struct klog_time *ret, struct date *date, int64_t now_us)
{
	int64_t latest_us = now_us + DAY_S * SECOND_US;

	if (now_us <= 0 || !date->month)
		return;
	date->year = 1971 + (unsigned)(latest_us / SECOND_US / DAY_S / 365 & 0xffff);
	/* Eight years lie between leap years at most. */
	for (int tries = 0; tries < 10 && date->year > 1970; tries++, date->year--)
		if (date_exists(date) && date_us(date) <= latest_us) {
			set_wall(ret, date_us(date), true);
			return;
		}
}

/* The word of a month, or "9月" and the like. Which one, month_of() knows, once what follows shows that it is a date. */
static bool take_month(struct span *at, struct span *ret)
{
	return klog_take_word(at, ret) && span_len(*ret) <= 12 && !memchr(ret->at, ':', span_len(*ret)) &&
	       !memchr(ret->at, '[', span_len(*ret)) && !memchr(ret->at, '/', span_len(*ret)) &&
	       !is_digit(ret->end[-1]);
}

bool klog_take_month_day(struct span *at, int64_t now_us, struct klog_time *ret)
{
	struct span from = *at, month;
	struct date date = { .year = 0 };

	if (!take_month(&from, &month))
		return false;
	span_trim(&from);
	if (!take_number(&from, 1, 2, &date.day))
		return false;
	span_take(&from, ".");
	if (!span_take(&from, " "))
		return false;
	span_trim(&from);
	if (!take_time_of_day(&from, &date))
		return false;
	date.month = month_of(month);
	set_yearless(ret, &date, now_us);
	*at = from;
	return true;
}

bool klog_take_ctime(struct span *at, struct klog_time *ret)
{
	struct span from = *at, weekday, month;
	struct date date = { .year = 0 };

	if (!klog_take_word(&from, &weekday) || span_len(weekday) > 16)
		return false;
	span_trim(&from);
	if (!take_month(&from, &month))
		return false;
	span_trim(&from);
	if (!take_number(&from, 1, 2, &date.day))
		return false;
	span_trim(&from);
	if (!take_time_of_day(&from, &date) || !span_take(&from, " ") || !take_number(&from, 4, 4, &date.year))
		return false;
	date.month = month_of(month);
	set_date(ret, &date, true, 0);
	*at = from;
	return true;
}

bool klog_take_short_date(struct span *at, int64_t now_us, struct klog_time *ret)
{
	struct span from = *at, month = *at;
	struct date date = { .year = 0 };
	size_t len = 0;

	/* The day stands at the end of the month's word, or after a blank. */
	while (from.at + len < from.end && len < 16 && !is_digit(from.at[len]))
		len++;
	if (len < 3)
		return false;
	month.end = from.at + len;
	from.at += len;
	if (!take_number(&from, 1, 2, &date.day) || !span_take(&from, " ") || !take_number(&from, 2, 2, &date.hour) ||
	    !span_take(&from, ":") || !take_number(&from, 2, 2, &date.minute))
		return false;
	date.month = month_of(month);
	set_yearless(ret, &date, now_us);
	*at = from;
	return true;
}

bool klog_take_clock(struct span *at)
{
	struct date date;

	return take_time_of_day(at, &date);
}

bool klog_take_unix(struct span *at, struct klog_time *ret)
{
	struct span from = *at;
	uint64_t seconds;
	const char *point;
	unsigned us;

	if (!span_take_u64(&from, &seconds))
		return false;
	/* Milliseconds. */
	if (from.at - at->at == 13 && !span_begins(from, ".")) {
		set_wall(ret, (int64_t)seconds * 1000, false);
		*at = from;
		return true;
	}
	if (from.at - at->at < 9 || from.at - at->at > 10)
		return false;
	point = from.at;
	us = take_fraction(&from);
	if (from.at - point != 7)
		return false;
	set_wall(ret, (int64_t)seconds * SECOND_US + us, false);
	*at = from;
	return true;
}

/* "Nov 20, 2026 @ 03:04:05.678" of Kibana */
static bool take_at_date(struct span *at, struct klog_time *ret)
{
	struct span from = *at, month;
	struct date date = { .year = 0 };

	if (!take_month(&from, &month) || !take_number(&from, 1, 2, &date.day) || !span_take(&from, ", ") ||
	    !take_number(&from, 4, 4, &date.year) || !span_take(&from, " @ ") || !take_time_of_day(&from, &date))
		return false;
	date.month = month_of(month);
	set_date(ret, &date, true, 0);
	*at = from;
	return true;
}

/* "11/20/26 3:04:05.678 AM" of Splunk: the month first */
static bool take_slash_date(struct span *at, struct klog_time *ret)
{
	struct span from = *at;
	struct date date = { .year = 0 };

	if (!take_number(&from, 1, 2, &date.month) || !span_take(&from, "/") || !take_number(&from, 1, 2, &date.day) ||
	    !span_take(&from, "/") || !take_number(&from, 2, 4, &date.year) ||
	    !span_take(&from, " ") || !take_time_of_day(&from, &date) || date.hour > 12)
		return false;
	if (span_take(&from, " PM"))
		date.hour = date.hour % 12 + 12;
	else if (span_take(&from, " AM"))
		date.hour %= 12;
	else
		return false;
	date.year += date.year < 100 ? 2000 : 0;
	set_date(ret, &date, true, 0);
	*at = from;
	return true;
}

bool klog_take_viewer_date(struct span *at, struct klog_time *ret)
{
	return take_at_date(at, ret) || take_slash_date(at, ret);
}

bool klog_read_time(struct span text, struct klog_time *ret)
{
	struct span from = text;
	uint64_t number;
	size_t digits;

	if (klog_take_iso(&from, ret))
		return ret->has_wall;
	from = text;
	if (!span_take_u64(&from, &number))
		return false;
	digits = (size_t)(from.at - text.at);
	if (digits == 10)
		set_wall(ret, (int64_t)number * SECOND_US + take_fraction(&from), false);
	else if (digits == 13)
		set_wall(ret, (int64_t)number * 1000, false);
	else if (digits == 16)
		set_wall(ret, (int64_t)number, false);
	else if (digits == 19)
		set_wall(ret, (int64_t)(number / 1000), false);
	else
		return false;
	return true;
}
