// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nvml_hold.c - what was read is sent, and what failed and may pass is held back, to be asked for again (nvml_retry.c).
 */
#include "base/compat.h"
#include "probe/nvidia/nvml.h"

#include "base/text.h"
#include "sys/clock.h"

/*
 * Errors that time does not mend: those that speak of the GPU's health, which
 * are told at once, what a driver or a board does not know, and what somebody
 * else is at.
 */
static bool may_pass(const struct field *field, const char *why)
{
	static const char *const lasting[] = {
		"NVML_ERROR_INVALID_ARGUMENT", "NVML_ERROR_RESET_REQUIRED", "NVML_ERROR_INSUFFICIENT_POWER",
		"NVML_ERROR_IRQ_ISSUE", "NVML_ERROR_CORRUPTED_INFOROM", "NVML_ERROR_IN_USE", "NVML_ERROR_NOT_READY",
	};

	/* Some drivers answer so to a field number that they do not know. */
	if (!strncmp(field->source, "NVML field", strlen("NVML field")) && !strcmp(why, "NVML_ERROR_UNKNOWN"))
		return false;
	return !text_is_any(why, lasting, ARRAY_SIZE(lasting));
}

static void unset(struct val_head *head)
{
	*head = (struct val_head){ .state = VAL_UNSET };
}

/* The first time: what failed stays behind. Later: only what was held back is news. */
static void sort_out(struct nvml_session *session, const struct field *field, size_t at, struct val_head *head)
{
	bool failed = head->state == VAL_ERROR && head->why && may_pass(field, head->why);

	/* A part sends what it has read more than once. */
	if (head->state == VAL_UNSET)
		return;
	if (session->retry.passes) {
		if (!session->retry.part_of[at])
			unset(head);
		else if (!failed)
			session->retry.part_of[at] = 0;
		else
			session->retry.fails_again = true;
	}
	if (head->state == VAL_UNSET || !failed)
		return;
	if (!session->retry.part_of[at]) {
		session->retry.part_of[at] = session->retry.part;
		session->retry.since_ns = session->retry.since_ns ? session->retry.since_ns : clock_now_ns();
	}
	if (!session->retry.is_last)
		unset(head);
}

void nvml_flush(struct nvml_session *session)
{
	struct nvml_gpu *values = &nvml_facts(session)->nvml;

	for (size_t i = 0; i < record_nvml_gpu.nr && session->retry.part; i++) {
		const struct field *field = &record_nvml_gpu.fields[i];

		if (field_is_value(field))
			sort_out(session, field, i, (struct val_head *)(void *)((char *)values + field->offset));
	}
	sink_flush(session->sink);
}
