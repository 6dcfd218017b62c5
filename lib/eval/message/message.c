// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/message/message.h"

#include <stdbool.h>

#include "base/strbuf.h"

enum {
#define MESSAGE(id, ...) MESSAGE_##id,
#define NEXT(...)
#include "eval/message/message.def"
	NR_MESSAGES
};

const struct message messages[] = {
#define MESSAGE(id, literal_, also_, title_, why_, source_) \
	[MESSAGE_##id] = { .literal = literal_, .also = also_, .title = title_, .why = why_, .source = source_ },
#define NEXT(...)
#include "eval/message/message.def"
};
const size_t nr_messages = NR_MESSAGES;

static const struct {
	size_t message;
	struct message_step step;
} steps[] = {
#define MESSAGE(...)
#define NEXT(id, text_, command_) { MESSAGE_##id, { text_, command_ } },
#include "eval/message/message.def"
};

const struct message_step *message_step(const struct message *message, size_t place)
{
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		if (&messages[steps[i].message] == message && !place--)
			return &steps[i].step;
	return NULL;
}

static char lowered(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* In small letters, with one blank for any white space. */
static void add_plain(struct strbuf *out, const char *text)
{
	for (; *text; text++) {
		bool is_blank = strchr(" \t\r\n", *text);

		if (!is_blank)
			strbuf_addch(out, lowered(*text));
		else if (out->len && out->buf[out->len - 1] != ' ')
			strbuf_addch(out, ' ');
	}
}

static bool holds(const char *plain, const char *literal)
{
	STRBUF_AUTO wanted = STRBUF_INIT;

	add_plain(&wanted, literal);
	return strstr(plain, wanted.buf);
}

size_t messages_in(const char *text, const struct message *found[], size_t most)
{
	STRBUF_AUTO plain = STRBUF_INIT;
	size_t nr = 0;

	add_plain(&plain, text);
	for (size_t i = 0; i < NR_MESSAGES && nr < most; i++)
		if (holds(plain.buf, messages[i].literal) && (!messages[i].also || holds(plain.buf, messages[i].also)))
			found[nr++] = &messages[i];
	return nr;
}
