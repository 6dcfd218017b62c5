// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * runtime_number.c - finds the number of an error behind the call that returned it, or behind the runtime's name:
 * "clCreateBuffer (-61)", "vkQueueSubmit failed: -4", "Cuda driver error 804 in call at file …".
 */
#include "base/compat.h"
#include "import/program/runtime_number.h"

#include "import/words/mention.h"

#include "base/text.h"
#include "base/text_scan.h"

enum {
	MOST_BETWEEN = 80,	/* characters from the call, or what stands in its brackets, to its number */
	MOST_ARGUMENTS = 240,	/* of what stands in a call's brackets */
};

enum list { OPENCL, VULKAN, CUDA, HIP, CUDNN };

static const struct { enum list list; int number; const char *key, *words; } numbers[] = {
#define NUMBER(list, number, key, name) { list, number, key, name " (" #number ")" },
#include "import/program/runtime_number.def"
};

/* What calls of these libraries begin with, and names of runtimes that stand before a number. */
static const struct { const char *text; enum list list; bool is_call; } calls[] = {
	{ "clBuild", OPENCL, true }, { "clCompile", OPENCL, true }, { "clCreate", OPENCL, true },
	{ "clEnqueue", OPENCL, true }, { "clFinish", OPENCL, true }, { "clFlush", OPENCL, true },
	{ "clGet", OPENCL, true }, { "clLink", OPENCL, true }, { "clRelease", OPENCL, true },
	{ "clSet", OPENCL, true }, { "clWait", OPENCL, true },
	{ "OpenCL error", OPENCL, false }, { "OpenCL Error", OPENCL, false }, { "CL error", OPENCL, false },
	{ "vkAcquire", VULKAN, true }, { "vkAllocate", VULKAN, true }, { "vkCreate", VULKAN, true },
	{ "vkDevice", VULKAN, true }, { "vkEnumerate", VULKAN, true }, { "vkMap", VULKAN, true },
	{ "vkQueue", VULKAN, true }, { "vkWait", VULKAN, true },
	{ "CUDA error", CUDA, false }, { "CUDA Error", CUDA, false }, { "Cuda error", CUDA, false },
	{ "cuda error", CUDA, false }, { "Cuda driver error", CUDA, false }, { "CUDA driver error", CUDA, false },
	{ "CUDA runtime error", CUDA, false }, { "CUDA Runtime error", CUDA, false },
	{ "cudaGetDeviceCount returned", CUDA, false }, { "CUDA capable devices. Return status", CUDA, false },
	{ "call to cu", CUDA, true }, { "cuInit", CUDA, true }, { "cuDevice", CUDA, true }, { "cuCtx", CUDA, true },
	{ "cuMem", CUDA, true }, { "cuModule", CUDA, true }, { "cuLaunch", CUDA, true }, { "cuStream", CUDA, true },
	{ "hip error", HIP, false }, { "HIP error", HIP, false },
	{ "CUDA failure", CUDA, false }, { "Cuda failure", CUDA, false }, { "CUDNN failure", CUDNN, false },
	{ "VkResult", VULKAN, false }, { "VK error", VULKAN, false },
	/* Of each runtime those that wait, copy, launch and ask for memory: there errors come to light. */
	{ "cudaMalloc", CUDA, true }, { "cudaMemcpy", CUDA, true }, { "cudaMemset", CUDA, true },
	{ "cudaDevice", CUDA, true }, { "cudaStream", CUDA, true }, { "cudaEvent", CUDA, true },
	{ "cudaLaunch", CUDA, true }, { "cudaSetDevice", CUDA, true }, { "cudaHost", CUDA, true },
	{ "cudaFree", CUDA, true }, { "cudaGetLastError", CUDA, true },
	{ "hipMalloc", HIP, true }, { "hipMemcpy", HIP, true }, { "hipMemset", HIP, true },
	{ "hipDevice", HIP, true }, { "hipStream", HIP, true }, { "hipEvent", HIP, true },
	{ "hipLaunch", HIP, true }, { "hipSetDevice", HIP, true }, { "hipHost", HIP, true },
	{ "hipFree", HIP, true }, { "hipGetLastError", HIP, true },
};

static const char *past_name(const char *at)
{
	while (is_letter_or_digit(*at) || *at == '_')
		at++;
	return at;
}

/* "failed with error code": what may stand between a call and its number, and nothing else. NULL: another word does. */
static const char *past_word(const char *at)
{
	static const char *const words[] = {
		"failed", "returned", "returns", "error", "Error", "code", "Code", "with", "status", "result", "err", "ret",
		"OpenCL", "OPENCL", "Vulkan", "VkResult", "call",
	};
	const char *end = past_name(at);

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if ((size_t)(end - at) == strlen(words[i]) && !strncmp(at, words[i], (size_t)(end - at)))
			return end;
	return NULL;
}

/* "(queue, buffer, ...)", but not "(-61)". */
static const char *past_arguments(const char *at)
{
	size_t len = strcspn(at, ")");

	if (*at != '(' || at[1] == '-' || is_digit(at[1]) || at[len] != ')' || len > MOST_ARGUMENTS)
		return at;
	return at + len + 1;
}

/*
 * The first number there; NULL: there is none, or what stands before it says something else. wants_word: without
 * "failed" or the like it may be how much was copied, or how often.
 */
static const char *number_behind(const char *at, bool wants_word)
{
	const char *end;

	at = past_arguments(at);
	for (end = at + strnlen(at, MOST_BETWEEN); at < end;) {
		at += strspn(at, " :=(>[#,'\"");
		if (is_digit(*at) || (*at == '-' && is_digit(at[1])))
			return wants_word ? NULL : at;
		if (*at == '-') {
			at++;
			continue;
		}
		at = is_letter_or_digit(*at) ? past_word(at) : NULL;
		if (!at)
			return NULL;
		wants_word = false;
	}
	return NULL;
}

static bool is_number(const char *at, int number)
{
	bool is_negative = scan_char(&at, '-'), fits = true;
	uint64_t value;

	if (!scan_u64(&at, 10, &value, &fits) || !fits || is_letter_or_digit(*at) || *at == '%' || *at == '/' ||
	    (*at == '.' && is_digit(at[1])))
		return false;
	return is_negative == (number < 0) && value == (uint64_t)(number < 0 ? -number : number);
}

static bool is_error(const char *at, size_t row, struct runtime_error *ret)
{
	const char *behind = at + strlen(calls[row].text);
	bool is_positive = calls[row].list == CUDA || calls[row].list == HIP;
	const char *number = number_behind(calls[row].is_call ? past_name(behind) : behind,
					   calls[row].is_call && is_positive);

	for (size_t i = 0; number && i < ARRAY_SIZE(numbers); i++)
		if (numbers[i].list == calls[row].list && is_number(number, numbers[i].number)) {
			*ret = (struct runtime_error){ numbers[i].key, numbers[i].words, NULL };
			return true;
		}
	return false;
}

const char *runtime_number_find(const char *text, struct runtime_error *ret)
{
	const char *at = text;

	/* AMD's clinfo, below a platform: rocm_failure.c reads both. */
	if (strstr(text, "ERROR: clGetDeviceIDs(-1)"))
		return NULL;
	for (int i = 0; i < MOST_MENTIONS; i++) {
		const char *past;
		size_t row;

		at = text_find_row(at, &calls[0].text, sizeof(*calls), ARRAY_SIZE(calls), false, &row);
		if (!at)
			return NULL;
		past = past_mention(text, at, strlen(calls[row].text));
		if (!past && (at == text || !is_letter_or_digit(at[-1])) && is_error(at, row, ret))
			return at;
		at = past ? past : at + 1;
	}
	return NULL;
}
