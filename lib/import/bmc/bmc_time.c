// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/bmc/bmc_event.h"

#include "base/text.h"
#include "base/text_scan.h"

static bool take_number(const char **at, uint64_t *ret)
{
	bool fits = true;

	return scan_u64(at, 10, ret, &fits) && fits;
}

/* "Dec" */
static bool take_month(const char **at, uint64_t *ret)
{
	*ret = month_by_name(*at);
	*at += *ret ? 3 : 0;
	return *ret != 0;
}

/* A sign of Japanese, Chinese or Korean, which date and time of these languages have behind each number. */
static bool take_sign(const char **at, const char *const signs[3])
{
	for (size_t i = 0; i < 3; i++)
		if (text_begins(*at, signs[i])) {
			*at = past_blanks(*at + strlen(signs[i]));
			return true;
		}
	return false;
}

static const char *const years[] = { "年", "년", "年" }, *const months[] = { "月", "월", "月" },
			 *const days[] = { "日", "일", "日" }, *const hours[] = { "時", "时", "시" },
			 *const minutes[] = { "分", "분", "分" };

static bool is_date(uint64_t year, uint64_t month, uint64_t day)
{
	return year > 2000 && year < 3000 && month && month <= 12 && day && day <= 31;
}

/* "2026年09月05日", "2026년 09월 05일" */
static const char *past_signed_date(const char *at, uint64_t *ret_year, uint64_t *ret_month, uint64_t *ret_day)
{
	if (!take_number(&at, ret_year) || !take_sign(&at, years) || !take_number(&at, ret_month) ||
	    !take_sign(&at, months) || !take_number(&at, ret_day) || !take_sign(&at, days))
		return NULL;
	return is_date(*ret_year, *ret_month, *ret_day) ? at : NULL;
}

/* "05.09.2026", as German and its neighbours write it. */
static const char *past_dotted_date(const char *at, uint64_t *ret_year, uint64_t *ret_month, uint64_t *ret_day)
{
	if (!take_number(&at, ret_day) || !scan_char(&at, '.') || !take_number(&at, ret_month) ||
	    !scan_char(&at, '.') || !take_number(&at, ret_year))
		return NULL;
	return is_date(*ret_year, *ret_month, *ret_day) ? at : NULL;
}

/*
 * "12/03/2024", "12/03/24", "Dec-03-2024", "2024/12/03" or "2024-12-03", "25/12/2024" and those above; NULL: none, as
 * before a clock was set. ipmitool writes them as the user's language does.
 */
static const char *past_date(const char *at, uint64_t *ret_year, uint64_t *ret_month, uint64_t *ret_day)
{
	const char *ret = past_signed_date(at, ret_year, ret_month, ret_day);
	uint64_t first, last;
	char between;

	ret = ret ? ret : past_dotted_date(at, ret_year, ret_month, ret_day);
	if (ret)
		return ret;
	if (!take_month(&at, &first) && !take_number(&at, &first))
		return NULL;
	between = *at;
	if ((between != '/' && between != '-') || !scan_char(&at, between) || !take_number(&at, ret_month) ||
	    !scan_char(&at, between) || !take_number(&at, &last))
		return NULL;
	*ret_year = first > 31 ? first : last + (last < 100 ? 2000 : 0);
	*ret_day = first > 31 ? last : *ret_month;
	*ret_month = first > 31 ? *ret_month : first;
	if (*ret_month > 12 && *ret_day <= 12) {
		first = *ret_month;
		*ret_month = *ret_day;
		*ret_day = first;
	}
	return is_date(*ret_year, *ret_month, *ret_day) ? at : NULL;
}

static uint64_t second_of(uint64_t year, uint64_t month, uint64_t day, uint64_t hour, uint64_t minute, uint64_t second)
{
	char time[64];
	int64_t ret;

	snprintf(time, sizeof(time), "%04u-%02u-%02uT%02u:%02u:%02u.000Z", (unsigned)year, (unsigned)month,
		 (unsigned)day, (unsigned)hour, (unsigned)minute, (unsigned)second);
	return parse_rfc3339(time, &ret) || ret < 0 ? 0 : (uint64_t)ret;
}

uint64_t bmc_second(const char *text)
{
	uint64_t year, month, day, hour, minute, second = 0;
	const char *at = text;

	while (*at && ((at != text && is_letter_or_digit(at[-1])) || !past_date(at, &year, &month, &day)))
		at++;
	at = *at ? past_date(at, &year, &month, &day) : NULL;
	if (!at)
		return 0;
	at += strspn(at, " |T,");
	if (!take_number(&at, &hour) || (!scan_char(&at, ':') && !take_sign(&at, hours)) ||
	    !take_number(&at, &minute) || hour > 23 || minute > 59)
		hour = minute = 0;
	else if ((scan_char(&at, ':') || take_sign(&at, minutes)) && (!take_number(&at, &second) || second > 59))
		second = 0;
	at = past_blanks(at);
	if (text_begins(at, hour < 12 ? "PM" : "AM"))
		hour = hour < 12 ? hour + 12 : hour - 12;
	return second_of(year, month, day, hour, minute, second);
}

/* "Mar 12 09:14:20 2024", the day of which is enough; 0: it is none. */
static uint64_t day_at(const char *at)
{
	uint64_t month, day, hour, year;

	if (!take_month(&at, &month) || *at != ' ')
		return 0;
	at = past_blanks(at);
	if (!take_number(&at, &day))
		return 0;
	at = past_blanks(at);
	if (!take_number(&at, &hour) || *at != ':')
		return 0;
	at = past_blanks(at + strcspn(at, " "));
	return take_number(&at, &year) && year > 2000 && year < 3000 ? second_of(year, month, day, 0, 0, 0) : 0;
}

/* "Tue Mar 12 09:14:20 2024", or a line that begins with "2024-03-12T09:14:20". */
static uint64_t written_second(const char *text)
{
	uint64_t ret = text_begins(text, "20") ? bmc_second(text) : 0;

	return ret ? ret : bmc_day_in_words(text);
}

uint64_t bmc_day_in_words(const char *text)
{
	uint64_t ret = 0;

	for (const char *at = text; *at && !ret; at++)
		ret = at == text || at[-1] == ' ' ? day_at(at) : 0;
	return ret;
}

/* A log's last line, and what nvidia-smi has above its output, tell when they were taken. */
static uint64_t taken_at(const struct dump_part *part)
{
	enum { HEAD = 4 };
	uint64_t ret = 0;

	if (part->kind != DUMP_LOG && part->kind != DUMP_SMI_QUERY && part->kind != DUMP_SMI_TABLE)
		return 0;
	for (size_t i = 0; i < part->nr_lines; i++) {
		uint64_t second;

		if (i >= HEAD && i + 1 < part->nr_lines)
			continue;
		second = strnlen(part->lines[i].text, 400) < 400 ? written_second(part->lines[i].text) : 0;
		ret = second > ret ? second : ret;
	}
	return ret;
}

uint64_t bmc_newest_beside(const struct reading *reading)
{
	uint64_t ret = 0;

	for (size_t i = 0; reading->parts && i < reading->parts->nr; i++) {
		uint64_t second = taken_at(&reading->parts->v[i]);

		ret = second > ret ? second : ret;
	}
	return ret;
}
