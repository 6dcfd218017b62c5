// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/words/sentence.h"

#include "base/text.h"

/* Ends of sentences: a full stop before a blank, and those of Chinese and Japanese. */
static size_t end_of_sentence(const char *at)
{
	static const char *const wide[] = {"。", "；", "！", "？"};

	switch ((unsigned char)*at) {
	case '.': case ';': case '!': case '?': case '\0':
		return !*at || !at[1] || at[1] == ' ' ? 1 : 0;
	case 0xe3: case 0xef:	/* what those begin with */
		break;
	default:
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(wide); i++)
		if (text_begins(at, wide[i]))
			return strlen(wide[i]);
	return 0;
}

struct span sentence_of(struct span line, const char *at)
{
	struct span ret = { line.at, at };

	for (const char *before = line.at; before < at; before++) {
		size_t len = end_of_sentence(before);

		ret.at = len ? before + len : ret.at;
	}
	while (ret.end < line.end && !end_of_sentence(ret.end))
		ret.end++;
	return ret;
}

/* "/opt/examples/": the name of a folder is no word. */
static bool is_within_name(struct span span, const char *at)
{
	return at > span.at && (is_letter_or_digit(at[-1]) || at[-1] == '_' || at[-1] == '/');
}

static bool names_folder(struct span span, const char *end)
{
	while (end < span.end && (is_letter_or_digit(*end) || *end == '_' || *end == '-'))
		end++;
	return end < span.end && *end == '/' && end[-1] != ' ';
}

bool sentence_has_any(struct span span, const char *const *words, size_t nr)
{
	bool begins[256] = { false };	/* by a word's first character, in either case */

	/* Of ASCII's letters the cases are one bit apart. */
	for (size_t i = 0; i < nr; i++)
		begins[(unsigned char)*words[i]] =
			begins[(unsigned char)*words[i] ^ (is_letter_or_digit(*words[i]) ? 0x20 : 0)] = true;
	for (const char *at = span.at; at < span.end; at++) {
		bool is_inside = is_within_name(span, at);

		/* Most characters are within words. */
		if (!begins[(unsigned char)*at] || (is_inside && is_letter_or_digit(*at)))
			continue;
		for (size_t i = 0; i < nr; i++) {
			size_t len;

			if ((*at ^ *words[i]) & ~0x20)
				continue;
			len = strlen(words[i]);
			if ((size_t)(span.end - at) >= len && !strncasecmp(at, words[i], len) &&
			    (!is_inside || !is_letter_or_digit(*words[i])) && !names_folder(span, at + len))
				return true;
		}
	}
	return false;
}

bool sentence_tells_of_own(struct span span)
{
	static const char *const words[] = {
		"i get ", "i got ", "i am getting ", "i'm getting ", "i keep getting ", "i see ", "i saw ", "i have ",
		"i'm seeing ",
		"we get ", "we got ", "we are getting ", "we're getting ", "we keep getting ", "we see ", "we saw ",
		"we have ",
		"we're seeing ", "says ", "keeps saying ", "getting ",
	};

	return sentence_has_any(span, words, ARRAY_SIZE(words));
}
