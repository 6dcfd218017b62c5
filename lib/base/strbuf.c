// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/strbuf.h"

#include "base/alloc.h"

char strbuf_empty[1];

void strbuf_release(struct strbuf *sb)
{
	if (sb->size)
		free(sb->buf);
	sb->buf = strbuf_empty;
	sb->len = sb->size = 0;
}

void strbuf_reset(struct strbuf *sb)
{
	strbuf_setlen(sb, 0);
}

char *strbuf_detach(struct strbuf *sb)
{
	char *text;

	strbuf_grow(sb, 0);
	text = sb->buf;
	sb->buf = strbuf_empty;
	sb->len = sb->size = 0;
	return text;
}

void strbuf_grow(struct strbuf *sb, size_t more)
{
	size_t need = sb->len + more + 1;

	if (need <= sb->size)
		return;
	if (need < sb->size + sb->size / 2)
		need = sb->size + sb->size / 2;
	if (need < 64)
		need = 64;
	sb->buf = xrealloc(sb->size ? sb->buf : NULL, need);
	sb->size = need;
	sb->buf[sb->len] = '\0';
}

void strbuf_setlen(struct strbuf *sb, size_t len)
{
	sb->len = len;
	if (sb->size)
		sb->buf[len] = '\0';
}

void strbuf_add(struct strbuf *sb, const void *data, size_t len)
{
	if (!len)
		return;
	strbuf_grow(sb, len);
	memcpy(sb->buf + sb->len, data, len);
	strbuf_setlen(sb, sb->len + len);
}

void strbuf_addstr(struct strbuf *sb, const char *text)
{
	strbuf_add(sb, text, strlen(text));
}

void strbuf_addch(struct strbuf *sb, char c)
{
	strbuf_add(sb, &c, 1);
}

void strbuf_addchars(struct strbuf *sb, char c, size_t nr)
{
	strbuf_grow(sb, nr);
	memset(sb->buf + sb->len, c, nr);
	strbuf_setlen(sb, sb->len + nr);
}

void strbuf_vaddf(struct strbuf *sb, const char *format, va_list args)
{
	va_list again;
	int len;

	va_copy(again, args);
	len = vsnprintf(NULL, 0, format, args);
	if (len > 0) {
		strbuf_grow(sb, (size_t)len);
		vsnprintf(sb->buf + sb->len, (size_t)len + 1, format, again);
		sb->len += (size_t)len;
	}
	va_end(again);
}

void strbuf_addf(struct strbuf *sb, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	strbuf_vaddf(sb, format, args);
	va_end(args);
}

void strbuf_rtrim(struct strbuf *sb)
{
	while (sb->len && strchr(" \t\r\n", sb->buf[sb->len - 1]) && sb->buf[sb->len - 1])
		strbuf_setlen(sb, sb->len - 1);
}

const char *strbuf_add_to_place(struct strbuf *sb, const char **template, size_t *ret_len)
{
	size_t before = strcspn(*template, "{");
	const char *place = *template + before;

	strbuf_add(sb, *template, before);
	if (!*place++)
		return NULL;
	*ret_len = strcspn(place, "}");
	*template = place + *ret_len + (place[*ret_len] == '}');
	return place;
}
