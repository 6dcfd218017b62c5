// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/program/likely_error.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/program/error_signs.h"
#include "import/program/error_weight.h"
#include "import/words/mention.h"
#include "import/words/sentence.h"
#include "klog/unlisted.h"

enum {
	FAILURE = 4,		/* signs of words in which nothing but a failure is told */
	LACK = 3,		/* of those that also stand where all is well */
	LEAST_SIGNS = 4,
};

/* Their beginnings, in any case of letters. */
static const struct { const char *text; unsigned signs; } words[] = {
	{ "fail", FAILURE }, { "error", FAILURE }, { "ERR!", FAILURE }, { "[ERR]", FAILURE }, { "fatal", FAILURE },
	{ "exception", FAILURE },
	{ "cannot ", FAILURE }, { "can't ", FAILURE }, { "can not ", FAILURE }, { "could not", FAILURE },
	{ "couldn't", FAILURE }, { "unable to", FAILURE }, { "abort", FAILURE }, { "crash", FAILURE },
	{ "panic", FAILURE }, { "segfault", FAILURE }, { "segmentation fault", FAILURE }, { "killed", FAILURE },
	{ "denied", FAILURE }, { "rejected", FAILURE }, { "refused", FAILURE }, { "refuses", FAILURE },
	{ "timed out", FAILURE }, { "timeout", LACK }, { "hung", FAILURE }, { "hang", LACK }, { "stuck", FAILURE },
	{ "frozen", FAILURE }, { "freezes", FAILURE }, { "black screen", FAILURE },
	{ "undefined reference", FAILURE }, { "undefined symbol", FAILURE }, { "unknown symbol", FAILURE },
	{ "unresolved", FAILURE }, { "unmet ", FAILURE }, { "has no attribute", FAILURE },
	{ "illegal", FAILURE }, { "invalid", FAILURE }, { "misaligned", FAILURE }, { "violat", FAILURE },
	{ "out of memory", FAILURE }, { "out of bounds", FAILURE }, { "out of range", FAILURE },
	{ "corrupted", FAILURE }, { "broken", FAILURE }, { "gibberish", FAILURE }, { "garbage", FAILURE },
	{ "wrong", LACK }, { "unexpected", LACK },
	{ "mismatch", FAILURE }, { "incompatible", FAILURE }, { "not compatible", FAILURE },
	{ "does not match", FAILURE }, { "do not match", FAILURE },
	{ "unusable", FAILURE }, { "not usable", FAILURE }, { "not responding", FAILURE }, { "not working", FAILURE },
	{ "doesn't work", FAILURE }, { "does not work", FAILURE }, { "not recognized", FAILURE },
	{ "not detected", FAILURE }, { "not found", FAILURE }, { "no such", FAILURE }, { "does not exist", FAILURE },
	{ "doesn't exist", FAILURE }, { "missing", FAILURE }, { "unavailable", LACK }, { "not available", LACK },
	{ "not initialized", FAILURE }, { "not loaded", FAILURE }, { "not permitted", FAILURE },
	{ "no gpu", FAILURE }, { "no device", FAILURE }, { "no cuda-capable", FAILURE }, { "no cuda device", FAILURE },
	{ "no cuda gpu", FAILURE }, { "no known gpu", FAILURE },
	{ "no usable", FAILURE }, { "no supported", FAILURE }, { "no suitable", FAILURE }, { "no compatible", FAILURE },
	{ "no kernel image", FAILURE }, { "no adapter", FAILURE }, { "no screens", FAILURE },
	{ "no longer", LACK }, { "lost", LACK }, { "expired", LACK }, { "terminated", LACK }, { "exited with", LACK },
	{ "exiting with", LACK }, { "received signal", LACK }, { "assert", LACK }, { "degraded", LACK },
	{ "unhealthy", FAILURE }, { "overheat", FAILURE },
};

/* What is no error by such words: levels of loggers below a warning, what is left out, what drivers lack. */
static bool is_known_harmless(const char *text)
{
	static const char *const known[] = {
		"[I] ", "[D] ", "(II)", "[Info]", "[info]", "info: ", "info:  ", "warn:  OpenVR", "level=debug",
		"Could not collect", "skipped, unmet condition", "skipped command", "Root privileges required",
		"Using the latest cached version", "cache data not found", "(yet?)", "not found on pip list",
		"exited on signal 15 (", "abort trigger", "Not supported on the given system", " is unsupported",
		"Not Supported", "Cannot get supported clocks", "(EE) Failed to load module ",
		"Failing initialization of X screen", "Performing Test ", "assuming no X server", "clip missing: [",
		"using default", "none failed", "# HELP ", "# TYPE ", "error rate", "validation error", "error so far",
		"ower error", "-1 error", "-5 error", "Failed jobs", "annotations:",
	};

	return error_is_harmless(text) || error_is_harmless_beside(text) || error_is_of_level(text, 'W') ||
	       text_has_any(text, known, ARRAY_SIZE(known)) ||
	       /* "Module mlx5_core does not exist, skipping... [FAILED]" */
	       (klog_denies_error(span_of(text)) && !strstr(text, "[FAILED]"));
}

/* Tests that passed, lists of files and of what is to be done, options, source: by how a line begins. */
static bool is_of_other(const char *text)
{
	static const char *const begins[] = {
		"\u2713", "ok ", "SKIPPED", "[  OK", "Waived", "PASS", "Start ", "-rw", "drwx", "- [ ]", "- [x]", "--", "return ",
		"raise ", "RUN ", "fn ", "echo ", "def ", "#define ", "//",
	};
	static const char *const source[] = {
		"logger.", "logging.", "log.Error", "$(error", "panic!(", "echo \"", "throw ", "print(", "printf(", "\\d+",
	};
	const size_t name = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	/* "ON_FAILURE=abort" */
	return (name && text[name] == '=') || text_begins_any(past_blanks(text), begins, ARRAY_SIZE(begins)) ||
	       text_has_any(text, source, ARRAY_SIZE(source));
}

/* What may be, what words mean, who looks for them, and source: nobody had that. */
static bool is_supposed(const char *text)
{
	static const char *const supposing[] = {
		"if ", "whether ", "in case ", "means ", "known issue", "reproduce", "wenn ", "falls ", "is how ", "is what ",
		"as in ", "look for ", "look in ", "grep ", "fix ", "fixed", "fixes ", "avoid ", "passed", "injection",
		"rate limit", "no health", "without error", "no error", "no failure",
	};
	const size_t len = strlen(text);

	return sentence_has_any(span_of(text), supposing, ARRAY_SIZE(supposing)) ||
	       (len && strchr(",;{", text[len - 1]));
}

/* The rest of a word: "ed" of "fail", whose words the table has by their beginnings. */
static const char *end_of_word(const char *behind)
{
	while ((*behind >= 'a' && *behind <= 'z') || (*behind >= 'A' && *behind <= 'Z'))
		behind++;
	return behind;
}

/*
 * A word of its own, or the end of an exception's or a constant's name: "RuntimeError: ", "CUDA_ERROR_UNKNOWN". Not a
 * name of an option or a field, "opencl_timeout: 200", and not of several, as headings have it.
 */
static bool is_word(const char *text, const char *at, const char *behind)
{
	const char *end = end_of_word(behind);

	/* "errors"; "fail2ban" */
	if (((*at == 'e' || *at == 'E') && (*behind == 's' || *behind == 'S')) || is_digit(*end))
		return false;
	/* "CUDA_ERROR_UNKNOWN", and no other name: "error_handling.cu", "ERROR_CORRECT". */
	if (*end == '_') {
		if (at == text || at[-1] != '_' || *at != 'E')
			return false;
		end += strspn(end, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	}
	if (*end == '=' || is_letter_or_digit(*end) || text_begins(end, "\":"))
		return false;
	return *at == 'E' || at == text || !(is_letter_or_digit(at[-1]) || strchr("_-", at[-1]));
}

/* "FAILED 0 of 31", "Error Information Log Entries:      0", "Rejected.........: 0/144": a count of them. */
static bool is_count_of_none(const char *text, const char *at, const char *end)
{
	const char *colon = strrchr(text, ':'), *number = end + strspn(end, " .:=");

	if (number > end && *number == '0' && !is_letter_or_digit(number[1]) && number[1] != '.')
		return true;
	return error_counts_none(text, at, end) || (colon && !strcmp(past_blanks(colon + 1), "0")) ||
	       text_begins(end, " results 0");
}

/* Of all words of failures in the line, the most signs that one has: fewer where the line only speaks of it. */
static unsigned signs_of_words(const char *text)
{
	const char *at = text;
	unsigned ret = 0;
	size_t row;

	for (int i = 0; i < MOST_MENTIONS; i++, at++) {
		const char *behind;
		unsigned signs;

		at = text_find_row(at, &words[0].text, sizeof(*words), ARRAY_SIZE(words), true, &row);
		if (!at)
			break;
		behind = at + strlen(words[row].text);
		if (is_count_of_none(text, at, end_of_word(behind)))
			return 0;
		if (!is_word(text, at, behind))
			continue;
		signs = words[row].signs - (past_mention(text, at, (size_t)(behind - at)) ? 2 : 0);
		if (signs > ret)
			ret = signs;
	}
	return ret;
}

unsigned likely_error_signs(const char *text)
{
	unsigned ret = signs_of_words(text);
	const unsigned of_person = error_is_written(text) ? 2 : 0;

	if (!ret || is_known_harmless(text) || is_supposed(text) || is_of_other(text))
		return 0;
	ret += error_names_gpus(text) ? 2 : error_is_about_gpus(text);
	ret += error_weight(text) == ERROR_SAYS_WHY;
	ret += text_has_clock(text, text + strlen(text));
	return ret > of_person ? ret - of_person : 0;
}

/* Of the kernel's lines, which have rules of their own, those that name a GPU; the X server's look like them. */
bool likely_error_is_at(const struct dump_part *part, size_t at)
{
	const char *text = part->lines[at].text;

	return likely_error_signs(text) >= LEAST_SIGNS &&
	       (!error_is_of_kernel(text) || error_names_gpus(text) || strstr(text, "] (EE) ")) &&
	       !error_is_ignored(part, at);
}
