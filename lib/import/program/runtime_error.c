// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * runtime_error.c - finds a runtime's error in a line by the lists of runtime_error.def. A name is in every header and
 * in most sources of programs for GPUs: it is a program's error where the line says that something failed, and the name
 * is not part of a statement.
 */
#include "base/compat.h"
#include "import/program/runtime_error.h"

#include "import/words/mention.h"

#include "base/text.h"
#include "base/text_scan.h"

static const struct row {
	const char *text, *key;
	enum { BY_NAME, BY_WORDS, BY_SHORT_WORDS } by;
} rows[] = {
#define NAME(key, text) { text, key, BY_NAME },
#define WORDS(key, text) { text, key, BY_WORDS },
#define SHORT(key, text) { text, key, BY_SHORT_WORDS },
#include "import/program/runtime_error.def"
};

static bool is_within_name(char c)
{
	return is_letter_or_digit(c) || c == '_';
}

static bool is_capital(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool has_before(const char *text, const char *at, const char *const *words, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (memmem(text, (size_t)(at - text), words[i], strlen(words[i])))
			return true;
	return false;
}

static bool ends_in_any(const char *text, const char *at, const char *const *words, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		size_t len = strlen(words[i]);

		if ((size_t)(at - text) >= len && !strncmp(at - len, words[i], len))
			return true;
	}
	return false;
}

/* "err == NAME", "runtime::NAME", "check(NAME)": but of "code=100(NAME)" a number stands before the bracket. */
static bool is_in_statement(const char *text, const char *at, const char *end)
{
	static const char *const operators[] = { "== ", "==", "!= ", "!=", "::", "return ", "case ", "& ", "| ", "? " };
	static const char *const errors[] = { "Error(" };

	if (ends_in_any(text, at, operators, ARRAY_SIZE(operators)) || *end == ';' || text_begins(end, " =>"))
		return true;
	/* "DriverError(NAME, "…")": how programs in Rust print one. */
	if (ends_in_any(text, at, errors, ARRAY_SIZE(errors)) && text_begins(end, ", \""))
		return false;
	return at >= text + 2 && at[-1] == '(' && is_within_name(at[-2]) && !is_digit(at[-2]);
}

/* "clBuildProgram(): NAME", "clBuildProgram(…): NAME": the call of OpenCL that returned it. */
static bool is_behind_call(const char *text, const char *at)
{
	static const char *const marks[] = { "): ", ") - ", ") = ", ") -> " };
	const char *call = text;

	if (!ends_in_any(text, at, marks, ARRAY_SIZE(marks)))
		return false;
	while ((call = strstr(call, "cl")) && call < at) {
		if ((call == text || !is_within_name(call[-1])) && call[2] >= 'A' && call[2] <= 'Z')
			return true;
		call += 2;
	}
	return false;
}

/* Of its own list of words the name stands before one: "NAME: out of memory". */
static bool has_words_behind(const char *end, const char *key)
{
	const char *words = end + strspn(end, ": (");

	for (size_t i = 0; words > end && i < ARRAY_SIZE(rows); i++)
		if (rows[i].by != BY_NAME && !strcmp(rows[i].key, key) && text_begins(words, rows[i].text))
			return true;
	return false;
}

static bool is_printed_name(const char *text, const char *at, const struct row *row)
{
	static const char *const failing[] = {
		"rror: ", "RROR: ", "rror at ", "rror in ", "ailed", "ailure", "returned ", "returns: ", "results in ",
		"ould not ", "nable to ", "xception", "borting", "code=", "rror=", "rr=", "what():", "rror code: ",
		"DeviceRemovedReason", "VkResult: ", "guarantee(false",
	};
	static const char *const before[] = { "rror ", "rror code ", "rror (", "rror( ", "DriverError(" };
	const char *end = at + strlen(row->text);

	if ((at > text && is_within_name(at[-1])) || is_within_name(*end) || is_in_statement(text, at, end))
		return false;
	return has_before(text, at, failing, ARRAY_SIZE(failing)) ||
	       ends_in_any(text, at, before, ARRAY_SIZE(before)) || has_words_behind(end, row->key) ||
	       (text_begins(row->text, "CL_") && is_behind_call(text, at));
}

/* "cudaMalloc failed: ", "hipIpcGetMemHandle failed : ", "cuMemAlloc returned ": the call that went wrong; NULL: none. */
static const char *failed_call(const char *text, const char *at)
{
	static const char *const libraries[] = { "cuda", "hip", "cu" };
	static const char *const failing[] = { " failed", " error", " returned", " Failed", " Error" };

	for (const char *call = text; call < at; call++) {
		const char *end = call;

		if (call > text && is_within_name(call[-1]))
			continue;
		while (is_within_name(*end))
			end++;
		for (size_t i = 0; i < ARRAY_SIZE(libraries); i++)
			if (text_begins(call, libraries[i]) && is_capital(call[strlen(libraries[i])]) &&
			    has_before(end, at, failing, ARRAY_SIZE(failing)))
				return call;
	}
	return NULL;
}

/* Words that anybody says are a runtime's where its name stands before them, and they follow a mark. */
static bool is_behind_runtime(const char *text, const char *at)
{
	static const char *const marks[] = { ": ", "> ", ") ", "= ", "'", "\"", "(", ">", "`", "], " };
	static const char *const runtimes[] = {
		"CUDA error", "CUDA Error", "CUDA ERROR", "CUDA failure", "Cuda failure", "Cuda error", "cuda error: ",
		"CUDA runtime error", "CUDA driver error", "CUDA Runtime Error", "CUDA Driver Error", "CUDA exception",
		"cudaError", "CUDA_ERROR", "cuInit", "GPUassert", "CUDARuntimeError", "CudaAPIError", "CUDADriverError",
		"HIP error", "HIP Error", "HIP failure", "hipError", "HIP_ERROR", "hipInit", "ROCM error", "ROCm error",
		"initialize CUDA", "initialize ROCm", "after cuda", "RMM_ALLOC", "RMM_FREE", "CUDA Runtime API error",
		"cuda exception in",		"CUDA Driver API error", "CUDA runtime API error", "CUDA driver API error", "HIP runtime error",
	};

	return ends_in_any(text, at, marks, ARRAY_SIZE(marks)) &&
	       (has_before(text, at, runtimes, ARRAY_SIZE(runtimes)) || failed_call(text, at));
}

/* What it asked for was refused, and it goes on without: as NCCL does that tries what a driver can do. */
static bool goes_on_without(const char *text)
{
	static const char *const words[] = { "NCCL INFO", "alling back to", "fall back to", "using fallback",
					     "fallback to" };

	return text_has_any(text, words, ARRAY_SIZE(words));
}

static bool is_printed(const char *text, const char *at, const struct row *row)
{
	if (row->by == BY_NAME)
		return is_printed_name(text, at, row);
	if (row->by == BY_WORDS)
		return true;
	if ((!strcmp(row->key, "launch") || failed_call(text, at)) && goes_on_without(text))
		return false;
	return is_behind_runtime(text, at);
}

/* What a program asked for wrongly is the least that a line can tell: another error in it counts before. */
static bool is_least(const struct row *row)
{
	return row->by == BY_SHORT_WORDS && !strcmp(row->key, "launch");
}

const char *runtime_error_find(const char *text, struct runtime_error *ret)
{
	const char *at = text, *least = NULL;

	for (int i = 0; i < MOST_MENTIONS; i++) {
		const char *past;
		size_t row;

		at = text_find_row(at, &rows[0].text, sizeof(*rows), ARRAY_SIZE(rows), false, &row);
		if (!at)
			return least;
		past = past_mention(text, at, strlen(rows[row].text));
		if (!past && !(least && is_least(&rows[row])) && is_printed(text, at, &rows[row])) {
			*ret = (struct runtime_error){ rows[row].key, rows[row].text, NULL };
			if (rows[row].by == BY_SHORT_WORDS)
				ret->call = failed_call(text, at);
			if (!is_least(&rows[row]))
				return at;
			least = at;
		}
		at = past ? past : at + 1;
	}
	return least;
}
