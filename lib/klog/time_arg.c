// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "klog/time_arg.h"

#include <errno.h>

#include "klog/span.h"

#define US_PER_S INT64_C(1000000)
#define US_PER_DAY (86400 * US_PER_S)

/* Exactly that many digits. */
static bool take_digits(struct span *text, unsigned digits, unsigned *ret)
{
	unsigned value = 0;

	if (span_len(*text) < digits)
		return false;
	for (unsigned i = 0; i < digits; i++) {
		if (!is_digit(text->at[i]))
			return false;
		value = 10 * value + (unsigned)(text->at[i] - '0');
	}
	text->at += digits;
	*ret = value;
	return true;
}

static unsigned days_of_month(unsigned year, unsigned month)
{
	static const unsigned char days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && leap);
}

/* "2026-11-20" */
static bool take_date(struct span *text, int64_t *ret_us)
{
	struct span at = *text;
	unsigned year, month, day;
	int64_t days;

	if (!take_digits(&at, 4, &year) || !span_take(&at, "-") || !take_digits(&at, 2, &month) ||
	    !span_take(&at, "-") || !take_digits(&at, 2, &day))
		return false;
	if (year < 1970 || month < 1 || month > 12 || day < 1 || day > days_of_month(year, month))
		return false;
	days = day - 1;
	for (unsigned y = 1970; y < year; y++)
		days += 365 + (days_of_month(y, 2) == 29);
	for (unsigned m = 1; m < month; m++)
		days += days_of_month(year, m);
	*text = at;
	*ret_us = days * US_PER_DAY;
	return true;
}

/* "14:00", "14:00:05", "14:00:05.123" */
static bool take_time(struct span *text, int64_t *ret_us)
{
	struct span at = *text;
	unsigned hour, minute, second = 0, digit;
	int64_t fraction_us = 0;

	if (!take_digits(&at, 2, &hour) || !span_take(&at, ":") || !take_digits(&at, 2, &minute))
		return false;
	if (span_take(&at, ":")) {
		if (!take_digits(&at, 2, &second))
			return false;
		if (span_take(&at, "."))
			for (int64_t place_us = US_PER_S / 10; take_digits(&at, 1, &digit); place_us /= 10)
				fraction_us += digit * place_us;
	}
	if (hour > 23 || minute > 59 || second > 60)
		return false;
	*text = at;
	*ret_us = (hour * 3600 + minute * 60 + second) * US_PER_S + fraction_us;
	return true;
}

/* "Z", "+01:00", "-0500": how far ahead of UTC. */
static bool take_zone(struct span *text, int64_t *ret_us)
{
	struct span at = *text;
	unsigned hours, minutes;
	bool behind = span_begins(at, "-");

	*ret_us = 0;
	if (span_take(text, "Z") || span_take(text, "z"))
		return true;
	if (!behind && !span_begins(at, "+"))
		return false;
	at.at++;
	if (!take_digits(&at, 2, &hours) || (span_take(&at, ":"), !take_digits(&at, 2, &minutes)))
		return false;
	if (hours > 23 || minutes > 59)
		return false;
	*ret_us = (behind ? -1 : 1) * (int64_t)(hours * 60 + minutes) * 60 * US_PER_S;
	*text = at;
	return true;
}

static bool parse_date(struct span text, struct klog_time_arg *ret, enum klog_time_arg_clock *ret_clock)
{
	int64_t day_us, time_us = 0, ahead_us;

	if (!take_date(&text, &day_us))
		return false;
	if ((span_take(&text, "T") || span_take(&text, " ")) && !take_time(&text, &time_us))
		return false;
	ret->local_us = day_us + time_us;
	*ret_clock = KLOG_TIME_ARG_LOCAL;
	if (take_zone(&text, &ahead_us)) {
		ret->utc_us = ret->local_us - ahead_us;
		*ret_clock = KLOG_TIME_ARG_UTC;
	}
	return !span_len(text);
}

/* "-2h", "90m" */
static bool parse_before(struct span text, int64_t now_us, int64_t *ret_us)
{
	static const struct {
		const char *name;
		uint64_t seconds;
	} units[] = { { "s", 1 }, { "m", 60 }, { "min", 60 }, { "h", 3600 }, { "d", 86400 }, { "w", 7 * 86400 } };
	uint64_t nr;

	span_take(&text, "-");
	if (!span_take_u64(&text, &nr))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		/* A hundred years are as good as for ever, and fit. */
		if (!span_is(text, units[i].name) || nr > UINT64_C(100) * 366 * 86400 / units[i].seconds)
			continue;
		*ret_us = now_us - (int64_t)(nr * units[i].seconds) * US_PER_S;
		return true;
	}
	return false;
}

/* Seconds since 1970. */
static bool parse_epoch(struct span text, int64_t *ret_us)
{
	uint64_t seconds;

	if (!span_take(&text, "@") || !span_take_u64(&text, &seconds) || span_len(text) ||
	    seconds > (uint64_t)(INT64_MAX / US_PER_S))
		return false;
	*ret_us = (int64_t)seconds * US_PER_S;
	return true;
}

int klog_time_arg_parse(const char *text, const struct klog_time_arg *now, struct klog_time_arg *ret,
		      enum klog_time_arg_clock *ret_clock)
{
	int64_t today_us = now->local_us - now->local_us % US_PER_DAY, time_us;
	struct span span = span_of(text);

	*ret_clock = KLOG_TIME_ARG_LOCAL;
	if (span_is(span, "today")) {
		ret->local_us = today_us;
		return 0;
	}
	if (span_is(span, "yesterday")) {
		ret->local_us = today_us - US_PER_DAY;
		return 0;
	}
	if (take_time(&span, &time_us)) {
		ret->local_us = today_us + time_us;
		return span_len(span) ? -EINVAL : 0;
	}
	if (parse_date(span, ret, ret_clock))
		return 0;
	*ret_clock = KLOG_TIME_ARG_UTC;
	ret->utc_us = now->utc_us;
	return span_is(span, "now") || parse_epoch(span, &ret->utc_us) ||
	       parse_before(span, now->utc_us, &ret->utc_us) ? 0 : -EINVAL;
}
