// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/words/fault_claim.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/dump/error_put.h"
#include "import/words/claim.h"
#include "import/words/sentence.h"

enum { MOST_SAID = 160 };	/* characters of a sentence that are kept */

#define GPUS "GPU|GPUs|graphics card|video card|显卡|H100|H200|A100|V100|B200|MI250|MI300X"
#define TOOLS "nvidia-smi|rocm-smi|amd-smi|xpu-smi|dcgmi|nv-hostengine|hostengine|nvidia-persistenced|fabricmanager"

/* What is told to have happened; `with` must stand in the sentence too, one of several between bars. */
static const struct { const char *words, *with; } faults[] = {
	{ "fell off the bus", "GPU|GPUs|card|cards" },
	{ "fallen off the bus", "GPU|GPUs|card|cards" },
	{ "dropped off the bus", "GPU|GPUs|card|cards" },
	{ "GPU is lost", "nvidia-smi|NVML|exited|said|says|printed|reported" },
	{ "Data Link Protocol Error", "crash|hang|reboot|requester" },
	{ "VIDEO_TDR_FAILURE", "bugcheck|BSOD|blue screen|stopped|crash" },
	{ "engine resets", "we |our |I |saw |seen |get |got |reported " },
	{ "hangs", TOOLS "|" GPUS }, { "hung", TOOLS "|" GPUS }, { "is hanging", TOOLS "|" GPUS },
	{ "are hanging", TOOLS "|" GPUS },
	{ "stops responding", TOOLS "|" GPUS }, { "stopped responding", TOOLS "|" GPUS },
	{ "unresponsive", TOOLS "|" GPUS },
	{ "is not responding", TOOLS "|" GPUS }, { "never returns", TOOLS }, { "does not return", TOOLS },
	{ "disappeared", GPUS }, { "vanished", GPUS }, { "went missing", GPUS }, { "no longer detected", GPUS },
	{ "no longer visible", GPUS }, { "no longer shows up", GPUS }, { "not detected", GPUS },
	{ "dropped out", GPUS },
	{ "overheats", GPUS }, { "overheating", GPUS }, { "overheated", GPUS }, { "掉卡", GPUS "|节点|服务器" },
	{ "fails with error 802", "CUDA" }, { "failed with error 802", "CUDA" },
};

/* Who tells of GPUs as such, of a feature or of what was changed. */
static bool is_general(const struct span *sentence)
{
	static const char *const words[] = {
		"that fell", "that has", "that have", "which has", "which have", "any gpu", "every gpu", "each gpu",
		"must ",
		"add ", "adds ", "added", "support", "improve", "now ", "handle", "return", "raise", "detect when",
		"example",
		"treat", "resolved", "closes", "mark ", "marks ", "means", "refers to", "known as", "is expected",
	};

	return sentence_has_any(*sentence, words, ARRAY_SIZE(words));
}

/* "nodes crash, because the switch detects …": there was an effect, so it is no tool's feature. */
static bool is_effect(const struct span *sentence, const char *at)
{
	static const char *const words[] = { "crash", "hang", "reboot" };

	return sentence_has_any((struct span){ sentence->at, at }, words, ARRAY_SIZE(words)) &&
	       sentence_has_any((struct span){ sentence->at, at }, (const char *const[]){ "because " }, 1);
}

/* As text_has_word_of(), of a piece of a line and in either case. */
static bool has_word_of(const struct span *sentence, const char *with)
{
	char words[MOST_SAID];

	for (size_t len; *with; with += len + (with[len] == '|')) {
		const char *one = words;

		len = strcspn(with, "|");
		snprintf(words, sizeof(words), "%.*s", (int)len, with);
		if (sentence_has_any(*sentence, &one, 1))
			return true;
	}
	return false;
}

static bool is_claimed(const char *text, const char *at, size_t row, struct span *ret)
{
	const char *behind = at + strlen(faults[row].words);

	*ret = sentence_of(span_of(text), at);
	return has_word_of(ret, faults[row].with) && !is_general(ret) &&
	       (claim_is_made(ret, at, behind) || (is_effect(ret, at) && *ret->end != '?'));
}

/*
 * "# [Issue #209] nv-hostengine stops responding": a ticket's title. Headings further down are marked more than once.
 */
static const char *past_title_mark(const char *text)
{
	if (!text_begins(text, "# "))
		return text;
	text = past_blanks(text + 2);
	return *text == '[' && strchr(text, ']') ? past_blanks(strchr(text, ']') + 1) : text;
}

static const char *claim_in(const char *text, struct span *ret)
{
	size_t row;
	const char *at;

	text = past_title_mark(text);
	at = text_find_row(text, &faults[0].words, sizeof(*faults), ARRAY_SIZE(faults), true, &row);

	/* Of a table's rows cells may stand in lines of their own. */
	return at && claim_is_prose(text) && !strchr(text, '|') && is_claimed(text, at, row, ret) ? faults[row].words
												  : NULL;
}

const char *fault_claim_in(const char *text)
{
	struct span sentence;

	return claim_in(text, &sentence);
}

void fault_claim_read(struct reading *reading, struct dump_line *line)
{
	struct span sentence;
	const char *words = claim_in(line->text, &sentence);
	size_t len;

	if (!words)
		return;
	sentence.at += strspn(sentence.at, " -*>");
	len = span_len(sentence);
	program_error_put(reading, line, "said", words,
			  arena_strndup(reading->arena, sentence.at, len < MOST_SAID ? len : MOST_SAID));
}
