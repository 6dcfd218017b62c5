// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/fleet/kube_described.h"
#include "import/dump/error_put.h"
#include "import/dump/whose_node.h"
#include "import/fleet/kube_pods.h"

#include "base/text.h"
#include "base/text_scan.h"

enum {
	MOST_TOLD = 120,	/* characters of a pod's name */
	MOST_PODS = 512,
};

struct pod {
	const char *name, *stack;	/* in the line */
	const struct dump_part *part;
	struct dump_line *line;		/* of the reason */
	const char *reason;		/* NULL: its containers run, or start */
	bool has_state;
	bool is_of_others;		/* it runs on another node */
};

struct pods {
	struct pod *v;
	size_t nr;
	bool is_open;		/* what stands here is of the last one */
	bool is_waiting;	/* its container is, by the line above */
};

/* The name of a pod of the stack, or NULL. */
static const char *name_in(const char *text)
{
	const char *name = scan_behind(text, "Name:");

	return name && *name && !strchr(name, ' ') && kube_pods_stack_name(name) ? name : NULL;
}

static const char *broken_in(const char *text)
{
	const char *reason = scan_behind(text, "Reason:");

	return reason && kube_pods_is_broken(reason, strlen(reason)) ? reason : NULL;
}

bool kube_described_begins(const char *text)
{
	return name_in(text) || broken_in(text);
}

static void begin_pod(struct reading *reading, struct dump_line *line, struct pods *pods)
{
	const char *name = name_in(line->text);

	pods->is_waiting = false;
	pods->is_open = name && pods->nr < MOST_PODS;
	line->is_taken |= name != NULL;
	if (!pods->is_open)
		return;
	pods->v = arena_grow(reading->arena, pods->v, pods->nr, sizeof(*pods->v));
	pods->v[pods->nr++] = (struct pod){ .name = name, .stack = kube_pods_stack_name(name) };
}

/* Several containers may fail: the pod is one. */
static void take_line(struct reading *reading, const struct dump_part *part, struct dump_line *line, struct pods *pods)
{
	struct pod *pod = &pods->v[pods->nr - 1];
	const char *state = scan_behind(line->text, "State:"), *reason = broken_in(line->text);
	const char *node = scan_behind(line->text, "Node:");

	if (node) {
		pod->is_of_others = node_is_of_others(reading, node, strcspn(node, "/ "));
	} else if (state) {
		pods->is_waiting = text_begins(state, "Waiting");
		pod->has_state = true;
	} else if (reason && pods->is_waiting && !pod->reason) {
		pod->part = part;
		pod->line = line;
		pod->reason = reason;
	} else if (*line->text && !reason) {
		pods->is_waiting = false;
	}
}

static bool is_told_again(const struct pods *pods, const struct pod *pod)
{
	for (const struct pod *later = pod + 1; later < pods->v + pods->nr; later++)
		if (later->has_state && !strcmp(later->name, pod->name))
			return true;
	return false;
}

static void put_pod(struct reading *reading, const struct pod *pod)
{
	struct reading of = *reading;

	of.part = pod->part;
	program_error_put(&of, pod->line, "gpu-pod", arena_printf(reading->arena, "%s %s", pod->stack, pod->reason),
			  arena_printf(reading->arena, "%.*s %s", MOST_TOLD, pod->name, pod->reason));
}

bool kube_described_read(struct reading *reading)
{
	struct pods pods = { .nr = 0 };
	bool ret = false;

	for (const struct dump_part *part = NULL; (part = reading_next_part(reading, part)); ) {
		/* A state in the next output is not that of a pod that was named in another. */
		pods.is_open = false;
		for (size_t i = 0; i < part->nr_lines; i++) {
			if (scan_behind(part->lines[i].text, "Name:"))
				begin_pod(reading, &part->lines[i], &pods);
			else if (pods.is_open)
				take_line(reading, part, &part->lines[i], &pods);
		}
	}
	for (size_t i = 0; i < pods.nr; i++) {
		const struct pod *pod = &pods.v[i];

		ret |= pod->has_state;
		if (pod->reason && !pod->is_of_others && !is_told_again(&pods, pod))
			put_pod(reading, pod);
	}
	return ret;
}
