// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/engine/bench_report.h"

#include "base/text.h"
#include "eval/facts/collective.h"
#include "eval/facts/load_permission.h"
#include "eval/judge/subject.h"
#include "snapshot/gpus.h"
#include "snapshot/node.h"
#include "snapshot/under_test.h"

/* ---- figures in their order */

/* Tests as they are read; others come after. */
static unsigned rank(const char *test)
{
	static const char *const tests[] = {
		"h2d-pinned", "h2d-pageable", "d2h-pinned", "d2h-pageable", "both-pinned", "both-pageable",
		"memory-read", "memory-write", "memory-copy", "memory-triad", "fp32", "fp64", "fp16", "launch-latency",
	};
	unsigned at = 0;

	while (at < ARRAY_SIZE(tests) && strcmp(tests[at], test) != 0)
		at++;
	return at;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* 0: the usual one; of those that compare nodes, one more than the node. */
static uint64_t node_of(const struct report_timing *timing)
{
	return strstr(timing->key, "/node") ? u64_or(timing->timing->numa_node, 0) + 1 : 0;
}

static int compare_timings(const void *left, const void *right)
{
	const struct report_timing *a = left, *b = right;
	int order = compare_numbers(rank(a->test), rank(b->test));

	order = order ? order : strcmp(a->test, b->test);
	order = order ? order : compare_numbers(node_of(a), node_of(b));
	order = order ? order : compare_numbers(a->size_bytes, b->size_bytes);
	return order ? order : strcmp(a->key, b->key);
}

static void take_timings(struct bench_report *bench, struct bench_device *device)
{
	struct report *report = &bench->report;
	struct report_timing *timings = NULL;

	for (size_t i = 0; i < report->nr_timings; i++) {
		if (report->timings[i].subject.device != device->subject.device)
			continue;
		timings = arena_grow(&report->arena, timings, device->nr_timings, sizeof(*timings));
		timings[device->nr_timings++] = report->timings[i];
	}
	if (timings)
		qsort(timings, device->nr_timings, sizeof(*timings), compare_timings);
	device->timings = timings;
}

/* ---- what is missing */

static void take_gaps(struct bench_report *bench, struct bench_device *device)
{
	struct arena *arena = &bench->report.arena;

	for (size_t i = 0; i < device->subject.device->nr_timings; i++) {
		const struct timing *timing = &device->subject.device->timings[i];
		struct strs *list = timing->method.state == VAL_ERROR ? &device->failed : &device->lacking;

		if (!timing->samples_ns.nr)
			strs_add(arena, list,
				 arena_printf(arena, "%s: %s", str_or(timing->key, "?"),
					      timing->method.why ? timing->method.why : "no sample was taken"));
	}
}

/* How its worker ended, where that was not well: "timeout in clFinish: no answer within 28000 ms". */
static const char *ending(struct arena *arena, const struct probe_run *run)
{
	const char *why, *call;

	if (!run || str_is(run->outcome, "ok"))
		return NULL;
	why = str_or(run->why, NULL);
	call = str_or(run->call, "");
	if (why && strstr(why, call))
		call = "";
	if (str_is(run->outcome, "refused"))
		return why ? why : "it was refused";
	return arena_printf(arena, "%s%s%s%s%s", str_or(run->outcome, "?"), *call ? " in " : "", call, why ? ": " : "",
			    why ? why : "");
}

/* What the compiler said first, beside that it refused. */
static const char *build_failure(struct arena *arena, const struct ocl_device *device)
{
	const char *log = str_or(device->build_log, NULL);

	if (bool_or(device->builds_kernels, true))
		return NULL;
	return arena_printf(arena, "its driver did not build the kernels%s%.*s", log ? ": " : "",
			    log ? (int)strcspn(log, "\n") : 0, log ? log : "");
}

/* What is left where no probe gave a reason: a worker that ended well and took no sample had no time for one. */
static const char *no_time(const struct snapshot *snapshot, const struct probe_run *run)
{
	if (is_known(snapshot->run.interrupted))
		return "the run was interrupted before a sample was taken";
	return run ? "its time was up before a sample was taken: give more by --timeout" : "no worker measured it";
}

static void judge_device(struct bench_report *bench, const struct policy *policy, struct bench_device *device)
{
	struct report *report = &bench->report;
	const struct ocl_device *ocl = device->subject.device;
	const struct probe_run *run = find_probe_run(report->snapshot, "ocl-run", str_or(ocl->key, ""));
	const char *reason = ending(&report->arena, run);

	take_timings(bench, device);
	take_gaps(bench, device);
	if (device->nr_timings) {
		/* What a failed test says is said of it; anything else ended the worker. */
		if (reason && !device->failed.nr)
			strs_add(&report->arena, &device->failed, reason);
		return;
	}
	device->skipped = permit_load(&report->arena, report->snapshot, policy, report->log, ocl);
	if (!device->skipped)
		device->skipped = build_failure(&report->arena, ocl);
	if (!device->skipped)
		device->skipped = device->failed.nr ? device->failed.v[0] : reason;
	if (!device->skipped && device->lacking.nr)
		device->skipped = device->lacking.v[0];
	if (!device->skipped)
		device->skipped = no_time(report->snapshot, run);
}

static void take_conditions(struct bench_report *bench, struct bench_device *device)
{
	uint64_t begin_ms = UINT64_MAX, end_ms = 0;

	for (size_t i = 0; device->timings && i < device->nr_timings; i++) {
		const struct timing *timing = device->timings[i].timing;

		if (!is_known(timing->begin_ms) || !is_known(timing->end_ms))
			continue;
		begin_ms = u64_or(timing->begin_ms, 0) < begin_ms ? u64_or(timing->begin_ms, 0) : begin_ms;
		end_ms = u64_or(timing->end_ms, 0) > end_ms ? u64_or(timing->end_ms, 0) : end_ms;
	}
	device->has_conditions = device->subject.gpu && end_ms &&
				 conditions_of(bench->report.snapshot, device->subject.gpu, begin_ms, end_ms,
					       &device->conditions);
}

/* ---- which devices */

static struct bench_device *add_device(struct bench_report *bench, const struct subject *subject)
{
	struct bench_device *device;

	bench->devices = arena_grow(&bench->report.arena, bench->devices, bench->nr_devices, sizeof(*bench->devices));
	device = &bench->devices[bench->nr_devices++];
	*device = (struct bench_device){ .subject = *subject };
	return device;
}

static void add_ocl_device(struct bench_report *bench, const struct policy *policy, const struct subject *subject)
{
	const struct ocl_device *ocl = subject->device;
	struct bench_device *device = add_device(bench, subject);
	struct arena *arena = &bench->report.arena;

	device->name = subject->gpu ? gpu_model(arena, subject->gpu) : str_or(ocl->name, "?");
	device->driver = arena_printf(arena, "%s, %s", str_or(ocl->platform, "?"), str_or(ocl->driver_version, "?"));
	judge_device(bench, policy, device);
	take_conditions(bench, device);
}

/* Why not listed by any OpenCL driver: one that was not asked may have it. */
static const char *no_driver(struct arena *arena, const struct snapshot *snapshot, const struct gpu *gpu)
{
	if (gpu_role(snapshot, gpu) == GPU_ROLE_PASSED_THROUGH)
		return arena_printf(arena, "it is given away: bound to %s", str_or(gpu->pci.driver, "another driver"));
	for (size_t i = 0; i < snapshot->nr_probes; i++) {
		const struct probe_run *run = &snapshot->probes[i];
		const char *why = str_is(run->probe, "opencl") ? ending(arena, run) : NULL;

		if (why && strncmp(str_or(run->target, ""), "pocl", strlen("pocl")) != 0)
			return arena_printf(arena, "OpenCL driver %s was not asked, or did not answer: %s",
					    str_or(run->target, "?"), why);
	}
	return "not listed by any OpenCL driver: gpudiag run tells why";
}

static void add_gpus_without_device(struct bench_report *bench)
{
	struct report *report = &bench->report;
	const struct snapshot *snapshot = report->snapshot;
	struct subject_list gpus;

	subjects_of(&report->arena, snapshot, SUBJECT_GPU, &gpus);
	for (size_t i = 0; i < gpus.nr; i++) {
		const struct gpu *gpu = gpus.items[i].gpu;
		struct bench_device *device;
		bool has_device = false;

		for (size_t k = 0; k < snapshot->nr_ocl_devices; k++)
			has_device = has_device || ocl_device_is_of(&snapshot->ocl_devices[k], gpu);
		if (has_device || !gpu_is_selected(snapshot, gpu))
			continue;
		device = add_device(bench, &gpus.items[i]);
		device->name = gpu_model(&report->arena, gpu);
		device->skipped = no_driver(&report->arena, snapshot, gpu);
	}
}

static int compare_devices(const void *left, const void *right)
{
	const struct bench_device *a = left, *b = right;

	/* GPUs come first. */
	if (!a->subject.gpu != !b->subject.gpu)
		return a->subject.gpu ? -1 : 1;
	if (!a->subject.gpu)
		return key_compare(a->subject.name, b->subject.name);
	return compare_numbers(a->subject.gpu_index, b->subject.gpu_index);
}

bool bench_is_of_storage(const struct request *request)
{
	return request->tests.nr == 1 && strs_has(&request->tests, "storage");
}

bool bench_has_collective(const struct request *request)
{
	return strs_has(&request->tests, "collective");
}

bool bench_has_devices(const struct request *request)
{
	for (size_t i = 0; i < request->tests.nr; i++)
		if (strcmp(request->tests.v[i], "storage") != 0 && strcmp(request->tests.v[i], "collective") != 0)
			return true;
	return !request->tests.nr;
}

static void add_collective(struct bench_report *ret, const struct snapshot *snapshot)
{
	struct judgement j = {
		.snapshot = snapshot, .policy = ret->report.policy, .log = ret->report.log, .arena = &ret->report.arena,
	};

	ret->collective_reason = collective_why_no_figure(&j);
	ret->is_complete = ret->is_complete && !ret->collective_reason;
}

static void add_devices(struct bench_report *ret, const struct snapshot *snapshot)
{
	struct subject_list subjects;

	subjects_of(&ret->report.arena, snapshot, SUBJECT_OCL_DEVICE, &subjects);
	for (size_t i = 0; i < subjects.nr; i++)
		if (ocl_device_is_selected(snapshot, subjects.items[i].device))
			add_ocl_device(ret, ret->report.policy, &subjects.items[i]);
	if (!str_is(snapshot->request.opencl_type, "cpu"))
		add_gpus_without_device(ret);
	if (ret->nr_devices)
		qsort(ret->devices, ret->nr_devices, sizeof(*ret->devices), compare_devices);
}

void bench_report_of(struct bench_report *ret, struct snapshot *snapshot, const struct playbook *playbook,
		     const struct judge_inputs *basis)
{
	const bool has_devices = bench_has_devices(&snapshot->request);

	*ret = (struct bench_report){ .nr_devices = 0 };
	judge(&ret->report, snapshot, playbook, basis);
	if (has_devices)
		add_devices(ret, snapshot);
	ret->is_complete = ret->nr_devices > 0 || !has_devices;
	for (size_t i = 0; i < ret->nr_devices; i++)
		ret->is_complete = ret->is_complete && !ret->devices[i].skipped && !ret->devices[i].failed.nr;
	ret->is_complete = ret->is_complete && snapshot->nr_storage_paths == snapshot->request.storage.nr;
	for (size_t i = 0; i < snapshot->nr_storage_paths; i++)
		ret->is_complete = ret->is_complete && is_known(snapshot->storage_paths[i].read_bytes);
	if (bench_has_collective(&snapshot->request))
		add_collective(ret, snapshot);
}

void bench_report_release(struct bench_report *bench)
{
	report_release(&bench->report);
}
