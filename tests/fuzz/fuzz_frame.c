// SPDX-License-Identifier: GPL-2.0-or-later
/* fuzz_frame.c - what a crashing library may leave on the frame pipe: lines, each read as a frame. */
#include "base/compat.h"

#include <stdint.h>

#include "collect/frames.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const paths[] = { "host", "gpus.pci.link_width", "gpus.hops", "ocl_devices", NULL };
	struct snapshot snapshot = { .nr_gpus = 0 };
	struct frame_reader reader = {.snapshot = &snapshot,
				      .scope = {.paths = paths, .key = "0000:01:00.0", .key_prefix = "opencl:"}};
	const char *at = (const char *)data, *end = at + size;

	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		if (!stop)
			stop = end;
		if (frame_read(&reader, at, (size_t)(stop - at)))
			break;
		at = stop + 1;
	}
	snapshot_release(&snapshot);
	return 0;
}
