// SPDX-License-Identifier: GPL-2.0-or-later
/* redact_pseudonym.c - another value of the same kind, by a keyed hash. */
#include "base/compat.h"
#include "snapshot/redact_internal.h"

#define HEX "0123456789abcdefABCDEF"
#define DIGITS "0123456789"

enum {
	MIN_NUMBER_DIGITS = 12,		/* as many digits as a serial number may have: kept; fewer are no secret */
	NUMBER_DIGITS = 15,		/* of the pseudonym of a shorter one: below 2^53, above any user's number */
	MIN_HEX_DIGITS = 12,
	NAME_DIGITS = 12,
};

/* The part-th 64 bits of the hash of the text. */
static uint64_t hash(const uint8_t *key, const char *text, unsigned part)
{
	STRBUF_AUTO data = STRBUF_INIT;

	strbuf_addch(&data, (char)part);
	strbuf_addstr(&data, text);
	return siphash(key, data.buf, data.len);
}

/* nr digits from the hash of the text. */
static void add_digits(struct strbuf *out, const uint8_t *key, const char *text, size_t nr, unsigned base)
{
	for (size_t i = 0; i < nr; i++) {
		uint64_t word = hash(key, text, (unsigned)(i / 8));

		strbuf_addch(out, HEX[(word >> (8 * (i % 8)) & 0xff) % base]);
	}
}

static void add_number(struct strbuf *out, const uint8_t *key, const char *text, size_t nr)
{
	strbuf_addch(out, (char)('1' + hash(key, text, 0xff) % 9));
	add_digits(out, key, text, nr - 1, 10);
}

uint64_t pseudonym_of_number(const uint8_t *key, uint64_t number)
{
	STRBUF_AUTO out = STRBUF_INIT;
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
	add_number(&out, key, text, NUMBER_DIGITS);
	return strtoull(out.buf, NULL, 10);
}

size_t uuid_at(const char *text)
{
	static const size_t groups[] = { 8, 4, 4, 4, 12 };
	size_t len = 0;

	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		if (i && text[len++] != '-')
			return 0;
		if (strspn(text + len, HEX) < groups[i])
			return 0;
		len += groups[i];
	}
	return len;
}

/* The same UUID has the same pseudonym with dashes and without, in small letters and in large ones. */
static void add_uuid(struct strbuf *out, const uint8_t *key, const char *text, size_t len)
{
	STRBUF_AUTO plain = STRBUF_INIT;
	STRBUF_AUTO digits = STRBUF_INIT;
	size_t used = 0;

	for (size_t i = 0; i < len; i++)
		if (text[i] != '-')
			strbuf_addch(&plain, (char)(text[i] >= 'A' && text[i] <= 'F' ? text[i] + 'a' - 'A' : text[i]));
	add_digits(&digits, key, plain.buf, plain.len, 16);
	for (size_t i = 0; i < len; i++)
		strbuf_addch(out, text[i] == '-' ? '-' : digits.buf[used++]);
}

const char *pseudonym_of(struct arena *arena, const uint8_t *key, const char *text)
{
	size_t len = strlen(text), capitals = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
	size_t prefix = capitals && text[capitals] == '-' ? capitals + 1 : 0;	/* "GPU-", "MIG-" */
	size_t zero_x = !strncmp(text, "0x", 2) ? 2 : 0;
	STRBUF_AUTO out = STRBUF_INIT;

	if (len > prefix && uuid_at(text + prefix) == len - prefix) {
		strbuf_add(&out, text, prefix);
		add_uuid(&out, key, text + prefix, len - prefix);
	} else if (len == 32 && strspn(text, HEX) == len) {
		add_uuid(&out, key, text, len);
	} else if (strspn(text, DIGITS) == len) {
		add_number(&out, key, text, len < MIN_NUMBER_DIGITS ? NUMBER_DIGITS : len);
	} else if (len - zero_x >= MIN_HEX_DIGITS && strspn(text + zero_x, HEX) == len - zero_x) {
		strbuf_add(&out, text, zero_x);
		add_digits(&out, key, text, len - zero_x, 16);
	} else {
		strbuf_addstr(&out, "anon-");
		add_digits(&out, key, text, NAME_DIGITS, 16);
	}
	return arena_strdup(arena, out.buf);
}
