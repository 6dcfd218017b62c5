// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/sample/sample_sources.h"

const struct sample_source *const sample_sources[] = {
	&sample_host,
	&sample_tasks,
	&sample_nvml,
	&sample_files,
	NULL
};

const struct sample_source *sample_source_by_name(const char *name)
{
	for (size_t i = 0; sample_sources[i]; i++) {
		if (!strcmp(sample_sources[i]->name, name))
			return sample_sources[i];
	}
	return NULL;
}
