/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gpu_metrics.h - metrics of dcgm-exporter and of nvidia_gpu_exporter, which has fields of nvidia-smi:
 * NAME{label="value",…} NUMBER. Of several machines, as a database of metrics lists them, those of the first are taken.
 */
#pragma once

#include "import/dump/dump.h"
#include "import/dump/xid_report.h"

struct gpu_metrics {
	const struct dump_part *part;
	/* of metrics that tell a UUID, as others of the part have them */
	struct { const char *uuid; uint64_t index; } numbers[64];
	size_t nr_numbers;
	bool is_listed;			/* they were looked for */
	const char *host;		/* whose metrics these are, as the first of them says; in a text */
};

bool gpu_metrics_is(const char *text);

/* Whose metric it is, and its Xid: 0 where it tells something else. false: it is none. */
bool gpu_metrics_take(struct arena *arena, struct gpu_metrics *at, const char *text, struct xid_report *ret);

/* What it tells of its GPU but for its Xid. */
void gpu_metrics_put(struct reading *reading, struct dump_line *line, struct gpu *gpu);
