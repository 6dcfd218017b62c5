// SPDX-License-Identifier: GPL-2.0-or-later
/* engine.c - the playbook over the subjects: results and findings. What they add up to is summary.c's. */
#include "base/compat.h"
#include "base/alloc.h"
#include "eval/causes/fault_scope.h"
#include "eval/causes/causes.h"
#include "eval/facts/temperature.h"
#include "eval/facts/holders.h"
#include "eval/facts/twins.h"
#include "eval/gate/gate.h"
#include "eval/judge/selection.h"
#include "eval/judge/judging.h"
#include "eval/judge/subject.h"
#include "eval/load/load.h"
#include "eval/log/kernel_log.h"
#include "eval/summary/summary.h"
#include "eval/summary/unanswered.h"
#include "snapshot/node.h"
#include "snapshot/under_test.h"

/* All results and findings of one judgement, growing. */
struct engine {
	struct report *report;
	const struct judge_inputs *basis;
	const struct policy **of_gpus;		/* the policy for each, in the snapshot's order */
	struct result *results;
	size_t nr_results;
	struct finding **findings;
	size_t nr_findings;
	struct subject_list subjects[NR_SUBJECT_KINDS];	/* of each kind, the same for every check */
	struct holding_list users;	/* these are found once: checks of a GPU ask for them again and again */
	struct temperature hottest;
	struct twin_fields twin_fields;
	struct load *load;
};

/* An option or the policy expects so many GPUs, or a model. */
static bool is_asked_for(const struct engine *e, const struct playbook_row *row)
{
	const struct request *request = &e->report->snapshot->request;
	const struct policy *policy = e->report->policy;

	if (!strcmp(row->check->name, "gpu-visible"))
		return is_known(request->expect_gpus) || is_known(policy->inventory_gpus);
	return !strcmp(row->check->name, "gpu-model") &&
	       (is_known(request->expect_model) || policy->inventory_model.nr);
}

/* Of a dump nothing is required but by a gate, or by whoever says so: by --require, or by expecting GPUs. */
static bool is_required(const struct engine *e, const struct playbook_row *row)
{
	bool is_gate = bool_or(e->report->snapshot->request.gate, false);

	if (is_imported(e->report->snapshot) && !is_gate)
		return is_asked_for(e, row);
	return row->required || (row->required_in_gate && is_gate);
}

static struct result *add_result(struct engine *e, const struct playbook_row *row)
{
	struct result *result;

	e->results = arena_grow(&e->report->arena, e->results, e->nr_results, sizeof(*e->results));
	result = &e->results[e->nr_results++];
	memset(result, 0, sizeof(*result));
	result->check = row->check;
	result->stage = row->stage;
	result->required = is_required(e, row);
	result->gate_only = row->gate_only;
	return result;
}

/*
 * What a team requires it wants judged, whatever the reason why it was not; what the playbook requires may not apply,
 * and of what a level was asked for only that counts which it could not do.
 */
static void require(struct engine *e, struct result *result)
{
	bool by_gate = gate_wants_judged(e->report->snapshot, result->check);

	result->required |= result->outcome == OUTCOME_UNKNOWN &&
			    level_asks_for(&e->report->snapshot->request, result->check);
	if (!by_gate && !strs_has(&e->report->policy->require, result->check->name))
		return;
	result->required = true;
	if (result->outcome != OUTCOME_SKIP)
		return;
	result->outcome = OUTCOME_UNKNOWN;
	if (by_gate)
		return;
	result->reason = arena_printf(&e->report->arena, "skipped: %s",
				      result->reason ? result->reason : "no reason given");
}

const struct policy *policy_of_gpu(const struct judgement *j, const struct gpu *gpu)
{
	return policy_resolve(j->arena, j->policy, str_or(j->snapshot->host.name, NULL), gpu_model(j->arena, gpu));
}

/* Of the file's own, what holds for this machine and for each GPU in it. */
static void resolve_policies(struct engine *e)
{
	const struct snapshot *snapshot = e->report->snapshot;
	struct arena *arena = &e->report->arena;
	const char *host = str_or(snapshot->host.name, NULL);

	e->report->policy = policy_resolve(arena, e->basis->policy, host, NULL);
	e->of_gpus = arena_alloc(arena, (snapshot->nr_gpus + 1) * sizeof(*e->of_gpus));
	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		e->of_gpus[i] = policy_resolve(arena, e->basis->policy, host, gpu_model(arena, &snapshot->gpus[i]));
}

static const struct policy *policy_for(const struct engine *e, const struct gpu *gpu)
{
	return gpu ? e->of_gpus[gpu - e->report->snapshot->gpus] : e->report->policy;
}

static void judge_subject(struct engine *e, const struct playbook_row *row, const struct subject *subject)
{
	struct judging judging = {
		.arena = &e->report->arena, .check = row->check, .subject = subject, .stage = row->stage,
	};
	struct judgement j = {
		.snapshot = e->report->snapshot, .policy = policy_for(e, subject->gpu), .baseline = e->basis->baseline,
		.log = e->report->log, .users = &e->users, .hottest = &e->hottest, .twin_fields = &e->twin_fields,
		.load = e->load,
		.arena = &e->report->arena, .gpu = subject->gpu, .device = subject->device, .probe = subject->probe,
	};
	struct result *result = add_result(e, row);

	judging_run(&judging, &j, result);
	gate_regrade(&e->report->arena, e->report->snapshot, judging.findings, judging.nr_findings, result);
	result->required = is_required(e, row);
	result->gate_only = row->gate_only;
	require(e, result);
	for (size_t i = 0; i < judging.nr_findings; i++) {
		e->findings = arena_grow(&e->report->arena, e->findings, e->nr_findings, sizeof(*e->findings));
		e->findings[e->nr_findings++] = judging.findings[i];
	}
}

/* The OpenCL driver that failed, and so may have devices that are not listed. */
static const struct probe_run *failed_inventory(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nr_probes; i++) {
		const struct probe_run *run = &snapshot->probes[i];

		if (str_is(run->probe, "opencl") && is_known(run->outcome) && !str_is(run->outcome, "ok") &&
		    !str_is(run->outcome, "partial") && !str_is(run->outcome, "unavailable"))
			return run;
	}
	return NULL;
}

/* GPUs that are asked about, and could compute. */
static bool is_to_compute(const struct snapshot *snapshot, const struct gpu *gpu)
{
	return gpu_role(snapshot, gpu) == GPU_ROLE_GPU && gpu_is_selected(snapshot, gpu) && !gpu_is_asleep(gpu) &&
	       !str_is(snapshot->request.opencl_type, "cpu");
}

static bool any_to_compute(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		if (is_to_compute(snapshot, &snapshot->gpus[i]))
			return true;
	return str_is(snapshot->request.opencl_type, "cpu");
}

static void judge_no_device(struct engine *e, struct result *result)
{
	const struct probe_run *run = failed_inventory(e->report->snapshot);

	/* A machine without a GPU has nothing that could have been done. */
	if (level_asks_for(&e->report->snapshot->request, result->check) && any_to_compute(e->report->snapshot))
		result->outcome = OUTCOME_UNKNOWN;

	if (!snapshot_asks_opencl(e->report->snapshot)) {
		result->reason = "not possible on a recording";
	} else if (run) {
		/* Skipped on purpose is a skip; everything else is unknown. */
		if (!str_is(run->outcome, "refused"))
			result->outcome = OUTCOME_UNKNOWN;
		result->reason =
			arena_printf(&e->report->arena, "which devices there are: OpenCL driver %s: %s: %s",
				     str_or(run->target, "?"), str_or(run->outcome, "?"),
				     str_or(run->why, "no reason given"));
	} else {
		result->reason = "no OpenCL device under test";
	}
}

/* Nothing to judge: there is none, or the list could not be read. */
static void judge_none(struct engine *e, const struct playbook_row *row)
{
	const struct snapshot *snapshot = e->report->snapshot;
	struct result *result = add_result(e, row);

	result->subject = subject_node();
	result->outcome = OUTCOME_SKIP;
	if (row->check->per == SUBJECT_PROBE) {
		result->outcome = OUTCOME_UNKNOWN;
		result->reason = "not collected (no probe results)";
	} else if (row->check->per == SUBJECT_GPU && !is_known(snapshot->bus.gpus)) {
		STRBUF_AUTO reason = STRBUF_INIT;

		strbuf_addstr(&reason, "which GPUs there are: ");
		value_format(&reason, &record_bus.fields[FIELD_bus_gpus], &snapshot->bus.gpus);
		result->outcome = OUTCOME_UNKNOWN;
		result->reason = arena_strdup(&e->report->arena, reason.buf);
	} else if (row->check->per == SUBJECT_GPU) {
		result->reason = snapshot->request.gpus.nr ? "no GPU is selected (--gpu)" : "no GPU under test";
	} else {
		judge_no_device(e, result);
	}
	require(e, result);
}

/* Some drivers do not tell where their devices are: such a one may be on any GPU. */
static bool may_have_device(const struct subject_list *devices, const struct gpu *gpu)
{
	for (size_t i = 0; i < devices->nr; i++)
		if (devices->items[i].gpu == gpu ||
		    (!devices->items[i].gpu && !str_is(devices->items[i].device->kind, "cpu")))
			return true;
	return false;
}

/* Seven of eight GPUs that computed are no pass for who asked for a computation by name. */
static void judge_gpus_without_device(struct engine *e, const struct playbook_row *row)
{
	const struct snapshot *snapshot = e->report->snapshot;
	const struct subject_list *gpus = &e->subjects[SUBJECT_GPU], *devices = &e->subjects[SUBJECT_OCL_DEVICE];

	if (!level_asks_for(&snapshot->request, row->check) && !strs_has(&e->report->policy->require, row->check->name))
		return;
	for (size_t i = 0; i < gpus->nr; i++) {
		struct result *result;

		if (!is_to_compute(snapshot, gpus->items[i].gpu) || may_have_device(devices, gpus->items[i].gpu))
			continue;
		result = add_result(e, row);
		result->subject = gpus->items[i];
		result->outcome = OUTCOME_UNKNOWN;
		result->reason = "OpenCL device missing";
		require(e, result);
	}
}

static void judge_row(struct engine *e, const struct playbook_row *row)
{
	const struct subject_list *subjects = &e->subjects[row->check->per];

	if (!subjects->nr)
		judge_none(e, row);
	for (size_t i = 0; i < subjects->nr; i++)
		judge_subject(e, row, &subjects->items[i]);
	if (subjects->nr && row->check->per == SUBJECT_OCL_DEVICE)
		judge_gpus_without_device(e, row);
}

static void judge_failed_workers(struct engine *e, const struct playbook_row *row, unsigned needs)
{
	const struct subject_list *subjects = &e->subjects[row->check->per];

	for (size_t i = 0; i < subjects->nr; i++)
		if (worker_failed(subjects->items[i].probe, needs))
			judge_subject(e, row, &subjects->items[i]);
}

/* A gate-only check is not "skipped" in a run. */
static bool is_left_out_though_required(const struct engine *e, const struct playbook_row *row)
{
	if (row->gate_only && !bool_or(e->report->snapshot->request.gate, false))
		return false;
	return is_required(e, row) || strs_has(&e->report->policy->require, row->check->name);
}

static void judge_rows(struct engine *e, const struct playbook *playbook)
{
	const struct request *request = &e->report->snapshot->request;
	unsigned needs = needs_of(request, playbook);

	for (size_t i = 0; i < playbook->nr; i++) {
		const struct playbook_row *row = &playbook->rows[i];

		if (row_is_selected(request, row)) {
			judge_row(e, row);
			continue;
		}
		if (is_left_out_though_required(e, row))
			strs_add(&e->report->arena, &e->report->left_out, row->check->name);
		if (row_is_of_failed_workers(request, row))
			judge_failed_workers(e, row, needs);
	}
}

/* Results stand in the playbook's order: where that row's belong. */
static size_t place_of(const struct engine *e, const struct playbook *playbook, const struct playbook_row *row)
{
	size_t at = 0;

	for (const struct playbook_row *before = playbook->rows; before < row; before++)
		while (at < e->nr_results && e->results[at].check == before->check)
			at++;
	return at;
}

/* An error code about a GPU prevents a pass even if the check that reports it was not selected. */
static void judge_failures_unasked(struct engine *e, const struct playbook *playbook)
{
	for (size_t i = 0; i < e->report->nr_unanswered; i++) {
		struct unanswered *unanswered = &e->report->unanswered[i];

		for (size_t k = 0; k < playbook->nr && unanswered_lacks_result(unanswered); k++) {
			const struct playbook_row *row = &playbook->rows[k];
			struct result result;
			size_t at;

			if (strcmp(row->check->name, unanswered->check) != 0)
				continue;
			at = place_of(e, playbook, row);
			result = *add_result(e, row);
			memmove(&e->results[at + 1], &e->results[at], (e->nr_results - 1 - at) * sizeof(result));
			unanswered_fill_result(&e->report->arena, &result, unanswered);
			e->results[at] = result;
			unanswered->weighed = true;
		}
	}
}

/* Worst first; what is equally bad stays in playbook order, which a pass for each outcome keeps. */
static void sort_findings(struct engine *e)
{
	struct finding **sorted = xcalloc(e->nr_findings, sizeof(*sorted));
	size_t nr = 0;

	for (unsigned outcome = NR_OUTCOMES; outcome-- > 0;)
		for (size_t i = 0; i < e->nr_findings; i++)
			if (e->findings[i]->outcome == outcome)
				sorted[nr++] = e->findings[i];
	if (nr)
		memcpy(e->findings, sorted, nr * sizeof(*sorted));
	free(sorted);
}

/* Into the report, to whose readers they are const. */
static void keep_findings(struct engine *e)
{
	const struct finding **findings = arena_alloc(&e->report->arena, e->nr_findings * sizeof(*findings));

	for (size_t i = 0; i < e->nr_findings; i++)
		findings[i] = e->findings[i];
	e->report->findings = findings;
	e->report->nr_findings = e->nr_findings;
}

static bool is_chosen(const struct snapshot *snapshot, const struct subject *subject)
{
	if (subject->device)
		return ocl_device_is_selected(snapshot, subject->device);
	return !subject->gpu || gpu_is_selected(snapshot, subject->gpu);
}

/* All subjects of a kind that --gpu leaves: the others keep their numbers, and are counted and compared with. */
static void list_subjects(struct engine *e, enum subject_kind kind)
{
	struct subject_list *list = &e->subjects[kind];
	size_t nr = 0;

	subjects_of(&e->report->arena, e->report->snapshot, kind, list);
	for (size_t i = 0; i < list->nr; i++)
		if (is_chosen(e->report->snapshot, &list->items[i]))
			list->items[nr++] = list->items[i];
	list->nr = nr;
}

void judge(struct report *ret, struct snapshot *snapshot, const struct playbook *playbook,
	   const struct judge_inputs *basis)
{
	struct engine e = { .report = ret, .basis = basis };

	memset(ret, 0, sizeof(*ret));
	snapshot_index_gpus(snapshot);
	ret->snapshot = snapshot;
	resolve_policies(&e);
	ret->log = arena_alloc(&ret->arena, sizeof(*ret->log));
	node_log_read(ret->log, snapshot, ret->policy);
	users_of(&ret->arena, snapshot, &e.users);
	e.hottest = node_temperature(snapshot);
	twin_fields_list(&ret->arena, &e.twin_fields);
	e.load = load_of_window(snapshot, ret->policy);
	for (unsigned kind = 0; kind < NR_SUBJECT_KINDS; kind++)
		list_subjects(&e, (enum subject_kind)kind);
	judge_rows(&e, playbook);
	unanswered_find(ret, e.of_gpus);
	unanswered_weigh(ret, e.results, e.nr_results, e.findings, e.nr_findings);
	judge_failures_unasked(&e, playbook);
	sort_findings(&e);
	fault_scope(&ret->arena, e.results, e.nr_results, e.findings, e.nr_findings);
	causes_find(&ret->arena, snapshot, e.findings, e.nr_findings);
	maintenance_excuse(ret, e.results, e.nr_results, e.findings, e.nr_findings);
	sort_findings(&e);
	causes_find_unknown(e.results, e.nr_results, e.findings, e.nr_findings);
	ret->results = e.results;
	ret->nr_results = e.nr_results;
	keep_findings(&e);
	report_group(ret, e.findings, e.nr_findings);
	report_summarise(ret);
	load_free(e.load);
}

void report_release(struct report *report)
{
	if (report->log)
		node_log_release(report->log);
	arena_release(&report->arena);
	memset(report, 0, sizeof(*report));
}
