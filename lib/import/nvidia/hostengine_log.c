// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/nvidia/hostengine_log.h"

#include "import/program/dcgm_result.h"

static const char health_system[] = " in health system ";

/* Where the words begin, or NULL. */
static const char *health_words(const char *text)
{
	const char *at = strstr(text, health_system), *words = at ? strstr(at, ": '") : NULL;

	return words && strstr(text, "Detected a ") ? words + strlen(": '") : NULL;
}

/* Its first sentence, in which "GPU 0's NvLink link 3" may stand: the quote that ends all is the last. */
static const char *health_sentence(struct arena *arena, const char *words)
{
	const char *end = strrchr(words, '\'');
	size_t len = strcspn(words, ".");

	if (end && (size_t)(end - words) < len)
		len = (size_t)(end - words);
	return arena_strndup(arena, words, len);
}

bool hostengine_log_take(struct arena *arena, const char *text, struct xid_report *ret)
{
	const char *words = health_words(text), *name;
	int gpu;

	if (!words)
		return false;
	name = strstr(text, health_system) + strlen(health_system);
	ret->words = health_sentence(arena, words);
	ret->xid = xid_report_words(ret->words);
	ret->error = ret->xid ? NULL : arena_strndup(arena, name, strcspn(name, ":"));
	ret->is_mild = !strstr(text, "Detected a FAILURE");
	gpu = dcgm_gpu_of_words(ret->words);
	ret->index = gpu == DCGM_NO_GPU ? UINT64_MAX : (uint64_t)gpu;
	return true;
}

bool hostengine_log_is(const char *text)
{
	return health_words(text) != NULL;
}
