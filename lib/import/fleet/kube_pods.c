// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kube_pods.c - rows of kubectl get pods. A pod whose containers fail says so in its status; one that waits for another
 * is told by how long it does: the first minutes of an installation are none. A later table says what is over.
 */
#include "base/compat.h"
#include "import/fleet/kube_pods.h"
#include "import/dump/error_put.h"
#include "import/dump/whose_node.h"
#include "import/fleet/kube_table.h"

#include "base/text.h"
#include "base/text_scan.h"

enum {
	MOST_PODS = 2048,
	FIRST_S = 120,		/* a container that fails so early is tried again */
	STUCK_S = 1800,		/* the driver's pod may build for so long, and those behind it wait for it */
	MANY_RESTARTS = 5,
	RESTART_S = 3600,	/* a restart in so long is many */
	NEXT_TASK_S = 86400,	/* a task that fails is made again before */
	MOST_TOLD = 120,	/* characters of a pod's row */
};

/*
 * Of the GPU stack: how the names of its pods begin, or go on behind a dash where a Helm release stands first
 * (is_release()). In the order in which they wait for one another.
 */
static const struct stack_pod {
	const char *name;
	enum {
		STAYS,
		REPLACED,	/* of a deployment: one that failed lies beside the one that took its place */
		ONCE,		/* ends, and is made once more; one that failed may lie there for months */
	} how;
} stack_pods[] = {
	{ "nvidia-driver-daemonset", STAYS }, { "nvidia-gpu-driver", STAYS }, { "nvidia-driver-installer", STAYS },
	{ "nvidia-driver-validation", STAYS }, { "nvidia-vgpu-manager", STAYS }, { "nvidia-vfio-manager", STAYS },
	{ "nvidia-container-toolkit", STAYS }, { "nvidia-device-plugin", STAYS }, { "nvidia-gpu-device-plugin", STAYS },
	{ "nvidia-sandbox", STAYS }, { "nvidia-operator-validator", STAYS }, { "nvidia-cuda-validator", ONCE },
	{ "nvidia-mig-manager", STAYS }, { "nvidia-dcgm", STAYS }, { "dcgm-exporter", STAYS },
	{ "nvidia-node-status-exporter", STAYS }, { "nvidia-dra-driver", STAYS }, { "gpu-feature-discovery", STAYS },
	{ "mofed", STAYS }, { "nvidia-network-operator", REPLACED }, { "rdma-shared-dp", STAYS },
	{ "gpushare-device-plugin", STAYS }, { "amd-device-plugin", STAYS },
	{ "amdgpu-device-plugin", STAYS }, { "amdgpu-dp", STAYS }, { "amdgpu-labeller", STAYS },
	{ "amd-gpu-operator", REPLACED },
	{ "amd-gpu-node-labeller", STAYS }, { "intel-gpu-plugin", STAYS }, { "intel-gpu-levelzero", STAYS },
	{ "intel-gpu-resource-driver", STAYS }, { "xpumanager", STAYS }, { "xpumd", STAYS },
	{ "inteldeviceplugins-controller", REPLACED }, { "gpu-operator", REPLACED },
};

enum state {
	POD_UNKNOWN, POD_WELL, POD_WAITS, POD_FAILED, POD_BROKEN, POD_KILLED,
};

/* Behind "Init:" the same is of a container that runs before the pod's own. */
static const struct { const char *status; enum state state; } statuses[] = {
	{ "Running", POD_WELL }, { "Completed", POD_WELL }, { "Terminating", POD_WELL },
	{ "Pending", POD_WAITS }, { "ContainerCreating", POD_WAITS }, { "PodInitializing", POD_WAITS },
	{ "Error", POD_FAILED }, { "ExitCode:", POD_FAILED }, { "Signal:", POD_FAILED },
	{ "CrashLoopBackOff", POD_BROKEN }, { "ImagePullBackOff", POD_BROKEN }, { "ErrImagePull", POD_BROKEN },
	{ "ErrImageNeverPull", POD_BROKEN }, { "CreateContainerError", POD_BROKEN },
	{ "RunContainerError", POD_BROKEN },
	{ "CreateContainerConfigError", POD_BROKEN }, { "StartError", POD_BROKEN },
	{ "OOMKilled", POD_KILLED }, { "Evicted", POD_KILLED },
};

struct pod {
	const struct dump_part *part;
	struct dump_line *line;
	unsigned table;
	size_t stack;			/* of stack_pods; ARRAY_SIZE: another */
	const char *name, *status;	/* in the line */
	size_t name_len, status_len;
	const char *space, *node;	/* its namespace and its node, in the line */
	size_t space_len, node_len;	/* 0: not told */
	enum state state;
	bool is_ready;			/* all of its containers */
	uint64_t restarts, age_s;
	uint64_t restarted_s;		/* ago; 0: not told */
};

struct pods {
	struct pod *v;
	size_t nr;
};

/* ---- a row */

/* "0/1", of which *ret_is_ready: both are the same. */
static bool is_ready_column(const char *word, size_t len, bool *ret_is_ready)
{
	size_t ready = strspn(word, "0123456789"), all;

	if (!ready || ready >= len || word[ready] != '/')
		return false;
	all = strspn(word + ready + 1, "0123456789");
	*ret_is_ready = ready == all && !strncmp(word, word + ready + 1, all);
	return all && ready + 1 + all == len;
}

static enum state state_of(const char *status, size_t len)
{
	static const char init[] = "Init:";
	bool is_init = len > strlen(init) && text_begins(status, init);
	bool is_ready;

	if (is_init) {
		status += strlen(init);
		len -= strlen(init);
		if (is_ready_column(status, len, &is_ready))
			return POD_WAITS;
	}
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++) {
		const char *word = statuses[i].status;
		size_t word_len = strlen(word);

		if (!strncmp(status, word, word_len) && (word[word_len - 1] == ':' ? len > word_len : len == word_len))
			return statuses[i].state;
	}
	return POD_UNKNOWN;
}

static bool is_pod_name(const char *word, size_t len)
{
	return len && strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789-./") >= len &&
	       is_letter_or_digit(word[len - 1]);
}

/* Namespaces in which the GPU stack is installed, and nobody's own pods are. */
static bool is_space_of_stack(const char *space, size_t len)
{
	static const char *const spaces[] = { "gpu-operator", "gpu-operator-resources", "nvidia-gpu-operator",
					      "nvidia-device-plugin", "nvidia-network-operator", "network-operator",
					      "kube-amd-gpu", "amd-gpu-operator", "inteldeviceplugins-system",
					      "kube-system", "nvidia", "dcgm-exporter" };

	return len && text_word_is_any(space, len, spaces, ARRAY_SIZE(spaces));
}

/* What stands before the name of the stack's own, with its dash: releases as the manuals of their charts call them. */
static bool is_release(const char *name, size_t len)
{
	static const char *const releases[] = { "nvdp-", "nvgfd-", "gfd-", "nvidia-", "release-name-", "gpu-",
						"nvidia-gpu-", "amd-gpu-", "intel-", "prometheus-" };

	return !len || text_word_is_any(name, len, releases, ARRAY_SIZE(releases));
}

/* "mofed-ubuntu22.04-": a driver's pod is built for a system. */
static bool is_for_system(const char *behind, size_t len)
{
	static const char *const systems[] = { "-ubuntu", "-rhcos", "-rhel", "-sles", "-centos", "-rocky", "-debian" };

	return len && text_begins_any(behind, systems, ARRAY_SIZE(systems));
}

/* The part of the stack whose name that is. */
static size_t stack_pod_of(const char *name, size_t len, bool is_in_its_space)
{
	size_t ret = 0;

	for (; ret < ARRAY_SIZE(stack_pods); ret++) {
		size_t part_len = strlen(stack_pods[ret].name);
		const char *at = memmem(name, len, stack_pods[ret].name, part_len);

		if (!at || (at != name && at[-1] != '-') || (at + part_len != name + len && at[part_len] != '-') ||
		    (!is_in_its_space && !is_release(name, (size_t)(at - name))))
			continue;
		if (strcmp(stack_pods[ret].name, "mofed") != 0 ||
		    is_for_system(at + part_len, len - (size_t)(at - name) - part_len))
			break;
	}
	return ret;
}

/* Of -o wide, behind the age: "10.69.0.201   gpu03", "<none>   gpu03". */
static void take_node(const char *at, struct pod *ret)
{
	size_t len;
	const char *word = scan_word(&at, &len);

	if (!kube_is_word(word, len, "<none>") &&
	    (strspn(word, "0123456789abcdef.:") != len || strcspn(word, ".:") >= len))
		return;
	word = scan_word(&at, &len);
	if (!is_letter_or_digit(*word))
		return;
	ret->node = word;
	ret->node_len = len;
}

/* Restarts, "12 (4m24s ago)", and the age. A line that was broken may lack either. */
static bool take_restarts(const char *at, struct pod *ret)
{
	const char *word;
	size_t len, digits;
	bool fits = true;

	word = scan_word(&at, &len);
	digits = strspn(word, "0123456789");
	if (!len)
		return ret->state == POD_BROKEN;
	if (digits != len || !scan_u64(&word, 10, &ret->restarts, &fits) || !fits)
		return false;
	word = scan_word(&at, &len);
	if (*word == '(' && len > 1) {
		ret->restarted_s = kube_duration_s(word + 1, len - 1);
		word = scan_word(&at, &len);
		if (len && strncmp(word, "ago)", len) != 0)
			return false;
		word = scan_word(&at, &len);
	}
	ret->age_s = kube_duration_s(word, len);
	take_node(at, ret);
	return !len || ret->age_s || *word == '0' || *word == '<';
}

/* The name stands before what is ready, as kubectl get all has it with its kind: "pod/gpu-operator-x". */
static bool take_name(const char *text, const char *end, struct pod *ret)
{
	static const char kind[] = "pod/";
	const char *word, *at = text;
	size_t len;
	int nr = 0;

	while ((word = scan_word(&at, &len)) < end && ++nr <= 2) {
		ret->space = ret->name;
		ret->space_len = ret->name_len;
		ret->name = word;
		ret->name_len = len;
		if (!is_pod_name(word, len))
			return false;
	}
	if (nr && ret->name_len > strlen(kind) && text_begins(ret->name, kind)) {
		ret->name += strlen(kind);
		ret->name_len -= strlen(kind);
	}
	return nr == 1 || nr == 2;
}

static bool row_of(const char *text, struct pod *ret)
{
	const char *at = text, *word;
	size_t len;

	*ret = (struct pod){ .stack = ARRAY_SIZE(stack_pods) };
	for (int i = 0; i < 3; i++) {
		word = scan_word(&at, &len);
		if (!is_ready_column(word, len, &ret->is_ready))
			continue;
		if (!take_name(text, word, ret))
			return false;
		ret->status = scan_word(&at, &ret->status_len);
		ret->state = state_of(ret->status, ret->status_len);
		ret->stack = stack_pod_of(ret->name, ret->name_len, is_space_of_stack(ret->space, ret->space_len));
		return take_restarts(at, ret);
	}
	return false;
}

static bool is_head(const char *text)
{
	static const char *const columns[] = { "NAMESPACE", "NAME", "READY", "STATUS", "RESTARTS", "AGE" };

	return kube_has_columns(text, columns, ARRAY_SIZE(columns)) ||
	       kube_has_columns(text, columns + 1, ARRAY_SIZE(columns) - 1);
}

/* Of kubectl describe pod, "      Reason:       OOMKilled", and of a pod that was evicted. */
static const char *reason_in(const char *text)
{
	static const char *const reasons[] = { "OOMKilled", "Evicted" };
	const char *at = scan_behind(text, "Reason:");

	return at && text_is_any(at, reasons, ARRAY_SIZE(reasons)) ? at : NULL;
}

bool kube_pods_begin(const char *text)
{
	struct pod pod;

	return is_head(text) || (row_of(text, &pod) && pod.state != POD_UNKNOWN) || reason_in(text);
}

/* ---- what a pod's row says */

static bool restarts_often(const struct pod *pod)
{
	return pod->restarts >= MANY_RESTARTS && pod->age_s && pod->age_s / pod->restarts <= RESTART_S;
}

/* As it waits since its last restart, which an old kubectl does not tell: a node that was started waits, too. */
static bool waits_too_long(const struct pod *pod)
{
	uint64_t waits_s = pod->restarted_s && pod->restarted_s < pod->age_s ? pod->restarted_s : pod->age_s;

	if (pod->age_s < STUCK_S)
		return false;
	return restarts_often(pod) || (waits_s >= STUCK_S && (!pod->restarts || pod->restarted_s));
}

static bool is_ended_early(const struct pod *pod)
{
	return pod->age_s < FIRST_S && pod->restarts < 2;
}

/* What is not there will not be in a minute. */
static bool is_of_image(const struct pod *pod)
{
	return memmem(pod->status, pod->status_len, "Image", strlen("Image"));
}

/* How long its containers run by now; 0: not told. */
static uint64_t runs_s(const struct pod *pod)
{
	return pod->restarted_s ? pod->restarted_s : pod->restarts ? 0 : pod->age_s;
}

/* Where either node is not told it may be. */
static bool is_on_node_of(const struct pod *pod, const struct pod *other)
{
	return !pod->node_len || !other->node_len ||
	       (pod->node_len == other->node_len && !memcmp(pod->node, other->node, pod->node_len));
}

/*
 * A task that is made anew while all that it waits for has run for long on its node: nothing is being installed or
 * started.
 */
static bool is_of_settled_stack(const struct pods *pods, const struct pod *pod)
{
	size_t nr = 0;

	if (stack_pods[pod->stack].how != ONCE)
		return false;
	for (const struct pod *other = pods->v; other < pods->v + pods->nr; other++) {
		if (other->table != pod->table || other->stack == ARRAY_SIZE(stack_pods) ||
		    stack_pods[other->stack].how != STAYS || !is_on_node_of(pod, other))
			continue;
		if (other->state != POD_WELL || !other->is_ready || runs_s(other) < STUCK_S)
			return false;
		nr++;
	}
	return nr > 0;
}

static bool is_bad(const struct pods *pods, const struct pod *pod)
{
	const bool may_pass = is_ended_early(pod) && !is_of_settled_stack(pods, pod);

	switch (pod->state) {
	case POD_BROKEN:
		return is_of_image(pod) || !pod->age_s || !may_pass;
	case POD_FAILED: case POD_KILLED:
		return !may_pass;
	case POD_WAITS:
		return waits_too_long(pod);
	case POD_WELL:
		return !pod->is_ready && !strncmp(pod->status, "Running", pod->status_len) && waits_too_long(pod);
	case POD_UNKNOWN:
		break;
	}
	return false;
}

/* Who failed is told before who waits, and the driver before those that wait for it. */
static bool is_worse(const struct pod *pod, const struct pod *than)
{
	bool fails = pod->state > POD_WAITS, than_fails = than->state > POD_WAITS;

	return fails != than_fails ? fails : pod->stack < than->stack;
}

/* ---- all of them */

/* What was broken off its row: "     3d22h". */
static bool take_age(struct dump_line *line, struct pod *pod)
{
	const char *text = line->text, *word;
	size_t len;
	uint64_t age_s;

	word = scan_word(&text, &len);
	age_s = kube_duration_s(word, len);
	if (!age_s || pod->age_s || !scan_end(text))
		return false;
	pod->age_s = age_s;
	line->is_taken = true;
	return true;
}

/* An empty line, or "...": people's sentences are longer. */
static bool is_short(const char *text)
{
	size_t len = 1;
	int nr = -1;

	for (; len; nr++)
		scan_word(&text, &len);
	return nr < 3;
}

static void add_pods(struct reading *reading, const struct dump_part *part, struct pods *pods, unsigned *table)
{
	bool is_in_table = false;

	for (size_t i = 0; i < part->nr_lines && pods->nr < MOST_PODS; i++) {
		struct dump_line *line = &part->lines[i];
		struct pod pod;

		if (is_head(line->text)) {
			line->is_taken = is_in_table = true;
			++*table;
		} else if (row_of(line->text, &pod) && (is_in_table || pod.state != POD_UNKNOWN)) {
			*table += !is_in_table;
			line->is_taken = is_in_table = true;
			if (node_is_of_others(reading, pod.node, pod.node_len))
				continue;
			pod.part = part;
			pod.line = line;
			pod.table = *table;
			pods->v = arena_grow(reading->arena, pods->v, pods->nr, sizeof(*pods->v));
			pods->v[pods->nr++] = pod;
		} else if (is_in_table && !(pods->nr && take_age(line, &pods->v[pods->nr - 1]))) {
			is_in_table = is_short(line->text);
		}
	}
}

/*
 * Of the part of the stack that it is of nothing newer is told: no other table, and of itself nothing as it was
 * watched.
 */
static bool is_newest(const struct pods *pods, const struct pod *pod, const unsigned *last_table)
{
	if (last_table[pod->stack] != pod->table)
		return false;
	for (const struct pod *later = pod + 1; later < pods->v + pods->nr; later++)
		if (later->name_len == pod->name_len && !strncmp(later->name, pod->name, pod->name_len))
			return false;
	return true;
}

/* Where no node is told, the one that did it since may be another: the one that failed would have tried again, too. */
static bool is_done_since(const struct pod *pod, const struct pod *other)
{
	const bool are_told = pod->node_len && other->node_len;

	if (!kube_is_word(other->status, other->status_len, "Completed") || other->age_s >= pod->age_s)
		return false;
	if (are_told)
		return pod->node_len == other->node_len && !strncmp(pod->node, other->node, pod->node_len);
	return pod->age_s - other->age_s >= NEXT_TASK_S;
}

/* Of a deployment a new pod took the place of the one that ended; a task was done since. */
static bool is_replaced(const struct pods *pods, const struct pod *pod)
{
	const bool is_once = stack_pods[pod->stack].how == ONCE;

	if (stack_pods[pod->stack].how == STAYS || pod->state < POD_FAILED || pod->state == POD_BROKEN)
		return false;
	for (const struct pod *other = pods->v; other < pods->v + pods->nr; other++)
		if (other->stack == pod->stack && other->table == pod->table &&
		    (is_once ? is_done_since(pod, other) : other->state == POD_WELL && other->is_ready))
			return true;
	return false;
}

static const char *told_of(struct arena *arena, const struct pod *pod, uint64_t nr)
{
	const char *row =
		arena_printf(arena, "%.*s %.*s", (int)pod->name_len, pod->name, (int)pod->status_len, pod->status);
	const char *more = nr > 1 ? arena_printf(arena, " and %llu more", (unsigned long long)(nr - 1)) : "";

	return arena_printf(arena, "%.*s%s", MOST_TOLD, row, more);
}

static void put_pod(struct reading *reading, const struct pod *pod, const char *key, const char *name, uint64_t nr)
{
	struct program_error *to = list_element(reading->arena, reading->snapshot, program_errors, program_error, key);
	struct reading of = *reading;

	of.part = pod->part;
	put(&of, pod->line, to->words,
	    val_str(arena_printf(reading->arena, "%s%s%.*s", name, *name ? " " : "", (int)pod->status_len,
				 pod->status)));
	put(&of, pod->line, to->line, val_str(told_of(reading->arena, pod, nr)));
	put(&of, pod->line, to->lines, val_u64(nr));
}

static void put_stack(struct reading *reading, const struct pods *pods)
{
	unsigned last_table[ARRAY_SIZE(stack_pods)] = { 0 };
	const struct pod *worst = NULL;
	uint64_t nr = 0;

	for (size_t i = 0; i < pods->nr; i++)
		if (pods->v[i].stack < ARRAY_SIZE(stack_pods))
			last_table[pods->v[i].stack] = pods->v[i].table;
	for (size_t i = 0; i < pods->nr; i++) {
		const struct pod *pod = &pods->v[i];

		if (pod->stack == ARRAY_SIZE(stack_pods) || !is_bad(pods, pod) || !is_newest(pods, pod, last_table) ||
		    is_replaced(pods, pod))
			continue;
		worst = !worst || is_worse(pod, worst) ? pod : worst;
		nr++;
	}
	if (worst)
		put_pod(reading, worst, "gpu-pod", stack_pods[worst->stack].name, nr);
}

static void put_killed(struct reading *reading, const struct pods *pods)
{
	const struct pod *first = NULL;
	uint64_t nr = 0;

	for (size_t i = 0; i < pods->nr; i++) {
		const struct pod *pod = &pods->v[i];

		if (pod->state != POD_KILLED || pod->stack < ARRAY_SIZE(stack_pods))
			continue;
		first = first ? first : pod;
		nr++;
	}
	if (first)
		put_pod(reading, first, "pod-killed", "", nr);
}

static void put_reasons(struct reading *reading, const struct dump_part *part)
{
	for (size_t i = 0; i < part->nr_lines; i++) {
		const char *reason = reason_in(part->lines[i].text);
		struct reading of = *reading;

		of.part = part;
		if (reason)
			program_error_put(&of, &part->lines[i], "pod-killed", reason, NULL);
	}
}

bool kube_pods_is_broken(const char *status, size_t len)
{
	return state_of(status, len) == POD_BROKEN;
}

const char *kube_pods_stack_name(const char *text)
{
	size_t stack = ARRAY_SIZE(stack_pods);

	for (size_t len; *text && stack == ARRAY_SIZE(stack_pods); text += len) {
		text += strcspn(text, "abcdefghijklmnopqrstuvwxyz0123456789");
		len = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-.");
		stack = stack_pod_of(text, len, false);
	}
	return stack < ARRAY_SIZE(stack_pods) ? stack_pods[stack].name : NULL;
}

static bool has_stack(const struct pods *pods)
{
	for (size_t i = 0; i < pods->nr; i++)
		if (pods->v[i].stack < ARRAY_SIZE(stack_pods))
			return true;
	return false;
}

bool kube_pods_read(struct reading *reading)
{
	struct pods pods = { .nr = 0 };
	unsigned table = 0;

	for (const struct dump_part *part = NULL; (part = reading_next_part(reading, part)); ) {
		add_pods(reading, part, &pods, &table);
		/* The same pod may be in a table: it is one. */
		if (!pods.nr)
			put_reasons(reading, part);
	}
	put_stack(reading, &pods);
	put_killed(reading, &pods);
	return has_stack(&pods);
}
