// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_json.c - lib/base against bytes from anywhere.
 *
 *	clang -fsanitize=fuzzer,address,undefined ... tests/fuzz/fuzz_json.c <objects of lib/base>
 *
 * The first byte of an input chooses the target; the rest is its text.
 * Whatever is accepted has to survive being written and read again.
 */
#include "base/compat.h"
#include "base/json.h"

#include <errno.h>
#include <math.h>

#include "base/alloc.h"
#include "base/json_writer.h"
#include "base/stats.h"
#include "base/text.h"
#include "base/units.h"
#include "tests/fuzz/fuzz.h"

static bool same_bits(double a, double b)
{
	return !memcmp(&a, &b, sizeof(a));
}

static void write_value(struct json_writer *w, const struct json_doc *doc, const cJSON *value)
{
	uint64_t whole;

	if (cJSON_IsObject(value)) {
		json_object_begin(w);
		for (const cJSON *member = value->child; member; member = member->next) {
			MUST(json_member(value, member->string) == member);
			json_key(w, member->string);
			write_value(w, doc, member);
		}
		json_object_end(w);
	} else if (cJSON_IsArray(value)) {
		json_array_begin(w);
		for (const cJSON *item = value->child; item; item = item->next)
			write_value(w, doc, item);
		json_array_end(w);
	} else if (cJSON_IsString(value)) {
		MUST(utf8_valid(value->valuestring, strlen(value->valuestring)));
		json_put_str(w, value->valuestring);
	} else if (cJSON_IsNumber(value)) {
		MUST(isfinite(value->valuedouble));
		/* -0 is a whole number, and keeps its sign as a double only */
		if (!json_u64(doc, value, &whole) && !signbit(value->valuedouble))
			json_put_u64(w, whole);
		else
			json_put_f64(w, value->valuedouble);
	} else if (cJSON_IsBool(value)) {
		json_put_bool(w, cJSON_IsTrue(value));
	} else {
		MUST(cJSON_IsNull(value));
		json_put_null(w);
	}
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void compare(const struct json_doc *a, const cJSON *left, const struct json_doc *b, const cJSON *right)
{
	const cJSON *left_child = left->child, *right_child = right->child;
	uint64_t left_whole = 0, right_whole = 0;

	MUST(left->type == right->type);
	MUST(left->valueint == right->valueint);
	MUST(same_text(left->string, right->string));
	MUST(same_text(left->valuestring, right->valuestring));
	if (cJSON_IsNumber(left)) {
		MUST(same_bits(left->valuedouble, right->valuedouble));
		if (!json_u64(a, left, &left_whole))
			MUST(!json_u64(b, right, &right_whole) && left_whole == right_whole);
	}
	for (; left_child && right_child; left_child = left_child->next, right_child = right_child->next)
		compare(a, left_child, b, right_child);
	MUST(!left_child && !right_child);
}

/* Lines never run backwards, and each is in the document. */
static unsigned check_lines(const struct json_doc *doc, const cJSON *value, unsigned line, unsigned last)
{
	unsigned own = json_line(doc, value);

	MUST(own >= line && own <= last);
	for (const cJSON *child = value->child; child; child = child->next)
		own = check_lines(doc, child, own, last);
	return own;
}

static unsigned lines_of(const char *text, size_t len)
{
	unsigned lines = 1;

	for (size_t i = 0; i < len; i++)
		lines += text[i] == '\n';
	return lines;
}

static void check_refusal(const struct json_doc *doc, const struct json_error *error, unsigned lines)
{
	MUST(!doc->root && !doc->text && !doc->offset && !doc->nr && !doc->len);
	MUST(error->line <= lines);
	MUST(error->what[0] && memchr(error->what, '\0', sizeof(error->what)));
	MUST(utf8_valid(error->what, strlen(error->what)));
	for (const char *c = error->what; *c; c++)
		MUST((unsigned char)*c >= 0x20 && *c != 0x7f);
	/* lexer and cJSON must agree on what JSON is */
	MUST(!strstr(error->what, "cJSON"));
}

static void fuzz_json(const char *text, size_t len, unsigned flags)
{
	unsigned lines = lines_of(text, len);
	struct json_error error;
	struct json_doc doc, plain;

	if (json_parse(text, len, flags, &doc, &error)) {
		check_refusal(&doc, &error, lines);
		return;
	}
	MUST(doc.len == len && lines_of(doc.text, len) == lines);
	check_lines(&doc, doc.root, 1, lines);
	/* with its comments blanked it is plain JSON */
	MUST(!json_parse(doc.text, doc.len, 0, &plain, &error));
	compare(&doc, doc.root, &plain, plain.root);
	json_release(&plain);
	for (unsigned indent = 0; indent < 3; indent++) {
		STRBUF_AUTO sb = STRBUF_INIT;
		struct json_writer w = { .out = &sb, .indent = indent };
		struct json_doc again;

		write_value(&w, &doc, doc.root);
		MUST(!json_parse(sb.buf, sb.len, 0, &again, &error));
		compare(&doc, doc.root, &again, again.root);
		json_release(&again);
	}
	json_release(&doc);
}

static void fuzz_utf8(const char *text, size_t len)
{
	STRBUF_AUTO clean = STRBUF_INIT;
	STRBUF_AUTO twice = STRBUF_INIT;
	STRBUF_AUTO json = STRBUF_INIT;
	struct json_writer w = { .out = &json };
	struct json_error error;
	struct json_doc doc;

	utf8_clean(&clean, text, len);
	MUST(utf8_valid(clean.buf, clean.len) && strlen(clean.buf) == clean.len);
	MUST(utf8_valid(text, len) == (clean.len == len && !memcmp(clean.buf, text, len)));
	utf8_clean(&twice, clean.buf, clean.len);
	MUST(!strcmp(clean.buf, twice.buf));
	MUST(utf8_columns(clean.buf) <= len);
	json_put_str(&w, clean.buf);
	MUST(!json_parse(json.buf, json.len, 0, &doc, &error));
	MUST(!strcmp(doc.root->valuestring, clean.buf));
	json_release(&doc);
}

static void fuzz_numbers(const char *text)
{
	struct pci_address address;
	uint64_t whole = 4711;
	double real = 47.11;
	int error;

	error = parse_u64(text, &whole);
	MUST(!error || ((error == -EINVAL || error == -ERANGE) && whole == 4711));
	error = parse_f64(text, &real);
	MUST(!error || ((error == -EINVAL || error == -ERANGE) && same_bits(real, 47.11)));
	MUST(isfinite(real));
	whole = 4711;
	error = parse_link_speed(text, &whole);
	MUST(!error || whole == 4711);
	if (!parse_pci_address(text, &address)) {
		char again[32];
		struct pci_address back;

		MUST(address.device < 32 && address.function < 8);
		snprintf(again, sizeof(again), "%04x:%02x:%02x.%x", address.domain, address.bus, address.device,
			 address.function);
		MUST(!parse_pci_address(again, &back) && !pci_address_compare(&address, &back));
	}
}

/* Three texts, one after the other. */
static void fuzz_orders(const char *a, const char *b, const char *c)
{
	const char *const words[] = { a, b, "run", "pcie-width" };
	bool overlap, back;
	uint64_t count;

	MUST(!key_compare(a, a));
	MUST(key_compare(a, b) == -key_compare(b, a));
	MUST(!key_compare(a, b) == !strcmp(a, b));
	if (key_compare(a, b) <= 0 && key_compare(b, c) <= 0)
		MUST(key_compare(a, c) <= 0);

	nearest_word(c, words, ARRAY_SIZE(words));

	if (!cpulist_count(a, &count) && !cpulist_overlap(a, b, &overlap)) {
		MUST(!cpulist_overlap(b, a, &back) && overlap == back);
		MUST(!cpulist_overlap(a, a, &overlap) && overlap == !!count);
	}
}

static void fuzz_doubles(const char *bytes, size_t len)
{
	size_t nr = len / sizeof(double);
	double *values = xcalloc(nr, sizeof(*values));
	struct stats stats;

	memcpy(values, bytes, nr * sizeof(*values));
	stats_of(values, nr, &stats);
	for (size_t i = 0; i < nr; i++) {
		STRBUF_AUTO sb = STRBUF_INIT;
		char buf[32];
		int64_t seconds;

		json_format_f64(values[i], buf);
		MUST(!isfinite(values[i]) || same_bits(strtod(buf, NULL), values[i]));
		for (unsigned unit = 0; unit <= NR_UNITS; unit++)
			unit_format(&sb, unit, values[i]);
		memcpy(&seconds, &values[i], sizeof(seconds));
		for (unsigned unit = 0; unit <= NR_UNITS; unit++)
			unit_format_u64(&sb, unit, (uint64_t)seconds);
		MUST(!strstr(sb.buf, "e+") && !strstr(sb.buf, "e-"));
		MUST(!strstr(sb.buf, "inf") && !strstr(sb.buf, "nan"));
		format_rfc3339(seconds, (unsigned)seconds, buf);
		MUST(strlen(buf) == strlen("2026-11-20T15:02:07.123Z"));
	}
	free(values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t len = size ? size - 1 : 0;
	char *text = xmalloc(len + 3);	/* always three strings, the last ones perhaps empty */
	const char *second, *third;

	if (len)
		memcpy(text, data + 1, len);
	memset(text + len, '\0', 3);
	second = text + strlen(text) + 1;
	third = second < text + len ? second + strlen(second) + 1 : second;
	switch (size ? data[0] % 8 : 0) {
	case 0:
		fuzz_utf8(text, len);
		break;
	case 1:
		fuzz_numbers(text);
		break;
	case 2:
		fuzz_orders(text, second, third);
		break;
	case 3:
		fuzz_doubles(text, len);
		break;
	case 4:
		fuzz_json(text, len, JSON_COMMENTS);
		break;
	default:
		fuzz_json(text, len, 0);
	}
	free(text);
	return 0;
}
