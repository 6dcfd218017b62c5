// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"

#define REPLACEMENT "\xef\xbf\xbd"	/* U+FFFD */

/*
 * The bytes of the character text begins with, 0 when it begins with none
 * (RFC 3629). A second byte has its own bounds after four of the first bytes:
 * they keep out overlong forms, surrogates and what is above U+10FFFF. NUL
 * counts as no character.
 */
static size_t sequence_len(const char *text, size_t len)
{
	const unsigned char *byte = (const unsigned char *)text;
	unsigned char least = 0x80, most = 0xbf;
	size_t need;

	if (!len || !byte[0])
		return 0;
	if (byte[0] < 0x80)
		return 1;
	if (byte[0] < 0xc2 || byte[0] > 0xf4)
		return 0;
	need = byte[0] < 0xe0 ? 2 : byte[0] < 0xf0 ? 3 : 4;
	if (need > len)
		return 0;
	switch (byte[0]) {
	case 0xe0:
		least = 0xa0;
		break;
	case 0xed:
		most = 0x9f;
		break;
	case 0xf0:
		least = 0x90;
		break;
	case 0xf4:
		most = 0x8f;
		break;
	}
	if (byte[1] < least || byte[1] > most)
		return 0;
	for (size_t i = 2; i < need; i++) {
		if ((byte[i] & 0xc0) != 0x80)
			return 0;
	}
	return need;
}

/* Up to the first byte that is not ASCII, or is NUL: almost always the end. Eight of them are looked at at once. */
static size_t ascii_len(const char *text, size_t len)
{
	static const uint64_t ones = UINT64_C(0x0101010101010101);
	size_t at = 0;
	uint64_t eight;

	for (; len - at >= sizeof(eight); at += sizeof(eight)) {
		memcpy(&eight, text + at, sizeof(eight));
		/* The top bit of a byte is set where it was, or where it was zero and borrowed. */
		if ((eight | (eight - ones)) & (ones << 7))
			break;
	}
	while (at < len && (unsigned char)(text[at] - 1) < 0x7f)
		at++;
	return at;
}

bool utf8_valid(const char *text, size_t len)
{
	for (size_t at = ascii_len(text, len), step; at < len; at += step) {
		step = sequence_len(text + at, len - at);
		if (!step)
			return false;
	}
	return true;
}

void utf8_clean(struct strbuf *out, const char *text, size_t len)
{
	size_t done = 0;	/* what comes before is written; valid text goes in runs */
	size_t at = 0;

	while (at < len) {
		size_t step = sequence_len(text + at, len - at);

		if (!step) {
			strbuf_add(out, text + done, at - done);
			strbuf_addstr(out, REPLACEMENT);
			step = 1;
			done = at + 1;
		}
		at += step;
	}
	strbuf_add(out, text + done, at - done);
}

uint32_t utf8_take(const char **text)
{
	const unsigned char *byte = (const unsigned char *)*text;
	size_t more = byte[0] < 0x80 ? 0 : byte[0] < 0xe0 ? 1 : byte[0] < 0xf0 ? 2 : 3;
	uint32_t character = more ? byte[0] & (0x3fu >> more) : byte[0];

	for (size_t i = 1; i <= more; i++)
		character = character << 6 | (byte[i] & 0x3f);
	*text += more + 1;
	return character;
}

bool utf8_is_deceptive(uint32_t character)
{
	return character == 0xad || character == 0x61c || (character >= 0x200b && character <= 0x200f) ||
	       (character >= 0x2028 && character <= 0x202e) || (character >= 0x2060 && character <= 0x206f) ||
	       character == 0xfeff;
}

size_t utf8_floor(const char *text, size_t len)
{
	while (len && ((unsigned char)text[len] & 0xc0) == 0x80)
		len--;
	return len;
}

size_t utf8_columns(const char *text)
{
	size_t len = strlen(text);
	size_t columns = 0;

	for (size_t at = 0, step; at < len; at += step) {
		step = sequence_len(text + at, len - at);
		if (!step)
			step = 1;	/* shown as one replacement character */
		columns++;
	}
	return columns;
}

void utf8_add(struct strbuf *out, uint32_t character)
{
	if (character < 0x80) {
		strbuf_addch(out, (char)character);
		return;
	}
	if (character < 0x800) {
		strbuf_addch(out, (char)(0xc0 | character >> 6));
	} else if (character < 0x10000) {
		strbuf_addch(out, (char)(0xe0 | character >> 12));
		strbuf_addch(out, (char)(0x80 | (character >> 6 & 0x3f)));
	} else {
		strbuf_addch(out, (char)(0xf0 | character >> 18));
		strbuf_addch(out, (char)(0x80 | (character >> 12 & 0x3f)));
		strbuf_addch(out, (char)(0x80 | (character >> 6 & 0x3f)));
	}
	strbuf_addch(out, (char)(0x80 | (character & 0x3f)));
}
