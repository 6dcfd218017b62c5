// SPDX-License-Identifier: GPL-2.0-or-later
/* test_message.c - messages as they are pasted: from issues and forums, wrapped, shouted, cut; and what is none. */
#include "base/compat.h"
#include "eval/message/message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <cmocka.h>

static void assert_found(const char *text, const char *title)
{
	const struct message *found[1];

	assert_int_equal(messages_in(text, found, 1), 1);
	assert_string_equal(found[0]->title, title);
}

static void assert_none(const char *text)
{
	const struct message *found[1];

	assert_int_equal(messages_in(text, found, 1), 0);
}

static void test_as_pasted(void **state)
{
	(void)state;
	assert_found(
		"docker: Error response from daemon: could not select device driver \"\" with capabilities: [[gpu]].",
		"Docker knows no NVIDIA runtime");
	assert_found("nvidia-container-cli: detection error: nvml error: unknown error: unknown",
		     "One GPU of the host does not respond, and so no container with GPUs starts");
	/* The special one first. */
	assert_found(
		"nvidia-container-cli: initialization error: nvml error: driver/library version mismatch: unknown.",
		"The host's NVIDIA module and library have different versions");
	assert_found("nvidia-container-cli: initialization error: driver rpc error: timed out",
		     "NVIDIA's driver did not start on the host");
	assert_found("nvidia-container-cli: initialization error: nvml error: unknown error: unknown",
		     "The management library does not start on the host, and so no container with GPUs starts");
	assert_found("nvidia-container-cli: detection error: driver error: failed to process request",
		     "NVIDIA's driver did not start on the host");
	assert_found("W0913 11:52:12.222487 4764 nvc.c:258] failed to detect NVIDIA devices",
		     "The container tool found no NVIDIA GPU on the host");
	assert_found("Error: setting up CDI devices: failed to inject devices: failed to stat CDI host device "
		     "\"/dev/dri/renderD129\": no such file or directory",
		     "The CDI specification names a device node that does not exist");
	assert_found("conflicting device \"nvidia.com/gpu=all\" (specs \"/etc/cdi/a.yaml\", \"/etc/cdi/b.yaml\")",
		     "Two CDI specifications in one folder define the same device");
	assert_found("Error: setting up CDI devices: unresolvable CDI devices nvidia.com/gpu=all",
		     "No CDI specification has that device");
	assert_found(
		"Error: crun: error stat'ing file `/usr/lib/x86_64-linux-gnu/libEGL_nvidia.so.535.161.07`: No such file or directory",
		"The CDI specification names files of a driver that is gone");
	assert_found(
		"invoking the NVIDIA Container Runtime Hook directly (e.g. specifying the docker --gpus flag) is not supported. "
		"Please use the NVIDIA Container Runtime instead.",
		"The toolkit is configured for CDI, and the container was started with --gpus");
	assert_found("exec: \"nvidia-container-runtime\": executable file not found in $PATH",
		     "Docker or containerd is configured for a runtime that is not installed");
	assert_found("[CUDA @ 0x55d] cu->cuInit(0) failed -> CUDA_ERROR_UNKNOWN: unknown error",
		     "CUDA does not start, where nvidia-smi may work");
	assert_found("RuntimeError: CUDA error: no kernel image\n  is available for\texecution on the device\n",
		     "The library was not built for this GPU's architecture");
	assert_found("FAILED TO INITIALIZE NVML: UNKNOWN ERROR",
		     "The container lost its access to the GPUs while it ran");
	assert_found(
		"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of",
		"The GPU's memory is full");
	assert_found(
		"misc/shmutils.cc:112 NCCL WARN Error while creating shared memory segment /dev/shm/nccl-KWfVyt (size 59)",
		"/dev/shm is full or too small for NCCL");
	assert_found("[Rank 4] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1580, OpType=ALLREDUCE)",
		     "One rank did not take part in a collective in time: the others waited for it");
}

static void test_what_is_none(void **state)
{
	(void)state;
	assert_none("");
	assert_none("could not select device driver \"local\"");
	assert_none("Failed to initialize NVML: Insufficient Permissions");
	assert_none("exec: \"python3\": executable file not found in $PATH");
	assert_none("NCCL INFO Channel 00 : 0[0] -> 1[1] via direct shared memory segment");
	assert_none("error stat'ing file /tmp/x: permission denied");
	assert_none("cuMemAlloc failed -> CUDA_ERROR_UNKNOWN");
	assert_none("conflicting device name eth0");
	assert_none("kubelet: failed to process request");
}

/* Each can be found by its own words, and says what to do. */
static void test_every_row(void **state)
{
	(void)state;
	for (size_t i = 0; i < nr_messages; i++) {
		const struct message *found[3];
		char text[512];
		size_t nr;
		bool is_there = false;

		snprintf(text, sizeof(text), "%s: %s", messages[i].literal, messages[i].also ? messages[i].also : "");
		nr = messages_in(text, found, 3);
		for (size_t k = 0; k < nr; k++)
			is_there = is_there || found[k] == &messages[i];
		assert_true(is_there);
		assert_non_null(message_step(&messages[i], 0));
		assert_null(message_step(&messages[i], 9));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_pasted),
		cmocka_unit_test(test_what_is_none),
		cmocka_unit_test(test_every_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
