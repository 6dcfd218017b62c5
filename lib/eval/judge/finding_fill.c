// SPDX-License-Identifier: GPL-2.0-or-later
/* finding_fill.c - what every finding gets: its steps and its key. */
#include "base/compat.h"
#include "base/fnv.h"
#include "eval/judge/judging.h"
#include "eval/judge/subject.h"
#include "eval/judge/template.h"

/* A step whose places cannot all be filled is none: NULL. */
static bool fill_step(struct arena *arena, const struct step_def *def, const struct template_context *context,
		      struct step *ret)
{
	struct template_context command = *context;
	unsigned unfilled = 0;

	command.is_command = true;
	ret->text = template_text(arena, def->text, context, &unfilled);
	ret->command = def->command ? template_text(arena, def->command, &command, &unfilled) : NULL;
	ret->disruptive = def->disruptive;
	ret->after_change = def->after_change;
	ret->expect = def->expect ? template_text(arena, def->expect, context, &unfilled) : NULL;
	return !unfilled;
}

/* What only looks or sets comes before what stops work; else the order of steps.def stays. */
static void safest_first(struct step *steps, size_t nr)
{
	for (size_t i = 1; i < nr; i++) {
		struct step step = steps[i];
		size_t at = i;

		for (; at && steps[at - 1].disruptive && !step.disruptive; at--)
			steps[at] = steps[at - 1];
		steps[at] = step;
	}
}

static bool has_step(const struct step *steps, size_t nr, const char *text)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(steps[i].text, text))
			return true;
	return false;
}

void finding_fill_steps(struct arena *arena, struct finding *finding)
{
	struct template_context context = { .subject = &finding->subject, .evidence = finding->evidence };
	struct step *steps = NULL;
	size_t nr = 0;

	/* The finding's own first; those of its action only where it has none. */
	for (int own = 1; own >= 0 && !nr; own--) {
		for (size_t i = 0; i < nr_step_defs; i++) {
			const struct step_def *def = &step_defs[i];
			struct step step;

			if (!step_is_for(def, finding->id, own) || !fill_step(arena, def, &context, &step) ||
			    has_step(steps, nr, step.text))
				continue;
			steps = arena_grow(arena, steps, nr, sizeof(*steps));
			steps[nr++] = step;
		}
	}
	safest_first(steps, nr);
	finding->steps = steps;
	finding->nr_steps = nr;
}

void finding_fill_key(const struct snapshot *snapshot, struct finding *finding, const char *which)
{
	/*
	 * A card keeps its ticket when it moves to another slot, where its serial number is known. Its UUID would
	 * not do: the driver has it only once the GPU was opened.
	 */
	/* The host's name and not its serial number, which only root can read: the key is the same for both. */
	const char *machine = str_or(snapshot->host.name, "");
	const struct subject *subject = &finding->subject;
	const char *thing = subject->address ? subject->address : subject->name;
	uint64_t hash = FNV_START;

	hash = fnv_text(hash, machine);
	hash = fnv_text(hash, subject->gpu ? str_or(gpu_serial(subject->gpu), thing) : thing);
	hash = fnv_text(hash, finding->def->name);
	if (which)
		hash = fnv_text(hash, which);
	snprintf(finding->key, sizeof(finding->key), "%016llx", (unsigned long long)hash);
}
