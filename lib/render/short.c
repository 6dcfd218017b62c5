// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * short.c - one line of 80 bytes at most, for places that cut what is longer: the message of a node's condition, the
 * reason of a drained node.
 *
 * "GPU 3 pcie-width.below-twins: runs its PCIe link at x8 of x16, its twins at x16". What stands before the colon is
 * the same as long as the fault is: the rest may hold figures that change.
 */
#include "base/compat.h"
#include "eval/causes/causes.h"
#include "eval/judge/subject.h"
#include "render/formats.h"
#include "render/phrases.h"

/* As node-problem-detector's max_output_length is by default; in bytes, so that ASCII alone is whole. */
enum { LONGEST = 80 };
static const char cut_mark[] = "...";

/* What the group's sentence says of its subjects, after the names: "GPU 3 (0000:5d:00.0) runs x8." says "runs x8.". */
static const char *without_label(const char *sentence, const char *label)
{
	size_t len = strlen(label);

	if (!len || strncmp(sentence, label, len) != 0)
		return sentence;
	return sentence + len + (sentence[len] == ' ');
}

static void put_finding(struct strbuf *out, struct arena *arena, const struct report *report)
{
	const struct finding *cause = first_cause_of(report->groups[0].first);
	const struct group *group = group_of(report, cause);
	const char *label = group->nr > 1 ? group->subjects : subject_label(arena, &group->first->subject);

	if (*label)
		strbuf_addf(out, "%s ", group->subjects);
	strbuf_addf(out, "%s: %s", group->first->def->name, without_label(group->sentence, label));
}

/* Between words, where the last one is not most of the line. */
static void cut(struct strbuf *line)
{
	size_t len = LONGEST - strlen(cut_mark);

	if (line->len <= LONGEST)
		return;
	for (size_t i = len; i > len / 2; i--) {
		if (line->buf[i] == ' ') {
			len = i;
			break;
		}
	}
	while (len && strchr(" .,;:", line->buf[len - 1]))
		len--;
	strbuf_setlen(line, len);
	strbuf_addstr(line, cut_mark);
}

void render_short(struct strbuf *out, const struct report *report, const struct render_options *options)
{
	STRBUF_AUTO text = STRBUF_INIT, line = STRBUF_INIT;
	struct arena arena = { 0 };

	(void)options;
	if (report->gate)
		strbuf_addf(&text, "%s: %s", gate_word_name(report->gate->word), report->gate->reason);
	else if ((report->verdict == VERDICT_FAIL || report->verdict == VERDICT_WARN) && report->nr_groups)
		put_finding(&text, &arena, report);
	else
		strbuf_addstr(&text, report->headline);
	render_clean(&line, text.buf, true);
	while (line.len && line.buf[line.len - 1] == '.')
		strbuf_setlen(&line, line.len - 1);
	cut(&line);
	strbuf_addf(out, "%s\n", line.buf);
	arena_release(&arena);
}
