// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/json_writer.h"

#include <float.h>
#include <math.h>

#include "base/text.h"

static void new_line(struct json_writer *w)
{
	if (!w->indent)
		return;
	strbuf_addch(w->out, '\n');
	strbuf_addchars(w->out, ' ', (size_t)w->indent * w->depth);
}

/* What stands between the last thing written and the value or key to come. */
static void begin_item(struct json_writer *w)
{
	if (w->after_key) {
		w->after_key = false;
		return;
	}
	if (!w->depth)
		return;
	if (w->has_items)
		strbuf_addch(w->out, ',');
	w->has_items = true;
	new_line(w);
}

static void begin_container(struct json_writer *w, char open)
{
	begin_item(w);
	strbuf_addch(w->out, open);
	w->depth++;
	w->has_items = false;
}

static void end_container(struct json_writer *w, char close)
{
	if (!w->depth)
		abort();	/* closed more than was opened: our bug, not the data's */
	w->depth--;
	if (w->has_items)
		new_line(w);
	strbuf_addch(w->out, close);
	w->has_items = true;	/* the outer one, this */
}

/* What a byte of a string is written as; 0: as it is; 'u': by its number. */
static char escape_of(unsigned char c)
{
	static const char bytes[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
	const char *at = c ? strchr(bytes, c) : NULL;

	if (at)
		return letters[at - bytes];
	return c < 0x20 || c == 0x7f ? 'u' : '\0';
}

/* Some terminals act on U+0080 to U+009F when the document is shown on one, and the deceptive hide what it says. */
static bool is_unsafe(uint32_t character)
{
	return (character >= 0x80 && character < 0xa0) || utf8_is_deceptive(character);
}

/* text is valid UTF-8. */
static void add_escaped(struct strbuf *out, const char *text, size_t len)
{
	const char *end = text + len, *done = text;	/* what comes before is written; bytes that stay go in runs */

	for (const char *at = text, *from; at < end;) {
		uint32_t character;
		char escape;

		from = at;
		character = utf8_take(&at);
		escape = character < 0x80 ? escape_of((unsigned char)character) : is_unsafe(character) ? 'u' : '\0';
		if (!escape)
			continue;
		strbuf_add(out, done, (size_t)(from - done));
		done = at;
		if (escape == 'u')
			strbuf_addf(out, "\\u%04x", character);	/* none is above U+FFFF */
		else
			strbuf_addf(out, "\\%c", escape);
	}
	strbuf_add(out, done, (size_t)(end - done));
}

/* Nearly all that is written: nothing in it to escape, nor outside of ASCII. */
static bool is_plain(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\')
			return false;
	}
	return true;
}

static void add_string(struct strbuf *out, const char *text)
{
	size_t len = strlen(text);

	strbuf_addch(out, '"');
	if (is_plain(text, len)) {
		strbuf_add(out, text, len);
	} else if (utf8_valid(text, len)) {
		add_escaped(out, text, len);
	} else {
		STRBUF_AUTO clean = STRBUF_INIT;

		utf8_clean(&clean, text, len);
		add_escaped(out, clean.buf, clean.len);
	}
	strbuf_addch(out, '"');
}

void json_object_begin(struct json_writer *w)
{
	begin_container(w, '{');
}

void json_object_end(struct json_writer *w)
{
	end_container(w, '}');
}

void json_array_begin(struct json_writer *w)
{
	begin_container(w, '[');
}

void json_array_end(struct json_writer *w)
{
	end_container(w, ']');
}

void json_key(struct json_writer *w, const char *key)
{
	begin_item(w);
	add_string(w->out, key);
	strbuf_addstr(w->out, w->indent ? ": " : ":");
	w->after_key = true;
}

void json_put_str(struct json_writer *w, const char *text)
{
	if (!text) {
		json_put_null(w);
		return;
	}
	begin_item(w);
	add_string(w->out, text);
}

void json_put_u64(struct json_writer *w, uint64_t value)
{
	char digits[20], *first = digits + sizeof(digits);

	begin_item(w);
	/* By hand: printf() would be a tenth of what a tick costs. */
	do {
		*--first = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	strbuf_add(w->out, first, (size_t)(digits + sizeof(digits) - first));
}

void json_put_f64(struct json_writer *w, double value)
{
	char buf[32];

	if (!isfinite(value)) {
		json_put_null(w);
		return;
	}
	begin_item(w);
	json_format_f64(value, buf);
	strbuf_addstr(w->out, buf);
}

void json_put_bool(struct json_writer *w, bool value)
{
	begin_item(w);
	strbuf_addstr(w->out, value ? "true" : "false");
}

void json_put_null(struct json_writer *w)
{
	begin_item(w);
	strbuf_addstr(w->out, "null");
}

void json_object_member(struct json_writer *w, const char *key)
{
	json_key(w, key);
	json_object_begin(w);
}

void json_array_member(struct json_writer *w, const char *key)
{
	json_key(w, key);
	json_array_begin(w);
}

void json_str(struct json_writer *w, const char *key, const char *text)
{
	json_key(w, key);
	json_put_str(w, text);
}

void json_u64_member(struct json_writer *w, const char *key, uint64_t value)
{
	json_key(w, key);
	json_put_u64(w, value);
}

void json_f64_member(struct json_writer *w, const char *key, double value)
{
	json_key(w, key);
	json_put_f64(w, value);
}

void json_bool_member(struct json_writer *w, const char *key, bool value)
{
	json_key(w, key);
	json_put_bool(w, value);
}

void json_null_member(struct json_writer *w, const char *key)
{
	json_key(w, key);
	json_put_null(w);
}

/*
 * Any number of up to DBL_DIG digits survives the way through a double, and
 * %g drops zeros at the end: so no fewer digits than DBL_DIG need be tried,
 * except for subnormals, which hold fewer. Two more are always enough.
 */
void json_format_f64(double value, char buf[32])
{
	int digits = fabs(value) < DBL_MIN ? 1 : DBL_DIG;

	for (; digits <= DBL_DIG + 2; digits++) {
		double back;

		snprintf(buf, 32, "%.*g", digits, value);
		back = strtod(buf, NULL);
		if (!memcmp(&back, &value, sizeof(value)))
			return;
	}
}
