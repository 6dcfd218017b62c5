// SPDX-License-Identifier: GPL-2.0-or-later
/* test_named_gpu.c - which GPU a line names, and which of its numbers are none. */
#include "base/compat.h"
#include "import/dump/named_gpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum { NONE = -1 };

static void an_index_stands_behind_its_word(void **state)
{
	static const struct { const char *text; int index; } rows[] = {
		{ "CUDA error on device 3: invalid argument", 3 },
		{ "GPU[5]\t: Unable to read", 5 },
		{ "GPU0: CUDA memory: 4.00 GB total", 0 },
		{ "RuntimeError: cuda:7 is busy", 7 },
		{ "expected device='cuda:1'", 1 },
		{ "/job:localhost/replica:0/task:0/device:GPU:2", 2 },
		{ "gpu=4: error: NVML", 4 },
		{ "nvml.Device 6: lost", 6 },
		{ "open /dev/nvidia1: denied", 1 },
		{ "(GPU 0; 23.69 GiB total capacity)", 0 },
		{ "busId 5d000 cudaDev 3 nvmlDev 3", 3 },
		{ "CUDA 12 is needed", NONE },
		{ "gres/gpu:4 (IDX:0-3)", NONE },
		{ "nvidia.com/gpu: 8", NONE },
		{ "num_gpu=1", NONE },
		{ "GPU 24 GiB", NONE },
		{ "GPU 80%", NONE },
		{ "GPU  24.00 GiB", NONE },
		{ "device 0x41", NONE },
		{ "GPU 2x A100", NONE },
		{ "GPU 4090 failed", NONE },
		{ "a device failed", NONE },
		{ "batch index: 3 of the list on cuda:1", 1 },
		{ "at index 3 of the list of tensors", NONE },
		{ "Gres=gpu:8", NONE },
		{ "World size: 8 GPU: 8", NONE },
		{ "peer access from device 0 to device 3 failed", NONE },
		{ "gpu03 trainer[77]: CUDA error", NONE },
		{ "gpu7 dockerd[77]: failed to start daemon", NONE },
		{ "gpu7 failed", NONE },
		{ "Nov 02 09:00:00 gpu3 python[11]: CUDA error", NONE },
		{ "Using device: 2 GPUs", NONE },
		{ "Using device: 1 of 8", NONE },
	};
	struct arena arena = { .blocks = NULL };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *text = rows[i].text;
		struct named_gpu named = named_gpu_in(&arena, text, text + strlen(text));
		int index = named.has_index ? (int)named.index : NONE;

		if (index != rows[i].index)
			fail_msg("%s: %d", text, index);
	}
	arena_release(&arena);
}

static void addresses_and_uuids_are_whole(void **state)
{
	static const char text[] = "GPU 00000000:5D:00.0 (GPU-5f1c3a52-8e8f-4d0b-9a52-7c1d6b1a9e02) GPU-5f1c";
	struct arena arena = { .blocks = NULL };
	struct named_gpu named = named_gpu_in(&arena, text, text + strlen(text));

	(void)state;
	assert_string_equal(named.address, "0000:5d:00.0");
	assert_string_equal(named.uuid, "GPU-5f1c3a52-8e8f-4d0b-9a52-7c1d6b1a9e02");
	assert_false(named.has_index);
	named = named_gpu_in(&arena, "0000:01:00.0 -> 0000:02:00.0", "0000:01:00.0 -> 0000:02:00.0" + 28);
	assert_null(named.address);
	named = named_gpu_in(&arena, "GPU-5f1c at 12:00:01", "GPU-5f1c at 12:00:01" + 20);
	assert_null(named.address);
	assert_null(named.uuid);
	arena_release(&arena);
}

static void a_short_address_is_no_time(void **state)
{
	static const struct { const char *text, *address; } rows[] = {
		{ "GPU 0: detected DEAD (0c:00.0), no restart", "0000:0c:00.0" },
		{ "0c:00.0 VGA compatible controller: whatsit", "0000:0c:00.0" },
		{ "12:00:01 starting the miner, uptime 03:00.0 hours", NULL },
		{ "Run 12 of the nvidia tool took 01:00.0 s", NULL },
		{ "GPU 0c:00.0x", NULL },
	};
	struct arena arena = { .blocks = NULL };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *text = rows[i].text;
		struct named_gpu named = named_gpu_in(&arena, text, text + strlen(text));

		if (!named.address != !rows[i].address ||
		    (named.address && strcmp(named.address, rows[i].address) != 0))
			fail_msg("%s: %s", text, named.address ? named.address : "none");
	}
	arena_release(&arena);
}

static void several_are_said_to_be(void **state)
{
	static const char *const rows[] = { "GPU 0, GPU 1 and GPU 2", "nvidia bound to 0000:3b:00.0 and 0000:5e:00.0" };
	struct arena arena = { .blocks = NULL };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_true(named_gpu_in(&arena, rows[i], rows[i] + strlen(rows[i])).are_several);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_index_stands_behind_its_word),
		cmocka_unit_test(addresses_and_uuids_are_whole),
		cmocka_unit_test(a_short_address_is_no_time),
		cmocka_unit_test(several_are_said_to_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
