// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/json_pull.h"

#include <errno.h>
#include <stdarg.h>

#include "base/text.h"
#include "base/text_scan.h"

void json_pull_begin(struct json_pull *pull, const char *text, size_t len, struct json_error *error)
{
	*pull = (struct json_pull){
		.cursor = { .text = text, .len = len, .error = error }, .error = error, .unescaped = STRBUF_INIT,
	};
}

void json_pull_refuse(struct json_pull *pull, const char *format, ...)
{
	char what[sizeof(pull->error->what)];
	va_list args;

	if (pull->failed)
		return;
	pull->failed = true;
	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	json_refuse_at(pull->cursor.text, pull->cursor.at, pull->error, "%s", what);
}

static bool fail(struct json_pull *pull, const char *what)
{
	if (!pull->failed)
		json_refuse_token(&pull->cursor, what);
	pull->failed = true;
	return false;
}

static void skip_space(struct json_pull *pull)
{
	const char *text = pull->cursor.text;
	char c;

	while ((c = text[pull->cursor.at]) == ' ' || c == '\n' || c == '\t' || c == '\r')
		pull->cursor.at++;
}

/* The first byte of the next value; -1 by an error. */
static int begin_value(struct json_pull *pull)
{
	if (pull->failed)
		return -1;
	skip_space(pull);
	pull->is_first = false;
	return json_peek(&pull->cursor);
}

/* What the lexer said has filled the error. */
static bool heard(struct json_pull *pull, int result)
{
	pull->failed |= result < 0;
	return !pull->failed;
}

static bool took_null(struct json_pull *pull, int first)
{
	return first == 'n' && (heard(pull, json_take_word(&pull->cursor, "null")), true);
}

static bool open_container(struct json_pull *pull, char opens, const char *what)
{
	int first = begin_value(pull);

	if (first != opens) {
		if (!took_null(pull, first))
			fail(pull, what);
		return false;
	}
	if (pull->depth == JSON_MAX_DEPTH) {
		json_pull_refuse(pull, "nested deeper than %d", JSON_MAX_DEPTH);
		return false;
	}
	pull->objects = opens == '{' ? pull->objects | UINT64_C(1) << pull->depth :
				       pull->objects & ~(UINT64_C(1) << pull->depth);
	pull->depth++;
	pull->cursor.at++;
	pull->is_first = true;
	return true;
}

bool json_pull_object(struct json_pull *pull)
{
	return open_container(pull, '{', "object expected");
}

bool json_pull_array(struct json_pull *pull)
{
	return open_container(pull, '[', "array expected");
}

/* Whether the open container has one more; otherwise it is closed. */
static bool has_more(struct json_pull *pull)
{
	bool is_object, was_first = pull->is_first;

	if (pull->failed || !pull->depth)
		return false;
	is_object = pull->objects >> (pull->depth - 1) & 1;
	skip_space(pull);
	if (json_take(&pull->cursor, is_object ? '}' : ']')) {
		pull->depth--;
		pull->is_first = false;
		return false;
	}
	pull->is_first = false;
	if (was_first)
		return true;
	if (!json_take(&pull->cursor, ','))
		return fail(pull, is_object ? "',' or '}' expected" : "',' or ']' expected");
	skip_space(pull);
	return true;
}

bool json_pull_item(struct json_pull *pull)
{
	return has_more(pull);
}

/* One character of the escape behind a backslash, which the lexer has seen to be one. */
static const char *unescape(struct strbuf *out, const char *at)
{
	static const char escapes[] = "bfnrt\"\\/", chars[] = "\b\f\n\r\t\"\\/";
	char digits[5] = "";
	uint32_t code, low;

	if (*at != 'u') {
		strbuf_addch(out, chars[strchr(escapes, *at) - escapes]);
		return at + 1;
	}
	code = (uint32_t)strtoul(memcpy(digits, at + 1, 4), NULL, 16);
	at += 5;
	if (code >= 0xd800 && code <= 0xdbff) {
		low = (uint32_t)strtoul(memcpy(digits, at + 2, 4), NULL, 16);
		code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
		at += 6;
	}
	utf8_add(out, code);
	return at;
}

/* The string at the cursor, whose first byte is its quote. */
static bool take_string(struct json_pull *pull, struct json_span *ret)
{
	size_t start = pull->cursor.at + 1;
	const char *at, *end, *escape;

	if (!heard(pull, json_take_string(&pull->cursor)))
		return false;
	*ret = (struct json_span){ pull->cursor.text + start, pull->cursor.at - 1 - start };
	if (!memchr(ret->text, '\\', ret->len))
		return true;
	strbuf_reset(&pull->unescaped);
	for (at = ret->text, end = at + ret->len; (escape = memchr(at, '\\', (size_t)(end - at)));) {
		strbuf_add(&pull->unescaped, at, (size_t)(escape - at));
		at = unescape(&pull->unescaped, escape + 1);
	}
	strbuf_add(&pull->unescaped, at, (size_t)(end - at));
	*ret = (struct json_span){ pull->unescaped.buf, pull->unescaped.len };
	return true;
}

bool json_pull_member(struct json_pull *pull, struct json_span *key)
{
	if (!has_more(pull))
		return false;
	if (json_peek(&pull->cursor) != '"')
		return fail(pull, "key expected, in double quotes");
	if (!take_string(pull, key))
		return false;
	skip_space(pull);
	return json_take(&pull->cursor, ':') || fail(pull, "':' expected");
}

bool json_pull_str(struct json_pull *pull, struct json_span *ret)
{
	int first = begin_value(pull);

	if (first == '"')
		return take_string(pull, ret);
	return !took_null(pull, first) && fail(pull, "string expected");
}

/* The digits of the number at the cursor. */
static bool take_number(struct json_pull *pull, const char **ret)
{
	int first = begin_value(pull);

	*ret = pull->cursor.text + pull->cursor.at;
	if (first == '-' || (first >= 0 && is_digit((char)first)))
		return heard(pull, json_take_number(&pull->cursor));
	return !took_null(pull, first) && fail(pull, "number expected");
}

bool json_pull_f64(struct json_pull *pull, double *ret)
{
	const char *digits;

	if (!take_number(pull, &digits))
		return false;
	*ret = strtod(digits, NULL);
	return true;
}

bool json_pull_u64(struct json_pull *pull, uint64_t *ret)
{
	const char *digits;
	char *end;

	if (!take_number(pull, &digits))
		return false;
	errno = 0;
	*ret = strtoull(digits, &end, 10);
	if (*digits == '-' || errno || end != pull->cursor.text + pull->cursor.at)
		return fail(pull, "whole number expected");
	return true;
}

bool json_pull_bool(struct json_pull *pull, bool *ret)
{
	int first = begin_value(pull);

	if (first != 't' && first != 'f')
		return !took_null(pull, first) && fail(pull, "true or false expected");
	*ret = first == 't';
	return heard(pull, json_take_word(&pull->cursor, *ret ? "true" : "false"));
}

/* Recurses into what is nested, JSON_MAX_DEPTH deep at most. */
void json_pull_skip(struct json_pull *pull)
{
	int first = begin_value(pull);
	const char *digits;
	struct json_span key;
	bool truth;

	switch (first) {
	case '"':
		heard(pull, json_take_string(&pull->cursor));
		break;
	case '{':
		json_pull_object(pull);
		while (json_pull_member(pull, &key))
			json_pull_skip(pull);
		break;
	case '[':
		json_pull_array(pull);
		while (json_pull_item(pull))
			json_pull_skip(pull);
		break;
	case 't':
	case 'f':
		json_pull_bool(pull, &truth);
		break;
	default:
		if (first == '-' || (first >= 0 && is_digit((char)first)))
			take_number(pull, &digits);
		else if (!took_null(pull, first))
			fail(pull, "value expected");
	}
}

int json_pull_end(struct json_pull *pull)
{
	strbuf_release(&pull->unescaped);
	if (pull->failed)
		return -EINVAL;
	skip_space(pull);
	if (pull->cursor.at < pull->cursor.len)
		fail(pull, "text after the end");
	return pull->failed ? -EINVAL : 0;
}
