// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/fleet/gpu_metrics.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/program/dcgm_result.h"

/* Of values that were never read DCGM has the largest numbers. */
#define FIRST_BLANK UINT64_C(0x7ffffff0)

static const char smi_index[] = "nvidia_smi_index{";

static const char *labels_in(const char *text)
{
	text = past_blanks(text);
	if (text_begins(text, "DCGM_"))
		text += strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
	else if (text_begins(text, "nvidia_smi_"))
		text += strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789");
	else
		return NULL;
	return *text == '{' ? text : NULL;
}

/* The value of a label in the arena, or NULL. */
static const char *label(struct arena *arena, const char *labels, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = labels; (at = strstr(at, name)); at++)
		if (strchr("{, ", at[-1]) && !strncmp(at + len, "=\"", 2))
			return arena_strndup(arena, at + len + 2, strcspn(at + len + 2, "\""));
	return NULL;
}

/* "79", "79.000000", "1.048576e+06". Nothing but a time stands behind the number: an alert's rule compares it. */
static bool number_behind(const char *labels, double *ret)
{
	const char *at = strrchr(labels, '}');
	size_t len;
	char number[32];

	at = at ? past_blanks(at + 1) : "";
	len = strspn(at, "0123456789.e+");
	if (!len || len >= sizeof(number))
		return false;
	snprintf(number, sizeof(number), "%.*s", (int)len, at);
	if (parse_f64(number, ret) || *ret >= (double)FIRST_BLANK)
		return false;
	at = past_blanks(at + len);
	return !at[strspn(at, "0123456789.")];
}

static bool value_behind(const char *labels, uint64_t *ret)
{
	double value;

	if (!number_behind(labels, &value))
		return false;
	*ret = (uint64_t)value;
	return true;
}

bool gpu_metrics_is(const char *text)
{
	const char *labels = labels_in(text);
	uint64_t value;

	return labels && value_behind(labels, &value);
}

/* Of several machines, as a database of metrics lists them, the first is told of. */
static bool is_of_host(struct arena *arena, struct gpu_metrics *at, const char *labels)
{
	const char *host = label(arena, labels, "Hostname");

	host = host ? host : label(arena, labels, "instance");
	at->host = at->host ? at->host : host;
	return !host || !strcmp(host, at->host);
}

/* Which number lines of nvidia_smi_index give each UUID. */
static void list_numbers(struct arena *arena, struct gpu_metrics *at)
{
	for (size_t i = 0; at->part && i < at->part->nr_lines && at->nr_numbers < ARRAY_SIZE(at->numbers); i++) {
		const char *text = past_blanks(at->part->lines[i].text), *uuid;
		uint64_t index;

		if (!text_begins(text, smi_index) || !value_behind(labels_in(text), &index) || index >= DCGM_MAX_GPUS)
			continue;
		uuid = label(arena, labels_in(text), "uuid");
		if (!uuid)
			continue;
		at->numbers[at->nr_numbers].uuid = uuid;
		at->numbers[at->nr_numbers++].index = index;
	}
	at->is_listed = true;
}

static uint64_t number_of(struct arena *arena, struct gpu_metrics *at, const char *uuid)
{
	if (!at->is_listed)
		list_numbers(arena, at);
	for (size_t i = 0; i < at->nr_numbers; i++)
		if (!strcmp(at->numbers[i].uuid, uuid))
			return at->numbers[i].index;
	return UINT64_MAX;
}

static bool identify(struct arena *arena, struct gpu_metrics *at, const char *labels, struct xid_report *ret)
{
	const char *address = label(arena, labels, "pci_bus_id"), *index = label(arena, labels, "gpu");
	const char *uuid = label(arena, labels, "uuid");

	ret->address = address ? dump_address(arena, address) : NULL;
	ret->uuid = label(arena, labels, "UUID");
	if (!index || parse_u64(index, &ret->index) || ret->index >= DCGM_MAX_GPUS)
		ret->index = UINT64_MAX;
	/* nvidia_gpu_exporter leaves out "GPU-". */
	if (uuid && !ret->uuid) {
		ret->index = number_of(arena, at, uuid);
		ret->uuid = arena_printf(arena, "%s%s", text_begins(uuid, "GPU-") ? "" : "GPU-", uuid);
	}
	return ret->address || ret->index != UINT64_MAX;
}

bool gpu_metrics_take(struct arena *arena, struct gpu_metrics *at, const char *text, struct xid_report *ret)
{
	const char *labels = labels_in(text), *xid;
	uint64_t value;

	if (!labels || !value_behind(labels, &value) || !is_of_host(arena, at, labels) ||
	    !identify(arena, at, labels, ret))
		return false;
	text = past_blanks(text);
	ret->xid = text_begins(text, "DCGM_FI_DEV_XID_ERRORS{") ? value : 0;
	/* A count of one Xid. */
	xid = label(arena, labels, "xid");
	if (text_begins(text, "DCGM_EXP_XID_ERRORS_COUNT{") && value && xid && parse_u64(xid, &ret->xid))
		ret->xid = 0;
	return true;
}

static const struct metric {
	const char *name;
	size_t member;
	bool is_bool;
} metrics[] = {
	{ "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL{", offsetof(struct gpu, nvml.ecc_uncorrected), false },
	{ "DCGM_FI_DEV_ECC_DBE_AGG_TOTAL{", offsetof(struct gpu, nvml.ecc_uncorrected_lifetime), false },
	{ "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL{", offsetof(struct gpu, nvml.ecc_corrected), false },
	{ "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS{", offsetof(struct gpu, nvml.rows_remapped_uncorrected), false },
	{ "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS{", offsetof(struct gpu, nvml.rows_remapped_corrected), false },
	{ "DCGM_FI_DEV_ROW_REMAP_FAILURE{", offsetof(struct gpu, nvml.remap_failed), true },
	{ "DCGM_FI_DEV_ROW_REMAP_PENDING{", offsetof(struct gpu, nvml.remap_pending), true },
	{ "DCGM_FI_DEV_RETIRED_PENDING{", offsetof(struct gpu, nvml.retirement_pending), true },
	{ "nvidia_smi_ecc_errors_uncorrected_volatile_total{", offsetof(struct gpu, nvml.ecc_uncorrected), false },
	{ "nvidia_smi_ecc_errors_uncorrected_aggregate_total{", offsetof(struct gpu, nvml.ecc_uncorrected_lifetime),
	  false },
	{ "nvidia_smi_ecc_errors_corrected_volatile_total{", offsetof(struct gpu, nvml.ecc_corrected), false },
	{ "nvidia_smi_remapped_rows_uncorrectable{", offsetof(struct gpu, nvml.rows_remapped_uncorrected), false },
	{ "nvidia_smi_remapped_rows_correctable{", offsetof(struct gpu, nvml.rows_remapped_corrected), false },
	{ "nvidia_smi_remapped_rows_failure{", offsetof(struct gpu, nvml.remap_failed), true },
	{ "nvidia_smi_remapped_rows_pending{", offsetof(struct gpu, nvml.remap_pending), true },
	{ "nvidia_smi_retired_pages_pending{", offsetof(struct gpu, nvml.retirement_pending), true },
};

/* Why its clocks are lowered, as a mask with the library's bits. */
static void put_reasons(struct reading *reading, struct dump_line *line, struct gpu *gpu)
{
	static const char *const reasons[] = {
		"DCGM_FI_DEV_CLOCK_THROTTLE_REASONS{", "DCGM_FI_DEV_CLOCKS_EVENT_REASONS{",
		"nvidia_smi_clocks_throttle_reasons_active{", "nvidia_smi_clocks_event_reasons_active{",
	};
	uint64_t mask;

	if (!text_begins_any(past_blanks(line->text), reasons, ARRAY_SIZE(reasons)) ||
	    !value_behind(labels_in(line->text), &mask))
		return;
	put(reading, line, gpu->nvml.handle, val_str("ok"));
	put(reading, line, gpu->nvml.clock_reasons,
	    val_str(arena_printf(reading->arena, "0x%llx", (unsigned long long)mask)));
}

/* What lowers the clocks of an idle GPU is another matter than of one at work. */
static void put_use(struct reading *reading, struct dump_line *line, struct gpu *gpu)
{
	static const struct { const char *name; double percent; } uses[] = {
		{ "DCGM_FI_DEV_GPU_UTIL{", 1 }, { "nvidia_smi_utilization_gpu_ratio{", 100 },
	};
	double value;

	for (size_t i = 0; i < ARRAY_SIZE(uses); i++)
		if (text_begins(past_blanks(line->text), uses[i].name) &&
		    number_behind(labels_in(line->text), &value) && value * uses[i].percent <= 100)
			put(reading, line, gpu->use.busy_percent, val_f64(value * uses[i].percent));
}

void gpu_metrics_put(struct reading *reading, struct dump_line *line, struct gpu *gpu)
{
	const char *text = past_blanks(line->text);
	uint64_t value;

	if (!labels_in(line->text))
		return;
	put_reasons(reading, line, gpu);
	put_use(reading, line, gpu);
	for (size_t i = 0; i < ARRAY_SIZE(metrics); i++) {
		void *member = (char *)gpu + metrics[i].member;

		if (!text_begins(text, metrics[i].name) || !value_behind(labels_in(text), &value))
			continue;
		put(reading, line, gpu->nvml.handle, val_str("ok"));
		if (metrics[i].is_bool)
			put(reading, line, *(struct val_bool *)member, val_bool(value != 0));
		else
			put(reading, line, *(struct val_u64 *)member, val_u64(value));
	}
}
