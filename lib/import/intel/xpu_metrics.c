// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xpu_metrics.c - metrics of XPU Manager's exporter, the errors that it counts since the driver was loaded:
 * xpum_cache_errors_total{dev_name="…",pci_bdf="0000:29:00.0",…,type="uncorrectable"} 0.0
 */
#include "base/compat.h"
#include "import/dump/readers.h"
#include "import/intel/xpu_smi.h"

#include "base/text.h"
#include "base/text_scan.h"

/* What is counted, as xpu-smi calls it with the type behind. */
static const struct { const char *metric, *name; } metrics[] = {
	{ "xpum_cache_errors", "cache errors" }, { "xpum_non_compute_errors", "mem errors" },
};

/* The value of a label in the arena, or NULL. */
static const char *label(struct arena *arena, const char *text, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = text; (at = strstr(at, name)); at++)
		if (at > text && strchr("{,", at[-1]) && text_begins(at + len, "=\""))
			return arena_strndup(arena, at + len + 2, strcspn(at + len + 2, "\""));
	return NULL;
}

/* Its row in the table, or -1; *ret_value: what stands behind its labels. */
static int metric_in(const char *text, const char **ret_value)
{
	const char *end;

	text = past_blanks(text);
	for (size_t i = 0; i < ARRAY_SIZE(metrics); i++) {
		const char *at = text + strlen(metrics[i].metric);

		if (!text_begins(text, metrics[i].metric))
			continue;
		at += text_begins(at, "_total") ? strlen("_total") : 0;
		end = *at == '{' && strstr(at, "pci_bdf=\"") ? strrchr(at, '}') : NULL;
		*ret_value = end ? past_blanks(end + 1) : "";
		return is_digit(**ret_value) ? (int)i : -1;
	}
	return -1;
}

enum dump_begins xpu_metrics_begins(const struct dump_line *lines, size_t nr)
{
	const char *value;

	(void)nr;
	return metric_in(lines->text, &value) < 0 ? BEGINS_NOT : BEGINS_MORE;
}

/* Of several machines, as a database of metrics lists them, the first is told of. */
void xpu_metrics_read(struct reading *reading)
{
	const char *first = NULL;

	for (size_t i = 0; i < reading->part->nr_lines; i++) {
		struct dump_line *line = &reading->part->lines[i];
		const char *value, *type, *address, *host;
		const int row = metric_in(line->text, &value);
		struct xpu_gpu gpu = { .gpu = NULL };

		if (row < 0)
			continue;
		host = label(reading->arena, line->text, "instance");
		first = first ? first : host;
		type = label(reading->arena, line->text, "type");
		address = label(reading->arena, line->text, "pci_bdf");
		gpu.gpu = address ? reading_gpu(reading, address) : NULL;
		if (!type || !gpu.gpu || (host && strcmp(host, first) != 0))
			continue;
		put(reading, line, gpu.gpu->pci.vendor_id, val_str("0x8086"));
		xpu_take(reading, &gpu, "", arena_printf(reading->arena, "%s %s", metrics[row].name, type), value,
			 line);
		xpu_gpu_end(gpu.gpu);
	}
}
