// SPDX-License-Identifier: GPL-2.0-or-later
/* groups.c - the same finding on several GPUs is reported once. */
#include "base/compat.h"
#include "base/alloc.h"
#include "eval/judge/regrade.h"
#include "eval/judge/subject.h"
#include "eval/summary/summary.h"
#include "eval/judge/template.h"

/* What they say of one subject may differ, in the time it was, where what they say of several does not. */
static bool has_same_title(struct arena *arena, const struct finding *a, const struct finding *b)
{
	const struct finding *const both[] = { a, b };
	const char *titles[ARRAY_SIZE(both)];

	if (!strcmp(a->title, b->title))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(both); i++) {
		struct template_context context = {
			.subject = &both[i]->subject, .evidence = both[i]->evidence, .many = true,
		};
		unsigned unfilled = 0;

		titles[i] = template_text(arena, both[i]->def->title, &context, &unfilled);
	}
	return !strcmp(titles[0], titles[1]);
}

/* About a GPU: by a check of it or of an OpenCL device on it, or by what became of the worker that asked about it. */
static bool is_of_gpu(const struct finding *finding)
{
	switch (finding->id) {
	case PROBE_HEALTH_GPU_HANGS:
	case PROBE_HEALTH_GPU_STUCK:
	case PROBE_HEALTH_GPU_CRASHES:
		return finding->subject.gpu;
	default:
		return finding->subject.kind == SUBJECT_GPU ||
		       (finding->subject.kind == SUBJECT_OCL_DEVICE && finding->subject.gpu);
	}
}

/* In order; a GPU may be several OpenCL devices. Returns how many there are then. */
static size_t add_index(size_t *indexes, size_t nr, size_t index)
{
	size_t place = nr;

	while (place && indexes[place - 1] > index)
		place--;
	if (place && indexes[place - 1] == index)
		return nr;
	memmove(&indexes[place + 1], &indexes[place], (nr - place) * sizeof(*indexes));
	indexes[place] = index;
	return nr + 1;
}

/* By the same line of the policy, or by none. */
static bool graded_alike(const struct finding *a, const struct finding *b)
{
	return (a->regraded ? a->regraded->line : 0) == (b->regraded ? b->regraded->line : 0) && a->quiet == b->quiet &&
	       a->maintenance == b->maintenance;
}

static enum finding_id cause_id(const struct finding *finding)
{
	return finding->caused_by ? finding->caused_by->id : NO_FINDING;
}

/* Alike: the same finding of GPUs, with the same words, for the same cause. */
static bool belong_together(struct arena *arena, const struct finding *a, const struct finding *b)
{
	return a->id == b->id && a->outcome == b->outcome && graded_alike(a, b) && is_of_gpu(a) && is_of_gpu(b) &&
	       cause_id(a) == cause_id(b) && has_same_title(arena, a, b) && !strcmp(a->why, b->why);
}

static const char *group_sentence(struct arena *arena, const struct finding *finding, const char *subjects, bool many)
{
	struct template_context context = { .subject = &finding->subject, .evidence = finding->evidence, .many = many };
	const char *label = many ? subjects : subject_label(arena, &finding->subject);
	unsigned unfilled = 0;
	const char *title = template_text(arena, finding->def->title, &context, &unfilled);
	const char *grade = finding_grade_words(arena, finding);

	if (grade)
		return arena_printf(arena, "%s%s%s (%s).", label, *label ? " " : "", title, grade);
	return *label ? arena_printf(arena, "%s %s.", label, title) : arena_printf(arena, "%s.", title);
}

/* The findings that are being told: indexes has room for the GPUs of all, members for the places of all. */
struct grouping {
	struct report *report;
	struct finding **findings;
	size_t nr;
	bool *taken;
	size_t *indexes;
	size_t *members;
};

static struct group make_group(struct grouping *of, size_t first)
{
	struct arena *arena = &of->report->arena;
	const struct finding *finding = of->findings[first];
	struct group group = { .first = finding, .members = of->members };
	/* What is of no GPU stands alone: with thousands of disks, to compare each with all would take minutes. */
	size_t end = is_of_gpu(finding) ? of->nr : first + 1;

	for (size_t i = first; i < end; i++) {
		if (of->taken[i] || (i != first && !belong_together(arena, finding, of->findings[i])))
			continue;
		of->taken[i] = true;
		of->findings[i]->group = of->report->nr_groups;
		*of->members++ = i;
		group.nr_members++;
		group.nr = add_index(of->indexes, group.nr, of->findings[i]->subject.gpu_index);
	}
	group.subjects = group.nr > 1 ? gpu_ranges(arena, of->indexes, group.nr) : finding->subject.name;
	group.sentence = group_sentence(arena, finding, group.subjects, group.nr > 1);
	return group;
}

void report_group(struct report *report, struct finding **findings, size_t nr)
{
	struct group *groups = arena_alloc(&report->arena, nr * sizeof(*groups));
	struct grouping of = {
		.report = report, .findings = findings, .nr = nr, .taken = xcalloc(nr, sizeof(*of.taken)),
		.indexes = xcalloc(nr, sizeof(*of.indexes)),
		.members = arena_alloc(&report->arena, nr * sizeof(*of.members)),
	};

	for (size_t i = 0; i < nr; i++) {
		if (of.taken[i])
			continue;
		groups[report->nr_groups] = make_group(&of, i);
		report->nr_groups++;
	}
	report->groups = groups;
	free(of.taken);
	free(of.indexes);
}

const struct group *group_of(const struct report *report, const struct finding *finding)
{
	return &report->groups[finding->group];
}
