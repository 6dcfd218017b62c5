// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "format/nvidia_text.h"

#include "base/text_scan.h"
#include "format/text_value.h"

/* ---- information */

/* Before it was first opened the driver writes question marks. */
static struct val_str once_opened(struct val_str value)
{
	if (is_known(value) && strchr(str_or(value, ""), '?'))
		return no_str(VAL_ABSENT, "not known before the driver opened the GPU");
	return value;
}

static struct val_str firmware_of(struct val_str value)
{
	return str_is(value, "N/A") ? no_str(VAL_ABSENT, "runs none") : value;
}

static struct val_bool yes_or_no(struct arena *arena, struct val_str value)
{
	if (!is_known(value))
		return no_bool(value.state, value.why);
	if (str_is(value, "Yes") || str_is(value, "No"))
		return val_bool(str_is(value, "Yes"));
	return no_bool(VAL_ERROR, arena_printf(arena, "reads \"%.40s\"", str_or(value, "")));
}

void nvidia_information_decode(const struct proc_text *text, struct arena *arena, struct nvidia_files *ret)
{
	ret->model = proc_text_str(text, arena, "Model");
	ret->uuid = once_opened(proc_text_str(text, arena, "GPU UUID"));
	ret->vbios = once_opened(proc_text_str(text, arena, "Video BIOS"));
	ret->firmware = firmware_of(proc_text_str(text, arena, "GPU Firmware"));
	ret->minor = proc_text_u64(text, arena, "Device Minor", 1);
	ret->excluded = yes_or_no(arena, proc_text_str(text, arena, "GPU Excluded"));
}

/* ---- version */

/*
 * "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19 …"
 * "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  610.43.02  Release Build …"
 */
void nvidia_version_parse(struct arena *arena, const char *text, struct val_str *ret_version,
			  struct val_str *ret_flavour)
{
	static const char name[] = "Kernel Module", open_name[] = "Open Kernel Module";
	const char *line = arena_strndup(arena, text, strcspn(text, "\n"));
	const char *at = strstr(line, name);

	*ret_version = no_str(VAL_ERROR, arena_printf(arena, "reads \"%.40s\"", line));
	*ret_flavour = no_str(VAL_ERROR, ret_version->why);
	if (!at)
		return;
	*ret_flavour = val_str(strstr(line, open_name) ? "open" : "proprietary");
	/* The first word that is a number with points: an architecture's name may begin with a digit too. */
	for (at += strlen(name); *at; at += strcspn(at, " ")) {
		size_t len;

		at += strspn(at, " ");
		len = strspn(at, "0123456789.");
		if (is_digit(*at) && memchr(at, '.', len) && (at[len] == ' ' || !at[len])) {
			*ret_version = checked_driver_version(arena, val_str(arena_strndup(arena, at, len)));
			return;
		}
	}
}
