// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/line/markup.h"

#include "base/text.h"
#include "base/text_scan.h"

/* They hold blocks: no tool prints any of these names in angle brackets. */
static bool is_block(const char *name, size_t len)
{
	static const char *const blocks[] = { "pre", "code", "details", "summary", "p", "div", "blockquote", "samp" };

	return text_word_is_any(name, len, blocks, ARRAY_SIZE(blocks));
}

static size_t name_length(const char *at, const char *end)
{
	size_t len = 0;

	while (at + len < end && ((at[len] | 0x20) >= 'a' && (at[len] | 0x20) <= 'z'))
		len++;
	return len;
}

/* Behind the tag that begins here, "<pre>", "<code class=…>" or "</code>"; NULL: none does. */
static const char *past_tag(const char *at, const char *end)
{
	const char *name = at + 1, *close;
	size_t len;

	if (at == end || *at != '<')
		return NULL;
	name += name < end && *name == '/';
	len = name_length(name, end);
	if (!is_block(name, len) || name + len == end || (name[len] != '>' && name[len] != ' '))
		return NULL;
	close = memchr(name + len, '>', (size_t)(end - name - len));
	return close ? close + 1 : NULL;
}

/* Where the tag that ends here begins, "</pre>"; NULL: none does. */
static const char *closing_tag(const char *at, const char *end)
{
	const char *tag = end > at && end[-1] == '>' ? memrchr(at, '<', (size_t)(end - at)) : NULL;

	return tag && tag + 1 < end && tag[1] == '/' && past_tag(tag, end) == end ? tag : NULL;
}

static const char *without_blanks(const char *at, const char *end)
{
	while (end > at && end[-1] == ' ')
		end--;
	return end;
}

bool markup_inside(const char **at, const char **end)
{
	const char *first = *at, *stop = without_blanks(first, *end), *tag;
	bool has = false;

	while (first < stop && *first == ' ')
		first++;
	for (; (tag = past_tag(first, stop)); has = true)
		first = *at = tag;
	for (; (tag = closing_tag(*at, stop)); has = true)
		stop = *end = without_blanks(*at, tag);
	return has;
}

bool markup_has_class(const char *at, const char *end, const char *word)
{
	static const char key[] = " class=\"";
	const char *tag, *value, *stop;

	while (at < end && *at == ' ')
		at++;
	tag = at < end && *at == '<' ? memchr(at, '>', (size_t)(end - at)) : NULL;
	value = tag ? memmem(at, (size_t)(tag - at), key, strlen(key)) : NULL;
	if (!value)
		return false;
	value += strlen(key);
	stop = memchr(value, '"', (size_t)(tag - value));
	for (size_t len; stop && value < stop; value += len + 1) {
		const char *blank = memchr(value, ' ', (size_t)(stop - value));

		len = (size_t)((blank ? blank : stop) - value);
		if (len == strlen(word) && !memcmp(value, word, len))
			return true;
	}
	return false;
}
