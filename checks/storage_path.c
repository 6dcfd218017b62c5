// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/baseline/baseline_lookup.h"
#include "eval/facts/storage.h"
#include "eval/judge/subject.h"
#include "snapshot/under_test.h"

static const char *words(struct judgement *j, enum unit unit, double value)
{
	STRBUF_AUTO text = STRBUF_INIT;

	unit_format(&text, unit, value);
	return arena_strdup(j->arena, text.buf);
}

/* "3.2 GB/s sequential, 412000/s random 4 KiB reads" */
static const char *figures(struct judgement *j, const struct storage_path *path)
{
	STRBUF_AUTO text = STRBUF_INIT;

	if (is_known(path->sequential_bytes_per_s))
		strbuf_addf(&text, "%s sequential",
			    words(j, UNIT_BYTES_PER_S, f64_or(path->sequential_bytes_per_s, 0)));
	if (is_known(path->random_reads_per_s))
		strbuf_addf(&text, "%s%.0f random 4 KiB reads a second", text.len ? ", " : "",
			    f64_or(path->random_reads_per_s, 0));
	if (text.len && storage_is_memory(path))
		strbuf_addstr(&text, str_is(path->kind, "memory") ? ", of memory" : ", much of it from the page cache");
	return arena_strdup(j->arena, text.buf);
}

static bool is_alike(const struct storage_path *a, const struct storage_path *b)
{
	return str_is(a->method, str_or(b->method, "?")) && str_is(a->file_system, str_or(b->file_system, "?")) &&
	       !storage_is_memory(a) && !storage_is_memory(b);
}

/* How many times slower than that one, by the worse of both figures; 1 where nothing can be compared. */
static double times_slower(const struct storage_path *now, const struct storage_path *then, bool *ret_random)
{
	double sequential = f64_or(now->sequential_bytes_per_s, 0.0), random = f64_or(now->random_reads_per_s, 0.0);
	double times = 1.0;

	*ret_random = false;
	if (sequential > 0.0)
		times = f64_or(then->sequential_bytes_per_s, 0.0) / sequential;
	if (random > 0.0 && f64_or(then->random_reads_per_s, 0.0) / random > times) {
		times = f64_or(then->random_reads_per_s, 0.0) / random;
		*ret_random = true;
	}
	return times;
}

static void compare_words(struct judgement *j, const struct storage_path *now, const struct storage_path *then,
			  bool random)
{
	const enum unit unit = random ? UNIT_PER_S : UNIT_BYTES_PER_S;

	derive(j, "rate", unit, random ? f64_or(now->random_reads_per_s, 0) : f64_or(now->sequential_bytes_per_s, 0),
	       "reading at that path");
	expect_f64(j, "rate", random ? f64_or(then->random_reads_per_s, 0) : f64_or(then->sequential_bytes_per_s, 0));
	phrase(j, "kind_of_read", random ? "random 4 KiB reads" : "sequential reads");
}

static bool is_below_baseline(struct judgement *j, const struct storage_path *path)
{
	const struct storage_path *then = baseline_storage(j, str_or(path->key, ""));
	bool random;

	if (!then || !is_alike(path, then) || times_slower(path, then, &random) < j->policy->storage_baseline_ratio)
		return false;
	compare_words(j, path, then, random);
	finding_add_of(j, STORAGE_PATH_SLOWER_THAN_BASELINE, str_or(path->key, "?"));
	return true;
}

static const char *model_of(const struct judgement *j, const struct storage_path *path)
{
	const struct disk *disk = list_find(j->snapshot, disks, disk, str_or(path->disk, ""));

	return disk ? str_or(disk->model, NULL) : NULL;
}

static bool is_below_twin(struct judgement *j, const struct storage_path *path)
{
	const char *model = model_of(j, path);
	bool random;

	for (size_t i = 0; model && i < j->snapshot->nr_storage_paths; i++) {
		const struct storage_path *other = &j->snapshot->storage_paths[i];
		const char *other_model = model_of(j, other);

		if (!other_model || strcmp(model, other_model) || str_is(path->disk, str_or(other->disk, "")) ||
		    !is_alike(path, other) || times_slower(path, other, &random) < j->policy->storage_twin_ratio)
			continue;
		compare_words(j, path, other, random);
		want(j, storage_path, path, disk);
		derive_str(j, "model", model, "model of both disks");
		derive_str(j, "twin", str_or(other->disk, "?"), "another disk of that model");
		derive_str(j, "twin_path", str_or(other->key, "?"), "--storage");
		finding_add_of(j, STORAGE_PATH_SLOWER_THAN_TWIN, str_or(path->key, "?"));
		return true;
	}
	return false;
}

static bool keeps_gpu_waiting(struct judgement *j, const struct storage_path *path)
{
	const struct gpu *gpu = storage_waiting_gpu(j, path);
	size_t index;

	if (!gpu)
		return false;
	index = gpu_index(j->snapshot, gpu);
	derive_str(j, "gpu_waiting", gpu_ranges(j->arena, &index, 1), "held and nearly idle");
	need(j, gpu_use, &gpu->use, busy_percent);
	finding_add_of(j, STORAGE_PATH_GPU_WAITS, str_or(path->key, "?"));
	return true;
}

static void judge_path(struct judgement *j, const struct storage_path *path)
{
	const char *told = figures(j, path);

	derive_str(j, "place", storage_place(j->arena, path), "/proc/self/mountinfo");
	if (path->read_bytes.state == VAL_SKIPPED) {
		want(j, storage_path, path, disk);
		want(j, storage_path, path, disk_busy_percent);
		finding_add_of(j, STORAGE_PATH_BUSY, str_or(path->key, "?"));
		return;
	}
	need(j, storage_path, path, read_bytes);
	if (path->sequential_bytes_per_s.state == VAL_ERROR || path->random_reads_per_s.state == VAL_ERROR ||
	    path->sequential_bytes_per_s.state == VAL_DENIED) {
		phrase(j, "why_not", path->sequential_bytes_per_s.why ? path->sequential_bytes_per_s.why : "no reason");
		unknown_by_failure(j, "{path}: its large files cannot be read: {why_not}");
		return;
	}
	want(j, storage_path, path, sequential_bytes_per_s);
	want(j, storage_path, path, random_reads_per_s);
	want(j, storage_path, path, method);
	phrase(j, "figures", told);
	if (!*told)
		return;
	if (!is_below_baseline(j, path) && !is_below_twin(j, path) && !keeps_gpu_waiting(j, path))
		finding_add_of(j, STORAGE_PATH_FIGURES, str_or(path->key, "?"));
}

static void eval(struct judgement *j)
{
	const char *why = no_storage(j);
	struct storage_walk walk = { .at = 0 };
	const struct storage_path *path;

	if (why)
		skip_check(j, why);
	while (!why && storage_next(j, &walk, &path))
		if (path)
			judge_path(j, path);
}

const struct check check_storage_path = {
	.name = "storage-path",
	.title = "Storage speed",
	.doc = "How fast can large files at the paths of --storage be read, one after the other and here and there? "
	       "Reads pass the page cache where the file system permits it, and are limited to 2 s and 2 GiB, of network "
	       "and FUSE file systems to 0.5 s and 256 MiB. A figure alone is a note. A warning below the baseline, "
	       "below a disk of the same model, or if a GPU waits for files there. A path that cannot be measured is "
	       "unknown: exit status 3. A disk that others keep busy is left alone.",
	.per = SUBJECT_NODE,
	.needs = NEEDS_STORAGE,
	.says = NULL,
	.may_emit = IDS(STORAGE_PATH_FIGURES, STORAGE_PATH_BUSY, STORAGE_PATH_SLOWER_THAN_BASELINE,
			STORAGE_PATH_SLOWER_THAN_TWIN, STORAGE_PATH_GPU_WAITS),
	.eval = eval,
};
