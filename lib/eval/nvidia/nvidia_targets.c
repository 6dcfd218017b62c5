// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/nvidia/nvidia_targets.h"

#include "base/text.h"

enum architecture_id {
#define BRANCH(number)
#define ARCHITECTURE(id, ...) id,
#define CHIPS(...)
#include "eval/nvidia/nvidia_targets.def"
#undef ARCHITECTURE
};

static const struct nvidia_architecture architectures[] = {
#define ARCHITECTURE(id, name_, first, last, flavours_, source_) \
	[id] = { .name = (name_), .first_branch = (first), .last_branch = (last), .flavours = (flavours_), \
		 .source = (source_) },
#include "eval/nvidia/nvidia_targets.def"
#undef ARCHITECTURE
#undef CHIPS
};

static const struct {
	enum architecture_id id;
	unsigned from, to;
} chips[] = {
#define ARCHITECTURE(...)
#define CHIPS(id_, from_, to_) { .id = (id_), .from = (from_), .to = (to_) },
#include "eval/nvidia/nvidia_targets.def"
#undef CHIPS
#undef BRANCH
};

static const unsigned branches[] = {
#define BRANCH(number) number,
#define CHIPS(...)
#include "eval/nvidia/nvidia_targets.def"
};

const struct nvidia_architecture *nvidia_architecture_of(const struct gpu *gpu)
{
	const char *told = str_or(gpu->nvml.architecture, NULL);
	unsigned long device;

	if (!str_is(gpu->pci.vendor_id, "0x10de"))
		return NULL;
	device = strtoul(str_or(gpu->pci.device_id, ""), NULL, 16);
	for (size_t i = 0; i < ARRAY_SIZE(chips); i++)
		if (device >= chips[i].from && device <= chips[i].to &&
		    (!told || !strcmp(architectures[chips[i].id].name, told)))
			return &architectures[chips[i].id];
	for (size_t i = 0; told && i < ARRAY_SIZE(architectures); i++)
		if (!strcmp(architectures[i].name, told))
			return &architectures[i];
	return NULL;
}

unsigned nvidia_branch_of(const char *version)
{
	char *end;
	unsigned long number = strtoul(version, &end, 10);

	/* A branch alone, "580", is one of its versions. */
	if (end == version || (*end && *end != '.'))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(branches); i++)
		if (branches[i] == number)
			return branches[i];
	return 0;
}

bool nvidia_version_is(const char *version, const char *meant)
{
	if (!strchr(meant, '.'))
		return strtoul(version, NULL, 10) == strtoul(meant, NULL, 10);
	return !version_compare(version, meant);
}

bool nvidia_version_is_older(const char *version, const char *than)
{
	if (!strchr(version, '.'))
		return strtoul(version, NULL, 10) < strtoul(than, NULL, 10);
	return version_compare(version, than) < 0;
}

unsigned nvidia_newest_branch(void)
{
	return branches[ARRAY_SIZE(branches) - 1];
}
