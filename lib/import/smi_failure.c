// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * smi_failure.c - what nvidia-smi says in place of a table: a line for the whole node, or for one GPU. It stands among
 * anything else, and nvidia-smi may have ended with status 0.
 */
#include "base/compat.h"
#include "import/readers.h"
#include "import/smi_value.h"

#include "base/text_scan.h"
#include "klog/span.h"

/* Of the node: how NVML's start failed, in NVML's names as the checks know them. */
static const struct { const char *text; enum val_state state; const char *why; } starts[] = {
	{ "Failed to initialize NVML: Driver/library version mismatch", VAL_ERROR,
	  "nvmlInit: NVML_ERROR_LIB_RM_VERSION_MISMATCH" },
	{ "Failed to initialize NVML: Insufficient Permissions", VAL_DENIED, "nvmlInit: NVML_ERROR_NO_PERMISSION" },
	{ "Failed to initialize NVML: GPU access blocked", VAL_ERROR, "nvmlInit: NVML_ERROR_OPERATING_SYSTEM" },
	{ "Failed to initialize NVML: Unknown Error", VAL_ERROR, "nvmlInit: NVML_ERROR_UNKNOWN" },
	{ "Failed to initialize NVML: Driver Not Loaded", VAL_ERROR, "nvmlInit: NVML_ERROR_DRIVER_NOT_LOADED" },
	{ "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver", VAL_ERROR,
	  "nvmlInit: NVML_ERROR_DRIVER_NOT_LOADED" },
};

static const char device_handle[] = "Unable to determine the device handle for";

static const char *start_of(const char *text, size_t *ret_row)
{
	for (size_t i = 0; i < ARRAY_SIZE(starts); i++) {
		const char *at = strstr(text, starts[i].text);

		if (at) {
			*ret_row = i;
			return at;
		}
	}
	return NULL;
}

enum dump_begins smi_failure_begins(const struct dump_line *lines, size_t nr)
{
	size_t row;

	(void)nr;
	if (start_of(lines->text, &row) || strstr(lines->text, device_handle))
		return BEGINS_NEW;
	return BEGINS_NOT;
}

/* "for GPU 0000:5D:00.0: Unknown Error", "for GPU3: 0000:5D:00.0: GPU is lost.  Reboot …": where the address stands. */
static const char *address_in(const char *text, char ret[PCI_TEXT_BYTES])
{
	for (const char *at = text; *at; at++) {
		struct span span = span_of(at);

		if ((at == text || hex_digit(at[-1]) < 0) && span_take_pci(&span, ret))
			return span.at;
	}
	return NULL;
}

static void read_gpu(struct reading *reading, struct dump_line *line, const char *text)
{
	char address[PCI_TEXT_BYTES];
	const char *reason = address_in(text, address);
	struct val_head head;
	struct gpu *gpu;

	if (!reason)
		return;
	reason += strspn(reason, ": ");
	gpu = reading_nvidia_gpu(reading, line, address);
	if (!strncmp(reason, "Not Found", strlen("Not Found")))
		head = (struct val_head){ .state = VAL_ERROR, .why = "NVML_ERROR_NOT_FOUND" };
	else if (!smi_is_no_value(reason, &head))
		head = (struct val_head){ .state = VAL_ERROR, .why = "NVML_ERROR_UNKNOWN" };
	put(reading, line, gpu->nvml.handle, no_str(head.state, head.why));
}

void smi_failure_read(struct reading *reading)
{
	const struct dump_part *part = reading->part;

	for (size_t i = 0; i < part->nr_lines; i++) {
		struct dump_line *line = &part->lines[i];
		const char *handle = strstr(line->text, device_handle);
		size_t row;

		if (handle)
			read_gpu(reading, line, handle + strlen(device_handle));
		else if (start_of(line->text, &row))
			put(reading, line, reading->snapshot->nvml.init, no_str(starts[row].state, starts[row].why));
	}
}
