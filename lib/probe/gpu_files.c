// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gpu_files.c - probe "gpu-files": what the driver of one GPU tells of it in
 * files. One worker for each GPU, as these files answer from inside the
 * driver and hang with it.
 */
#include "base/compat.h"
#include "probe/gpu_files.h"

#include <errno.h>

#include "probe/pci_function.h"
#include "probe/probe_table.h"
#include "probe/read.h"
#include "snapshot/under_test.h"
#include "sys/clock.h"

#define TWINS_VARIABLE "GPUDIAG_FILES_TWINS"

/* Who reads the files of which driver. */
static const struct reader {
	const char *driver;
	void (*read)(struct card *card, struct gpu *gpu);
} readers[] = {
	{ .driver = "nvidia", .read = nvidia_files_read },
	{ .driver = "amdgpu", .read = amdgpu_files_read },
	{ .driver = "i915", .read = intel_files_read },
	{ .driver = "xe", .read = intel_files_read },
};

static const struct reader *reader_of(struct val_str driver)
{
	for (size_t i = 0; i < ARRAY_SIZE(readers); i++)
		if (str_is(driver, readers[i].driver))
			return &readers[i];
	return NULL;
}

/* The kernel resumes one in D3cold before it reads its configuration space (Linux 7.2 drivers/pci/pci.c). */
static void wake(struct card *card)
{
	uint8_t header[64];
	size_t len;
	int error;

	card_step(card, "config");
	error = root_read_bytes(card->env->root, header, sizeof(header), &len, PCI_DEVICES "/%s/config",
				card->env->target);
	if (error && error != -ENOENT) {
		card->untouched = state_of_errno(error);
		card->why = arena_printf(&card->arena, "it was to be woken: %s", name_of_errno(error));
	}
}

void card_look_whether_asleep(struct card *card)
{
	struct pci_function now = { 0 };

	if (card->env->may_wake) {
		wake(card);
		return;
	}
	now.runtime_status = read_str(card->env, &card->arena, PCI_DEVICES "/%s/power/runtime_status",
				      card->env->target);
	now.power_state = read_str(card->env, &card->arena, PCI_DEVICES "/%s/power_state", card->env->target);
	if (pci_function_is_asleep(&card->arena, &now, &card->why))
		card->untouched = VAL_ASLEEP;
	else if (!pci_function_may_sleep(&card->arena, &now, &card->untouched, &card->why))
		card->untouched = VAL_UNSET;
}

void card_step(const struct card *card, const char *file)
{
	char call[160];

	snprintf(call, sizeof(call), "read %.100s of %.40s", file, card->env->target);
	sink_step(card->sink, call);
}

struct val_head card_reason(struct card *card, enum val_state state, const char *why)
{
	if (card->reason)
		return card->reason(card, state, why);
	return (struct val_head){ .state = state, .why = why };
}

struct val_str card_text(struct card *card, const char *file)
{
	struct val_str value;
	struct val_head head;

	if (card->untouched != VAL_UNSET)
		return no_str(card->untouched, card->why);
	card_step(card, file);
	value = read_str(card->env, &card->arena, PCI_DEVICES "/%s/%s", card->env->target, file);
	if (is_known(value))
		return value;
	head = card_reason(card, value.state, value.why);
	return no_str(head.state, head.why);
}

struct val_u64 card_number(struct card *card, const char *file)
{
	struct val_u64 value;
	struct val_head head;

	if (card->untouched != VAL_UNSET)
		return no_u64(card->untouched, card->why);
	card_step(card, file);
	value = read_u64(card->env, &card->arena, PCI_DEVICES "/%s/%s", card->env->target, file);
	if (is_known(value))
		return value;
	head = card_reason(card, value.state, value.why);
	return no_u64(head.state, head.why);
}

struct val_head card_whole(struct card *card, const char *file, struct strbuf *ret)
{
	int error;

	if (card->untouched != VAL_UNSET)
		return (struct val_head){ .state = card->untouched, .why = card->why };
	card_step(card, file);
	error = root_read(card->env->root, ret, PCI_DEVICES "/%s/%s", card->env->target, file);
	if (error)
		return card_reason(card, state_of_errno(error), name_of_errno(error));
	return (struct val_head){ .state = VAL_OK };
}

struct val_head card_bytes(struct card *card, const char *file, void *buf, size_t len, size_t *ret_len)
{
	int error;

	*ret_len = 0;
	if (card->untouched != VAL_UNSET)
		return (struct val_head){ .state = card->untouched, .why = card->why };
	card_step(card, file);
	error = root_read_bytes(card->env->root, buf, len, ret_len, PCI_DEVICES "/%s/%s", card->env->target, file);
	if (error)
		return card_reason(card, state_of_errno(error), name_of_errno(error));
	return (struct val_head){ .state = VAL_OK };
}

static int run(struct probe_env *env, struct sink *sink)
{
	struct gpu *gpu = list_element(&sink->facts.arena, &sink->facts, gpus, gpu, env->target);
	struct val_str driver = read_link_name(env, &sink->facts.arena, PCI_DEVICES "/%s/driver", env->target);
	const struct reader *reader = reader_of(driver);
	struct card card = { .env = env, .sink = sink };
	const char *twins = getenv(TWINS_VARIABLE);
	uint64_t since_ns = clock_now_ns();
	int status;

	if (reader) {
		reader->read(&card, gpu);
		gpu_files_ask_again(&card, gpu, twins && *twins, since_ns);
	}
	status = sink_end(sink, PROBE_OK, NULL);
	arena_release(&card.arena);
	return status;
}

static void targets(const struct snapshot *snapshot, struct arena *arena, struct strs *ret)
{
	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &snapshot->gpus[i];

		if (gpu_role(snapshot, gpu) != GPU_ROLE_NOT_OURS && reader_of(gpu->pci.driver))
			strs_add(arena, ret, str_or(gpu->key, ""));
	}
}

/* "1" where two others of its model are under test. */
static void environment(const struct snapshot *snapshot, const char *target, struct arena *arena, struct strs *ret)
{
	const struct gpu *gpu = list_find(snapshot, gpus, gpu, target);
	size_t nr = 0;

	for (size_t i = 0; gpu && i < snapshot->nr_gpus; i++)
		nr += &snapshot->gpus[i] != gpu && gpu_is_under_test(snapshot, &snapshot->gpus[i]) &&
		      str_is(snapshot->gpus[i].pci.vendor_id, str_or(gpu->pci.vendor_id, "")) &&
		      str_is(snapshot->gpus[i].pci.device_id, str_or(gpu->pci.device_id, ""));
	strs_add(arena, ret, nr >= 2 ? TWINS_VARIABLE "=1" : TWINS_VARIABLE "=");
}

const struct probe probe_gpu_files = {
	.name = "gpu-files",
	.help = "identity, memory, sensors and errors of a GPU, as its driver tells them in files; leaves what sleeps alone",
	.phase = PHASE_DEVICE_FILES,
	.touches = TOUCHES_FILES,
	.deadline_ms = 2000,
	.provides = (const char *const[]){ "gpus.nvidia", "gpus.amdgpu", "gpus.intel", "gpus.clients", "gpus.links", NULL },
	.targets = targets,
	.environment = environment,
	.run = run,
};
