// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "klog/match.h"
#include "klog/pattern_index.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void every_pattern_is_one(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_KLOG_PATTERNS; i++)
		if (!klog_pattern_valid(klog_patterns[i].pattern))
			fail_msg("no pattern: %s", klog_patterns[i].pattern);
}

static void every_pattern_is_prepared_whole(void **state)
{
	struct klog_step steps[MAX_PATTERN_STEPS];

	(void)state;
	for (size_t i = 0; i < NR_KLOG_PATTERNS; i++) {
		const struct klog_prepared *prepared = klog_prepared_pattern(&klog_patterns[i]);
		size_t nr = klog_pattern_steps(klog_patterns[i].pattern, steps, ARRAY_SIZE(steps));

		if (nr >= ARRAY_SIZE(steps))
			fail_msg("too many steps: %s", klog_patterns[i].pattern);
		/* All that an Xid's number may take away is its literal. */
		if (prepared->nr != nr && !(prepared->has_code && prepared->nr + 1 == nr))
			fail_msg("%zu of %zu steps: %s", prepared->nr, nr, klog_patterns[i].pattern);
	}
}

static void tells_what_is_none(void **state)
{
	static const char *const wrong[] = { "a {nothing}", "a {", "a {n", "a {}", "{?}", "{unit}{n}",
					     "{*}{?x}", "{a{n}}" };
	static const char *const right[] = { "", "a", "{n}", "a {unit}", "{unit} b", "{n}{x}", "{?a}{?b}c", "{w}{*}b" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		if (klog_pattern_valid(wrong[i]))
			fail_msg("taken for a pattern: %s", wrong[i]);
	for (size_t i = 0; i < ARRAY_SIZE(right); i++)
		if (!klog_pattern_valid(right[i]))
			fail_msg("taken for none: %s", right[i]);
}

static void fits(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool does;
	} cases[] = {
		{ "ring", "ring gfx", true },
		{ "ring", "a ring", false },
		{ "ring gfx", "ring   gfx", true },
		{ "ring gfx", "ringgfx", false },
		{ "timeout{end}", "timeout", true },
		{ "timeout{end}", "timeout. ", true },
		{ "timeout{end}", "timeout of a fence", false },
		{ "{n} x", "12 x", true },
		{ "{n} x", "a x", false },
		{ "{x} x", "0xfF x", true },
		{ "{w} x", "a-b x", true },
		{ "{w} x", " x", false },
		{ "{?old }new", "new", true },
		{ "{?old }new", "old new", true },
		{ "{*} end", "no end", true },
		{ "{*} end", "endless end", true },
		{ "{*} end", "no en", false },
		/* No way back: the first place where what comes next is found counts. */
		{ "{*} a b", "x a c a b", true },
		{ "{*}a{n}", "aab1 a2", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct klog_fields fields = { 0 };

		if (klog_pattern_match(cases[i].pattern, span_of(cases[i].text), &fields) != cases[i].does)
			fail_msg("'%s' and '%s'", cases[i].pattern, cases[i].text);
	}
}

/* What a line says, by the whole catalogue: its row, or none for a detail, and what its places took. */
static void takes_fields(void **state)
{
	static const struct {
		const char *line;
		enum klog_row_id row;
		const char *process;
		uint64_t pid;
		const char *unit, *status;
		uint64_t address;
	} cases[] = {
		{ "[drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=2",
		  KLOG_ROW_AMDGPU_RING_TIMEOUT, "", 0, "gfx_0.0.0", "", 0 },
		{ "[drm:amdgpu_job_timedout [amdgpu]] *ERROR* Process information: process a b pid 7 thread a pid 8",
		  KLOG_NO_ROW, "a b", 7, "", "", 0 },
		{ "[drm:amdgpu_job_timedout [amdgpu]] *ERROR* Process information: process  pid 0 thread  pid 0",
		  KLOG_NO_ROW, "", 0, "", "", 0 },
		{ "amdgpu 0000:28:00.0:  Process cosmic-comp pid 2288 thread cosmic-com:cs0 pid 2316", KLOG_NO_ROW,
		  "cosmic-comp", 2288, "", "", 0 },
		{ "amdgpu 0000:03:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:169 vmid:0 pasid:0, for process  "
		  "pid 0 thread  pid 0)",
		  KLOG_ROW_AMDGPU_OWN_PAGE_FAULT, "", 0, "gfxhub", "", 0 },
		{ "amdgpu 0000:03:00.0: amdgpu: [mmhub0] retry page fault (src_id:0 ring:0 vmid:5 pasid:32772, "
		  "for process Web Content pid 101038 thread Web Conte:cs0 pid 101040)",
		  KLOG_ROW_AMDGPU_PAGE_FAULT, "Web Content", 101038, "mmhub0", "", 0 },
		{ "amdgpu 0000:03:00.0: amdgpu:   in page starting at address 0x0000ae8570611000 from IH client 0x1b",
		  KLOG_NO_ROW, "", 0, "", "", 0xae8570611000 },
		{ "amdgpu 0000:03:00.0: amdgpu: {3}socket: 1, die: 2, 1 new uncorrectable hardware errors "
		  "detected in umc block",
		  KLOG_ROW_AMDGPU_RAS_UNCORRECTABLE, "", 0, "umc", "", 0 },
		{ "amdgpu 0000:03:00.0: amdgpu: WARN: GPU is throttled, expect performance decrease. Prochot and HBM.",
		  KLOG_ROW_AMDGPU_THROTTLED, "", 0, "", "Prochot and HBM", 0 },
		{ "amdgpu 0000:03:00.0: amdgpu: GPU reset end with ret = -110", KLOG_ROW_AMDGPU_RESET_FAILED, "", 0, "",
		  "-110", 0 },
		{ "[drm:amdgpu_device_init [amdgpu]] *ERROR* hw_init of IP block <gfx_v11_0> failed -110",
		  KLOG_ROW_AMDGPU_INIT_FAILED, "", 0, "", "gfx_v11_0", 0 },
		{ "i915 0000:00:02.0: [drm] GPU HANG: ecode 9:1:84df7cfc, in meshlab [56365]",
		  KLOG_ROW_INTEL_GPU_HANG, "meshlab", 56365, "", "9:1:84df7cfc", 0 },
		{ "[drm] GPU HANG: ecode 9:0:0xfffffffe, reason: Hang on render ring, action: reset",
		  KLOG_ROW_INTEL_HANG_OF_NOBODY, "", 0, "", "9:0:0xfffffffe", 0 },
		{ "i915 0000:00:02.0: [drm] Resetting rcs0 for preemption time out", KLOG_ROW_INTEL_ENGINE_RESET, "", 0,
		  "rcs0", "", 0 },
		{ "i915 0000:00:02.0: [drm] Resetting chip for stopped heartbeat on rcs0", KLOG_ROW_INTEL_GPU_RESET, "",
		  0, "", "stopped heartbeat on rcs0", 0 },
		{ "i915 0000:00:02.0: [drm] meshlab[56365] context reset due to GPU hang", KLOG_NO_ROW, "meshlab",
		  56365, "", "", 0 },
		{ "xe 0000:03:00.0: [drm] GT0: Timedout job: seqno=4, lrc_seqno=4, guc_id=6, flags=0x20 in b70 [9]",
		  KLOG_ROW_INTEL_JOB_TIMEOUT, "b70", 9, "", "", 0 },
		{ "nouveau 0000:01:00.0: fifo: fault 00 [READ] at 0000000000400000 engine 00 [GR] client 0a "
		  "[GPC0/T1_0] reason 02 [PTE] on channel 2 [007f8ca000 Xorg[1010]]",
		  KLOG_ROW_NOUVEAU_FAULT, "Xorg", 1010, "GR", "", 0x400000 },
		{ "nouveau 0000:01:00.0: fifo: DMA_PUSHER - ch 4 [sddm-greeter[429]] get 0000216000 put 0000216088",
		  KLOG_ROW_NOUVEAU_FAULT, "sddm-greeter", 429, "", "", 0 },
		{ "radeon 0000:01:00.0: GPU lockup (current fence id 0x2ce last fence id 0x2d1 on ring 3)",
		  KLOG_ROW_RADEON_LOCKUP, "", 0, "3", "", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct klog_line line = { .text = span_of(cases[i].line), .origin = KLOG_ORIGIN_KERNEL };
		struct klog_match match;

		if (!klog_match(&line, &match))
			fail_msg("says nothing: %s", cases[i].line);
		if (match.row != cases[i].row || !span_is(match.fields.process, cases[i].process) ||
		    match.fields.pid != cases[i].pid || !span_is(match.fields.unit, cases[i].unit) ||
		    !span_is(match.fields.status, cases[i].status) || match.fields.address != cases[i].address)
			fail_msg("says something else: %s", cases[i].line);
	}
}

/* A line that names the result of a reset is never taken for a part of its course. */
static void results_are_events(void **state)
{
	static const char *const lines[] = {
		"amdgpu 0000:03:00.0: amdgpu: GPU reset(2) succeeded!",
		"amdgpu 0000:03:00.0: amdgpu: GPU reset(2) failed",
		"amdgpu 0000:03:00.0: amdgpu: GPU mode1 reset failed",
		"xe 0000:03:00.0: [drm] GT0: reset done",
		"radeon 0000:01:00.0: GPU reset succeeded, trying to resume",
		"radeon 0000:01:00.0: GPU reset failed",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct klog_line line = { .text = span_of(lines[i]), .origin = KLOG_ORIGIN_KERNEL };
		struct klog_match match;

		assert_true(klog_match(&line, &match));
		assert_int_equal(match.role, KLOG_ROLE_EVENT);
		assert_int_equal(match.mark == KLOG_MARK_RESET_OK, !strstr(lines[i], "fail"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_pattern_is_one), cmocka_unit_test(every_pattern_is_prepared_whole),
		cmocka_unit_test(tells_what_is_none),	cmocka_unit_test(fits),
		cmocka_unit_test(takes_fields),		cmocka_unit_test(results_are_events),
	};

	return cmocka_run_group_tests_name("klog pattern", tests, NULL, NULL);
}
