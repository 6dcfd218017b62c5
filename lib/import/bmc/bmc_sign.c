// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/bmc/bmc_sign.h"

#include "base/text.h"
#include "base/text_scan.h"

const struct bmc_sign bmc_beyond_limit = { "beyond its critical limit", NULL, BMC_LIMIT, NULL };

static const struct bmc_sign signs[] = {
#define SIGN(words, with, is, topic) { words, with, BMC_##is, topic },
#include "import/bmc/bmc_sign.def"
};

/*
 * At the beginning of a word, in any case of letters. Each cell is asked for each sign: the first letter decides
 * mostly.
 */
static bool stands_in(const char *text, const char *words)
{
	size_t len = strlen(words);
	char first = (char)(*words | 0x20);

	for (const char *at = text; *at; at++)
		if ((*at | 0x20) == first && (at == text || !is_letter_or_digit(at[-1]) || is_digit(at[-1])) &&
		    !strncasecmp(at, words, len))
			return true;
	return false;
}

const struct bmc_sign *bmc_sign_in(const char *said, const char *entry)
{
	for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
		if (stands_in(said, signs[i].words) && (!signs[i].with || text_has_word_of(entry, signs[i].with)))
			return &signs[i];
	return NULL;
}

/* What IPMI calls the types of its sensors, and boards the sensors. */
static enum bmc_is is_by_type(const char *entry)
{
	if (text_has_word_of(
		    entry,
		    "Power Supply|Power Unit|Pwr Unit|PSU|PS1|PS2|PS3|PS4|PS5|PS6|PS7|PS8|PS9|PS10|PS11|PS12|PS Redundancy"))
		return BMC_SUPPLY;
	if (text_has_word_of(entry, "Memory|DIMM"))
		return BMC_MEMORY;
	return text_has_word_of(entry, "Fan|Cooling|Temp|Voltage|Thermal") ? BMC_LIMIT : BMC_HOST;
}

enum bmc_is bmc_sign_is(const struct bmc_sign *sign, const char *entry)
{
	enum bmc_is type = is_by_type(entry);

	/* That its cell is empty costs a board its clock. */
	if (sign->is == BMC_LIMIT && text_has_word_of(entry, "VBAT|Battery|CMOS"))
		return BMC_NOTED;
	if (sign->is == BMC_REDUNDANCY)
		return type == BMC_SUPPLY || type == BMC_LIMIT ? type : BMC_NOTED;
	return sign->is == BMC_BY_TYPE ? type : sign->is;
}
