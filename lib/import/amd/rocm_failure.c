// SPDX-License-Identifier: GPL-2.0-or-later
/* rocm_failure.c - what rocm-smi, amd-smi, rocminfo and programs of HIP say where they find no driver or no GPU. */
#include "base/compat.h"
#include "import/dump/log_time.h"
#include "import/dump/readers.h"
#include "import/words/mention.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "snapshot/rocm.h"

static const struct { const char *text; enum val_state state; const char *why;
} starts[] = {
	{ "river not initialized (amdgpu not found in modules)", VAL_ERROR, ROCM_NOT_LOADED " (rocm-smi)" },
	{ "Drivers not loaded (amdgpu, ", VAL_ERROR, ROCM_NOT_LOADED " (amd-smi)" },
	{ "ROCk module is NOT loaded, possibly no GPU devices", VAL_ERROR, ROCM_NOT_LOADED " (rocminfo)" },
	{ "ROCk module is NOT live, possibly no GPU devices", VAL_ERROR, ROCM_NOT_LOADED " (rocminfo)" },
	{ "AMDSMI_STATUS_DRIVER_NOT_LOADED", VAL_ERROR, ROCM_NOT_LOADED " (AMDSMI_STATUS_DRIVER_NOT_LOADED)" },
	{ "Unable to detect any GPU devices, check amdgpu version", VAL_ERROR, ROCM_NOT_LOADED " (amd-smi)" },
	{ "could not insert 'amdgpu': ", VAL_ERROR, ROCM_NOT_LOADED " (modprobe)" },
	{ "Module amdgpu not found in directory", VAL_ERROR, ROCM_NOT_LOADED " (modprobe)" },
	{ "Unable to open /dev/kfd read-write: Permission denied", VAL_DENIED, "/dev/kfd: permission denied" },
	{ "Unable to open /dev/kfd read-write: No such file", VAL_ERROR, "there is no /dev/kfd" },
	{ "Unable to open /dev/kfd read-write: Operation not permitted", VAL_ERROR,
	  "/dev/kfd: operation not permitted" },
	{ "Unable to open /dev/kfd read-write: Invalid argument", VAL_ERROR, "/dev/kfd: invalid argument" },
	{ "Unable to open /dev/kfd read-write: Cannot allocate", VAL_ERROR, "/dev/kfd: cannot allocate memory" },
	/* Others that open it, and who may. amd-smi lists it above figures that are good, behind a bullet. */
	{ "open '/dev/kfd': Permission denied", VAL_DENIED, "/dev/kfd: permission denied" },
	{ "/dev/kfd: Permission denied", VAL_DENIED, "/dev/kfd: permission denied" },
	{ "is not member of \"render\" group", VAL_DENIED, "/dev/kfd: not member of group render" },
	{ "is not member of \"video\" group", VAL_DENIED, "/dev/kfd: not member of group video" },
	{ "Call returned HSA_STATUS_ERROR_OUT_OF_RESOURCES: ", VAL_ERROR,
	  "HSA_STATUS_ERROR_OUT_OF_RESOURCES (rocminfo)" },
	{ "rocminfo.cc. Call returned 4104", VAL_ERROR, "HSA_STATUS_ERROR_OUT_OF_RESOURCES (rocminfo)" },
	{ "Call returned HSA_STATUS_ERROR: ", VAL_ERROR, "HSA_STATUS_ERROR (rocminfo)" },
	{ "rocminfo.cc. Call returned 4096", VAL_ERROR, "HSA_STATUS_ERROR (rocminfo)" },
	{ "HSA Error: Incompatible kernel and userspace, AMD GPU disabled", VAL_ERROR,
	  "ROCm's runtime does not fit the kernel's amdgpu (rocminfo)" },
	{ "no ROCm-capable device is detected", VAL_ERROR, "HIP: no ROCm-capable device is detected" },
};

/*
 * rocm-smi says so before or in an empty table. Programs that ask it for figures log the words on machines without a
 * GPU of AMD's, too: there no table follows.
 */
static const char lists_none[] = "No AMD GPUs specified";
enum { BANNER_WITHIN = 6 };

static bool is_empty_list(const struct dump_line *lines, size_t nr)
{
	if (!scan_behind(lines->text, "WARNING: ") || !strstr(lines->text, lists_none))
		return false;
	for (size_t i = 1; i < nr && i <= BANNER_WITHIN; i++)
		if (strstr(lines[i].text, "= ROCm System Management Interface =") ||
		    strstr(lines[i].text, "= Concise Info =") || strstr(lines[i].text, "= End of ROCm SMI Log ="))
			return true;
	return false;
}

/*
 * clinfo, AMD's own and that of the distributions, where the platform has no device: the line behind the platform's
 * name.
 */
static const char opencl_platform[] = "AMD Accelerated Parallel Processing";

static bool is_empty_platform(const struct dump_line *lines, size_t nr)
{
	const char *next = nr > 1 ? past_blanks(lines[1].text) : "";

	if (!text_begins(past_blanks(lines->text), "Platform Name") || !strstr(lines->text, opencl_platform))
		return false;
	if (text_begins(next, "Number of devices"))
		return !strcmp(past_blanks(next + strcspn(next, "0123456789")), "0");
	return text_begins(next, "ERROR: clGetDeviceIDs(-1)");
}

/*
 * A program prints such a line alone, or behind its name and a level, a log behind a stamp, and people behind a label.
 * In a list it is advice.
 */
static bool is_in_list(const char *text)
{
	const char *first = past_blanks(log_time_behind_stamp(text));
	static const struct { const char *open, *close; } labels[] = { { "【", "】" }, { "**", ":** " } };

	for (size_t i = 0; i < ARRAY_SIZE(labels); i++) {
		const char *close = text_begins(first, labels[i].open) ? strstr(first, labels[i].close) : NULL;

		if (close)
			first = past_blanks(close + strlen(labels[i].close));
	}
	return (unsigned char)*first >= 0x80 || strchr("*-|", *first);
}

static bool start_of(const char *text, size_t *ret_row)
{
	const char *at = is_in_list(text) ? NULL : text;

	for (int i = 0; at && i < MOST_MENTIONS; i++) {
		const char *found =
			text_find_row(at, &starts[0].text, sizeof(*starts), ARRAY_SIZE(starts), false, ret_row);

		if (!found)
			return false;
		at = past_mention(text, found, strlen(starts[*ret_row].text));
		if (!at)
			return true;
	}
	return false;
}

enum dump_begins rocm_failure_begins(const struct dump_line *lines, size_t nr)
{
	size_t row;

	return start_of(lines->text, &row) || is_empty_list(lines, nr) || is_empty_platform(lines, nr) ? BEGINS_MORE
												       : BEGINS_NOT;
}

static const struct dump_part *next_failure(const struct dump_parts *parts, size_t at)
{
	while (at < parts->nr && parts->v[at].kind != DUMP_ROCM_FAILURE)
		at++;
	return at < parts->nr ? &parts->v[at] : NULL;
}

/*
 * The first part of all tells of the platform, as there may be thousands: what any of them tells of the driver is why
 * OpenCL has no device, and all texts are judged as one node, whatever files and prompts they stand behind.
 */
static void read_empty_platform(struct reading *reading)
{
	const struct dump_parts *parts = reading->parts;
	const struct dump_part *part = parts ? next_failure(parts, 0) : NULL, *of = NULL;
	struct dump_line *first = NULL;
	size_t row;

	for (part = part == reading->part ? part : NULL; part;
	     part = next_failure(parts, (size_t)(part - parts->v) + 1))
		for (size_t i = 0; i < part->nr_lines; i++) {
			if (start_of(part->lines[i].text, &row))
				return;
			if (first || !is_empty_platform(&part->lines[i], part->nr_lines - i))
				continue;
			of = part;
			first = &part->lines[i + 1];
		}
	if (first)
		put(&((struct reading){ .part = of }), first, reading->snapshot->rocm.init,
		    no_str(VAL_ABSENT, "CL_DEVICE_NOT_FOUND (clinfo)"));
}

void rocm_failure_read(struct reading *reading)
{
	struct dump_line *line = reading->part->lines;
	struct rocm *rocm = &reading->snapshot->rocm;
	size_t row, first = ARRAY_SIZE(starts);

	read_empty_platform(reading);
	/* The causes stand above their effects in the table. */
	for (size_t i = 0; i < reading->part->nr_lines; i++) {
		if (strstr(line[i].text, lists_none))
			put(reading, &line[i], rocm->init, no_str(VAL_ERROR, "rocm-smi lists none"));
		if (is_empty_platform(&line[i], reading->part->nr_lines - i))
			line[i + 1].is_taken = true;
		if (!start_of(line[i].text, &row))
			continue;
		line[i].is_taken = true;
		if (row < first)
			put(reading, &line[i], rocm->init, no_str(starts[row].state, starts[row].why));
		first = row < first ? row : first;
	}
}
