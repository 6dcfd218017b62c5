// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "klog/prefilter.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/strbuf.h"
#include "klog/match.h"
#include "tests/unit/prefilter_literals.h"

/* ---- finding */

/* Bytes between two pages that nobody may touch, at their end or at their beginning. */
static struct {
	char *begin, *end;
} yard;

static int fence(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), len = 4 * page;
	char *all = mmap(NULL, len + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	if (all == MAP_FAILED || mprotect(all + page, len, PROT_READ | PROT_WRITE))
		return -1;
	yard.begin = all + page;
	yard.end = all + page + len;
	return 0;
}

static int unfence(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	(void)state;
	return munmap(yard.begin - page, (size_t)(yard.end - yard.begin) + 2 * page);
}

/* All places, one after the other, as a reader that looks on behind each would find them. */
static void assert_same_places(const char *at, const char *end)
{
	for (;;) {
		const char *found = klog_next_candidate(at, end);

		assert_ptr_equal(found, plain_next_candidate(at, end));
		if (found == end)
			return;
		at = found + 1;
	}
}

/* The text where it ends at the fence, and where it begins at the other one. */
static void assert_same_anywhere(const char *text, size_t len)
{
	memcpy(yard.end - len, text, len);
	assert_same_places(yard.end - len, yard.end);
	memcpy(yard.begin, text, len);
	assert_same_places(yard.begin, yard.begin + len);
}

static void finds_each_gate_at_every_place(void **state)
{
	char text[96];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(gates); i++)
		for (size_t before = 0; before < 40; before++)
			for (size_t after = 0; after < 8; after++) {
				size_t len = before + strlen(gates[i]) + after;

				memset(text, '.', sizeof(text));
				memcpy(text + before, gates[i], strlen(gates[i]));
				assert_same_anywhere(text, len);
				memcpy(yard.begin, text, len);
				assert_ptr_equal(klog_next_candidate(yard.begin, yard.begin + len),
						 yard.begin + before);
			}
}

static void finds_no_gate_that_is_cut_off(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(gates); i++)
		for (size_t len = 0; len < strlen(gates[i]); len++) {
			memcpy(yard.end - len, gates[i], len);
			assert_ptr_equal(klog_next_candidate(yard.end - len, yard.end), yard.end);
			/* Its rest stands before the beginning. */
			memcpy(yard.begin, gates[i], strlen(gates[i]));
			assert_ptr_equal(klog_next_candidate(yard.begin + 1, yard.begin + strlen(gates[i])),
					 plain_next_candidate(yard.begin + 1, yard.begin + strlen(gates[i])));
		}
}

static unsigned pick(uint64_t *seed, size_t nr)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((*seed >> 33) % nr);
}

/* Pieces of gates in any order, whole, cut, damaged, overlapping. */
static void agrees_on_random_texts(void **state)
{
	uint64_t seed = 4;
	char text[512];

	(void)state;
	for (int round = 0; round < 5000; round++) {
		size_t len = 0, room = pick(&seed, sizeof(text));

		while (len < room) {
			const char *gate = gates[pick(&seed, ARRAY_SIZE(gates))];
			size_t cut = strlen(gate);

			if (!pick(&seed, 3))
				cut = 1 + pick(&seed, cut);
			if (len && !pick(&seed, 4))
				len -= pick(&seed, len < 4 ? len : 4);
			if (cut > room - len)
				cut = room - len;
			memcpy(text + len, gate, cut);
			if (cut && !pick(&seed, 3))
				text[len + pick(&seed, cut)] ^= (char)(1 << pick(&seed, 8));
			len += cut;
		}
		assert_same_anywhere(text, len);
	}
}

static void counts_lines(void **state)
{
	size_t room = (size_t)(yard.end - yard.begin);
	uint64_t seed = 4;

	(void)state;
	/* More in one place than a byte can count. */
	memset(yard.begin, '\n', room);
	for (size_t len = 0; len < room; len += len < 100 ? 1 : 997)
		assert_int_equal(klog_count_lines(yard.end - len, yard.end), len);
	assert_int_equal(klog_count_lines(yard.begin, yard.end), room);
	for (int round = 0; round < 200; round++) {
		size_t len = pick(&seed, room);
		uint64_t nr = 0;

		for (char *at = yard.end - len; at < yard.end; at++) {
			*at = pick(&seed, 5) ? (char)pick(&seed, 256) : '\n';
			nr += *at == '\n';
		}
		assert_int_equal(klog_count_lines(yard.end - len, yard.end), nr);
	}
}

/* ---- is no event of the catalogue let past? */

/* What the kernel would say before the text of a pattern. */
static const char *const sources[NR_KLOG_FAMILIES][16] = {
	[KLOG_FAMILY_XID] = { "NVRM: Xid (PCI:0000:5d:00): ", "NVRM: Xid (0000:5d:00): ",
			      "NVRM: Xid (PCI:0000:5d:00 GPU-I:05): " },
	[KLOG_FAMILY_SXID] = { "nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 20034, ",
			       "nvidia-nvswitch1: SXid (PCI:0000:06:00.0): " },
	[KLOG_FAMILY_NVIDIA] = { "NVRM: ", "nvidia-modeset: ", "nvidia-uvm: ", "nvidia-nvlink: ",
				 "nvidia 0000:5d:00.0: " },
	[KLOG_FAMILY_AMDGPU] = { "amdgpu 0000:03:00.0: amdgpu: ", "amdgpu 0000:03:00.0: ", "amdgpu: ",
				 "[drm:some_function [amdgpu]] *ERROR* ", "[drm] ",
				 "amdgpu 0000:03:00.0: [drm] *ERROR* " },
	[KLOG_FAMILY_INTEL] = { "i915 0000:00:02.0: [drm] *ERROR* ", "i915 0000:00:02.0: ",
				"xe 0000:03:00.0: [drm] Tile0: GT0: ",
				"xe 0000:03:00.0: ", "[drm:some_function [i915]] *ERROR* ", "[drm] " },
	[KLOG_FAMILY_NOUVEAU] = { "nouveau 0000:01:00.0: ", "[drm] ", "nouveau 0000:01:00.0: DRM: ", "nouveau: " },
	[KLOG_FAMILY_RADEON] = { "radeon 0000:01:00.0: ", "[drm:some_function [radeon]] *ERROR* ", "[drm] " },
	[KLOG_FAMILY_DRM] = { "[drm] ", "[drm:some_function] *ERROR* " },
	/* Of any driver. */
	[KLOG_FAMILY_PCI] = { "unheard-of 0000:01:00.0: ", "pcieport 0000:00:01.0: ", "habanalabs 0000:1a:00.0: ",
			      "amdxdna 0000:c6:00.1: ", "intel_vpu 0000:00:0b.0: ",
			      "mlx5_core 0000:5d:00.0: ", "ixgbe 0000:5d:00.0: ", "igb 0000:5d:00.0: ",
			      "e1000e 0000:5d:00.0: ", "ice 0000:5d:00.0: ", "i40e 0000:5d:00.0: ",
			      "mlx4_core 0000:5d:00.0: ", "bnxt_en 0000:5d:00.0: ", "megaraid_sas 0000:03:00.0: ",
			      "pcieport 0000:00:01.0: AER: ", "" },
	[KLOG_FAMILY_GHES] = { "{1}[Hardware Error]: ", "[Hardware Error]: ", "{1}[Hardware Error]:   " },
	[KLOG_FAMILY_HOST] = { "" },
};

/* A line that fits a pattern, with what may be there or without. */
static void put_sample(struct strbuf *out, const char *pattern, bool with_optional)
{
	while (*pattern) {
		struct span name = { .at = pattern + 1, .end = pattern + 1 + strcspn(pattern + 1, "}") };

		if (*pattern != '{') {
			strbuf_addch(out, *pattern++);
			continue;
		}
		if (span_take(&name, "?"))
			strbuf_add(out, name.at, with_optional ? span_len(name) : 0);
		else if (span_is(name, "end"))
			strbuf_addstr(out, with_optional ? "." : "");
		else if (span_is(name, "pci"))
			strbuf_addstr(out, "0000:5d:00.0");
		else if (span_is(name, "rid"))
			strbuf_addstr(out, "5d:00.0");
		else if (span_is(name, "task"))
			strbuf_addstr(out, "kworker/u64:2:1234");
		else if (span_is(name, "address") || span_is(name, "x"))
			strbuf_addstr(out, "1f");
		else if (span_is(name, "process") || span_is(name, "unit") || span_is(name, "status") ||
			 span_is(name, "*"))
			strbuf_addstr(out, "some");
		else if (span_is(name, "w"))
			strbuf_addstr(out, "some+0x36/0x50");	/* a frame of a stack is one, too */
		else
			strbuf_addstr(out, "7");
		pattern = name.end + 1;
	}
}

/* A detail is looked at behind its event, whatever it says: it needs no gate. */
static bool says_something(const char *text, size_t len)
{
	struct klog_line line = { .text = { text, text + len }, .level = -1, .origin = KLOG_ORIGIN_KERNEL };
	struct klog_match match;

	return klog_match(&line, &match) && (match.role == KLOG_ROLE_EVENT || match.role == KLOG_ROLE_MARK);
}

static void destroy_gates(struct strbuf *line)
{
	const char *found, *end = line->buf + line->len;

	while ((found = klog_next_candidate(line->buf, end)) < end)
		line->buf[found - line->buf + 1] = '\001';
}

/* All are told before the test fails. */
static unsigned nr_complaints;

#define COMPLAIN(...) (print_error(__VA_ARGS__), nr_complaints++)

/* If it says anything, then it has a gate, and without one nobody would know what it says. */
static bool check_line(const char *text, size_t len)
{
	STRBUF_AUTO line = STRBUF_INIT;

	if (!says_something(text, len))
		return false;
	if (klog_next_candidate(text, text + len) == text + len)
		COMPLAIN("no literal of prefilter.def is in: %.*s\n", (int)len, text);
	strbuf_add(&line, text, len);
	destroy_gates(&line);
	if (says_something(line.buf, line.len))
		COMPLAIN("understood without the only literal of prefilter.def in it: %.*s\n", (int)len, text);
	return true;
}

static void every_pattern_holds_a_gate(void **state)
{
	(void)state;
	nr_complaints = 0;
	for (size_t i = 0; i < NR_KLOG_PATTERNS; i++) {
		const struct klog_pattern *pattern = &klog_patterns[i];
		bool understood = pattern->role != KLOG_ROLE_EVENT && pattern->role != KLOG_ROLE_MARK;

		for (size_t k = 0; k < 2 * ARRAY_SIZE(sources[0]) && sources[pattern->family][k / 2]; k++) {
			STRBUF_AUTO line = STRBUF_INIT;

			strbuf_addstr(&line, sources[pattern->family][k / 2]);
			put_sample(&line, pattern->pattern, k % 2);
			understood = check_line(line.buf, line.len) || understood;
		}
		if (!understood)
			COMPLAIN("no line made after it says anything, whoever says it: %s\n", pattern->pattern);
	}
	assert_int_equal(nr_complaints, 0);
}

/* What a reader passes over behind an event, nothing of the catalogue is. */
static void every_detail_may_go_on(void **state)
{
	(void)state;
	nr_complaints = 0;
	for (size_t i = 0; i < NR_KLOG_PATTERNS; i++) {
		const struct klog_pattern *pattern = &klog_patterns[i];

		if (pattern->role != KLOG_ROLE_DETAIL && pattern->role != KLOG_ROLE_TURN)
			continue;
		for (size_t k = 0; k < 2 * ARRAY_SIZE(sources[0]) && sources[pattern->family][k / 2]; k++) {
			const char *source = sources[pattern->family][k / 2];
			STRBUF_AUTO line = STRBUF_INIT;

			/* Of PCI only a device is heard. */
			if (pattern->family == KLOG_FAMILY_PCI && !*source)
				continue;
			strbuf_addstr(&line, source);
			put_sample(&line, pattern->pattern, k % 2);
			if (!klog_may_go_on(line.buf, line.buf + line.len))
				COMPLAIN("would be passed over behind its event: %s\n", line.buf);
		}
	}
	assert_int_equal(nr_complaints, 0);
}

static void other_lines_go_on_with_nothing(void **state)
{
	static const char *const others[] = {
		"", ".", "+", "a+0", "0.7", "00.0", "1.2.3.4: port 5",
		"docker0: port 4(veth6e58d5ca) entered disabled state",
		"0000:5d:00.8: ", "x.1: ", "eth0: link up, 10+10 s",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (klog_may_go_on(others[i], others[i] + strlen(others[i])))
			fail_msg("taken for one that may go on: %s", others[i]);
}

static void xids_need_no_pattern_but_a_gate(void **state)
{
	static const char unknown[] = "NVRM: Xid (PCI:0000:01:00): 999, pid=1, name=x, something new";

	(void)state;
	nr_complaints = 0;
	assert_true(check_line(unknown, strlen(unknown)));
	assert_int_equal(nr_complaints, 0);
}

/* Real lines, of the cases in tests/klog/, without their prefixes where they have any. */
static void every_known_event_holds_a_gate(void **state)
{
	char line[8192];
	size_t events = 0;
	glob_t logs;

	(void)state;
	nr_complaints = 0;
	assert_int_equal(glob("tests/klog/*.log", 0, NULL, &logs), 0);
	for (size_t i = 0; i < logs.gl_pathc; i++) {
		FILE *file = fopen(logs.gl_pathv[i], "r");

		assert_non_null(file);
		while (fgets(line, sizeof(line), file)) {
			struct klog_line_context context = { .scratch = STRBUF_INIT };
			struct klog_line parsed;

			klog_line_parse(&context, (struct span){ line, line + strcspn(line, "\n") }, &parsed);
			events += check_line(parsed.text.at, span_len(parsed.text));
			klog_line_context_release(&context);
		}
		fclose(file);
	}
	globfree(&logs);
	assert_true(events >= 5);
	assert_int_equal(nr_complaints, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_each_gate_at_every_place),
		cmocka_unit_test(finds_no_gate_that_is_cut_off),
		cmocka_unit_test(agrees_on_random_texts),
		cmocka_unit_test(counts_lines),
		cmocka_unit_test(every_pattern_holds_a_gate),
		cmocka_unit_test(every_detail_may_go_on),
		cmocka_unit_test(other_lines_go_on_with_nothing),
		cmocka_unit_test(xids_need_no_pattern_but_a_gate),
		cmocka_unit_test(every_known_event_holds_a_gate),
	};

	return cmocka_run_group_tests(tests, fence, unfence);
}
