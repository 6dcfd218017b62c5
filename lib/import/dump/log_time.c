// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/dump/log_time.h"

#include "base/text.h"
#include "klog/line.h"

enum {
	LINES_AT_END = 64,	/* in which the last stamp of a text is looked for */
	LINES_BELOW = 256,	/* in which the driver may load again */
	MOST_CHARACTERS = 80,	/* of a line: a time further on is none of its own */
};
static const int64_t long_us = INT64_C(10) * 60 * 1000000;	/* who checks a node does so every few minutes */

static struct klog_line parsed(struct klog_line_context *context, const char *text)
{
	struct klog_line ret;

	klog_line_parse(context, span_of(text), &ret);
	return ret;
}

static struct klog_time time_of(const char *text)
{
	struct klog_line_context context = { .now_us = 0 };
	struct klog_time ret = parsed(&context, text).time;

	klog_line_context_release(&context);
	return ret;
}

enum { CLOCK_CHARACTERS = 8 };	/* "00:00:00" */

/* Where the time of day stands, or NULL. A GPU's address, "0000:07:00.0", looks like one. */
static const char *clock_in(const char *text)
{
	const char *end = text + strnlen(text, MOST_CHARACTERS);

	for (const char *at = text; end - at >= CLOCK_CHARACTERS; at++)
		if (text_has_clock(at, at + CLOCK_CHARACTERS) && (at == text || hex_digit(at[-1]) < 0))
			return at;
	return NULL;
}

bool log_time_has_clock(const char *text)
{
	return clock_in(text) != NULL;
}

/* The time of day in a line, in seconds; there is one. */
static int64_t clock_of(const char *line)
{
	enum { MINUTE = 60, HOUR = 3600 };
	const char *text = clock_in(line);
	int64_t fields[3] = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++, text += 3)
		fields[i] = (text[0] - '0') * 10 + (text[1] - '0');
	return fields[0] * HOUR + fields[1] * MINUTE + fields[2];
}

/* How long before the other line, in microseconds: of days that nobody can tell, by the time of day. */
static int64_t between(const char *first, const char *last)
{
	const int64_t us_of_second = 1000000;
	int64_t us;

	if (!klog_time_between(time_of(first), time_of(last), false, &us))
		us = (clock_of(last) - clock_of(first)) * us_of_second;
	return us < 0 ? -us : us;
}

enum { DAYS_OF_MONTH = 31, MONTHS = 12 };	/* of the longest: days alone are put in order */

/* "Jun 03 10:10:01", "Jun  3 10:10:01": which day of a year that is not told; -1: a line begins with no such date. */
static int yearless_day(const char *text)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	const char *day = text + strlen("Jun ");

	for (int month = 0; month < MONTHS; month++)
		if (!strncmp(text, months + 3 * month, 3) && text[3] == ' ' &&
		    (is_digit(*day) || *day == ' ') && text_begins_like(day + 1, "0 00:00:00"))
			return month * DAYS_OF_MONTH + (*day == ' ' ? 0 : *day - '0') * 10 + day[1] - '0';
	return -1;
}

/* January may be after December: the shorter way round the year counts. */
static bool is_yearless_earlier(const char *text, const char *than)
{
	enum { YEAR = MONTHS * DAYS_OF_MONTH };
	const int day = yearless_day(text), than_day = yearless_day(than);
	const int days = (than_day - day + YEAR) % YEAR;

	if (day < 0 || than_day < 0)
		return false;
	return days ? days < YEAR / 2 : clock_of(text) < clock_of(than);
}

bool log_time_is_earlier(const char *text, const char *than)
{
	int64_t us;

	if (klog_time_between(time_of(text), time_of(than), false, &us))
		return us > 0;
	return is_yearless_earlier(text, than);
}

static bool is_long_before_end(const struct dump_line *lines, size_t nr)
{
	for (size_t i = nr; i > 1 && nr - i < LINES_AT_END; i--)
		if (log_time_has_clock(lines[i - 1].text))
			return between(lines->text, lines[i - 1].text) > long_us;
	return false;
}

/* A boot begins, or the driver's modules do. */
static bool is_loaded_below(const struct dump_line *lines, size_t nr)
{
	static const char *const loads[] = {
		"Loaded the UVM driver", "NVRM: loading NVIDIA", "nvidia-modeset: Loading", "Linux version ",
		"-- Boot ",
		"-- Reboot ", "amdgpu kernel modesetting enabled", "Initialized amdgpu ",
	};

	for (size_t i = 1; i < nr && i < LINES_BELOW; i++)
		if (text_has_any(lines[i].text, loads, ARRAY_SIZE(loads)))
			return true;
	return false;
}

bool log_time_is_past(const struct dump_line *lines, size_t nr)
{
	return log_time_has_clock(lines->text) && (is_long_before_end(lines, nr) || is_loaded_below(lines, nr));
}

static bool is_of_go(const char *text)
{
	return text_begins_like(text, "0000/00/00 ");
}

const char *log_time_behind_stamp(const char *text)
{
	struct klog_line_context context = { .now_us = 0 };
	struct klog_line line = parsed(&context, text);
	bool is_within = line.text.at >= text && line.text.at <= text + strlen(text) &&
			 (line.time.has_wall || line.time.has_boot);
	const char *ret = is_within && !is_of_go(text) ? line.text.at : text;

	klog_line_context_release(&context);
	return ret;
}

const char *log_time_behind_speakers(const char *text)
{
	for (size_t len; (len = strcspn(text, " :")) && text[len] == ':' && text[len + 1] == ' ';)
		text += len + 2;
	return text;
}
