// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/facts/library_start.h"

#include <string.h>

#include "eval/facts/sources.h"
#include "snapshot/node.h"
#include "snapshot/windows.h"

/* Windows is another machine than the Linux host whose library failed: that it lists GPUs there proves nothing here. */
static bool is_of_windows(const struct gpu *gpu)
{
	const char *why = gpu->nvml.persistence.why;

	return gpu->nvml.persistence.state == VAL_UNSUPPORTED && why && !strcmp(why, WINDOWS_DRIVER);
}

const struct gpu *library_opened_gpu(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nr_gpus && is_imported(snapshot); i++)
		if (is_known(snapshot->gpus[i].nvml.handle) && !is_of_windows(&snapshot->gpus[i]))
			return &snapshot->gpus[i];
	return NULL;
}

enum library_start library_start(const struct snapshot *snapshot)
{
	const struct gpu *opened = library_opened_gpu(snapshot);
	uint32_t failed_at = snapshot->nvml.init.from, opened_at = opened ? opened->nvml.handle.from : 0;
	const struct import_source *failure = source_of(snapshot, failed_at), *list = source_of(snapshot, opened_at);

	if (!opened)
		return START_FAILED;
	if (!failure || !list || strcmp(str_or(failure->file, ""), str_or(list->file, "")) != 0)
		return START_UNORDERED;
	/* All parts of a string have its one line, and are numbered as they stand in it. */
	if (value_from_line(opened_at) == value_from_line(failed_at))
		return opened_at > failed_at ? START_FAILED_EARLIER : START_FAILED;
	return value_from_line(opened_at) > value_from_line(failed_at) ? START_FAILED_EARLIER : START_FAILED;
}

bool library_mismatch_is_over(const struct snapshot *snapshot)
{
	const char *refused = str_or(snapshot->nvml.library_version, "");
	const char *driver = str_or(snapshot->nvml.driver_version, NULL);

	if (library_start(snapshot) != START_FAILED_EARLIER)
		return false;
	/* nvidia-smi prints it without its last part: "535.183". */
	return !driver || !strncmp(driver, refused, strlen(refused));
}
