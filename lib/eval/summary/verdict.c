// SPDX-License-Identifier: GPL-2.0-or-later
/* verdict.c - the verdict on a node, and the one sentence. */
#include "base/compat.h"
#include "base/text.h"
#include "eval/causes/causes.h"
#include "eval/facts/sources.h"
#include "eval/summary/exit_status.h"
#include "eval/summary/summary.h"
#include "eval/summary/unknown_groups.h"
#include "snapshot/node.h"
#include "snapshot/under_test.h"

static void count(struct report *report, bool *required_unknown)
{
	for (size_t i = 0; i < report->nr_results; i++) {
		const struct result *result = &report->results[i];

		report->nr_checks++;
		report->nr_skipped += result->outcome == OUTCOME_SKIP;
		report->nr_unknown += result_has_unknown(result);
		*required_unknown |= result_is_open(result);
	}
}

static size_t nr_judged(const struct report *report)
{
	size_t nr = 0;

	for (size_t i = 0; i < report->nr_results; i++)
		nr += result_is_judged(report, &report->results[i]);
	return nr;
}

static size_t nr_gpus_asleep(const struct report *report)
{
	size_t nr = 0;

	for (size_t i = 0; i < report->nr_gpus; i++)
		nr += report->gpus[i].asleep;
	return nr;
}

/* There are GPUs to judge, and every one slept. */
bool report_all_slept(const struct report *report)
{
	size_t nr_asleep = nr_gpus_asleep(report);

	return nr_asleep && nr_asleep == gpus_selected(report->snapshot);
}

/*
 * A run that judged nothing has not passed, and neither has one whose GPUs all
 * slept, healthy as the rest may be: that one's exit status says that nothing
 * is wrong. A known fault outweighs what is not known, which outweighs a
 * warning: as the exit status has it.
 */
static void decide_verdict(struct report *report, bool required_unknown)
{
	enum outcome worst = report->nr_findings ? report->findings[0]->outcome : OUTCOME_PASS;

	if (worst == OUTCOME_FAIL)
		report->verdict = VERDICT_FAIL;
	else if (required_unknown || !nr_judged(report))
		report->verdict = VERDICT_UNKNOWN;
	else if (worst == OUTCOME_WARN)
		report->verdict = VERDICT_WARN;
	else if (report_all_slept(report))
		report->verdict = VERDICT_UNKNOWN;
	report->exit_status = exit_status_by(report, &(struct exit_rules){ .style = EXIT_STYLE_DEFAULT });
}

/* What failed to answer goes before what cannot be known here. */
static const struct result *first_open(const struct report *report)
{
	const struct result *first = NULL;

	for (size_t i = 0; i < report->nr_results; i++) {
		if (report->results[i].failure)
			return &report->results[i];
		if (!first && result_is_open(&report->results[i]))
			first = &report->results[i];
	}
	return first;
}

/* "Not judged: vram-health of GPUs 0-7 (ECC enabled: failed: NVML_ERROR_UNKNOWN)." */
static const char *open_headline(struct report *report, const struct result *open)
{
	const char *subjects = unknown_group_subjects(&report->arena, report, (size_t)(open - report->results));
	bool is_node = open->subject.kind == SUBJECT_NODE || !*subjects;

	return arena_printf(&report->arena, "Not judged: %s%s%s (%s).", open->check->name, is_node ? "" : " of ",
			    is_node ? "" : subjects, unknown_group_reason(open));
}

static const struct group *group_with(const struct report *report, enum finding_id id)
{
	for (size_t i = 0; i < report->nr_groups; i++)
		if (report->groups[i].first->id == id)
			return &report->groups[i];
	return NULL;
}

/* What explains that work is slow on a node on which nothing is broken, or NULL. */
static const struct group *explanation(const struct report *report)
{
	static const enum finding_id ids[] = {
#define HEADLINE(id) id,
#include "eval/summary/headlines.def"
#undef HEADLINE
	};
	const struct group *group = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(ids) && !group; i++)
		group = group_with(report, ids[i]);
	return group;
}

/* No GPU, no trace of one, and whatever else is required was judged. */
static const struct group *lack_of_gpu(const struct report *report)
{
	const struct group *group = group_with(report, GPU_VISIBLE_NO_TRACE);

	for (size_t i = 0; group && i < report->nr_results; i++)
		if (result_is_open(&report->results[i]) && report->results[i].check != group->first->check)
			return NULL;
	return group;
}

static size_t nr_gpus_unanswered(const struct report *report)
{
	size_t nr = 0;

	for (size_t i = 0; i < report->nr_gpus; i++)
		nr += report->gpus[i].unanswered && !report->gpus[i].asleep &&
		      gpu_is_selected(report->snapshot, report->gpus[i].gpu);
	return nr;
}

/* ", 1 of them asleep and not judged, 2 of them not judged" */
static const char *unjudged_words(struct report *report)
{
	size_t nr_asleep = nr_gpus_asleep(report), nr_unanswered = nr_gpus_unanswered(report);
	STRBUF_AUTO text = STRBUF_INIT;

	if (nr_asleep)
		strbuf_addf(&text, ", %zu of them suspended and not judged", nr_asleep);
	if (nr_unanswered)
		strbuf_addf(&text, ", %zu of them not judged", nr_unanswered);
	return arena_strdup(&report->arena, text.buf);
}

static const char *asleep_headline(struct report *report)
{
	size_t nr = nr_gpus_asleep(report), judged = nr_judged(report);
	const char *who = nr == 1 ? "the GPU is" : arena_printf(&report->arena, "all %zu GPUs are", nr);

	return arena_printf(&report->arena, "Not judged: %s suspended (--wake checks %s); nothing else is broken, "
			    "%zu check%s passed.", who, nr == 1 ? "it" : "them", judged, judged == 1 ? "" : "s");
}

/* Errors that no rule judges: they stand in a note, and nothing of them is known to be well. */
static bool is_of_unjudged(const struct import_source *source)
{
	static const char *const kinds[] = { "unlisted-error", "program-end", "quoted-error", "claim",
					     "likely-error", "error-beside" };

	return text_is_any(str_or(source->kind, ""), kinds, ARRAY_SIZE(kinds));
}

/* "nvidia-smi -q, kernel log": the kinds of dumps, each once. */
static const char *sources_words(struct report *report)
{
	const struct snapshot *snapshot = report->snapshot;
	STRBUF_AUTO text = STRBUF_INIT;

	for (size_t i = 0; i < snapshot->nr_sources; i++) {
		const char *title = str_or(snapshot->sources[i].title, "?");

		if (!source_is_section(snapshot, &snapshot->sources[i]) && !is_of_unjudged(&snapshot->sources[i]) &&
		    !strstr(text.buf, title))
			strbuf_addf(&text, "%s%s", text.len ? ", " : "", title);
	}
	return text.len ? arena_strdup(&report->arena, text.buf) : "what was read";
}

/* A dump without its end, an archive that breaks off, files beyond what is read: what is missing may hold the fault. */
static bool is_partly_read(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nr_sources; i++)
		if (bool_or(snapshot->sources[i].is_cut, false))
			return true;
	return snapshot->run.import_notes.nr;
}

/* What a program or service says that failed, though it decides nothing of the machine: no pass is told without it. */
static const char *noted_words(struct report *report)
{
	for (size_t i = 0; i < report->nr_groups; i++) {
		const struct finding *first = report->groups[i].first;

		if (!strcmp(first->check->name, "program-errors") && first->outcome == OUTCOME_NOTE)
			return arena_printf(&report->arena, " Noted: %s", report->groups[i].sentence);
	}
	return "";
}

static const char *imported_headline(struct report *report)
{
	size_t nr_gpus = gpus_selected(report->snapshot), judged = nr_judged(report);
	const char *gpus = nr_gpus ? arena_printf(&report->arena, "%zu GPU%s, ", nr_gpus, nr_gpus == 1 ? "" : "s") : "";
	const char *noted = noted_words(report);

	return arena_printf(&report->arena, "No fault %sin %s%s: %s%zu check%s passed.%s", *noted ? "of the node " : "",
			    is_partly_read(report->snapshot) ? "what was read of " : "", sources_words(report), gpus,
			    judged, judged == 1 ? "" : "s", noted);
}

/* What was looked at, for a node on which nothing is broken. */
static const char *healthy_headline(struct report *report)
{
	size_t nr_gpus = gpus_selected(report->snapshot);
	size_t judged = nr_judged(report);
	const struct group *slow = explanation(report);

	if (is_imported(report->snapshot) && !slow)
		return imported_headline(report);
	report->hindrance = slow ? slow->first : NULL;
	/* One GPU by its short name: its place stands in the finding. */
	if (slow && slow->nr == 1 && slow->first->subject.kind == SUBJECT_GPU)
		return arena_printf(&report->arena, "Nothing broken. %s %s.", slow->subjects, slow->first->title);
	if (slow)
		return arena_printf(&report->arena, "Nothing broken. %s", slow->sentence);
	if (nr_gpus)
		return arena_printf(
			&report->arena, "%s: %zu GPU%s%s, %zu check%s passed.",
			nr_gpus_unanswered(report) ? "No fault in what could be read" : "Nothing broken found", nr_gpus,
			nr_gpus == 1 ? "" : "s", unjudged_words(report), judged, judged == 1 ? "" : "s");
	if (str_is(report->snapshot->host.virtualisation, "wsl"))
		return arena_printf(&report->arena,
				    "Nothing broken found: no GPU is judged under WSL, %zu check%s passed.", judged,
				    judged == 1 ? "" : "s");
	if (gpus_of_role(report->snapshot, GPU_ROLE_NOT_OURS))
		return arena_printf(&report->arena,
				    "Nothing broken found: none of the node's %zu GPU%s is assigned to this %s, "
				    "%zu check%s passed.",
				    gpus_of_role(report->snapshot, GPU_ROLE_NOT_OURS),
				    gpus_of_role(report->snapshot, GPU_ROLE_NOT_OURS) == 1 ? "" : "s",
				    is_in_container(report->snapshot) ? "container" : "control group", judged,
				    judged == 1 ? "" : "s");
	return arena_printf(&report->arena, "Nothing broken found: no GPU here, %zu check%s passed.", judged,
			    judged == 1 ? "" : "s");
}

/* "No single cause: GPU 3 computes at …; it may be: GPU 3 is limited to 500 W …; GPU 3 is slowed for heat …." */
static const char *no_single_cause(struct report *report, const struct finding *effect)
{
	const char *sentence = group_of(report, effect)->sentence;
	STRBUF_AUTO text = STRBUF_INIT;

	strbuf_addf(&text, "No single cause: %.*s. Possible:", (int)(strlen(sentence) - 1), sentence);
	for (size_t i = 0; i < effect->nr_possible; i++) {
		const struct finding *cause = effect->possible[i];

		strbuf_addstr(&text, i ? "; " : " ");
		if (cause->subject.kind != SUBJECT_NODE)
			strbuf_addf(&text, "%s ", cause->subject.name);
		strbuf_addstr(&text, cause->title);
	}
	strbuf_addch(&text, '.');
	return arena_strdup(&report->arena, text.buf);
}

/* The worst finding; where faults explain it, the first of them, which is what has to be repaired. */
static const char *worst_sentence(struct report *report)
{
	const struct finding *cause = first_cause_of(report->groups[0].first);
	const struct finding *open = cause->nr_possible ? cause : NULL;

	/* Nothing failed: what several warnings may explain says more than the first of them. */
	for (size_t i = 0; !open && cause->outcome == OUTCOME_WARN && i < report->nr_findings; i++)
		if (report->findings[i]->outcome >= OUTCOME_WARN && report->findings[i]->nr_possible)
			open = report->findings[i];
	report->open = open;
	return open ? no_single_cause(report, open) : group_of(report, cause)->sentence;
}

/* What a note says of a GPU counts before what it says of the node, and last what may be of any device. */
static int weight_of_note(const struct group *group)
{
	if (group->first->id == KLOG_ERRORS_OTHER_DEVICE)
		return 1;
	return group->first->subject.address ? 3 : 2;
}

/* No check came to its end, as of a few lines of a log: what they tell, if they do. */
static const char *unjudged_headline(struct report *report)
{
	const struct group *best = NULL;

	for (size_t i = 0; is_imported(report->snapshot) && i < report->nr_groups; i++)
		if (!best || weight_of_note(&report->groups[i]) > weight_of_note(best))
			best = &report->groups[i];
	return best ? arena_printf(&report->arena, "%s Nothing else was judged.", best->sentence) :
		      "Nothing was judged.";
}

static void decide_headline(struct report *report)
{
	const struct result *open;
	const struct group *lack;

	switch (report->verdict) {
	case VERDICT_FAIL:
	case VERDICT_WARN:
		report->headline = worst_sentence(report);
		break;
	case VERDICT_UNKNOWN:
		open = first_open(report);
		lack = lack_of_gpu(report);
		if (lack) {
			report->no_gpu = lack->first;
			report->headline = lack->sentence;
			break;
		}
		if (!open) {
			report->headline = nr_judged(report) ? asleep_headline(report) : unjudged_headline(report);
			break;
		}
		report->headline = open_headline(report, open);
		break;
	case VERDICT_PASS:
		report->headline = healthy_headline(report);
		break;
	}
	if (report->maintenance)
		report->headline = arena_printf(&report->arena, "Maintenance under way: %s. %s",
						report->maintenance->title, report->headline);
}

void report_judge_node(struct report *report)
{
	bool required_unknown = false;

	count(report, &required_unknown);
	decide_verdict(report, required_unknown);
	decide_headline(report);
}
