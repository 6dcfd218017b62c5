// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/words/claim.h"

#include "base/text.h"
#include "import/words/sentence.h"

enum { MOST_CHARACTERS = 1000 };	/* of a line: what has more is no sentence */

/* Who says that there was none, who explains, asks, or tells what would be, claims nothing. */
bool claim_is_made(const struct span *sentence, const char *at, const char *behind)
{
	static const char *const before[] = {
		"no ", "not ", "n't", "never", "without", "none", "zero", "neither", "nor ", "kein", "nicht",
		"ohne", "sin ", "sem ", "aucun", "нет", "没", "未", "无", "無", "不", "ない", "없",
		"if ", "when ", "whether ", "in case", "e.g.", "example", "instance", "such as", "like ",
		"may ", "might ", "could ", "would ", "can ", "should ", "will ", "shall ", "must ", "see also",
		"see the",
		"unlike", "instead of", "rather than", "ignor", "skip", "exclud", "filter", "handle", "inject",
		"simulat", "grep", "regex", "pattern", "alert", "monitor", "detects", "usually", "typically",
		"fix", "prevent", "avoid", "check", "often", "similar", "wenn ",
		", falls ", "falls ein ", "falls der ", "falls die ", "如果", "例如", "可能", "もし", "만약", "si ", "если",
	};
	static const char *const after[] = {
		"means", "mean ", "indicates", "indicate ", "usually", "typically", "refers to", "stands for",
		"documentation", "is defined", "是指", "表示",
	};

	return *sentence->end != '?' && !text_begins(sentence->end, "？") &&
	       !sentence_has_any((struct span){ sentence->at, at }, before, ARRAY_SIZE(before)) &&
	       !sentence_has_any((struct span){ behind, sentence->end }, after, ARRAY_SIZE(after));
}

/* A kernel's own line or a program's is nobody's words, nor is a row of a table, a heading, or source. */
bool claim_is_prose(const char *text)
{
	static const char *const others[] = { "NVRM", "Xid (PCI", "RTL8", "r8169", "://", "SXid", "grep ", "==", "();",
					      "\",", " = ", "=>", "{", "}" };
	const char *first = past_blanks(text);

	return *first && strnlen(text, MOST_CHARACTERS + 1) <= MOST_CHARACTERS && !strchr("|#{}[<$/\"'", *first) &&
	       !text_has_any(text, others, ARRAY_SIZE(others));
}
