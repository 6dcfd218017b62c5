// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"

#include <errno.h>
#include <math.h>

#include "base/text_scan.h"

int parse_u64(const char *text, uint64_t *ret)
{
	unsigned base = text[0] == '0' && text[1] == 'x' ? 16 : 10;
	const char *at = base == 16 ? text + 2 : text;
	bool fits = true;
	uint64_t value;

	if (!scan_u64(&at, base, &value, &fits) || !scan_end(at))
		return -EINVAL;
	if (!fits)
		return -ERANGE;
	*ret = value;
	return 0;
}

static bool scan_digits(const char **at)
{
	const char *start = *at;

	while (is_digit(**at))
		++*at;
	return *at > start;
}

int parse_f64(const char *text, double *ret)
{
	const char *at = text;
	bool has_digits;
	double value;

	/* strtod() also takes leading space, hexadecimal, "inf" and "nan": the form is settled first. */
	scan_char(&at, '-');
	has_digits = scan_digits(&at);
	if (scan_char(&at, '.'))
		has_digits = scan_digits(&at) || has_digits;
	if (!has_digits)
		return -EINVAL;
	if (scan_char(&at, 'e') || scan_char(&at, 'E')) {
		if (!scan_char(&at, '-'))
			scan_char(&at, '+');
		if (!scan_digits(&at))
			return -EINVAL;
	}
	if (!scan_end(at))
		return -EINVAL;
	value = strtod(text, NULL);
	if (!isfinite(value))
		return -ERANGE;
	*ret = value;
	return 0;
}

/* "16.0" as 16000. No way through a double: 2.5 GT/s has to be 2500, not nearly so. */
static int scan_thousands(const char **at, uint64_t *ret)
{
	uint64_t whole, part;
	bool fits = true;
	size_t nr = 3;

	if (!scan_u64(at, 10, &whole, &fits))
		return -EINVAL;
	part = 0;
	if (scan_char(at, '.')) {
		nr = scan_u64(at, 10, &part, &fits);
		if (!nr || nr > 3)
			return -EINVAL;
	}
	for (; nr < 3; nr++)
		part *= 10;
	if (__builtin_mul_overflow(whole, (uint64_t)1000, &whole) || __builtin_add_overflow(whole, part, ret))
		fits = false;
	return fits ? 0 : -ERANGE;
}

int parse_link_speed(const char *text, uint64_t *ret_mtps)
{
	static const char unit[] = " GT/s", bus[] = " PCIe";
	const char *at = text;
	uint64_t mtps;
	int error = scan_thousands(&at, &mtps);

	if (error == -EINVAL || strncmp(at, unit, strlen(unit)))
		return -EINVAL;
	at += strlen(unit);
	if (!strncmp(at, bus, strlen(bus)))
		at += strlen(bus);
	if (!scan_end(at))
		return -EINVAL;
	if (!error)
		*ret_mtps = mtps;
	return error;
}

uint64_t link_generation_mtps(uint64_t generation)
{
	static const uint64_t speeds[] = { 0, 2500, 5000, 8000, 16000, 32000, 64000, 128000 };

	return generation < ARRAY_SIZE(speeds) ? speeds[generation] : 0;
}

int parse_duration_ms(const char *text, uint64_t *ret_ms)
{
	static const struct {
		const char *name;
		double ms;
	} units[] = { { "", 1e3 }, { "ms", 1 }, { "s", 1e3 }, { "m", 60e3 }, { "h", 3600e3 } };
	size_t len = strspn(text, "0123456789.");
	char number[32];
	double value;
	int err;

	if (len >= sizeof(number))
		return -ERANGE;
	memcpy(number, text, len);
	number[len] = '\0';
	err = parse_f64(number, &value);
	if (err)
		return err;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(text + len, units[i].name) != 0)
			continue;
		/* Beyond, a double has no whole numbers any more. */
		if (value * units[i].ms > 0x1p53)
			return -ERANGE;
		*ret_ms = (uint64_t)(value * units[i].ms + 0.5);
		return 0;
	}
	return -EINVAL;
}
