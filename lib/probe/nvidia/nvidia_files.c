// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nvidia_files.c - what NVIDIA's driver tells of one GPU in files.
 */
#include "base/compat.h"
#include "probe/device/card.h"

#include "probe/device/gpu_nodes.h"
#include "probe/pci/pci_function.h"
#include "probe/proc_file.h"
#include "probe/read.h"

#define NOT_LISTED "the driver does not list this GPU"

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

static void set_no_nvidia(struct nvidia_files *files, enum val_state state, const char *why)
{
	files->model = files->uuid = files->vbios = files->firmware = no_str(state, why);
	files->minor = no_u64(state, why);
	files->excluded = no_bool(state, why);
}

/* The driver wakes a GPU that sleeps before it answers (nv-procfs.c of its open modules). */
void nvidia_files_read(struct card *card, struct gpu *gpu)
{
	struct nvidia_files *files = &gpu->nvidia;
	struct probe_env *env = card->env;
	struct arena *arena = &card->arena;
	PROC_FILE_AUTO information = PROC_FILE_INIT;
	char path[160];

	card_check_power_state(card);
	if (card->untouched != VAL_UNSET) {
		set_no_nvidia(files, card->untouched, card->why);
		return;
	}
	snprintf(path, sizeof(path), NVIDIA_GPUS "/%.64s/information", env->target);
	sink_step(card->sink, path);
	proc_file_read(env, &information, 0, path);
	if (information.state == VAL_ABSENT)
		information.why = NOT_LISTED;
	files->model = proc_file_str(&information, arena, "Model");
	files->uuid = once_opened(proc_file_str(&information, arena, "GPU UUID"));
	files->vbios = once_opened(proc_file_str(&information, arena, "Video BIOS"));
	files->firmware = firmware_of(proc_file_str(&information, arena, "GPU Firmware"));
	files->minor = proc_file_u64(&information, arena, "Device Minor", 1);
	files->excluded = yes_or_no(arena, proc_file_str(&information, arena, "GPU Excluded"));
}
