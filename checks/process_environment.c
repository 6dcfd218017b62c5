// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"
#include "checks/playbook.h"
#include "eval/judge/vendor.h"
#include "snapshot/under_test.h"

/* The value of a variable; NULL: it is not set. */
static const char *value_of(const struct process_setup *setup, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < setup->variables.nr; i++)
		if (!strncmp(setup->variables.v[i], name, len) && setup->variables.v[i][len] == '=')
			return setup->variables.v[i] + len + 1;
	return NULL;
}

static size_t gpus_of(const struct snapshot *snapshot, enum vendor vendor)
{
	size_t nr = 0;

	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		nr += gpu_vendor(&snapshot->gpus[i]) == vendor;
	return nr;
}

/*
 * How many GPUs a list leaves of nr, up to the first entry that is no GPU's, which is put into *ret_bad (NULL: none).
 * UUIDs and MIG devices are taken as they are. (CUDA Programming Guide, "CUDA_VISIBLE_DEVICES"; ROCm, "GPU isolation")
 */
static size_t left_by(struct arena *arena, const char *list, size_t nr, const char **ret_bad)
{
	size_t left = 0;

	*ret_bad = NULL;
	for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',') {
		const char *word = arena_strndup(arena, at + strspn(at, " "), strcspn(at + strspn(at, " "), ", "));
		uint64_t index;

		if (strncmp(word, "GPU-", strlen("GPU-")) && strncmp(word, "MIG-", strlen("MIG-")) &&
		    (parse_u64(word, &index) || index >= nr)) {
			*ret_bad = *word ? word : "an empty entry";
			return left;
		}
		left++;
	}
	return left;
}

static void ask(struct judgement *j, const struct process_setup *setup)
{
	question(j);
	about(j, str_or(setup->key, "?"));
	need(j, process_setup, setup, pid);
}

/* Applied one after the other; returns how many GPUs are left. */
static size_t judge_visible(struct judgement *j, const struct process_setup *setup, const char *variable, size_t nr)
{
	const char *list = value_of(setup, variable), *bad;
	size_t left;

	if (!list || !nr)
		return nr;
	ask(j, setup);
	left = left_by(j->arena, list, nr, &bad);
	derive_str(j, "variable", arena_printf(j->arena, "%s=%s", variable, list), "/proc/PID/environ");
	derive(j, "gpus_left", UNIT_COUNT, (double)left, "entries up to the first that names no GPU");
	if (!left && bool_or(setup->is_requested, false)) {
		finding_add_of(j, PROCESS_ENVIRONMENT_HIDES_ALL, str_or(setup->key, "?"));
	} else if (left && bad) {
		derive_str(j, "no_gpu", bad, "that list");
		finding_add_of(j, PROCESS_ENVIRONMENT_CUT, str_or(setup->key, "?"));
	}
	return left;
}

static void judge_lists(struct judgement *j, const struct process_setup *setup)
{
	const char *hip = value_of(setup, "HIP_VISIBLE_DEVICES"), *cuda = value_of(setup, "CUDA_VISIBLE_DEVICES");
	size_t amd = gpus_of(j->snapshot, VENDOR_AMD);

	judge_visible(j, setup, "CUDA_VISIBLE_DEVICES", gpus_of(j->snapshot, VENDOR_NVIDIA));
	if (!amd)
		return;
	/* HIP counts what ROCR left. */
	amd = judge_visible(j, setup, "ROCR_VISIBLE_DEVICES", amd);
	judge_visible(j, setup, hip ? "HIP_VISIBLE_DEVICES" : "CUDA_VISIBLE_DEVICES", amd);
	if (!hip || !cuda || !strcmp(hip, cuda) || gpus_of(j->snapshot, VENDOR_NVIDIA))
		return;
	ask(j, setup);
	derive_str(j, "both", arena_printf(j->arena, "HIP_VISIBLE_DEVICES=%s and CUDA_VISIBLE_DEVICES=%s", hip, cuda),
		   "/proc/PID/environ");
	finding_add_of(j, PROCESS_ENVIRONMENT_TWO_LISTS, str_or(setup->key, "?"));
}

/* The toolkit's stub is made for linking, and has no driver behind it. */
static void judge_library(struct judgement *j, const struct process_setup *setup)
{
	const char *libcuda = str_or(setup->libcuda, "");

	if (!strstr(libcuda, "/stubs/"))
		return;
	ask(j, setup);
	need(j, process_setup, setup, libcuda);
	finding_add_of(j, PROCESS_ENVIRONMENT_STUB, str_or(setup->key, "?"));
}

/* Does a path lead through a folder of that name? */
static bool has_folder(const char *path, size_t len, const char *name)
{
	for (const char *at = path; at < path + len; at += strcspn(at, "/:"), at += *at == '/') {
		size_t part = strcspn(at, "/:");

		if (part == strlen(name) && !strncmp(at, name, part))
			return true;
		if (at[part] != '/')
			break;
	}
	return false;
}

/* Whose libraries stand before the driver's own; of jobs that nobody asked about they are often meant so. */
static void judge_library_path(struct judgement *j, const struct process_setup *setup)
{
	const char *path = value_of(setup, "LD_LIBRARY_PATH");

	for (const char *at = path; at && bool_or(setup->is_requested, false) && *at; at += *at == ':') {
		size_t len = strcspn(at, ":");

		if (has_folder(at, len, "stubs") || has_folder(at, len, "compat")) {
			ask(j, setup);
			derive_str(j, "folder", arena_strndup(j->arena, at, len), "/proc/PID/environ LD_LIBRARY_PATH");
			finding_add_of(j, PROCESS_ENVIRONMENT_LIBRARY_PATH, str_or(setup->key, "?"));
			return;
		}
		at += len;
	}
}

/* Is it set to what switches a faster way off, or makes each step wait? */
static bool slows(const char *assignment)
{
	static const char *const switches[] = {
		"CUDA_LAUNCH_BLOCKING=", "NCCL_IB_DISABLE=", "NCCL_P2P_DISABLE=", "NCCL_SHM_DISABLE=",
	};

	for (size_t i = 0; i < ARRAY_SIZE(switches); i++) {
		size_t len = strlen(switches[i]);

		if (!strncmp(assignment, switches[i], len) && assignment[len] && strcmp(assignment + len, "0") != 0)
			return true;
	}
	return false;
}

static const char *slowing(struct arena *arena, const struct process_setup *setup)
{
	const char *all = "";

	for (size_t i = 0; i < setup->variables.nr; i++)
		if (slows(setup->variables.v[i]))
			all = arena_printf(arena, "%s%s%s", all, *all ? ", " : "", setup->variables.v[i]);
	return all;
}

/* Ranks of a job have them alike, and are named together. */
static void judge_slowing(struct judgement *j, const struct process_setup *setup)
{
	const struct snapshot *snapshot = j->snapshot;
	const char *variables = slowing(j->arena, setup), *pids = "";

	for (const struct process_setup *earlier = snapshot->process_setups; earlier < setup; earlier++)
		if (!strcmp(slowing(j->arena, earlier), variables))
			return;
	if (!*variables)
		return;
	for (const struct process_setup *other = setup; other < snapshot->process_setups + snapshot->nr_process_setups;
	     other++)
		if (!strcmp(slowing(j->arena, other), variables))
			pids = arena_printf(j->arena, "%s%s%s", pids, *pids ? ", " : "", str_or(other->key, "?"));
	ask(j, setup);
	derive_str(j, "pids", pids, "processes on the GPUs, or that of --pid");
	derive_str(j, "variables", variables, "/proc/PID/environ");
	finding_add_of(j, PROCESS_ENVIRONMENT_SLOWS, variables);
}

/* Of one that nobody asked about, and whose variables cannot be read, nothing is said. */
static bool judge(struct judgement *j, const struct process_setup *setup)
{
	if (!bool_or(setup->is_requested, false) && !is_known(setup->steering))
		return false;
	ask(j, setup);
	need(j, process_setup, setup, steering);
	judge_lists(j, setup);
	judge_library(j, setup);
	judge_library_path(j, setup);
	judge_slowing(j, setup);
	return true;
}

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	bool any = false;

	for (size_t i = 0; i < snapshot->nr_process_setups; i++)
		any |= judge(j, &snapshot->process_setups[i]);
	if (!snapshot->nr_process_setups)
		skip_check(j, "no process on the GPUs (--pid PID names one)");
	else if (!any)
		skip_check(j, "variables of the processes on the GPUs cannot be read (run as root or as their user)");
}

const struct check check_process_environment = {
	.name = "process-environment",
	.title = "Variables of processes",
	.doc = "Do variables hide GPUs from the processes that use them, or switch faster ways off? Of each process on the "
	       "GPUs and of --pid: CUDA_VISIBLE_DEVICES, ROCR_VISIBLE_DEVICES and HIP_VISIBLE_DEVICES against the GPUs of "
	       "the node; stubs and compatibility libraries of libcuda; NCCL_P2P_DISABLE and the like. As they were when the process was started: what "
	       "a program sets itself later is not known. A warning if the process of --pid has no GPU left, or a stub is "
	       "loaded; otherwise a note.",
	.per = SUBJECT_NODE,
	.needs = NEEDS_LINKS,
	.says = NULL,
	.may_emit = IDS(PROCESS_ENVIRONMENT_HIDES_ALL, PROCESS_ENVIRONMENT_CUT, PROCESS_ENVIRONMENT_TWO_LISTS,
			PROCESS_ENVIRONMENT_STUB, PROCESS_ENVIRONMENT_LIBRARY_PATH, PROCESS_ENVIRONMENT_SLOWS),
	.eval = eval,
};
