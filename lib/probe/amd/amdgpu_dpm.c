// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/amd/amdgpu_dpm.h"

#include "base/text_scan.h"

/* A line's parts. Of a number with a fraction thousandths are kept: "2.5GT/s" is 2500. */
struct level {
	bool is_asleep, is_current;
	uint64_t thousandths;
	const char *rest;		/* after the number: "Mhz *" */
	size_t rest_len;
};

static uint64_t take_number(const char **at)
{
	uint64_t number = 0;

	/* No clock or rate is that long; what is wraps to nonsense no more than it was. */
	for (size_t digits = 0; is_digit(**at) && digits < 9; digits++)
		number = number * 10 + (uint64_t)(*(*at)++ - '0');
	return number;
}

static bool take_level(const char *line, size_t len, struct level *ret)
{
	const char *end = line + len;

	while (end > line && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	*ret = (struct level){ .is_current = end > line && end[-1] == '*' };
	ret->is_asleep = *line == 'S';
	if (ret->is_asleep)
		line++;
	else if (is_digit(*line))
		take_number(&line);
	else
		return false;
	if (*line != ':')
		return false;
	for (line++; *line == ' '; line++)
		;
	if (!is_digit(*line))
		return false;
	ret->thousandths = take_number(&line) * 1000;
	if (*line == '.' && is_digit(line[1])) {
		ret->thousandths += (uint64_t)(line[1] - '0') * 100;
		for (line++; is_digit(*line); line++)
			;
	}
	ret->rest = line;
	ret->rest_len = line < end ? (size_t)(end - line) : 0;
	return true;
}

static const char *next_line(const char *line)
{
	line += strcspn(line, "\n");
	return *line ? line + 1 : line;
}

static bool rest_begins(const struct level *level, const char *word)
{
	return level->rest_len >= strlen(word) && !strncasecmp(level->rest, word, strlen(word));
}

struct amdgpu_clock amdgpu_dpm_clock(const char *text)
{
	struct amdgpu_clock ret = {
		.current_mhz = no_u64(VAL_ERROR, "no line of it is a clock"),
		.highest_mhz = no_u64(VAL_ERROR, "no line of it is a clock"),
	};
	struct level level;

	for (const char *line = text; *line; line = next_line(line)) {
		uint64_t mhz;

		if (!take_level(line, strcspn(line, "\n"), &level) || !rest_begins(&level, "mhz"))
			continue;
		mhz = level.thousandths / 1000;
		if (level.is_current)
			ret.current_mhz = val_u64(mhz);
		else if (!is_known(ret.current_mhz))
			ret.current_mhz = no_u64(VAL_ABSENT, "no clock is marked as the current one");
		if (!level.is_asleep && mhz > u64_or(ret.highest_mhz, 0))
			ret.highest_mhz = val_u64(mhz);
	}
	return ret;
}

/* " x16 619Mhz *" after the comma. */
static bool take_width(const struct level *level, uint64_t *ret)
{
	static const char after_speed[] = "GT/s, x";
	const char *at = level->rest + strlen(after_speed);

	if (!rest_begins(level, after_speed) || !is_digit(*at))
		return false;
	*ret = take_number(&at);
	return *ret && *ret <= 32;
}

struct amdgpu_link amdgpu_dpm_link(const char *text)
{
	struct amdgpu_link ret = {
		.width = no_u64(VAL_ABSENT, "no link is marked as the current one"),
		.speed_mtps = no_u64(VAL_ABSENT, "no link is marked as the current one"),
	};
	struct level level;

	for (const char *line = text; *line; line = next_line(line)) {
		uint64_t width;

		if (!take_level(line, strcspn(line, "\n"), &level) || !level.is_current || !take_width(&level, &width))
			continue;
		ret.width = val_u64(width);
		ret.speed_mtps = val_u64(level.thousandths);
	}
	return ret;
}
