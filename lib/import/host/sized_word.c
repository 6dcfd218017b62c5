// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/host/sized_word.h"

#include "base/text.h"

uint64_t size_unit_take(const char **at)
{
	static const char letters[] = "KMGTPE";
	const char *letter = **at ? strchr(letters, **at == 'k' ? 'K' : **at) : NULL;
	uint64_t base = 1024, ret = 1;

	if (**at == 'B') {
		++*at;
		return 1;
	}
	if (!letter)
		return 0;
	++*at;
	if (**at == 'i') {
		*at += (*at)[1] == 'B' ? strlen("iB") : strlen("i");
	} else if (**at == 'B') {
		++*at;
		base = 1000;
	}
	for (size_t i = 0; i <= (size_t)(letter - letters); i++)
		ret *= base;
	return ret;
}

bool sized_word(const struct text_word *word, uint64_t unit, uint64_t *ret_bytes)
{
	char number[32];
	const char *at;
	double value;
	size_t len = 0;

	for (; len < word->len && len + 1 < sizeof(number) &&
	       (is_digit(word->text[len]) || strchr(".,", word->text[len]));
	     len++)
		number[len] = word->text[len] == ',' ? '.' : word->text[len];
	number[len] = '\0';
	at = word->text + len;
	if (len < word->len)
		unit = size_unit_take(&at);
	if (!unit || at != word->text + word->len || parse_f64(number, &value) || value < 0)
		return false;
	value *= (double)unit;
	if (value >= 1e18)
		return false;
	*ret_bytes = (uint64_t)value;
	return true;
}
