// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/facts/storage.h"

#include "eval/facts/window.h"
#include "eval/judge/subject.h"
#include "snapshot/node.h"
#include "snapshot/under_test.h"

/* Of random samples of buffered reads: from that share on the figure is the cache's. */
enum { CACHED_PERCENT = 10, MAX_TOLD = 2 };

/* "/data/imagenet (python3, pid 4711)" of those that hold GPUs, for whoever did not name a path. */
static const char *folders_of_jobs(struct judgement *j)
{
	STRBUF_AUTO text = STRBUF_INIT;
	const char *first = NULL;
	size_t told = 0;

	for (size_t i = 0; i < j->snapshot->nr_gpu_processes && told < MAX_TOLD; i++) {
		const struct gpu_process *process = &j->snapshot->gpu_processes[i];

		if (!process->data_folders.nr)
			continue;
		first = first ? first : process->data_folders.v[0];
		strbuf_addf(&text, "%s%s (pid %s) reads from %s", told++ ? ", " : "", str_or(process->comm, "?"),
			    str_or(process->key, "?"), process->data_folders.v[0]);
	}
	if (!told)
		return NULL;
	strbuf_addf(&text, ": --storage %s measures it", first);
	return arena_strdup(j->arena, text.buf);
}

const char *no_storage(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	const char *folders;

	if (!snapshot_is_live(snapshot) && !snapshot->nr_storage_paths)
		return "not possible on a recording";
	if (!snapshot->request.storage.nr) {
		folders = folders_of_jobs(j);
		return folders ? arena_printf(j->arena, "no path given; %s", folders)
			       : "no path given (--storage PATH)";
	}
	if (str_is(snapshot->request.level, "read"))
		return "level read puts no load on storage";
	return NULL;
}

/* Of a worker that did not end well the state tells; of one that could not begin its values do. */
const char *storage_why_not(struct arena *arena, const struct storage_path *path)
{
	const enum val_state state = path->read_bytes.state;
	const char *why = path->read_bytes.why;

	if (state == VAL_OK)
		return NULL;
	if (state == VAL_TIMEOUT)
		return arena_printf(arena, "no answer %s", why ? why : "");
	if (state == VAL_ABSENT && why && !strcmp(why, "ENOENT"))
		return "no such file or folder";
	if (state == VAL_DENIED)
		return arena_printf(arena, "permission denied (%s): run as a user who may read it",
				    why ? why : "EACCES");
	return why ? why : "not collected";
}

bool storage_next(struct judgement *j, struct storage_walk *walk, const struct storage_path **ret)
{
	const struct strs *paths = &j->snapshot->request.storage;
	const char *name, *why;

	*ret = NULL;
	question(j);
	if (walk->at == paths->nr) {
		if (walk->not_measured) {
			phrase(j, "not_measured", walk->not_measured);
			unknown_by_failure(j, "not measured: {not_measured}");
		}
		return false;
	}
	name = paths->v[walk->at++];
	*ret = list_find(j->snapshot, storage_paths, storage_path, name);
	about(j, name);
	derive_str(j, "path", name, "--storage");
	why = *ret ? storage_why_not(j->arena, *ret) : "not collected";
	/* What was left alone since others use it is a finding, and no failure. */
	if (!why || (*ret && (*ret)->read_bytes.state == VAL_SKIPPED))
		return true;
	*ret = NULL;
	walk->not_measured = arena_printf(j->arena, "%s%s%s (%s)", walk->not_measured ? walk->not_measured : "",
					  walk->not_measured ? ", " : "", name, why);
	return true;
}

const char *storage_place(struct arena *arena, const struct storage_path *path)
{
	return arena_printf(arena, "%s on %s", str_or(path->file_system, "?"),
			    str_or(path->source, str_or(path->mount_point, "?")));
}

bool storage_is_memory(const struct storage_path *path)
{
	return str_is(path->kind, "memory") || f64_or(path->cached_percent, 0.0) >= CACHED_PERCENT;
}

static bool is_below(const char *path, const char *point)
{
	size_t len = strlen(point);

	return !strcmp(point, "/") || (!strncmp(path, point, len) && (path[len] == '/' || !path[len]));
}

static bool reads_from(const struct snapshot *snapshot, uint64_t pid, const char *mount_point)
{
	for (size_t i = 0; i < snapshot->nr_gpu_processes; i++) {
		const struct gpu_process *process = &snapshot->gpu_processes[i];

		if (u64_or(process->pid, 0) != pid)
			continue;
		for (size_t k = 0; k < process->data_folders.nr; k++)
			if (is_below(process->data_folders.v[k], mount_point))
				return true;
	}
	return false;
}

const struct gpu *storage_waiting_gpu(const struct judgement *j, const struct storage_path *path)
{
	for (size_t i = 0; i < j->snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &j->snapshot->gpus[i];
		const struct task *task = gpu_waiter(j->snapshot, gpu);

		if (task && gpu_is_judged(j->snapshot, gpu) && gpu_is_held_idle(j->snapshot, j->policy, gpu) &&
		    is_known(path->mount_point) &&
		    reads_from(j->snapshot, u64_or(task->pid, 0), str_or(path->mount_point, "")))
			return gpu;
	}
	return NULL;
}
