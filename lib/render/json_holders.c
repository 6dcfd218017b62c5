// SPDX-License-Identifier: GPL-2.0-or-later
/* json_holders.c - who holds GPUs, in the JSON report: one entry for each process. Never arguments: they hold secrets. */
#include "base/compat.h"
#include "render/json_internal.h"

#include "eval/facts/holders.h"

static void put_holding(struct json_writer *w, const struct holding *holding)
{
	const struct holder *holder = &holding->all;
	const struct pick picks[] = {
		PICK("pid", holder, holder, pid),
		PICK("comm", holder, holder, comm),
		PICK("uid", holder, holder, user_id),
		PICK("memory_bytes", holder, holder, memory_bytes),
		PICK("slurm_job", gpu_process, holding->process, slurm_job),
		PICK("pod", gpu_process, holding->process, pod),
		PICK("container", gpu_process, holding->process, container),
	};

	json_object_begin(w);
	json_picks(w, picks, ARRAY_SIZE(picks));
	json_texts(w, "gpus", holding->gpus, holding->nr_gpus);
	json_bool_member(w, "any_gpu", holding->may_be_any);
	json_pick_reasons(w, picks, ARRAY_SIZE(picks));
	json_object_end(w);
}

void json_holders(struct json_writer *w, const struct report *report)
{
	json_array_member(w, "holders");
	for (size_t i = 0; i < report->nr_holdings; i++)
		put_holding(w, &report->holdings[i]);
	json_array_end(w);
}
