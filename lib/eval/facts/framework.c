// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/facts/framework.h"

#include <stdlib.h>

#include "base/text.h"
#include "eval/judge/vendor.h"

bool framework_is_asked(const struct snapshot *snapshot, const struct framework *framework)
{
	uint64_t pid = u64_or(framework->pid, 0);

	return is_known(framework->named_by) || (pid && pid == u64_or(snapshot->request.pid, 0));
}

bool framework_folder_is_asked(const struct snapshot *snapshot, const char *folder)
{
	size_t len = strlen(folder);

	for (size_t i = 0; i < snapshot->nr_frameworks; i++) {
		const char *key = str_or(snapshot->frameworks[i].key, "");

		if (!strncmp(key, folder, len) && key[len] == '/' && !strchr(key + len + 1, '/') &&
		    framework_is_asked(snapshot, &snapshot->frameworks[i]))
			return true;
	}
	return false;
}

const char *framework_words(struct arena *arena, const struct framework *framework)
{
	return arena_printf(arena, "%s%s%s", str_or(framework->name, "?"), is_known(framework->version) ? " " : "",
			    str_or(framework->version, ""));
}

const char *framework_driver(const struct framework *framework)
{
	return str_is(framework->built_for, "cuda") ? "nvidia" : str_is(framework->built_for, "rocm") ? "amdgpu" : NULL;
}

/* "9.0" as 90; 0: it is not known. */
static unsigned capability_of(const struct gpu *gpu)
{
	const char *text = str_or(gpu->nvml.compute_capability, "");
	char *end;
	unsigned long major = strtoul(text, &end, 10), minor;

	if (!major || *end != '.')
		return 0;
	minor = strtoul(end + 1, NULL, 10);
	return major < 100 && minor < 10 ? (unsigned)(major * 10 + minor) : 0;
}

/* One word of the list, of that length. */
static enum code_answer cuda_word(const char *word, unsigned capability)
{
	unsigned of;

	if (!strncmp(word, "compute_", strlen("compute_")))
		return strtoul(word + strlen("compute_"), NULL, 10) <= capability ? CODE_AFTER_COMPILING : CODE_MISSING;
	if (strncmp(word, "sm_", strlen("sm_")) != 0)
		return CODE_MISSING;
	of = (unsigned)strtoul(word + strlen("sm_"), NULL, 10);
	return of / 10 == capability / 10 && of <= capability ? CODE_RUNS : CODE_MISSING;
}

static enum code_answer amd_word(const char *word, size_t len, const char *gfx)
{
	static const char generic[] = "-generic";

	if (strlen(gfx) == len && !strncmp(word, gfx, len))
		return CODE_RUNS;
	return memmem(word, len, generic, strlen(generic)) ? CODE_UNKNOWN : CODE_MISSING;
}

enum code_answer framework_runs_on(const char *gpu_code, const struct gpu *gpu)
{
	unsigned capability = capability_of(gpu);
	const char *gfx = str_or(gpu->amdgpu.gfx_version, "");
	enum code_answer best = CODE_MISSING;

	if (gpu_vendor(gpu) == VENDOR_NVIDIA ? !capability : gpu_vendor(gpu) != VENDOR_AMD || !*gfx)
		return CODE_UNKNOWN;
	for (const char *word = gpu_code; *word; word += strcspn(word, " "), word += *word == ' ') {
		enum code_answer its = gpu_vendor(gpu) == VENDOR_NVIDIA ? cuda_word(word, capability) :
									  amd_word(word, strcspn(word, " "), gfx);

		if (its == CODE_RUNS)
			return CODE_RUNS;
		if (its != CODE_MISSING)
			best = its;
	}
	return best;
}
