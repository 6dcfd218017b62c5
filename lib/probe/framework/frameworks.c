// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * frameworks.c - probe "frameworks": which frameworks of machine learning the programs on this node use, by files.
 *
 * Nothing is imported: an import takes seconds and may start a GPU. Those that processes on the GPUs have loaded come
 * first, then the interpreters of --python, then the usual places.
 */
#include "base/compat.h"
#include "probe/probe_table.h"

#include <stdlib.h>

#include "base/text.h"
#include "probe/framework/framework_internal.h"

#define PIDS "GPUDIAG_FRAMEWORK_PIDS"
#define PYTHONS "GPUDIAG_FRAMEWORK_PYTHONS"
#define REQUESTED "GPUDIAG_FRAMEWORK_REQUESTED"

enum { MAX_PROCESSES = 16 };	/* ranks of a job are alike */

/* ---- in the parent */

static bool applies(const struct snapshot *snapshot)
{
	const struct request *request = &snapshot->request;

	return snapshot->nr_gpus || request->python.nr || is_known(request->pid) || bool_or(request->framework, false);
}

static const char *joined(struct arena *arena, const struct strs *texts)
{
	const char *all = "";

	for (size_t i = 0; i < texts->nr; i++)
		all = arena_printf(arena, "%s%s%s", all, *all ? "\n" : "", texts->v[i]);
	return all;
}

static void environment(const struct snapshot *snapshot, const char *target, struct arena *arena, struct strs *ret)
{
	struct strs pids = { 0 };

	(void)target;
	for (size_t i = 0; i < snapshot->nr_gpu_processes && pids.nr < MAX_PROCESSES; i++)
		strs_add(arena, &pids, str_or(snapshot->gpu_processes[i].key, "0"));
	strs_add(arena, ret, arena_printf(arena, PIDS "=%s", joined(arena, &pids)));
	strs_add(arena, ret, arena_printf(arena, PYTHONS "=%s", joined(arena, &snapshot->request.python)));
	strs_add(arena, ret,
		 arena_printf(arena, REQUESTED "=%llu", (unsigned long long)u64_or(snapshot->request.pid, 0)));
}

/* ---- in the worker */

/* The lines of a variable, one after the other; NULL at the end. */
static const char *next_line(struct arena *arena, const char **at)
{
	size_t len = strcspn(*at, "\n");
	const char *line = len ? arena_strndup(arena, *at, len) : NULL;

	*at += len + ((*at)[len] == '\n');
	return line;
}

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value ? value : "";
}

static void read_processes(struct sites *sites, struct sink *sink)
{
	const char *at = variable(PIDS), *requested = variable(REQUESTED), *pid;

	if (strcmp(requested, "0") && *requested) {
		sink_step(sink, arena_printf(sites->arena, "/proc/%s/maps", requested));
		process_setup_read(sites, sink, requested, true);
	}
	while ((pid = next_line(sites->arena, &at))) {
		if (!strcmp(pid, requested))
			continue;
		sink_step(sink, arena_printf(sites->arena, "/proc/%s/maps", pid));
		process_setup_read(sites, sink, pid, false);
	}
	sink_flush(sink);
}

static int run(struct probe_env *env, struct sink *sink)
{
	/* What was named, or a process has, may be mounted for it; what is searched at usual places may not. */
	const struct root any = { .fd = env->root->fd, .path = env->root->path, .memory = env->root->memory };
	struct probe_env named = *env;
	struct arena arena = { 0 };
	struct sites sites = { .env = &named, .arena = &arena };
	const char *at = variable(PYTHONS), *python, *missing = NULL;
	size_t nr = 0;
	char why[256];
	int status;

	named.root = &any;
	read_processes(&sites, sink);
	while ((python = next_line(&arena, &at))) {
		sink_step(sink, python);
		if (!sites_of_python(&sites, python) && !missing)
			missing = python;
	}
	sites.env = env;
	sites_search(&sites);
	for (size_t i = 0; i < sites.nr; i++) {
		site_read(&named, sink, &sites.items[i]);
		nr += sink->facts.nr_frameworks;
		sink_flush(sink);
	}
	sink->facts.listed.frameworks = val_u64(nr);
	sink_flush(sink);
	if (missing)
		snprintf(why, sizeof(why), "%.200s: no Python interpreter or environment", missing);
	status = sink_end(sink, missing ? PROBE_PARTIAL : PROBE_OK, missing ? why : NULL);
	arena_release(&arena);
	return status;
}

const struct probe probe_frameworks = {
	.name = "frameworks",
	.help = "PyTorch, JAX and TensorFlow by their files, and the variables of processes on the GPUs",
	.phase = PHASE_DEVICE_FILES,
	.touches = TOUCHES_FILES,
	.deadline_ms = 5000,
	.provides =
		(const char *const[]){ "frameworks", "python_packages", "process_setups", "listed.frameworks", NULL },
	.applies = applies,
	.environment = environment,
	.run = run,
};
