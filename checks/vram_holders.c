// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/facts/holders.h"
#include "eval/facts/memory_use.h"
#include "eval/judge/subject.h"
#include "eval/judge/vendor.h"
#include "snapshot/gpus.h"
#include "snapshot/under_test.h"

enum { MAX_TOLD = 3 };	/* processes named in a line; the report has them all */

static bool does_work(const struct holding *holding)
{
	return !holder_is_idle(&holding->all);
}

/* "GPUs 0 and 1" of those under test that the process holds; NULL: none of them. */
static const char *gpus_held(struct judgement *j, const struct holding *holding)
{
	size_t *indexes = arena_alloc(j->arena, holding->nr_gpus * sizeof(*indexes)), held = 0;

	for (size_t i = 0; i < holding->nr_gpus; i++) {
		const struct gpu *gpu = gpu_at(j->snapshot, holding->gpus[i]);

		if (gpu && gpu_is_judged(j->snapshot, gpu))
			indexes[held++] = gpu_number(j->snapshot, gpu);
	}
	return held ? gpu_ranges(j->arena, indexes, held) : NULL;
}

/* " with 61 GiB"; "" if unknown, or if another process already counts for shared memory. */
static const char *memory_words(struct judgement *j, const struct holding *holding)
{
	STRBUF_AUTO text = STRBUF_INIT;

	if (!u64_or(holding->all.memory_bytes, 0))
		return "";
	value_format(&text, &record_holder.fields[FIELD_holder_memory_bytes], &holding->all.memory_bytes);
	return arena_printf(j->arena, " with %s", text.buf);
}

/* "GPU 0 held by python3 (pid 7004) with 61 GiB and by python3 (pid 7010), GPU 1 by …" */
static void tell_holders(struct judgement *j, const struct holding_list *holdings, struct strbuf *out)
{
	const char *last = NULL;
	size_t told = 0, more = 0;

	for (size_t i = 0; i < holdings->nr; i++) {
		const struct holding *holding = &holdings->items[i];
		const char *gpus = gpus_held(j, holding);

		if (!does_work(holding) || (!gpus && !holding->may_be_any))
			continue;
		if (told == MAX_TOLD) {
			more++;
			continue;
		}
		gpus = gpus ? gpus : "some GPU";
		if (last && !strcmp(last, gpus))
			strbuf_addstr(out, " and by ");
		else
			strbuf_addf(out, "%s%s%s by ", told ? ", " : "", gpus, told ? "" : " held");
		strbuf_addf(out, "%s%s", holding_words(j->arena, holding), memory_words(j, holding));
		last = gpus;
		told++;
	}
	if (more)
		strbuf_addf(out, ", and by %zu more", more);
}

/* Free to be used by a program here: not one that is given away, and not one that nothing drives. */
static bool is_free(const struct snapshot *snapshot, const struct holding_list *holdings, const struct gpu *gpu)
{
	if (gpu_role(snapshot, gpu) == GPU_ROLE_PASSED_THROUGH || !is_known(gpu->pci.driver))
		return false;
	for (size_t i = 0; i < holdings->nr; i++) {
		const struct holding *holding = &holdings->items[i];

		if (does_work(holding) && (holding->may_be_any || holding_has(holding, str_or(gpu->key, ""))))
			return false;
	}
	return true;
}

static void tell_free(struct judgement *j, const struct holding_list *holdings, struct strbuf *out)
{
	const struct snapshot *snapshot = j->snapshot;
	size_t *indexes = arena_alloc(j->arena, snapshot->nr_gpus * sizeof(*indexes)), nr_free = 0;

	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		if (gpu_is_judged(snapshot, &snapshot->gpus[i]) && is_free(snapshot, holdings, &snapshot->gpus[i]))
			indexes[nr_free++] = gpu_number(snapshot, &snapshot->gpus[i]);
	if (nr_free)
		strbuf_addf(out, "%sno processes on %s", out->len ? ", " : "", gpu_ranges(j->arena, indexes, nr_free));
}

/* With MIG there are no totals per process, and a host's vGPU memory belongs to its machines. */
static bool is_whole(const struct gpu *gpu)
{
	const struct nvml_gpu *nvml = &gpu->nvml;
	const char *virtualization = str_or(nvml->virtualization, "none");

	return !bool_or(nvml->mig_enabled, false) &&
	       (!strcmp(virtualization, "none") || !strcmp(virtualization, "passthrough"));
}

/* Places in the sentences and steps for this GPU: the finding itself is the node's. */
static void describe(struct judgement *j, const struct gpu *gpu, const struct memory_use *use, uint64_t bytes)
{
	size_t index = gpu_number(j->snapshot, gpu);

	about(j, str_or(gpu->key, "?"));
	derive(j, "dead_bytes", UNIT_BYTES, (double)bytes, "vram_used_bytes minus that of living processes");
	about(j, NULL);
	derive_str(j, "held_gpu", arena_printf(j->arena, "%s (%s)", gpu_ranges(j->arena, &index, 1),
					       str_or(gpu->key, "?")), "VRAM in use without a process");
	phrase(j, gpu_vendor(gpu) == VENDOR_NVIDIA ? "nvidia_address" : "other_address", str_or(gpu->key, "?"));
	phrase(j, "dead_pid", !use->dead_pid ? "" :
	       arena_printf(j->arena, " (its driver still lists pid %llu, which is gone)",
			    (unsigned long long)use->dead_pid));
}

/*
 * Memory that nobody has. Where somebody works on the GPU, what no client has
 * may be his: the driver counts managed memory (UVM) as nobody's.
 */
static uint64_t unheld_bytes(const struct memory_use *use, uint64_t used_bytes)
{
	uint64_t bytes = memory_unexplained(use, used_bytes);

	return use->has_users && use->dead_bytes < bytes ? use->dead_bytes : bytes;
}

/* A process that is just ending gives its memory back within seconds, so one look proves nothing. */
static void judge_unheld(struct judgement *j, const struct gpu *gpu, const char *hidden)
{
	struct val_u64 again = vendor_u64(gpu, "vram_used_again_bytes");
	struct memory_use use;
	uint64_t bytes;

	memory_use_of(j->snapshot, j->users, gpu, &use);
	bytes = unheld_bytes(&use, is_known(again) && u64_or(again, 0) < use.used_bytes ? u64_or(again, 0) :
											    use.used_bytes);
	if (!is_whole(gpu) || gpu_shares_main_memory(j->snapshot, gpu) || (double)bytes < j->policy->vram_dead_bytes)
		return;
	question(j);
	describe(j, gpu, &use, bytes);
	if (!hidden && bool_or(j->snapshot->host.sees_all_processes, false) && is_known(again)) {
		finding_add_of(j, VRAM_HOLDERS_DEAD, str_or(gpu->key, NULL));
		return;
	}
	phrase(j, "view", hidden ? arena_printf(j->arena, " (%s)", hidden) :
				   ", or being freed by a process that has just ended");
	finding_add_of(j, VRAM_HOLDERS_UNSEEN, str_or(gpu->key, NULL));
}

static void eval(struct judgement *j)
{
	const char *hidden = holders_hidden(j->arena, j->snapshot);
	STRBUF_AUTO words = STRBUF_INIT;

	if (!gpus_under_test(j->snapshot)) {
		skip_check(j, "no GPU under test");
		return;
	}
	need(j, processes, &j->snapshot->processes, seen);
	want(j, processes, &j->snapshot->processes, files_hidden);
	tell_holders(j, j->users, &words);
	for (size_t i = 0; i < j->snapshot->nr_gpus; i++)
		if (gpu_is_judged(j->snapshot, &j->snapshot->gpus[i]))
			judge_unheld(j, &j->snapshot->gpus[i], hidden);
	question(j);
	if (hidden) {
		derive_str(j, "seen", words.len ? arena_strdup(j->arena, words.buf) : "none", "the visible holders");
		derive_str(j, "hidden", hidden, "/proc/PID/fd, and the run's own rights");
		unknown(j, "{hidden}; visible: {seen}");
		return;
	}
	tell_free(j, j->users, &words);
	if (!words.len) {
		skip_check(j, "no GPU usable by programs here");
		return;
	}
	derive_str(j, "holders", arena_strdup(j->arena, words.buf), "/proc/PID/fd, without displays and monitors");
}

const struct check check_vram_holders = {
	.name = "vram-holders",
	.title = "GPU processes",
	.doc = "Which processes use each GPU, of which job, pod or container, and how much VRAM, by their open files "
	       "and the driver's list? An incomplete list is unknown. Display servers and monitors do not count. VRAM "
	       "in use without a living process (vram.dead_bytes) is a warning as root with all processes visible, on "
	       "an idle GPU, read twice 5 s apart; otherwise a note.",
	.per = SUBJECT_NODE,
	.needs = NEEDS_VENDOR,
	.says = "{holders}",
	.may_emit = IDS(VRAM_HOLDERS_DEAD, VRAM_HOLDERS_UNSEEN),
	.eval = eval,
};
