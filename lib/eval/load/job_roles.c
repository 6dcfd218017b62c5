// SPDX-License-Identifier: GPL-2.0-or-later
/* job_roles.c - who computes on a GPU, who works for whom, and which processes are of one job. */
#include "base/compat.h"
#include "eval/load/job.h"

#include "base/alloc.h"
#include "base/text.h"
#include "eval/facts/holders.h"

/* A chain of parents is no longer than this; a tick that was made up may have a ring of them. */
enum { MAX_DEPTH = 64 };

bool is_idle_program(const struct fold_process *process)
{
	const struct holder holder = { .comm = val_str(process->comm) };

	return holder_is_idle(&holder);
}

/* The driver counts work of that process on that GPU. */
static bool is_client(const struct fold_gpu *gpu, const struct fold_process *process)
{
	return track_find(&gpu->clients, process->track.key);
}

static void mark_clients(const struct fold *fold, struct job_roles *roles)
{
	for (size_t i = 0; i < fold->nr_gpus; i++)
		for (size_t k = 0; k < fold->gpus[i].clients.nr; k++) {
			uint64_t pid;
			size_t place = NO_PLACE;

			if (!parse_u64(fold->gpus[i].clients.items[k]->key, &pid))
				place = fold_place_of(fold, pid);
			if (place != NO_PLACE)
				roles->is_client[place] = true;
		}
}

/* The name that PyTorch gives its loaders' processes. */
static bool is_named_worker(const struct fold_process *process)
{
	return !strncmp(process->comm, "pt_data_worker", strlen("pt_data_worker"));
}

/* Where the chain of its parents meets a process that has a GPU open, or work on one. */
static size_t holder_above(const struct fold *fold, const struct job_roles *roles, const struct fold_process *process)
{
	size_t above = fold_place_of(fold, process->parent);

	for (size_t depth = 0; above != NO_PLACE && depth < MAX_DEPTH; depth++) {
		const struct fold_process *there = fold_process_at(fold, above);

		if ((has_any_gpu(there) || roles->is_client[above]) && !is_named_worker(there))
			return above;
		above = fold_place_of(fold, there->parent);
	}
	return NO_PLACE;
}

/* A parent on the way may be left out of the ticks: then a holder of the same control group stands for it. */
static size_t holder_beside(const struct fold *fold, const struct fold_process *process)
{
	if (process->is_holder || process->is_asked || !process->group || !strcmp(process->group, "/") ||
	    fold_place_of(fold, process->parent) != NO_PLACE)
		return NO_PLACE;
	for (size_t i = 0; i < fold->processes.nr; i++) {
		const struct fold_process *other = fold_process_at(fold, i);

		if (has_any_gpu(other) && !is_named_worker(other) && other->group &&
		    !strcmp(other->group, process->group))
			return i;
	}
	return NO_PLACE;
}

static bool is_worker(const struct fold *fold, const struct job_roles *roles, size_t place, size_t holder)
{
	const struct fold_process *process = fold_process_at(fold, place);

	if (holder == NO_PLACE || holder == place)
		return false;
	if (!has_any_gpu(process))
		return !roles->is_client[place];
	return is_named_worker(process) || (!roles->is_client[place] && roles->is_client[holder]);
}

void job_roles_of(const struct fold *fold, struct job_roles *ret)
{
	ret->nr = fold->processes.nr;
	ret->owner = xcalloc(ret->nr + 1, sizeof(*ret->owner));
	ret->is_client = xcalloc(ret->nr + 1, sizeof(*ret->is_client));
	mark_clients(fold, ret);
	for (size_t i = 0; i < ret->nr; i++) {
		size_t holder = holder_above(fold, ret, fold_process_at(fold, i));

		if (holder == NO_PLACE)
			holder = holder_beside(fold, fold_process_at(fold, i));
		ret->owner[i] = is_worker(fold, ret, i, holder) ? holder : NO_PLACE;
	}
	/* A forked worker's own children, and workers of workers, work for the same holder. */
	for (size_t i = 0; i < ret->nr; i++)
		for (size_t depth = 0; depth < MAX_DEPTH && ret->owner[i] != NO_PLACE; depth++) {
			size_t above = ret->owner[ret->owner[i]];

			if (above == NO_PLACE || above == i)
				break;
			ret->owner[i] = above;
		}
}

void job_roles_release(struct job_roles *roles)
{
	free(roles->owner);
	free(roles->is_client);
}

bool job_holds(const struct fold *fold, const struct job_roles *roles, size_t process, size_t place)
{
	const struct fold_process *holder = fold_process_at(fold, process);

	if (!has_gpu(holder, place) && !(roles->is_client[process] && is_client(&fold->gpus[place], holder)))
		return false;
	return roles->owner[process] == NO_PLACE && !is_idle_program(holder) && !has_ended(fold, holder);
}

bool is_below(const struct fold *fold, const struct fold_process *process, uint64_t pid)
{
	for (size_t depth = 0; process && depth < MAX_DEPTH; depth++) {
		if (process->pid == pid)
			return true;
		process = fold_process_of(fold, process->parent);
	}
	return false;
}

/* ---- one job */

static bool is_same(struct val_str a, struct val_str b)
{
	return is_known(a) && is_known(b) && *a.v_ && !strcmp(a.v_, b.v_);
}

static bool is_one_batch_job(const struct fold *fold, const struct fold_process *a, const struct fold_process *b)
{
	const struct gpu_process *one = list_find(fold->sealed, gpu_processes, gpu_process, a->track.key);
	const struct gpu_process *other = list_find(fold->sealed, gpu_processes, gpu_process, b->track.key);

	return one && other && (is_same(one->slurm_job, other->slurm_job) || is_same(one->pod, other->pod) ||
				is_same(one->container, other->container));
}

bool is_one_job(const struct fold *fold, uint64_t a, uint64_t b)
{
	const struct fold_process *one = fold_process_of(fold, a), *other = fold_process_of(fold, b);

	if (a == b)
		return true;
	if (!one || !other)
		return false;
	/* Orphans have init as their parent, which makes them no family. */
	if (one->parent == other->parent && one->parent > 1)
		return true;
	if (is_below(fold, one, b) || is_below(fold, other, a))
		return true;
	if (one->group && other->group && one->group[0] && strcmp(one->group, "/") != 0 &&
	    !strcmp(one->group, other->group))
		return true;
	return is_one_batch_job(fold, one, other);
}

bool gpus_are_of_one_job(const struct fold *fold, const struct job_roles *roles, size_t a, size_t b)
{
	for (size_t i = 0; i < roles->nr; i++) {
		if (!job_holds(fold, roles, i, a))
			continue;
		for (size_t k = 0; k < roles->nr; k++)
			if (job_holds(fold, roles, k, b) &&
			    is_one_job(fold, fold_process_at(fold, i)->pid, fold_process_at(fold, k)->pid))
				return true;
	}
	return false;
}
