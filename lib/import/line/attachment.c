// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/line/attachment.h"

#include "base/alloc.h"
#include "base/strbuf.h"
#include "base/text.h"

/* A mail begins with its headers; one whose first part is a text of people has the others' further down. */
enum { HEADERS_WITHIN = 65536 };

static const char encoding[] = "Content-Transfer-Encoding:";

struct mail {
	const char *at, *end;
	unsigned number;		/* of the line at hand */
	struct strbuf out;
	unsigned *numbers;
	size_t nr_numbers, room;
};

static size_t line_len(const struct mail *mail)
{
	const char *feed = memchr(mail->at, '\n', (size_t)(mail->end - mail->at));

	return (size_t)((feed ? feed : mail->end) - mail->at);
}

static void next_line(struct mail *mail)
{
	size_t len = line_len(mail);

	mail->at += len + (mail->at + len < mail->end);
	mail->number++;
}

static void number_line(struct mail *mail, unsigned number)
{
	if (mail->nr_numbers == mail->room) {
		mail->room = mail->room ? 2 * mail->room : 1024;
		mail->numbers = xrealloc(mail->numbers, mail->room * sizeof(*mail->numbers));
	}
	mail->numbers[mail->nr_numbers++] = number;
}

/* is_shown false: a header or what stands between parts, of which nothing is left but its place. */
static void keep_line(struct mail *mail, bool is_shown)
{
	if (is_shown)
		strbuf_add(&mail->out, mail->at, line_len(mail));
	strbuf_addch(&mail->out, '\n');
	number_line(mail, mail->number);
	next_line(mail);
}

static bool is_blank(const struct mail *mail)
{
	size_t len = line_len(mail);

	return !len || (len == 1 && *mail->at == '\r');
}

static bool says_base64(const struct mail *mail)
{
	size_t len = line_len(mail), at = strlen(encoding);

	if (len <= at || strncasecmp(mail->at, encoding, at) != 0)
		return false;
	while (at < len && mail->at[at] == ' ')
		at++;
	return len - at >= 6 && !strncasecmp(mail->at + at, "base64", 6);
}

/* What a character stands for, 0 to 63; -1: none of base64. */
static int sextet(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* One line of it, as far as four characters are whole. False: it is none. */
static bool decode_line(const struct mail *mail, unsigned *bits, unsigned *nr_bits, struct strbuf *out)
{
	size_t len = line_len(mail);
	const size_t before = out->len;

	if (len && mail->at[len - 1] == '\r')
		len--;
	for (size_t i = 0; i < len; i++) {
		int value = sextet(mail->at[i]);

		if (value < 0 && mail->at[i] == '=' && i + 2 >= len)
			break;
		if (value < 0) {
			strbuf_setlen(out, before);
			return false;
		}
		*bits = *bits << 6 | (unsigned)value;
		*nr_bits += 6;
		if (*nr_bits < 8)
			continue;
		*nr_bits -= 8;
		strbuf_addch(out, (char)(*bits >> *nr_bits));
	}
	return len > 0;
}

static bool is_text(const struct strbuf *bytes)
{
	for (size_t i = 0; i < bytes->len; i++)
		if ((unsigned char)bytes->buf[i] < ' ' && !strchr("\t\r\n\f\033\b\a", bytes->buf[i]))
			return false;
		else if (!bytes->buf[i])
			return false;
	return bytes->len > 0;
}

/* Its lines in the place of those of base64, which begin at `from`. */
static void add_text(struct mail *mail, const struct strbuf *text, const size_t *ends, size_t nr_ends, unsigned from)
{
	size_t line = 0;

	for (const char *at = text->buf, *end = text->buf + text->len; at < end;) {
		const char *feed = memchr(at, '\n', (size_t)(end - at)), *stop = feed ? feed : end;

		while (line + 1 < nr_ends && (size_t)(at - text->buf) >= ends[line])
			line++;
		strbuf_add(&mail->out, at, (size_t)(stop - at));
		strbuf_addch(&mail->out, '\n');
		number_line(mail, from + (unsigned)line);
		at = stop + 1;
	}
}

/* From the first line of base64 on. False: it is no text, and nothing was taken. */
static bool take_body(struct mail *mail)
{
	const struct mail before = *mail;
	struct strbuf text = STRBUF_INIT;
	unsigned bits = 0, nr_bits = 0;
	size_t *ends = NULL, nr_ends = 0, room = 0;
	bool ret;

	while (mail->at < mail->end && decode_line(mail, &bits, &nr_bits, &text)) {
		if (nr_ends == room) {
			room = room ? 2 * room : 256;
			ends = xrealloc(ends, room * sizeof(*ends));
		}
		ends[nr_ends++] = text.len;
		next_line(mail);
	}
	ret = is_text(&text);
	if (ret) {
		add_text(mail, &text, ends, nr_ends, before.number);
	} else {
		mail->at = before.at;
		mail->number = before.number;
	}
	free(ends);
	strbuf_release(&text);
	return ret;
}

/* "--b7", "--b7--": one word. */
static bool is_boundary(const struct mail *mail)
{
	size_t len = line_len(mail);

	return len > 2 && !memcmp(mail->at, "--", 2) && mail->at[2] != ' ' && !memchr(mail->at, ' ', len) &&
	       !memchr(mail->at, ':', len);
}

/* Of the mail, by those that each has, or of a part of it; or the line before one. */
static bool is_header(const struct mail *mail)
{
	static const char *const names[] = {
		"From: ", "To: ", "Cc: ", "Date: ", "Subject: ", "MIME-Version: ", "Message-ID: ", "Received: ",
		"Content-",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if ((size_t)(mail->end - mail->at) > strlen(names[i]) &&
		    !strncasecmp(mail->at, names[i], strlen(names[i])))
			return true;
	return is_boundary(mail);
}

static void take_headers(struct mail *mail)
{
	while (mail->at < mail->end && !is_blank(mail))
		keep_line(mail, false);
	if (mail->at < mail->end)
		keep_line(mail, false);
}

/* The rest of the headers, the empty line, and what they tell of. */
static bool take_part(struct mail *mail)
{
	take_headers(mail);
	return mail->at < mail->end && take_body(mail);
}

static bool may_be_mail(const char *bytes, size_t len)
{
	size_t within = len < HEADERS_WITHIN ? len : HEADERS_WITHIN;

	return memmem(bytes, within, "Content-T", 9) && memmem(bytes, within, "base64", 6);
}

char *attachment_unfold(struct arena *arena, const char *bytes, size_t len, size_t *ret_len,
			const unsigned **ret_numbers)
{
	struct mail mail = { .at = bytes, .end = bytes + len, .number = 1, .out = STRBUF_INIT };
	char *ret = NULL;
	bool any = false;

	if (!may_be_mail(bytes, len))
		return NULL;
	while (mail.at < mail.end)
		if (says_base64(&mail))
			any |= take_part(&mail);
		else
			keep_line(&mail, !is_header(&mail));
	if (any) {
		*ret_len = mail.out.len;
		*ret_numbers = mail.numbers;
		arena_adopt(arena, mail.numbers);
		ret = strbuf_detach(&mail.out);
		arena_adopt(arena, ret);
	} else {
		free(mail.numbers);
	}
	strbuf_release(&mail.out);
	return ret;
}
