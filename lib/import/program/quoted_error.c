// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/program/quoted_error.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/dump/readers.h"
#include "import/program/error_lines.h"
#include "import/program/program_error.h"
#include "import/words/claim.h"
#include "import/words/sentence.h"
#include "klog/match.h"
#include "klog/prefilter.h"
#include "klog/words.h"

/* What stands before a line that is quoted: marks of lists and tables, quotation marks, tags, comments. */
static const char *past_marks(const char *text)
{
	text += strspn(text, " |>*#-+/\"'`({");
	while (*text == '<' && strchr(text, '>'))
		text = strchr(text, '>') + 1;
	return text + strspn(text, " \"'`");
}

static bool is_kernel_error(const char *text)
{
	struct klog_line_context context = { .now_us = 0 };
	struct klog_match match;
	struct klog_line line;
	const char *end = text + strlen(text);
	bool ret;

	if (klog_next_candidate(text, end) == end)
		return false;
	klog_line_parse(&context, span_of(past_marks(text)), &line);
	ret = klog_match(&line, &match) && match.role == KLOG_ROLE_EVENT && klog_rows[match.row].severity >= KLOG_ERROR;
	klog_line_context_release(&context);
	return ret;
}

/* What the vendors' tools begin with where they fail. */
static bool has_tools_error(const char *text)
{
	static const char *const words[] = {
		"initialize NVML: ", "Unable to determine the device handle",
		"couldn't communicate with the NVIDIA driver",
		"No devices were found", "ROCk module is NOT loaded", "Unable to open /dev/kfd", "GPU is lost",
		"Driver not initialized", "nvml error: ", "NVIDIA-SMI has failed", "library version mismatch",
		"Key was rejected by service",
	};

	return text_has_any(text, words, ARRAY_SIZE(words));
}

/* Who says that there was none, asks, or tells what would be, quotes no error that anybody had. */
static bool is_supposed(const char *text)
{
	static const char *const words[] = {
		"no ", "not ", "n't", "never", "without", "none", "zero", "if ", "when ", "whether ", "in case ",
		"what does",
		"wenn ", "falls ", "kein", "如果", "没有", "もし",
	};

	/* Behind a mark of a quotation stand the error's own words, as "driver not loaded". */
	const struct span said = { text, text + strcspn(text, "`") };

	/* A sentence may be a string in a list. */
	return (claim_is_prose(text) || *past_blanks(text) == '"') &&
	       (strchr(text, '?') || sentence_has_any(said, words, ARRAY_SIZE(words)));
}

/* Who looks for the words has not found them yet. */
static bool is_search(const char *text)
{
	static const char *const words[] = { "grep ", "grep -", "awk ", "journalctl -" };

	return text_has_any(text, words, ARRAY_SIZE(words));
}

bool quoted_error_is_in(const char *text)
{
	struct klog_named_error named;

	return (klog_names_error(span_of(text), &named) || program_error_names(text) || has_tools_error(text) ||
		is_kernel_error(text)) && !is_supposed(text) && !is_search(text);
}

bool quoted_error_is_at(const struct dump_part *part, size_t at)
{
	return quoted_error_is_in(part->lines[at].text);
}

void quoted_error_read(struct reading *reading)
{
	error_lines_read(reading, "quoted", "an error that the text quotes");
}

/* Nothing is made of what was left out. */
void left_out_read(struct reading *reading)
{
	(void)reading;
}
