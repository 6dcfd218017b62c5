// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * framework_process.c - what a process on the GPUs was started with, and which frameworks it has loaded.
 *
 * maps and environ take the process's memory lock, as probe "processes" must not: here a task that sleeps in the kernel
 * is left out, and the probe has a worker of its own, which nothing else waits for.
 */
#include "base/compat.h"
#include "probe/framework/framework_internal.h"

#include <errno.h>

#include "base/text.h"
#include "probe/process/data_folders.h"
#include "probe/process/proc_stat.h"
#include "probe/read.h"

/* Variables that steer which GPUs and libraries a program gets; one that ends in _ stands for all that begin so. */
static const char *const steering[] = {
	"CUDA_", "GPU_DEVICE_ORDINAL", "HIP_VISIBLE_DEVICES", "HSA_OVERRIDE_GFX_VERSION", "LD_LIBRARY_PATH",
	"LD_PRELOAD",
	"NCCL_", "NVIDIA_VISIBLE_DEVICES", "OMP_NUM_THREADS", "ONEAPI_DEVICE_SELECTOR", "ROCR_VISIBLE_DEVICES",
	"ZE_AFFINITY_MASK", "ZE_FLAT_DEVICE_HIERARCHY",
};

enum { MAX_ENVIRON_BYTES = 256 * 1024 };

bool framework_variable_steers(const char *assignment)
{
	for (size_t i = 0; i < ARRAY_SIZE(steering); i++) {
		size_t len = strlen(steering[i]);

		if (!strncmp(assignment, steering[i], len) && (assignment[len] == '=' || steering[i][len - 1] == '_'))
			return true;
	}
	return false;
}

int process_variables_read(struct probe_env *env, struct arena *arena, const char *pid, struct strs *ret)
{
	char *text = arena_alloc(arena, MAX_ENVIRON_BYTES);
	size_t len;
	int error = root_read_bytes(env->root, text, MAX_ENVIRON_BYTES - 1, &len, "/proc/%s/environ", pid);

	if (error)
		return error;
	text[len] = '\0';
	for (size_t at = 0; at < len; at += strlen(text + at) + 1)
		if (framework_variable_steers(text + at))
			strs_add(arena, ret, text + at);
	return 0;
}

/* What is no text cannot be recorded. */
static void read_variables(struct probe_env *env, struct arena *arena, const char *pid, struct process_setup *setup)
{
	struct strs all = { 0 };
	int error = process_variables_read(env, arena, pid, &all);

	if (error) {
		setup->steering = no_u64(state_of_errno(error), name_of_errno(error));
		return;
	}
	for (size_t i = 0; i < all.nr; i++)
		if (utf8_valid(all.v[i], strlen(all.v[i])))
			strs_add(arena, &setup->variables, all.v[i]);
	setup->steering = val_u64(setup->variables.nr);
}

/* ".../site-packages" of ".../site-packages/torch/lib/libtorch_cuda.so"; NULL: not of a framework. */
static const char *site_of_mapping(struct arena *arena, const char *path)
{
	static const char *const marks[] = {
		"-packages/torch/", "-packages/jaxlib/", "-packages/tensorflow/",
	};

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		const char *at = strstr(path, marks[i]);

		if (at)
			return arena_strndup(arena, path, (size_t)(at - path) + strlen("-packages"));
	}
	return NULL;
}

static void take_mapping(struct sites *sites, struct process_setup *setup, struct arena *arena, const char *root,
			 const char *path)
{
	const char *name = strrchr(path, '/'), *folder = site_of_mapping(sites->arena, path);
	struct site site = { .root = root, .folder = folder, .found_by = "process", .pid = u64_or(setup->pid, 0) };

	if (name && !is_known(setup->libcuda) && !strncmp(name, "/libcuda.so", strlen("/libcuda.so")))
		setup->libcuda = text_value(arena, path, strlen(path));
	if (!folder)
		return;
	site.interpreter = site_interpreter(sites, root, folder);
	sites_add(sites, &site);
}

static void read_mappings(struct sites *sites, struct arena *arena, const char *pid, struct process_setup *setup)
{
	STRBUF_AUTO text = STRBUF_INIT;
	int error = root_read(sites->env->root, &text, "/proc/%s/maps", pid);
	const char *root = error ? "" : process_root(sites->env, sites->arena, pid), *last = "";

	setup->libcuda = error ? no_str(state_of_errno(error), name_of_errno(error)) :
				 no_str(VAL_ABSENT, "not loaded");
	for (char *line = text.buf, *end; !error && *line; line = end) {
		char *path = memchr(line, '/', strcspn(line, "\n"));

		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		/* A library has several mappings in a row. */
		if (path && strcmp(path, last) != 0) {
			take_mapping(sites, setup, arena, root, path);
			last = path;
		}
	}
}

void process_setup_read(struct sites *sites, struct sink *sink, const char *pid, bool is_requested)
{
	struct arena *arena = &sink->facts.arena;
	STRBUF_AUTO text = STRBUF_INIT;
	struct process_setup *setup;
	struct proc_stat stat;
	struct stat st;
	uint64_t number;

	if (parse_u64(pid, &number) || root_read(sites->env->root, &text, "/proc/%s/stat", pid) ||
	    proc_stat_parse(text.buf, &stat))
		return;
	setup = list_element(arena, &sink->facts, process_setups, process_setup, pid);
	setup->pid = val_u64(number);
	setup->is_requested = val_bool(is_requested);
	if (!root_stat(sites->env->root, &st, "/proc/%s", pid))
		setup->user_id = val_u64(st.st_uid);
	if (stat.state == 'D') {
		setup->steering = no_u64(VAL_SKIPPED, "the process sleeps in the kernel");
		setup->libcuda = no_str(VAL_SKIPPED, "the process sleeps in the kernel");
		return;
	}
	read_variables(sites->env, arena, pid, setup);
	read_mappings(sites, arena, pid, setup);
}
