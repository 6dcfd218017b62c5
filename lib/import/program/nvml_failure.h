/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nvml_failure.h - why NVIDIA's management library did not start, as programs print it. */
#pragma once

#include "snapshot/value.h"

struct nvml_failure {
	const char *text;	/* in a line */
	enum val_state state;
	const char *why;	/* as the checks know it: "nvmlInit: NVML_ERROR_…" */
};

/* NULL: no program says so in that line. */
const struct nvml_failure *nvml_failure_of(const char *text);
/* The same of a text that is nothing else than the library's words. */
const struct nvml_failure *nvml_failure_in_words(const char *text);
