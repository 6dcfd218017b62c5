// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/judge/subject.h"
#include "snapshot/under_test.h"

static bool touches(const struct probe_run *probe, const char *what)
{
	return str_is(probe->touches, what);
}

/* The steps against a bad OpenCL driver name its file. */
static void name_icd(struct judgement *j)
{
	const struct icd *icd = is_known(j->probe->target) ?
		list_find(j->snapshot, icds, icd, str_or(j->probe->target, "")) : NULL;

	if (icd && is_known(icd->path))
		derive_str(j, "icd_path", str_or(icd->path, ""), "the vendors folder");
}

/* "GPU 3", "the CPU": the worker's key has an address at most, and people have numbers. */
static const char *target_words(struct judgement *j)
{
	const char *target = str_or(j->probe->target, "");
	const struct ocl_device *device = list_find(j->snapshot, ocl_devices, ocl_device, target);

	if (j->gpu)
		return arena_printf(j->arena, "GPU %zu", gpu_number(j->snapshot, j->gpu));
	if (device && str_is(device->kind, "cpu"))
		return "the CPU";
	return *target ? target : "the node";
}

/* What its worker was at: whoever reads of it knows neither the probes nor what their names stand for. */
static const char *work_of(const struct probe_run *run)
{
	static const struct {
		const char *probe, *words;	/* with its target behind, where it has one */
	} works[] = {
		{ "host", "Reading machine, processors and memory" },
		{ "system", "Reading modules, libraries and software" },
		{ "upgrade", "Reading what an upgrade needs" },
		{ "processes", "Reading the processes" },
		{ "kernel-log", "Reading the kernel's log" },
		{ "pci", "Reading the PCI bus" },
		{ "device-nodes", "Reading the GPUs' device nodes" },
		{ "icds", "Reading which OpenCL drivers there are" },
		{ "pci-link", "Reading the PCIe link of " },
		{ "gpu-files", "Reading the driver's files of " },
		{ "pci-ports", "Reading the PCIe ports" },
		{ "slots", "Reading the slots" },
		{ "nvml", "NVIDIA's management library" },
		{ "nvml-gpu", "NVIDIA's management library, asked about " },
		{ "window", "Sampling the node" },
		{ "opencl", "The OpenCL driver " },
		{ "ocl-run", "The OpenCL measurement on " },
		{ "io-devices", "Reading the PCIe links of network cards and NVMe disks" },
		{ "nvme", "Reading the health of an NVMe disk" },
		{ "storage", "Measuring storage" },
		{ "frameworks", "Reading the files of frameworks" },
		{ "framework-import", "Importing " },
		{ "collective", "Starting all_reduce_perf" },
		{ "load-watch", "Sampling of " },
	};

	for (size_t i = 0; i < ARRAY_SIZE(works); i++)
		if (str_is(run->probe, works[i].probe))
			return works[i].words;
	return "Reading ";
}

/* "The OpenCL measurement on GPU 3 (probe ocl-run opencl:nvidia.icd:3)": for a ticket, and gpudiag list probes. */
static void say_what_it_did(struct judgement *j)
{
	const char *work = work_of(j->probe);
	bool has_target = work[strlen(work) - 1] == ' ';

	work = arena_printf(j->arena, "%s%s", work, has_target ? target_words(j) : "");
	phrase(j, "work_alone", work);
	phrase(j, "work", arena_printf(j->arena, "%s (probe %s)", work, str_or(j->probe->key, "?")));
	phrase(j, "target_words", target_words(j));
}

/* ---- NVIDIA's management library */

static bool watches_load(const struct judgement *j)
{
	return str_is(j->probe->probe, "load-watch");
}

/* One of the workers that ask it about one GPU each. */
static bool asks_one_gpu(const struct judgement *j)
{
	return j->gpu && (str_is(j->probe->probe, "nvml-gpu") ||
			  (watches_load(j) && str_is(j->gpu->pci.driver, "nvidia")));
}

static bool has_outcome(const struct probe_run *run, const char *const *outcomes)
{
	for (; *outcomes; outcomes++)
		if (str_is(run->outcome, *outcomes))
			return true;
	return false;
}

/* "GPUs 0-2 and 4-7": those about which the same was asked, and it ended so; NULL: none. */
static const char *other_gpus(struct judgement *j, const char *const *outcomes)
{
	size_t *indexes = NULL, nr = 0;

	for (size_t i = 0; i < j->snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &j->snapshot->gpus[i];

		for (size_t k = 0; k < j->snapshot->nr_probes; k++) {
			const struct probe_run *run = &j->snapshot->probes[k];

			if (gpu == j->gpu || !str_is(run->probe, str_or(j->probe->probe, "")) ||
			    !str_is(run->target, str_or(gpu->key, "")) || !has_outcome(run, outcomes))
				continue;
			indexes = arena_grow(j->arena, indexes, nr, sizeof(*indexes));
			indexes[nr++] = gpu_number(j->snapshot, gpu);
		}
	}
	return nr ? gpu_ranges(j->arena, indexes, nr) : NULL;
}

/* Which card it is, to a hand in the machine room, and whether it is the only one. */
static void say_whose(struct judgement *j)
{
	static const char *const well[] = { "ok", "partial", NULL }, *const left_out[] = { "refused", NULL };
	const struct subject subject = {
		.kind = SUBJECT_GPU, .gpu = j->gpu,
		.name = arena_printf(j->arena, "GPU %zu", gpu_number(j->snapshot, j->gpu)),
	};
	const char *answered = other_gpus(j, well), *unasked = other_gpus(j, left_out);

	phrase(j, "card", arena_printf(j->arena, "%s ", subject_label(j->arena, &subject)));
	/* Of several that end alike their numbers stand there. */
	phrase(j, "card.many", "");
	phrase(j, "others.many", "");
	phrase(j, "others", arena_printf(j->arena, "%s%s%s%s%s", answered ? "; " : "", answered ? answered : "",
					 answered ? " answered" : "", unasked ? "; not collected: " : "",
					 unasked ? unasked : ""));
	derive_str(j, "gpu_address", str_or(j->gpu->key, "?"), "the worker's target");
}

/* Several probes look at one GPU. */
static void hold_against(struct judgement *j, enum finding_id id)
{
	finding_add_of(j, id, str_or(j->probe->probe, "?"));
}

/*
 * A worker for one GPU that did not come past the library's start, as the
 * one for the library as a whole did not: one fault, and of no one GPU.
 */
static bool is_the_library(struct judgement *j)
{
	static const char *const silent[] = { "timeout", "stuck", "crashed", NULL };

	if (!asks_one_gpu(j) || strncmp(str_or(j->probe->call, ""), "nvmlInit", strlen("nvmlInit")) != 0)
		return false;
	for (size_t i = 0; i < j->snapshot->nr_probes; i++)
		if (str_is(j->snapshot->probes[i].probe, "nvml") && has_outcome(&j->snapshot->probes[i], silent))
			return true;
	return false;
}

/* The driver's compiler runs on the CPU: what it does not get done is no fault of the device. */
static bool is_compiling(const struct probe_run *probe)
{
	return !strncmp(str_or(probe->call, ""), "clBuildProgram", strlen("clBuildProgram"));
}

/* These read files of disks and servers too, and say in their call where they read the kernel's. */
static bool reads_file_systems(const struct probe_run *run)
{
	const char *call = str_or(run->call, "");

	/* A program that runs has a time of its own: what does not come back is its file. */
	if (str_is(run->probe, "storage") || str_is(run->probe, "collective"))
		return true;
	if (!str_is(run->probe, "upgrade") && !str_is(run->probe, "system") && !str_is(run->probe, "icds"))
		return false;
	return *call && !strstr(call, "/sys") && !strstr(call, "/proc");
}

static void judge_hang(struct judgement *j)
{
	need(j, probe_run, j->probe, deadline_ms);
	if (asks_one_gpu(j))
		hold_against(j, PROBE_HEALTH_GPU_HANGS);
	else if (str_is(j->probe->probe, "nvml"))
		hold_against(j, PROBE_HEALTH_NVML_HANGS);
	else if (touches(j->probe, "library") && !watches_load(j))
		hold_against(j, PROBE_HEALTH_LIBRARY_HANGS);
	else if (str_is(j->probe->probe, "collective"))
		hold_against(j, PROBE_HEALTH_FILE_SYSTEM_HANGS);
	else if (touches(j->probe, "device") && is_compiling(j->probe))
		hold_against(j, PROBE_HEALTH_COMPILER_HANGS);
	else if (touches(j->probe, "device"))
		hold_against(j, PROBE_HEALTH_DEVICE_HANGS);
	else if (reads_file_systems(j->probe))
		hold_against(j, PROBE_HEALTH_FILE_SYSTEM_HANGS);
	else
		hold_against(j, PROBE_HEALTH_FILES_HANG);
}

/* A worker that reads files runs our code alone: its crash says nothing about the node. */
static void judge_crash(struct judgement *j)
{
	need(j, probe_run, j->probe, why);
	if (asks_one_gpu(j))
		hold_against(j, PROBE_HEALTH_GPU_CRASHES);
	else if (touches(j->probe, "files") || watches_load(j) || str_is(j->probe->probe, "collective"))
		unknown(j, "{work_alone}: gpudiag's own worker crashed: {why}");
	else
		hold_against(j, touches(j->probe, "library") ? PROBE_HEALTH_LIBRARY_CRASHES :
							       PROBE_HEALTH_DEVICE_CRASHES);
}

/* What it was asked to watch, in ms: no slowness. */
static double watched_ms(const struct judgement *j)
{
	bool watches = str_is(j->probe->probe, "window") || str_is(j->probe->probe, "nvml-gpu");

	return watches ? (double)u64_or(j->snapshot->request.window_ms, 0) : 0.0;
}

static void judge_slow(struct judgement *j)
{
	double elapsed = (double)need(j, probe_run, j->probe, elapsed_ms);

	/* A watch lasts as long as the load. */
	if (!touches(j->probe, "device") && !watches_load(j) && !str_is(j->probe->probe, "storage") &&
	    elapsed - watched_ms(j) > j->policy->probe_slow_ms)
		hold_against(j, PROBE_HEALTH_SLOW);
}

/* Of one that had said all before. */
static void judge_exit(struct judgement *j)
{
	if (*want(j, probe_run, j->probe, exit_why))
		hold_against(j, PROBE_HEALTH_EXIT_FAILS);
}

static void judge_left_behind(struct judgement *j)
{
	if (*want(j, probe_run, j->probe, left_behind))
		hold_against(j, PROBE_HEALTH_LEFT_BEHIND);
}

static void eval(struct judgement *j)
{
	const char *outcome = need(j, probe_run, j->probe, outcome);

	need(j, probe_run, j->probe, key);
	if (!*want(j, probe_run, j->probe, call))
		derive_str(j, "call", "its start", "no call recorded");
	say_what_it_did(j);
	name_icd(j);
	if (asks_one_gpu(j))
		say_whose(j);
	judge_left_behind(j);
	if (is_the_library(j)) {
		skip_check(j, "it stopped at the library's start, reported once");
	} else if (!strcmp(outcome, "stuck")) {
		need(j, probe_run, j->probe, why);
		want(j, probe_run, j->probe, pid);
		want(j, probe_run, j->probe, wchan);
		hold_against(j, asks_one_gpu(j) ? PROBE_HEALTH_GPU_STUCK :
				reads_file_systems(j->probe) ? PROBE_HEALTH_FILE_SYSTEM_STUCK : PROBE_HEALTH_STUCK);
	} else if (!strcmp(outcome, "timeout")) {
		judge_hang(j);
	} else if (!strcmp(outcome, "crashed")) {
		judge_crash(j);
	} else if (!strcmp(outcome, "garbled")) {
		need(j, probe_run, j->probe, why);
		unknown(j, "{work_alone}: invalid output of gpudiag's worker: {why}");
	} else if (!strcmp(outcome, "interrupted")) {
		if (!*want(j, probe_run, j->probe, why))
			derive_str(j, "why", "the run was interrupted", "a signal");
		unknown(j, "{why}");
	} else if (!strcmp(outcome, "refused")) {
		need(j, probe_run, j->probe, why);
		skip_check(j, "not collected: {why}");
	} else if (!strcmp(outcome, "denied")) {
		if (!*want(j, probe_run, j->probe, why))
			derive_str(j, "why", "no reason given", "its worker");
		skip_check(j, "permission denied: {why}");
	} else if (!strcmp(outcome, "unavailable")) {
		want(j, probe_run, j->probe, why);
		skip_check(j, "not installed");
	} else if (!strcmp(outcome, "ok") || !strcmp(outcome, "partial")) {
		judge_slow(j);
		judge_exit(j);
	} else {
		want(j, probe_run, j->probe, why);
		unknown(j, "{work_alone}: gpudiag's worker ended as \"{outcome}\"");
	}
}

const struct check check_probe_health = {
	.name = "probe-health",
	.title = "Probes respond",
	.doc = "Did each probe respond? Every driver and library is called in its own process with a deadline: a hang "
	       "or crash there is evidence against it, and affects nothing else. Slow is a note. With --check, probes "
	       "that the selected checks need are reported too.",
	.per = SUBJECT_PROBE,
	.may_emit = IDS(PROBE_HEALTH_STUCK, PROBE_HEALTH_LIBRARY_HANGS, PROBE_HEALTH_LIBRARY_CRASHES,
			PROBE_HEALTH_DEVICE_HANGS, PROBE_HEALTH_COMPILER_HANGS, PROBE_HEALTH_DEVICE_CRASHES,
			PROBE_HEALTH_FILES_HANG, PROBE_HEALTH_FILE_SYSTEM_HANGS, PROBE_HEALTH_FILE_SYSTEM_STUCK,
			PROBE_HEALTH_GPU_HANGS, PROBE_HEALTH_GPU_STUCK, PROBE_HEALTH_GPU_CRASHES,
			PROBE_HEALTH_NVML_HANGS, PROBE_HEALTH_SLOW, PROBE_HEALTH_EXIT_FAILS, PROBE_HEALTH_LEFT_BEHIND),
	.eval = eval,
};
