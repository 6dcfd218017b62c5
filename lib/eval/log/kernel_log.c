// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/log/kernel_log.h"

#include "base/text.h"
#include "eval/judge/subject.h"
#include "klog/incident.h"
#include "klog/match.h"
#include "snapshot/gpus.h"
#include "snapshot/node.h"

enum { FUNCTION_CHARS = 2 };	/* ".0" at the end of an address */

/* ---- the lines of a snapshot, scanned */

/* A snapshot may say anything: beyond this, in the year 33658, no clock goes. */
#define MAX_WALL_S 1e12

static void take_wall(struct klog_time *time, struct val_f64 wall_s, struct val_bool is_local)
{
	double seconds = f64_or(wall_s, -1);

	if (seconds < 0 || seconds > MAX_WALL_S)
		return;
	time->has_wall = true;
	time->wall_is_local = bool_or(is_local, false);
	time->wall_us = (int64_t)(seconds * 1e6);
}

void log_line_read(const struct log_line *fact, struct klog_line *ret)
{
	*ret = (struct klog_line){
		.text = span_of(str_or(fact->text, "")), .origin = KLOG_ORIGIN_KERNEL,
		.level = is_known(fact->level) ? (int)u64_or(fact->level, 0) : -1,
		.time = { .has_boot = is_known(fact->boot_ns), .boot_us = u64_or(fact->boot_ns, 0) / 1000 },
		.is_relayed = bool_or(fact->relayed, false),
	};
	take_wall(&ret->time, fact->wall_s, fact->wall_is_local);
	/* The kernel's own has a time; what was pasted without one, anybody may have written. */
	if (!ret->time.has_boot && !ret->time.has_wall)
		ret->origin = KLOG_ORIGIN_UNKNOWN;
	if (parse_u64(str_or(fact->key, ""), &ret->number))
		ret->number = 0;
}

uint32_t log_line_from(const struct snapshot *snapshot, uint64_t number)
{
	for (size_t i = 0; i < snapshot->nr_log_lines; i++) {
		const struct log_line *line = &snapshot->log_lines[i];
		uint64_t own;

		if (line->text.from && !parse_u64(str_or(line->key, ""), &own) && own == number)
			return line->text.from;
	}
	return 0;
}

static void scan_lines(struct node_log *log, const struct snapshot *snapshot)
{
	const struct kernel_log *facts = &snapshot->kernel_log;
	struct klog_coverage coverage = {
		.lines = u64_or(facts->lines_read, 0), .lost_records = u64_or(facts->lines_lost, 0),
		.first = { .has_boot = is_known(facts->first_ns), .boot_us = u64_or(facts->first_ns, 0) / 1000 },
		.last = { .has_boot = is_known(facts->last_ns), .boot_us = u64_or(facts->last_ns, 0) / 1000 },
	};
	struct klog_line line;

	take_wall(&coverage.last, facts->last_wall_s, facts->wall_is_local);
	log->scan = klog_scan_new();
	for (size_t i = 0; i < snapshot->nr_log_lines; i++) {
		log_line_read(&snapshot->log_lines[i], &line);
		klog_scan_line(log->scan, &line);
	}
	log->log = klog_scan_end(log->scan, &coverage);
}

/* The event of which lines were left out after this one. */
static size_t event_of(const struct klog_log *log, const struct klog_line *line)
{
	struct klog_match match;

	if (!klog_match(line, &match) || match.role != KLOG_ROLE_EVENT)
		return SIZE_MAX;
	for (size_t i = 0; i < log->nr_events; i++) {
		const struct klog_event *event = &log->events[i];

		/* A line may leave it to a later one to name the device. */
		if (event->row == match.row && (!match.fields.pci[0] || !strcmp(event->device, match.fields.pci)) &&
		    event->first_line <= line->number && line->number <= event->last_line)
			return i;
	}
	return SIZE_MAX;
}

static void count_left_out(struct node_log *log, const struct snapshot *snapshot)
{
	log->left_out = arena_alloc(&log->arena, (log->log->nr_events + 1) * sizeof(*log->left_out));
	for (size_t i = 0; i < snapshot->nr_log_lines; i++) {
		struct klog_line line;
		size_t event;

		if (!u64_or(snapshot->log_lines[i].left_out, 0))
			continue;
		log_line_read(&snapshot->log_lines[i], &line);
		event = event_of(log->log, &line);
		if (event != SIZE_MAX)
			log->left_out[event] += u64_or(snapshot->log_lines[i].left_out, 0);
	}
}

/*
 * Of a live node the log's own clock, which stands still while it is suspended;
 * of a tree the uptime it was recorded at. A file by the clock ends when it was
 * taken, as far as anybody knows.
 */
static void find_now(struct node_log *log, const struct snapshot *snapshot)
{
	int64_t taken_s;

	log->now = log_end(log->log);
	if (is_known(snapshot->kernel_log.now_ns)) {
		log->now.has_boot = true;
		log->now.boot_us = u64_or(snapshot->kernel_log.now_ns, 0) / 1000;
	} else if (is_known(snapshot->host.uptime_s) &&
		   u64_or(snapshot->host.uptime_s, 0) * 1000000 > log->now.boot_us) {
		log->now.has_boot = true;
		log->now.boot_us = u64_or(snapshot->host.uptime_s, 0) * 1000000;
	}
	log->has_taken = snapshot_is_live(snapshot) && !parse_rfc3339(str_or(snapshot->run.taken_at, ""), &taken_s);
	if (!log->has_taken)
		return;
	log->taken_us = taken_s * 1000000;
	if (!log->now.wall_is_local) {
		log->now.has_wall = true;
		log->now.wall_us = log->taken_us;
	}
}

/* ---- whose affair it is */

bool log_is_same_card(const char *a, const char *b)
{
	size_t len = strlen(a);

	return len > FUNCTION_CHARS && len == strlen(b) && !strncmp(a, b, len - FUNCTION_CHARS);
}

/* The GPUs below a bridge: those under test, and whether there are others. */
struct below {
	size_t nr, *indexes;
	const struct gpu *gpu;		/* one of them */
	bool any;
};

static void find_below(struct arena *arena, const struct snapshot *snapshot, const char *address, struct below *ret)
{
	*ret = (struct below){ .nr = 0 };
	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &snapshot->gpus[i];

		if (!gpu_is_below(gpu, address))
			continue;
		ret->any = true;
		if (!gpu_is_under_test(snapshot, gpu))
			continue;
		ret->indexes = arena_grow(arena, ret->indexes, ret->nr, sizeof(*ret->indexes));
		ret->indexes[ret->nr++] = gpu_number(snapshot, gpu);
		ret->gpu = gpu;
	}
}

static void place_bridge(struct arena *arena, const struct below *below, const char *address, struct log_incident *ret)
{
	if (!below->nr) {
		ret->place = INCIDENT_OF_NOBODY;
	} else if (below->nr == 1) {
		ret->place = INCIDENT_OF_GPU;
		ret->gpu = below->gpu;
		ret->bridge = address;
	} else {
		ret->place = INCIDENT_OF_PORT;
		ret->gpus = gpu_ranges(arena, below->indexes, below->nr);
	}
}

/* The function of that card; a GPU before its audio, say. */
static const struct gpu *gpu_of_card(const struct snapshot *snapshot, const char *address)
{
	const struct gpu *gpu = gpu_at(snapshot, address);

	for (size_t i = 0; i < snapshot->nr_gpus && !gpu; i++)
		if (log_is_same_card(str_or(snapshot->gpus[i].key, ""), address))
			gpu = &snapshot->gpus[i];
	return gpu;
}

static const struct gpu *sole_gpu(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nr_gpus && gpus_under_test(snapshot) == 1; i++)
		if (gpu_is_under_test(snapshot, &snapshot->gpus[i]))
			return &snapshot->gpus[i];
	return NULL;
}

/* Programs name a GPU by its UUID. */
static const struct gpu *gpu_of_uuid(const struct snapshot *snapshot, const char *uuid)
{
	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &snapshot->gpus[i];

		if (!strcasecmp(str_or(gpu->nvml.uuid, ""), uuid) && gpu_is_under_test(snapshot, gpu))
			return gpu;
	}
	return NULL;
}

/* Monitors do so by the number that its vendor's library gives it. */
static const struct gpu *gpu_of_number(const struct snapshot *snapshot, uint64_t number)
{
	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &snapshot->gpus[i];

		if (u64_or(gpu->nvml.index, UINT64_MAX) == number && gpu_is_under_test(snapshot, gpu))
			return gpu;
	}
	return NULL;
}

const char *log_minor(const struct klog_event *event)
{
	uint64_t minor;

	return klog_rows[event->row].kind == KLOG_INIT_FAILED && !event->device[0] && !parse_u64(event->unit, &minor) ?
		       event->unit : NULL;
}

static const struct gpu *gpu_of_minor(const struct snapshot *snapshot, const char *name)
{
	uint64_t minor;

	for (size_t i = 0; !parse_u64(name, &minor) && i < snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &snapshot->gpus[i];

		if (u64_or(gpu->nvml.minor, u64_or(gpu->nvidia.minor, UINT64_MAX)) == minor &&
		    gpu_is_under_test(snapshot, gpu))
			return gpu;
	}
	return NULL;
}

static const struct gpu *gpu_of_event(const struct snapshot *snapshot, const struct klog_event *event)
{
	uint64_t number;

	if (!strncmp(event->unit, "GPU-", strlen("GPU-")))
		return gpu_of_uuid(snapshot, event->unit);
	if (event->is_relayed && event->has_code && !parse_u64(event->unit, &number))
		return gpu_of_number(snapshot, number);
	if (log_minor(event) && gpu_of_minor(snapshot, event->unit))
		return gpu_of_minor(snapshot, event->unit);
	/* Of several, of which a container may see one. */
	return klog_event_is_of_further_gpu(event) ? NULL : sole_gpu(snapshot);
}

/* A log may name one of several GPUs that the dumps list. */
static bool lists_no_other(const struct snapshot *snapshot, const struct klog_event *event)
{
	const struct gpu *gpu = is_imported(snapshot) ? sole_gpu(snapshot) : NULL;

	return log_tells_no_gpus(snapshot) || (gpu && str_is(gpu->key, event->driver_gpu));
}

static void place_nameless(const struct snapshot *snapshot, struct log_incident *ret)
{
	ret->place = INCIDENT_OF_NODE;
	if (klog_rows[ret->worst->row].age == KLOG_AGE_HOST) {
		ret->driver_gpu = lists_no_other(snapshot, ret->worst) ? ret->worst->driver_gpu : "";
		return;
	}
	ret->gpu = gpu_of_event(snapshot, ret->worst);
	if (ret->gpu)
		ret->place = INCIDENT_OF_GPU;
}

bool log_tells_no_gpus(const struct snapshot *snapshot)
{
	return is_imported(snapshot) && !snapshot->nr_gpus && !is_known(snapshot->bus.gpus);
}

/* Kept for a virtual machine, as GPUs are. */
static bool is_passed_through(const struct klog_event *event)
{
	return text_begins(event->text, "vfio-pci ") || strstr(event->text, "Skipping device reset on ");
}

/*
 * A port that reports a fatal error, or a device passed through that does not answer, in a paste that lists neither
 * GPUs nor bridges: nothing says that it is no GPU or that none is below it, and it is gone.
 */
static bool may_be_of_gpu(const struct snapshot *snapshot, const struct log_incident *incident)
{
	enum klog_kind kind = klog_rows[incident->worst->row].kind;

	if (!log_tells_no_gpus(snapshot))
		return false;
	if (kind == KLOG_PCIE_AER_FATAL && klog_event_is_of_bridge(incident->worst))
		return true;
	return (kind == KLOG_PCIE_AER_FATAL || kind == KLOG_PCIE_LINK_DOWN || kind == KLOG_PCIE_RESET_FAILED) &&
	       is_passed_through(incident->worst);
}

/* The GPU whose driver speaks in the log: this device, or one of whose card it is another function, as its audio. */
static const char *gpu_in_log(const struct klog_log *log, const struct klog_incident *incident)
{
	const char *device = incident->device;

	if (incident->is_gpu || !*device)
		return incident->is_gpu ? device : NULL;
	for (size_t i = 0; i < log->nr_events; i++)
		if (log->events[i].is_gpu && log_is_same_card(log->events[i].device, device))
			return log->events[i].device;
	return NULL;
}

enum incident_place log_place_of_gpu(const struct snapshot *snapshot, const char *device, const struct gpu **ret)
{
	const struct gpu *gpu = *device ? gpu_of_card(snapshot, device) : sole_gpu(snapshot);

	*ret = gpu && gpu_is_under_test(snapshot, gpu) ? gpu : NULL;
	if (*ret)
		return INCIDENT_OF_GPU;
	if (!*device)
		return INCIDENT_OF_NODE;
	return gpu || is_in_container(snapshot) ? INCIDENT_OF_NOBODY : INCIDENT_OF_GONE_GPU;
}

/* Disks and networks are the node's, whatever their devices have to do with GPUs, and all GPUs need an NVSwitch. */
static bool is_of_node(const struct klog_event *event)
{
	return klog_rows[event->row].kind == KLOG_STORAGE || klog_rows[event->row].kind == KLOG_NETWORK ||
	       event->row == KLOG_ROW_NVSWITCH_NOT_STARTED;
}

static void place_incident(struct node_log *log, const struct snapshot *snapshot, struct log_incident *ret)
{
	const char *device = ret->incident->device, *own = gpu_in_log(log->log, ret->incident);
	const struct gpu *gpu = gpu_of_card(snapshot, device);
	struct below below;

	ret->address = own ? own : device;
	ret->driver_gpu = "";
	if (!*device) {
		place_nameless(snapshot, ret);
		return;
	}
	if (gpu) {
		ret->place = gpu_is_under_test(snapshot, gpu) ? INCIDENT_OF_GPU : INCIDENT_OF_NOBODY;
		ret->gpu = ret->place == INCIDENT_OF_GPU ? gpu : NULL;
		return;
	}
	if (is_of_node(ret->worst)) {
		ret->place = INCIDENT_OF_NODE;
		return;
	}
	find_below(&log->arena, snapshot, device, &below);
	if (below.any)
		place_bridge(&log->arena, &below, device, ret);
	else if (own)
		ret->place = is_in_container(snapshot) ? INCIDENT_OF_NOBODY : INCIDENT_OF_GONE_GPU;
	else if (klog_rows[ret->worst->row].kind == KLOG_NVIDIA_SXID || klog_event_is_of_card_switch(ret->worst) ||
		 may_be_of_gpu(snapshot, ret))
		ret->place = INCIDENT_OF_NODE;
	else
		ret->place = INCIDENT_OF_OTHER;
}

static void tell_stories(struct node_log *log, const struct snapshot *snapshot)
{
	struct klog_incidents incidents;

	klog_find_incidents(&log->arena, log->log, &incidents);
	log->incidents = arena_alloc(&log->arena, (incidents.nr + 1) * sizeof(*log->incidents));
	for (size_t i = 0; i < incidents.nr; i++) {
		struct log_incident *incident = &log->incidents[log->nr++];

		incident->incident = &incidents.items[i];
		incident->worst = log_incident_worst(log->log, incident->incident, log->now, &log->limits);
		incident->outcome = log_event_outcome(log->log, incident->worst, log->now, &log->limits);
		incident->is_current = incident->worst->currency == KLOG_CURRENT &&
				    !log_is_old(incident->worst, log->now, log->limits.current_s);
		place_incident(log, snapshot, incident);
	}
}

void node_log_read(struct node_log *ret, const struct snapshot *snapshot, const struct policy *policy)
{
	*ret = (struct node_log){
		.limits = { .current_s = policy->klog_current_s, .hangs_per_day = policy->klog_hangs_per_day },
	};
	scan_lines(ret, snapshot);
	count_left_out(ret, snapshot);
	find_now(ret, snapshot);
	tell_stories(ret, snapshot);
}

void node_log_release(struct node_log *log)
{
	klog_scan_free(log->scan);
	arena_release(&log->arena);
	*log = (struct node_log){ .nr = 0 };
}

const struct log_incident *node_log_hang(const struct node_log *log, const struct gpu *gpu,
					 const struct klog_event **ret)
{
	for (size_t i = 0; i < log->nr; i++) {
		const struct log_incident *incident = &log->incidents[i];

		if (incident->place != INCIDENT_OF_GPU || incident->bridge || (gpu && incident->gpu != gpu))
			continue;
		for (size_t k = 0; k < incident->incident->nr; k++) {
			const struct klog_event *event = incident->incident->events[k];

			if (event->currency != KLOG_CURRENT || !klog_event_hangs(event))
				continue;
			*ret = event;
			return incident;
		}
	}
	return NULL;
}

bool node_log_has_fault(const struct node_log *log, const char *device)
{
	for (size_t i = 0; i < log->nr; i++) {
		const struct log_incident *incident = &log->incidents[i];

		if (incident->outcome > OUTCOME_NOTE && incident->is_current &&
		    (!*device || !*incident->address || log_is_same_card(incident->address, device)))
			return true;
	}
	return false;
}

bool node_log_has_xid(const struct node_log *log, uint64_t number)
{
	for (size_t i = 0; i < log->log->nr_events; i++) {
		const struct klog_event *event = &log->log->events[i];

		if (klog_row_xid(event->row) == (int)number ||
		    (klog_rows[event->row].kind == KLOG_NVIDIA_XID && event->has_code && event->code == number))
			return true;
	}
	return false;
}

const char *log_xid_name(uint64_t number)
{
	return klog_rows[klog_xid_row(number)].mnemonic;
}

const enum finding_id klog_may_emit[] = {
#define KLOG(id, ...) LOG_##id,
#define XID(number, ...) LOG_XID_##number,
#include "klog/catalogue.def"
	KLOG_ERRORS_APPLICATION_FAULTS_ONE_GPU, KLOG_ERRORS_HANGS_AGAIN, KLOG_ERRORS_CORRECTED_FLOOD,
	KLOG_ERRORS_IOMMU_GOES_ON, KLOG_ERRORS_LINK_BESIDE_FAILURE, KLOG_ERRORS_RESET_OF_HARDWARE,
	KLOG_ERRORS_OTHER_DEVICE, KLOG_ERRORS_UNLISTED, KLOG_ERRORS_OLDER,
	NO_FINDING
};

/* ---- words */

uint64_t event_count(const struct node_log *log, const struct klog_event *event)
{
	return event->count + log->left_out[event - log->log->events];
}

/* "14:01" of the day the snapshot was taken, "2026-11-18 14:01" of another. */
static const char *clock_words(struct arena *arena, const struct node_log *log, int64_t wall_us, const char *zone)
{
	char text[32], taken[32];

	format_rfc3339(wall_us / 1000000, 0, text);
	format_rfc3339(log->taken_us / 1000000, 0, taken);
	text[10] = ' ';
	text[16] = '\0';
	if (log->has_taken && !strncmp(text, taken, 10))
		return arena_printf(arena, "%s%s", text + 11, zone);
	return arena_printf(arena, "%s%s", text, zone);
}

const char *event_time(struct arena *arena, const struct node_log *log, const struct klog_time *time)
{
	STRBUF_AUTO text = STRBUF_INIT;

	if (time->has_wall)
		return clock_words(arena, log, time->wall_us, time->wall_is_local ? "" : " UTC");
	if (!time->has_boot)
		return "";
	if (log->has_taken && log->now.has_boot)
		return clock_words(arena, log, log->taken_us - (int64_t)(log->now.boot_us - time->boot_us), " UTC");
	unit_format(&text, UNIT_NS, (double)time->boot_us * 1e3);
	strbuf_addstr(&text, " after boot");
	return arena_strdup(arena, text.buf);
}
