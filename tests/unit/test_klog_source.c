// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "klog/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void takes_prefixes_off(void **state)
{
	static const struct {
		const char *line;
		enum klog_family family;
		const char *pci, *body;
	} cases[] = {
		/* amdgpu, with its name told twice before Linux 7.0 and once since */
		{ "amdgpu 0000:08:00.0: amdgpu: GPU reset begin!", KLOG_FAMILY_AMDGPU, "0000:08:00.0",
		  "GPU reset begin!" },
		{ "amdgpu 0000:28:00.0: GPU reset begin!", KLOG_FAMILY_AMDGPU, "0000:28:00.0", "GPU reset begin!" },
		{ "amdgpu 0000:28:00.0:  Process x pid 1 thread y pid 2", KLOG_FAMILY_AMDGPU, "0000:28:00.0",
		  "Process x pid 1 thread y pid 2" },
		{ "amdgpu: qcm fence wait", KLOG_FAMILY_AMDGPU, "", "qcm fence wait" },
		{ "kfd kfd: amdgpu: qcm fence wait", KLOG_FAMILY_AMDGPU, "", "qcm fence wait" },
		{ "amdgpu: [powerplay] failed", KLOG_FAMILY_AMDGPU, "", "failed" },
		{ "[drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring", KLOG_FAMILY_AMDGPU, "", "ring" },
		{ "amdgpu 0000:0c:00.0: [drm:amdgpu_ring_test_helper [amdgpu]] *ERROR* ring", KLOG_FAMILY_AMDGPU,
		  "0000:0c:00.0", "ring" },
		{ "amdgpu 0000:c2:00.0: amdgpu: [drm] device wedged", KLOG_FAMILY_AMDGPU, "0000:c2:00.0",
		  "device wedged" },
		/* the group of a RAS event */
		{ "amdgpu 0000:1c:00.0: {1}uncorrectable", KLOG_FAMILY_AMDGPU, "0000:1c:00.0", "uncorrectable" },
		{ "amdgpu 0000:42:00.0: amdgpu: {12}[Hardware Error]: Accelerator Check", KLOG_FAMILY_AMDGPU,
		  "0000:42:00.0", "Accelerator Check" },
		{ "amdgpu 0000:42:00.0: {x}no group", KLOG_FAMILY_AMDGPU, "0000:42:00.0", "{x}no group" },
		{ "amdgpu 0000:42:00.0: {1 no group", KLOG_FAMILY_AMDGPU, "0000:42:00.0", "{1 no group" },
		/* of the platform, not of a driver */
		{ "{12}[Hardware Error]: event severity: corrected", KLOG_FAMILY_GHES, "",
		  "event severity: corrected" },
		/* i915 and xe, with tile, GT and microcontroller */
		{ "i915 0000:00:02.0: [drm] *ERROR* rcs0 reset", KLOG_FAMILY_INTEL, "0000:00:02.0", "rcs0 reset" },
		{ "i915 0000:00:02.0: [drm] *ERROR* GT0: GUC: Engine reset", KLOG_FAMILY_INTEL, "0000:00:02.0",
		  "Engine reset" },
		{ "i915 0000:30:00.0: [drm] *ERROR* GT0 [GUC COMMUNICATION] CT: No response", KLOG_FAMILY_INTEL,
		  "0000:30:00.0", "CT: No response" },
		{ "i915 0000:30:00.0: [drm] GT0 [no end", KLOG_FAMILY_INTEL, "0000:30:00.0", "GT0 [no end" },
		{ "i915 0000:30:00.0: [drm] GT frequency", KLOG_FAMILY_INTEL, "0000:30:00.0", "GT frequency" },
		{ "i915 0000:33:00.0: GPU HANG", KLOG_FAMILY_INTEL, "0000:33:00.0", "GPU HANG" },
		{ "xe 0000:0b:00.0: [drm] Tile0: GT0: reset queued", KLOG_FAMILY_INTEL, "0000:0b:00.0",
		  "reset queued" },
		{ "xe 0000:0b:00.0: [drm] *ERROR* [Hardware Error]: TILE0 reported", KLOG_FAMILY_INTEL, "0000:0b:00.0",
		  "TILE0 reported" },
		{ "[drm:i915_reset [i915]] *ERROR* GPU recovery failed", KLOG_FAMILY_INTEL, "", "GPU recovery failed" },
		/* nouveau and radeon */
		{ "nouveau 0000:01:00.0: fifo: SCHED_ERROR", KLOG_FAMILY_NOUVEAU, "0000:01:00.0", "fifo: SCHED_ERROR" },
		{ "[drm] nouveau 0000:01:00.0: PFIFO", KLOG_FAMILY_NOUVEAU, "0000:01:00.0", "PFIFO" },
		{ "radeon 0000:01:00.0: ring 4 stalled", KLOG_FAMILY_RADEON, "0000:01:00.0", "ring 4 stalled" },
		{ "[drm:r600_ring_test [radeon]] *ERROR* radeon: ring", KLOG_FAMILY_RADEON, "", "radeon: ring" },
		/* whose it is, only what it says can tell */
		{ "[drm] VRAM is lost due to GPU reset!", KLOG_FAMILY_DRM, "", "VRAM is lost due to GPU reset!" },
		{ "[drm:evergreen_resume] *ERROR* no module", KLOG_FAMILY_DRM, "", "no module" },
		/* anybody's */
		{ "usb 1-1: ring gfx timeout", KLOG_FAMILY_HOST, "", "usb 1-1: ring gfx timeout" },
		{ "amdgpu_top: GPU reset begin!", KLOG_FAMILY_HOST, "", "amdgpu_top: GPU reset begin!" },
		{ "snd_hda_intel 0000:c1:00.1: Refused", KLOG_FAMILY_PCI, "0000:c1:00.1", "Refused" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct klog_source source;
		char body[128];

		klog_source_find(span_of(cases[i].line), &source);
		span_copy(source.body, body, sizeof(body));
		assert_string_equal(body, cases[i].body);
		assert_string_equal(source.pci, cases[i].pci);
		if (source.family != cases[i].family)
			fail_msg("family %d of: %s", (int)source.family, cases[i].line);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_prefixes_off),
	};

	return cmocka_run_group_tests_name("klog source", tests, NULL, NULL);
}
