// SPDX-License-Identifier: GPL-2.0-or-later
/* json_gate.c - the answer of a gate. */
#include "base/compat.h"
#include "eval/gate/gate.h"
#include "render/json_internal.h"

static void put_items(struct json_writer *w, const char *key, const struct gate_item *items, size_t nr)
{
	json_array_member(w, key);
	for (size_t i = 0; i < nr; i++) {
		json_object_begin(w);
		json_str(w, "finding", items[i].finding);
		json_str(w, "sentence", items[i].sentence);
		json_steps(w, "next", items[i].steps, items[i].nr_steps);
		json_object_end(w);
	}
	json_array_end(w);
}

static void put_open(struct json_writer *w, const struct gate_answer *gate)
{
	json_array_member(w, "not_decided");
	for (size_t i = 0; i < gate->nr_open; i++) {
		json_object_begin(w);
		json_str(w, "check", gate->open[i].check);
		json_str(w, "sentence", gate->open[i].sentence);
		json_str(w, "mend", gate->open[i].mend);
		json_object_end(w);
	}
	json_array_end(w);
}

static void put_against(struct json_writer *w, const struct gate_against *against)
{
	if (!against) {
		json_null_member(w, "against");
		return;
	}
	json_object_member(w, "against");
	json_str(w, "taken_at", against->taken_at);
	if (against->machine_known)
		json_bool_member(w, "same_machine", against->same_machine);
	else
		json_null_member(w, "same_machine");
	json_u64_member(w, "worse", against->nr_worse);
	json_u64_member(w, "better", against->nr_better);
	json_u64_member(w, "other", against->nr_other);
	json_object_end(w);
}

void json_gate(struct json_writer *w, const struct report *report)
{
	const struct gate_answer *gate = report->gate;

	if (!gate)
		return;
	json_object_member(w, "gate");
	json_str(w, "answer", gate_word_name(gate->word));
	json_str(w, "reason", gate->reason);
	json_str(w, "from_driver", gate->from_driver);
	json_str(w, "to_driver", gate->to_driver);
	json_str(w, "direction", gate->direction);
	put_items(w, "blockers", gate->blockers, gate->nr_blockers);
	put_items(w, "warnings", gate->warnings, gate->nr_warnings);
	put_items(w, "to_do", gate->to_do, gate->nr_to_do);
	put_open(w, gate);
	put_against(w, gate->against);
	json_object_end(w);
}
