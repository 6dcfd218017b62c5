// SPDX-License-Identifier: GPL-2.0-or-later
/* json_internal.c - what several members of the JSON report are made of. */
#include "base/compat.h"
#include "render/json_internal.h"

void json_value(struct json_writer *w, const char *key, const struct field *field, const void *value)
{
	json_key(w, key);
	value_write(w, field, value);
}

void json_picks(struct json_writer *w, const struct pick *picks, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		json_value(w, picks[i].key, picks[i].field, picks[i].value);
}

void json_pick_reasons(struct json_writer *w, const struct pick *picks, size_t nr)
{
	json_object_member(w, "unknown");
	for (size_t i = 0; i < nr; i++) {
		const struct val_head *head = picks[i].value;
		STRBUF_AUTO reason = STRBUF_INIT;

		if (head->state == VAL_OK || head->state == VAL_UNSET)
			continue;
		value_format(&reason, picks[i].field, head);
		json_str(w, picks[i].key, reason.buf);
	}
	json_object_end(w);
}

void json_texts(struct json_writer *w, const char *key, const char *const *texts, size_t nr)
{
	json_array_member(w, key);
	for (size_t i = 0; i < nr; i++)
		json_put_str(w, texts[i]);
	json_array_end(w);
}

void json_steps(struct json_writer *w, const char *key, const struct step *steps, size_t nr)
{
	json_array_member(w, key);
	for (size_t i = 0; i < nr; i++) {
		json_object_begin(w);
		json_str(w, "text", steps[i].text);
		json_str(w, "command", steps[i].command);
		json_bool_member(w, "disruptive", steps[i].disruptive);
		if (steps[i].expect)
			json_str(w, "expect", steps[i].expect);
		json_object_end(w);
	}
	json_array_end(w);
}

/* "subject" for people; "gpu" is a PCI address, the OpenCL key of a device without one, or null. */
void json_subject(struct json_writer *w, const struct subject *subject)
{
	json_str(w, "subject", subject->name);
	json_str(w, "gpu", subject->address);
}
