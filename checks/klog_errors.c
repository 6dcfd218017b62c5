// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/facts/power_cap.h"
#include "eval/facts/throttle.h"
#include "eval/log/kernel_log.h"
#include "eval/log/log_blame.h"
#include "eval/log/log_sentence.h"

enum {
	MAX_TOLD = 32,		/* findings about one subject */
	MAX_PAST = 3,		/* past faults by name */
};

/* Events reported for this subject: the same one is reported once, the newest. */
struct told {
	size_t nr;
	struct {
		enum finding_id id;
		const char *which;
	} items[MAX_TOLD];
};

static bool was_told(struct told *told, enum finding_id id, const char *which)
{
	for (size_t i = 0; i < told->nr; i++)
		if (told->items[i].id == id && !strcmp(told->items[i].which, which))
			return true;
	if (told->nr == MAX_TOLD)
		return true;
	told->items[told->nr].id = id;
	told->items[told->nr++].which = which;
	return false;
}

/* A GPU's own, or what is no GPU's and so the node's to tell. */
static bool is_mine(const struct judgement *j, const struct log_incident *incident)
{
	if (j->gpu)
		return incident->place == INCIDENT_OF_GPU && incident->gpu == j->gpu;
	return incident->place != INCIDENT_OF_GPU && incident->place != INCIDENT_OF_NOBODY;
}

/* ---- findings */

/* From the first of them to the end of the log; 0: no clock tells. */
static double seconds_since(const struct judgement *j, const struct klog_event *event)
{
	if (event->first.has_boot && j->log->now.has_boot)
		return (double)(j->log->now.boot_us - event->first.boot_us) / 1e6;
	if (event->first.has_wall && j->log->now.has_wall)
		return (double)(j->log->now.wall_us - event->first.wall_us) / 1e6;
	return 0;
}

/*
 * Corrected errors at a rate that pcie-errors would warn of, which has no counters of a dump. How fast the link is, and
 * so which of both limits holds, the log does not tell. A burst that has passed the rest of the log thins out.
 */
static bool is_flood(const struct judgement *j, const struct klog_event *event)
{
	double seconds = seconds_since(j, event), count = (double)event_count(j->log, event);

	return klog_rows[event->row].kind == KLOG_PCIE_AER_CORRECTABLE && str_is(j->snapshot->run.source, "import") &&
	       seconds >= 1 && count >= j->policy->pcie_correctable_burst &&
	       count * 60 / seconds >= 2 * j->policy->pcie_correctable_per_min;
}

/*
 * Faults of a GPU at the IOMMU that are no burst of a moment, nor of the firmware's picture, which is read until the
 * driver takes over. How long they went on; 0: not so. The kernel writes ten at most in five seconds, and says how many
 * it left out.
 */
static double iommu_faults_last_s(const struct policy *policy, const struct klog_event *event)
{
	int64_t lasted_us;

	if (klog_rows[event->row].kind != KLOG_IOMMU_FAULT || !event->is_gpu || event->currency != KLOG_CURRENT ||
	    (double)event->count < policy->klog_iommu_faults ||
	    !klog_time_between(event->first, event->last, true, &lasted_us))
		return 0;
	if (event->last.has_boot && (double)event->last.boot_us / 1e6 < policy->klog_drivers_start_s)
		return 0;
	return (double)lasted_us / 1e6 >= policy->klog_iommu_faults_s ? (double)lasted_us / 1e6 : 0;
}

/* Does it hang, or not start, as its driver tells? What NVIDIA's Xids say of the link is theirs. */
static bool is_failure_of_gpu(const struct klog_event *event)
{
	switch (klog_rows[event->row].kind) {
	case KLOG_AMDGPU_RING_TIMEOUT:
	case KLOG_AMDGPU_RESET:
	case KLOG_AMDGPU_FAULT:
	case KLOG_INTEL_GPU_HANG:
	case KLOG_INTEL_GPU_RESET:
	case KLOG_INTEL_GPU_FAULT:
	case KLOG_NOUVEAU_FAULT:
	case KLOG_RADEON_LOCKUP:
	case KLOG_INIT_FAILED:
		return event->is_gpu && event->currency == KLOG_CURRENT &&
		       finding_defs[log_finding(event->row)].outcome > OUTCOME_NOTE;
	default:
		return false;
	}
}

static bool is_within_a_minute(const struct klog_event *a, const struct klog_event *b)
{
	const int64_t minute_us = 60 * INT64_C(1000000);
	int64_t before_us, after_us;

	return a->boot == b->boot && klog_time_between(a->last, b->first, true, &before_us) && before_us <= minute_us &&
	       klog_time_between(b->last, a->first, true, &after_us) && after_us <= minute_us;
}

/* The failure of a GPU beside corrected errors of its own card's link, or NULL. */
static const struct klog_event *failure_beside(const struct judgement *j, const struct klog_event *event)
{
	const struct klog_log *log = j->log->log;

	if (klog_rows[event->row].kind != KLOG_PCIE_AER_CORRECTABLE || event->currency != KLOG_CURRENT ||
	    (!event->is_gpu && !klog_event_is_of_card_switch(event)))
		return NULL;
	for (size_t i = 0; i < log->nr_events; i++)
		if (is_failure_of_gpu(&log->events[i]) && is_within_a_minute(event, &log->events[i]) &&
		    (!event->is_gpu || !strcmp(event->device, log->events[i].device)))
			return &log->events[i];
	return NULL;
}

/* The reset of an AMD GPU ends its faults; that one of them was the hardware's remains true. */
static bool is_reset_of_hardware(const struct log_incident *incident)
{
	if (klog_rows[incident->worst->row].kind != KLOG_AMDGPU_RESET || !incident->worst->heals)
		return false;
	for (size_t i = 0; i < incident->incident->nr; i++) {
		enum klog_row_id row = incident->incident->events[i]->row;

		if (klog_rows[row].kind == KLOG_AMDGPU_RAS && finding_defs[log_finding(row)].outcome == OUTCOME_FAIL)
			return true;
	}
	return false;
}

static enum finding_id finding_of(const struct judgement *j, const struct log_incident *incident)
{
	if (incident->place == INCIDENT_OF_OTHER)
		return KLOG_ERRORS_OTHER_DEVICE;
	if (is_reset_of_hardware(incident))
		return KLOG_ERRORS_RESET_OF_HARDWARE;
	if (is_flood(j, incident->worst))
		return KLOG_ERRORS_CORRECTED_FLOOD;
	if (failure_beside(j, incident->worst))
		return KLOG_ERRORS_LINK_BESIDE_FAILURE;
	if (iommu_faults_last_s(j->policy, incident->worst) > 0)
		return KLOG_ERRORS_IOMMU_GOES_ON;
	if (log_points_to_gpu(j->log->log, incident->worst, j->log->now))
		return KLOG_ERRORS_APPLICATION_FAULTS_ONE_GPU;
	return log_hangs_again(j->log->log, incident->worst, &j->log->limits) ? KLOG_ERRORS_HANGS_AGAIN :
									       log_finding(incident->worst->row);
}

/* A fall off the bus or a halt of its firmware, as a weak power supply causes at the peaks of load. */
static bool comes_with_load(const struct klog_event *event)
{
	return klog_rows[event->row].kind == KLOG_NVIDIA_XID && event->has_code &&
	       (event->code == 79 || event->code == 62);
}

/* The address of its GPU, where the sentence is not about that; NULL: it is of none that is known. */
static const char *named_gpu(const struct log_incident *incident)
{
	if (incident->place == INCIDENT_OF_GONE_GPU && *incident->address)
		return incident->address;
	return *incident->driver_gpu ? incident->driver_gpu : NULL;
}

/* "{device}has reported correctable PCIe errors", in the words of the catalogue, and why nobody is blamed for it. */
static void say_other(struct judgement *j, const struct klog_event *event)
{
	STRBUF_AUTO text = STRBUF_INIT;

	log_fill(&text, event, klog_rows[event->row].title);
	phrase(j, "event", arena_strdup(j->arena, text.buf));
	if (log_tells_no_gpus(j->snapshot))
		question_blames(
			j, finding_defs[log_finding(event->row)].blame,
			"The log does not tell whether this device is a GPU's: if it is, this is to blame as a rule.");
	phrase(j, "whose",
	       log_tells_no_gpus(j->snapshot) ? "these dumps do not tell whether it is a GPU or on a GPU's path"
					      : "it is no GPU and not on a GPU's path");
}

static void raise(struct judgement *j, const struct log_incident *incident, enum finding_id id, struct told *told)
{
	const struct klog_event *worst = incident->worst;
	const char *device = incident->address;
	/* Of several disks and file systems each is told. */
	const bool has_unit = (j->gpu && !incident->bridge) || klog_rows[worst->row].kind == KLOG_STORAGE;
	const char *which = has_unit ? worst->unit : *device ? device : log_plugin_name(worst);
	const char *why = NULL;

	if (was_told(told, id, which))
		return;
	question(j);
	if (id == log_finding(worst->row)) {
		enum blame blame = log_blame(j->arena, j->log, j->snapshot, incident, &why);

		question_blames(j, blame, why);
	}
	log_show_lines(j, incident);
	phrase(j, "device", log_device_words(j, incident));
	log_say_when(j, worst);
	log_say_places(j, worst);
	if (j->gpu)
		phrase_address(j);
	if (comes_with_load(worst))
		phrase_power_cap(j);
	if (id == KLOG_ERRORS_OTHER_DEVICE)
		say_other(j, worst);
	if (id == KLOG_ERRORS_CORRECTED_FLOOD) {
		phrase(j, "device_address", device);
		derive(j, "errors", UNIT_COUNT, (double)event_count(j->log, worst), "its lines");
		derive(j, "covered", UNIT_S, seconds_since(j, worst), "from the first of them to the end of the log");
	}
	if (id == KLOG_ERRORS_HANGS_AGAIN)
		derive(j, "hangs", UNIT_COUNT, (double)log_hangs_again(j->log->log, worst, &j->log->limits),
		       "its lines of this boot");
	if (id == KLOG_ERRORS_LINK_BESIDE_FAILURE)
		phrase(j, "failure", log_name(j->arena, failure_beside(j, worst)));
	if (id == KLOG_ERRORS_IOMMU_GOES_ON) {
		derive(j, "faults", UNIT_COUNT, (double)event_count(j->log, worst), "its lines");
		derive(j, "covered", UNIT_S, iommu_faults_last_s(j->policy, worst),
		       "from the first of them to the last");
	}
	if (id == KLOG_ERRORS_APPLICATION_FAULTS_ONE_GPU)
		derive(j, "programs", UNIT_COUNT, (double)worst->processes_seen,
		       "different processes named in its lines");
	finding_add_at(j, id, *which ? which : NULL, named_gpu(incident));
}

/* "Xid 79 (before the driver was reloaded)". */
static const char *past_words(struct judgement *j, const struct klog_event *event)
{
	static const char *const ends[] = {
		[KLOG_CURRENT] = "long ago",
		[KLOG_BEFORE_RESET] = "before it was reset",
		[KLOG_BEFORE_DRIVER_LOAD] = "before the driver was reloaded",
		[KLOG_BEFORE_BOOT] = "before this boot",
	};

	return arena_printf(j->arena, "%s (%s)", log_name(j->arena, event), ends[event->currency]);
}

/* A paste has what somebody thought worth showing: of such, notes of what programs did count before a boot, too. */
static bool is_shown(const struct judgement *j, const struct log_incident *incident)
{
	if (!str_is(j->snapshot->run.source, "import") || klog_rows[incident->worst->row].age != KLOG_AGE_APPLICATION)
		return false;
	for (size_t i = 0; i < j->log->nr; i++)
		if (j->log->incidents[i].is_current)
			return false;
	return true;
}

/* Was it a fault, and is it no more? */
static bool is_past(const struct judgement *j, const struct log_incident *incident)
{
	return incident->place != INCIDENT_OF_OTHER && incident->outcome == OUTCOME_NOTE &&
	       (finding_defs[log_finding(incident->worst->row)].outcome > OUTCOME_NOTE || is_shown(j, incident));
}

static void raise_past(struct judgement *j)
{
	enum blame blame = BLAME_NONE;
	const char *faults = "";
	bool is_one = true;
	size_t nr = 0;

	question(j);
	for (size_t i = 0; i < j->log->nr; i++) {
		const struct log_incident *incident = &j->log->incidents[i];

		if (!is_mine(j, incident) || !is_past(j, incident))
			continue;
		is_one &= !nr || blame == finding_defs[log_finding(incident->worst->row)].blame;
		blame = finding_defs[log_finding(incident->worst->row)].blame;
		if (nr++ < MAX_PAST)
			faults = arena_printf(j->arena, "%s%s%s", faults, nr > 1 ? ", " : "",
					      past_words(j, incident->worst));
		log_show_lines(j, incident);
	}
	if (!nr)
		return;
	if (is_one && blame != BLAME_NONE)
		question_blames(j, blame, "The earlier faults pointed there.");
	if (nr > MAX_PAST)
		faults = arena_printf(j->arena, "%s and %zu more", faults, nr - MAX_PAST);
	phrase(j, "device", j->gpu ? "" : "The node ");
	phrase(j, "faults", faults);
	finding_add(j, KLOG_ERRORS_OLDER);
}

/* ---- errors that the catalogue does not list */

static bool is_mine_unlisted(const struct judgement *j, const struct klog_unlisted *unlisted,
			     enum incident_place *ret_place)
{
	const struct gpu *gpu;

	*ret_place = log_place_of_gpu(j->snapshot, unlisted->device, &gpu);
	return j->gpu ? gpu == j->gpu : *ret_place == INCIDENT_OF_NODE || *ret_place == INCIDENT_OF_GONE_GPU;
}

static bool is_old_unlisted(const struct judgement *j, const struct klog_unlisted *unlisted)
{
	int64_t age_us;

	return klog_time_between(unlisted->last, j->log->now, true, &age_us) &&
	       (double)age_us / 1e6 > j->policy->klog_current_s;
}

static const char *unlisted_words(struct judgement *j, const struct klog_unlisted *unlisted, enum incident_place place)
{
	if (place == INCIDENT_OF_GPU)
		return "";
	return *unlisted->device ? arena_printf(j->arena, "The GPU at %s ", unlisted->device)
				 : "A GPU not named in the log ";
}

/* Lines that name no device beside one that the same driver names: more of the same, as a rule. */
static bool is_told_of_device(const struct klog_log *log, const struct klog_unlisted *unlisted)
{
	for (size_t i = 0; i < log->nr_unlisted && !*unlisted->device; i++)
		if (log->unlisted[i].group == unlisted->group && *log->unlisted[i].device)
			return true;
	return false;
}

/* Beside a fault that is understood they are its details. */
static void raise_unlisted(struct judgement *j)
{
	for (size_t i = 0; i < j->log->log->nr_unlisted; i++) {
		const struct klog_unlisted *unlisted = &j->log->log->unlisted[i];
		const char *when = event_time(j->arena, j->log, &unlisted->last);
		enum incident_place place;

		if (!is_mine_unlisted(j, unlisted, &place) || is_old_unlisted(j, unlisted) ||
		    is_told_of_device(j->log->log, unlisted) || node_log_has_fault(j->log, unlisted->device))
			continue;
		question(j);
		derive(j, "lines", UNIT_COUNT, (double)unlisted->count, "lines of its driver");
		derive_str(j, "line", unlisted->text, str_or(j->snapshot->kernel_log.source, "the kernel's log"));
		cite(j, log_line_from(j->snapshot, unlisted->first_line));
		phrase(j, "device", unlisted_words(j, unlisted, place));
		phrase(j, "when", *when ? arena_printf(j->arena, " (last %s)", when) : "");
		phrase(j, "when.many", "");
		if (j->gpu)
			phrase_address(j);
		finding_add_at(j, KLOG_ERRORS_UNLISTED, place == INCIDENT_OF_GONE_GPU ? unlisted->device : NULL,
			       place == INCIDENT_OF_GONE_GPU ? unlisted->device : NULL);
	}
}

static void raise_of(struct judgement *j, enum outcome outcome, struct told *told)
{
	for (size_t i = 0; i < j->log->nr; i++) {
		const struct log_incident *incident = &j->log->incidents[i];
		enum finding_id id;

		/* A note of days ago is worth no line. */
		if (!is_mine(j, incident) || is_past(j, incident) || !incident->is_current)
			continue;
		id = finding_of(j, incident);
		if (finding_defs[id].outcome == outcome)
			raise(j, incident, id, told);
	}
}

/* The worst first: no crowd of notes takes the place of a fault. */
static void raise_stories(struct judgement *j)
{
	struct told told = { .nr = 0 };

	raise_of(j, OUTCOME_FAIL, &told);
	raise_of(j, OUTCOME_WARN, &told);
	raise_of(j, OUTCOME_NOTE, &told);
	raise_past(j);
	raise_unlisted(j);
}

/* ---- how far the log reaches */

/* A gate wants a complete log; with --expect-gpus 0 no GPU fault can be in the lost part. */
static bool is_gate_of_no_gpu(const struct judgement *j)
{
	const struct request *request = &j->snapshot->request;

	return bool_or(request->gate, false) &&
	       !u64_or(is_known(request->expect_gpus) ? request->expect_gpus : j->policy->inventory_gpus, 1);
}

static void judge_coverage(struct judgement *j)
{
	const struct kernel_log *facts = &j->snapshot->kernel_log;
	uint64_t left_out = u64_or(facts->lines_left_out, 0), now_s = j->log->now.boot_us / 1000000;
	uint64_t first_s = u64_or(facts->first_ns, 0) / 1000000000;

	if (j->log->log->unjudged && !j->gpu) {
		question(j);
		derive(j, "unjudged", UNIT_COUNT, (double)j->log->log->unjudged, "log lines not interpreted");
		derive_str(j, "line", j->log->log->unjudged_text, str_or(facts->source, "the kernel's log"));
		cite(j, log_line_from(j->snapshot, j->log->log->unjudged_line));
		unknown_by_failure(j, "{unjudged|line names|lines name} a GPU error in an unknown form: \"{line}\"");
	}
	question(j);
	need(j, kernel_log, facts, lines_read);
	want(j, kernel_log, facts, source);
	if (need(j, kernel_log, facts, since_boot)) {
		if (left_out && is_known(facts->kept_from_ns) && want(j, kernel_log, facts, lines_left_out))
			unknown(j, "too many lines, the oldest {lines_left_out} were dropped");
		return;
	}
	if (want(j, kernel_log, facts, lines_lost))
		unknown(j, "{lines_lost|line was|lines were} overwritten while reading");
	if (!is_known(facts->first_ns) || !is_known(j->snapshot->host.uptime_s)) {
		unknown(j, "the log does not reach back to boot");
		return;
	}
	want(j, host, &j->snapshot->host, uptime_s);
	derive(j, "covered", UNIT_S, (double)now_s - (double)first_s, "now - first_ns");
	unknown(j, "the log covers {covered} of {uptime_s} since boot");
}

static void eval(struct judgement *j)
{
	const struct kernel_log *facts = &j->snapshot->kernel_log;

	if (is_gate_of_no_gpu(j) && !bool_or(facts->since_boot, false)) {
		raise_stories(j);
		skip_check(j, "no GPU expected, and the log does not reach back to boot");
		return;
	}
	if (!is_known(facts->lines_read)) {
		need(j, kernel_log, facts, lines_read);
		if (facts->lines_read.why)
			unknown(j, arena_printf(j->arena, "the kernel's log: %s", facts->lines_read.why));
		return;
	}
	raise_stories(j);
	judge_coverage(j);
}

const struct check check_klog_errors = {
	.name = "klog-errors",
	.title = "Kernel log",
	.doc = "What does the kernel log report about the GPUs, the bridges above them and the machine? Related "
	       "events are one incident, named by the worst; its lines are the evidence. A fault counts until its GPU "
	       "was reset or its driver reloaded, at most 72 hours; then it is a note. Faults of programs are notes, "
	       "unless one GPU alone has them from several jobs within a day. A log without faults that does not "
	       "reach back to boot is unknown, never a pass. How lines are interpreted: gpudiag logs, gpudiag explain "
	       "xid N.",
	.per = SUBJECT_NODE_AND_GPUS,
	.needs = NEEDS_LINKS,
	.says = "no fault in the kernel log since boot",
	.may_emit = klog_may_emit,
	.eval = eval,
};
