// SPDX-License-Identifier: GPL-2.0-or-later
/* test_template.c - sentences from evidence: what a place becomes, and that no row of ours counts "1 errors". */
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/judge/template.h"
#include "render/render.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static const struct field errors = { .name = "errors", .kind = FIELD_U64, .unit = UNIT_COUNT };
static const struct field rate = { .name = "rate", .kind = FIELD_STR };
static const struct field rate_many = { .name = "rate.many", .kind = FIELD_STR };
static const struct field address = { .name = "nvidia_address", .kind = FIELD_STR };
static const struct field units = { .name = "units", .kind = FIELD_STR };

/* The template about so many errors, with those words for "rate" and "units"; and how many places stay open. */
static void assert_filled(uint64_t nr, const char *words, const char *template, bool many, bool is_command,
			  const char *expected, unsigned unfilled)
{
	const struct evidence items[] = {
		{ .field = &errors, .observed.u64 = val_u64(nr), .expected.u64 = val_u64(1) },
		{ .field = &rate, .observed.str = val_str(words) },
		{ .field = &rate_many, .observed.str = val_str("more than 10") },
		{ .field = &units, .observed.str = val_str(words) },
		{ .field = &address, .observed.str = val_str(words) },
	};
	const struct subject subject = { .kind = SUBJECT_NODE, .name = "node" };
	const struct template_context context = {
		.subject = &subject, .evidence = { ARRAY_SIZE(items), items }, .many = many, .is_command = is_command,
	};
	STRBUF_AUTO text = STRBUF_INIT;

	assert_int_equal(template_fill(&text, template, &context), unfilled);
	assert_string_equal(text.buf, expected);
}

static void a_count_has_its_word(void **state)
{
	static const char template[] = "{has|have} {errors|error|errors} a day";

	(void)state;
	assert_filled(1, "", template, false, false, "has 1 error a day", 0);
	assert_filled(0, "", template, false, false, "has 0 errors a day", 0);
	assert_filled(11, "", template, true, false, "have 11 errors a day", 0);
	assert_filled(7, "", "{errors} of {errors.expected|GPU is|GPUs are} here", false, false, "7 of 1 GPU is here",
		      0);
	assert_filled(7, "1", "{rate|error|errors}", false, false, "1 error", 0);
	assert_filled(7, "1", "{rate|error|errors}", true, false, "more than 10 errors", 0);
	assert_filled(7, "", "{none|error|errors}", false, false, "{none|error|errors}", 1);
}

static void a_command_takes_plain_words(void **state)
{
	(void)state;
	assert_filled(0, "a-b c", "stop {units*}", false, true, "stop a-b c", 0);
	assert_filled(0, "a", "stop {units*}", false, true, "stop a", 0);
	assert_filled(0, "a b", "stop {units}", false, true, "stop {units}", 1);
	assert_filled(0, "a; b", "stop {units*}", false, true, "stop {units*}", 1);
	assert_filled(0, "a  b", "stop {units*}", false, true, "stop {units*}", 1);
	assert_filled(0, "a ", "stop {units*}", false, true, "stop {units*}", 1);
	assert_filled(0, " a", "stop {units*}", false, true, "stop {units*}", 1);
	assert_filled(0, "", "stop {units*}", false, true, "stop {units*}", 1);
	assert_filled(0, "a b", "{units*}", false, false, "a b", 0);
}

/* Of a dump that tells no address: what has no number, and what goes by the address alone, is left out. */
static void a_command_takes_a_number_for_an_address(void **state)
{
	(void)state;
	assert_filled(0, "gpu12", "reset -i {nvidia_address} now", false, true, "reset -i 12 now", 0);
	assert_filled(0, "gpu?", "reset -i {nvidia_address}", false, true, "reset -i {nvidia_address}", 1);
	assert_filled(0, "gpu3", "ls /sys/{nvidia_address}/", false, true, "ls /sys/{nvidia_address}/", 1);
	assert_filled(0, "gpu3", "grep 'xid|{nvidia_address}|AER'", false, true, "grep 'xid|gpu|AER'", 0);
	assert_filled(0, "gpu?", "grep '{nvidia_address}|xid'", false, true, "grep 'gpu|xid'", 0);
	assert_filled(0, "0000:5d:00.0", "reset -i {nvidia_address}", false, true, "reset -i 0000:5d:00.0", 0);
	assert_filled(0, "gpu3", "at {nvidia_address}", false, false, "at gpu3", 0);
	assert_filled(0, "gpu3", "-i {units}", false, true, "-i gpu3", 0);
}

static void without_evidence_it_reads_of_several(void **state)
{
	STRBUF_AUTO text = STRBUF_INIT;

	(void)state;
	render_template(&text, "{has|have} {errors|bad packet|bad packets} at {worst}");
	assert_string_equal(text.buf, "has {errors} bad packets at {worst}");
}

/* ---- all rows */

typedef void template_fn(const char *template, void *data);

static void each_template(template_fn *fn, void *data)
{
	for (int id = NO_FINDING + 1; id < NR_FINDINGS; id++) {
		fn(finding_defs[id].title, data);
		fn(finding_defs[id].why, data);
	}
	for (size_t i = 0; i < nr_step_defs; i++) {
		fn(step_defs[i].text, data);
		if (step_defs[i].expect)
			fn(step_defs[i].expect, data);
	}
	for (size_t i = 0; i < playbook.nr; i++)
		if (playbook.rows[i].check->says)
			fn(playbook.rows[i].check->says, data);
}

static size_t word_len(const char *text)
{
	size_t len = 0;

	while (isalpha((unsigned char)text[len]) || text[len] == '-')
		len++;
	return len;
}

/* Words for several of a thing, as the rows' own places have them. */
struct nouns {
	size_t nr;
	const char *at[256];
	size_t len[256];
};

static bool has_noun(const struct nouns *nouns, const char *word, size_t len)
{
	for (size_t i = 0; i < nouns->nr; i++)
		if (nouns->len[i] == len && !memcmp(nouns->at[i], word, len))
			return true;
	return false;
}

/* "GPU is|GPUs are": what differs and ends in s. What "runs" may be a kernel. */
static void add_nouns(struct nouns *nouns, const char *one, const char *many)
{
	while (*many && *many != '}') {
		size_t one_len = strcspn(one, " |"), many_len = strcspn(many, " }");

		if (many[many_len - 1] == 's' && (one_len != many_len || memcmp(one, many, one_len) != 0) &&
		    strncmp(many, "runs", many_len) != 0 && !has_noun(nouns, many, many_len) &&
		    nouns->nr < ARRAY_SIZE(nouns->at)) {
			nouns->at[nouns->nr] = many;
			nouns->len[nouns->nr++] = many_len;
		}
		one += one_len + (one[one_len] == ' ');
		many += many_len + (many[many_len] == ' ');
	}
}

static void collect_nouns(const char *template, void *data)
{
	for (const char *place = strchr(template, '{'); place; place = strchr(place + 1, '{')) {
		const char *end = strchr(place, '}'), *one = strchr(place, '|'),
			   *many = one ? strchr(one + 1, '|') : NULL;

		if (end && many && many < end)
			add_nouns(data, one + 1, many + 1);
	}
}

/* Words after which a noun is no longer what the number counts. */
static bool parts_them(const char *word, size_t len)
{
	static const char *const words[] = {
		"a", "and", "as", "at", "by", "can", "could", "for", "from", "has", "have", "in", "is", "its", "may",
		"must",
		"not", "of", "on", "or", "that", "the", "their", "to", "were", "which", "while", "with",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i]) == len && !memcmp(word, words[i], len))
			return true;
	return false;
}

/* "{errors} uncorrected PCIe errors" says "1 uncorrected PCIe errors": {errors|…|…} does not. The place, or NULL. */
static const char *miscounted(const char *template, const struct nouns *nouns)
{
	enum { MAX_ADJECTIVES = 2 };

	for (const char *place = strchr(template, '{'); place; place = strchr(place + 1, '{')) {
		size_t len = strcspn(place, "|}");
		const char *word = place + len + 2;

		if (place[len] != '}' || place[len + 1] != ' ')
			continue;
		for (size_t nr = 0, at; nr <= MAX_ADJECTIVES && (at = word_len(word)); nr++) {
			if (has_noun(nouns, word, at))
				return place;
			if (parts_them(word, at) || word[at] != ' ')
				break;
			word += at + 1;
		}
	}
	return NULL;
}

static void check_counts(const char *template, void *data)
{
	const char *place = miscounted(template, data);

	if (place)
		fail_msg("\"%s\": one of them has another word: {name|one|many} at \"%.20s\"", template, place);
}

static void counts_have_both_words(void **state)
{
	struct nouns nouns = { .nr = 0 };

	(void)state;
	each_template(collect_nouns, &nouns);
	assert_true(has_noun(&nouns, "GPUs", 4) && has_noun(&nouns, "errors", 6) && has_noun(&nouns, "packets", 7));
	assert_false(has_noun(&nouns, "PCIe", 4) || has_noun(&nouns, "is", 2));
	assert_true(nouns.nr < ARRAY_SIZE(nouns.at));
	assert_non_null(miscounted("{has|have} {x} uncorrected PCIe errors since boot", &nouns));
	assert_null(miscounted("{has|have} {x|error|errors}, {y} and other GPUs", &nouns));
	each_template(check_counts, &nouns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_count_has_its_word),
		cmocka_unit_test(a_command_takes_plain_words),
		cmocka_unit_test(a_command_takes_a_number_for_an_address),
		cmocka_unit_test(without_evidence_it_reads_of_several),
		cmocka_unit_test(counts_have_both_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
