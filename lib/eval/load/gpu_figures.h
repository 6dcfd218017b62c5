/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gpu_figures.h - a GPU over the judged span, as judged: shares of its limits, with what is not known and why. */
#pragma once

#include "eval/load/fold.h"

struct gpu_figures {
	const struct fold_gpu *folded;
	const struct gpu *gpu;
	struct watch_span span;			/* what of it counts */
	struct val_f64 busy, busy_p5, busy_p95, memory_busy;	/* per cent, as all without a unit */
	struct val_f64 sm, tensor, memory, switching;
	/* of a divided GPU (MIG): whose use this is, the busiest; NULL: of all of it */
	const char *instance;
	struct val_f64 power_mw, power_limit_mw, power_ratio, clock_mhz, clock_max_mhz, clock_ratio, temperature_c;
	struct val_f64 vram_used_bytes, vram_total_bytes, vram_ratio;
	struct val_f64 sent, received, pcie_limit, pcie_ratio;		/* bytes a second */
	struct val_f64 peer, peer_limit, peer_ratio;
	struct val_f64 heat, brake, power_cap;	/* share of the time */
	bool power_is_lowered;			/* its limit is below its default, and not by the operator's policy */
	struct val_f64 evicted, page_moves;	/* of the worst process; a second, of all */
	double width, width_able, speed_mtps;	/* of its PCIe link, 0: not known */
	bool swings;				/* between idle and busy, by p5 and p95 */
	bool is_low;				/* it waits a good part of the time: its use is low, or swings */
};

/* A client's share of the GPU over the span, per cent. */
struct val_f64 client_percent(const struct track *client, const struct watch_span *span);
void gpu_figures_of(const struct fold *fold, const struct policy *policy, const struct fold_gpu *gpu,
		    struct gpu_figures *ret);
