// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gpu_files.c - probe "gpu-files": what the driver of one GPU reports in
 * files. One worker for each GPU, as these files answer from inside the
 * driver and hang with it.
 *
 * amdgpu, i915 and xe fail for a moment on GPUs that are well: a sensor that answers EIO, EBUSY while something is set.
 * What failed is held back and read anew half a second later; what fails then, and for five seconds on this GPU while
 * it has two twins, says something (check twins-differ). Nothing waits where nothing failed.
 */
#include "base/compat.h"
#include "probe/device/card.h"

#include <stddef.h>

#include "probe/pci/pci_function.h"
#include "probe/probe_table.h"
#include "probe/read.h"
#include "snapshot/under_test.h"
#include "sys/clock.h"

#define TWINS_VARIABLE "GPUDIAG_FILES_TWINS"

#define MS_NS UINT64_C(1000000)

enum { LATE_MS = 5000, STEP_MS = 250, MOST_FIELDS = 160 };

/* ---- what failed, a second and a third time */

/* A record of one GPU's files, and where it has how long some of it did not answer. */
static const struct files_record {
	const struct record *record;
	void (*read)(struct card *card, struct gpu *gpu);
	size_t offset;			/* in struct gpu */
	size_t unanswered;		/* likewise */
} records[] = {
	{ &record_amdgpu_files, amdgpu_files_read, offsetof(struct gpu, amdgpu),
	  offsetof(struct gpu, amdgpu.unanswered_ms) },
	{ &record_intel_files, intel_files_read, offsetof(struct gpu, intel),
	  offsetof(struct gpu, intel.unanswered_ms) },
};

_Static_assert((int)NR_FIELDS_amdgpu_files <= (int)MOST_FIELDS, "room for each of amdgpu's");
_Static_assert((int)NR_FIELDS_intel_files <= (int)MOST_FIELDS, "room for each of Intel's");

struct again {
	struct card *card;
	const struct files_record *of;
	bool failed[MOST_FIELDS];
	size_t nr_failed;
};

static union any_value *value_of(struct gpu *gpu, const struct files_record *of, size_t field)
{
	return (union any_value *)(void *)((char *)gpu + of->offset + of->record->fields[field].offset);
}

/* Takes failed values out of the facts: they are reported once the failure is confirmed. */
static void hold_back(struct again *again, struct gpu *gpu)
{
	for (size_t i = 0; i < again->of->record->nr; i++) {
		union any_value *value = value_of(gpu, again->of, i);

		if (!field_is_value(&again->of->record->fields[i]) || !val_failed_for_now(value->head))
			continue;
		again->failed[i] = true;
		again->nr_failed++;
		value->head = (struct val_head){ .state = VAL_UNSET };
	}
}

static struct gpu *facts_of(const struct card *card)
{
	return list_element(&card->sink->facts.arena, &card->sink->facts, gpus, gpu, card->env->target);
}

/* Reports what can be read now, and the last time also what failed. */
static void read_again(struct again *again, bool is_last)
{
	struct gpu *gpu = facts_of(again->card);
	struct gpu now = { .key = gpu->key };

	again->of->read(again->card, &now);
	for (size_t i = 0; i < again->of->record->nr; i++) {
		const union any_value *value = value_of(&now, again->of, i);
		bool fails = again->failed[i] && val_failed_for_now(value->head);

		if (!again->failed[i] || (fails && !is_last))
			continue;
		memcpy(value_of(gpu, again->of, i), value, value_size(&again->of->record->fields[i]));
		again->failed[i] = fails;
		again->nr_failed -= !fails;
	}
}

/* In steps: a wait is no file that hangs. */
static void wait_until(const struct card *card, uint64_t at_ns)
{
	uint64_t now_ns;

	while ((now_ns = clock_now_ns()) < at_ns) {
		sink_step(card->sink, "wait");
		clock_sleep_ns(at_ns - now_ns < STEP_MS * MS_NS ? at_ns - now_ns : STEP_MS * MS_NS);
	}
}

/*
 * Reads again what failed since since_ns, half a second later and, where the GPU has two twins, five. Sends what has
 * answered.
 */
static void ask_again(struct card *card, struct gpu *gpu, bool has_twins, uint64_t since_ns)
{
	struct again again = { .card = card };

	for (size_t i = 0; i < ARRAY_SIZE(records) && !again.nr_failed; i++) {
		again.of = &records[i];
		hold_back(&again, gpu);
	}
	if (!again.nr_failed)
		return;
	sink_flush(card->sink);
	wait_until(card, since_ns + PROBE_AGAIN_NS);
	read_again(&again, !has_twins);
	if (!has_twins || !again.nr_failed)
		return;
	sink_flush(card->sink);
	wait_until(card, since_ns + LATE_MS * MS_NS);
	read_again(&again, true);
	if (again.nr_failed)
		*(struct val_u64 *)(void *)((char *)facts_of(card) + again.of->unanswered) =
			val_u64((clock_now_ns() - since_ns) / MS_NS);
}

/* ---- */

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
		ask_again(&card, gpu, twins && *twins, since_ns);
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
	.help = "identity, memory, sensors and errors of a GPU, from its driver's files; skips suspended devices",
	.phase = PHASE_DEVICE_FILES,
	.touches = TOUCHES_FILES,
	.deadline_ms = 2000,
	.provides =
		(const char *const[]){ "gpus.nvidia", "gpus.amdgpu", "gpus.intel", "gpus.clients", "gpus.links", NULL },
	.targets = targets,
	.environment = environment,
	.run = run,
};
