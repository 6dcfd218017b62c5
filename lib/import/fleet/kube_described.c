// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/fleet/kube_described.h"
#include "import/fleet/kube_pods.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { MOST_TOLD = 120 };	/* characters of a pod's name */

struct pod {
	const char *name;	/* NULL: none of the stack's */
	const char *stack;
	bool is_waiting;	/* its container is, by the line above */
	bool is_told;
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

static void put_pod(struct reading *reading, struct dump_line *line, const struct pod *pod, const char *reason)
{
	struct program_error *to = list_element(reading->arena, reading->snapshot, program_errors, program_error, "gpu-pod");

	if (to->words.state == VAL_UNSET) {
		put(reading, line, to->words, val_str(arena_printf(reading->arena, "%s %s", pod->stack, reason)));
		put(reading, line, to->line, val_str(arena_printf(reading->arena, "%.*s %s", MOST_TOLD, pod->name, reason)));
	}
	put(reading, line, to->lines, val_u64(u64_or(to->lines, 0) + 1));
}

/* Several containers may fail: the pod is one. */
static void read_line(struct reading *reading, struct dump_line *line, struct pod *pod)
{
	const char *state = scan_behind(line->text, "State:"), *reason = broken_in(line->text);

	if (scan_behind(line->text, "Name:")) {
		const char *name = name_in(line->text);

		*pod = (struct pod){ .name = name, .stack = name ? kube_pods_stack_name(name) : NULL };
		line->is_taken |= name != NULL;
	} else if (state) {
		pod->is_waiting = text_begins(state, "Waiting");
	} else if (reason && pod->name && pod->is_waiting && !pod->is_told) {
		put_pod(reading, line, pod, reason);
		pod->is_told = true;
	} else if (*line->text) {
		pod->is_waiting = false;
	}
}

void kube_described_read(struct reading *reading)
{
	struct pod pod = { .name = NULL };

	for (const struct dump_part *part = NULL; (part = reading_next_part(reading, part)); ) {
		struct reading of = *reading;

		of.part = part;
		for (size_t i = 0; i < part->nr_lines; i++)
			read_line(&of, &part->lines[i], &pod);
	}
}
