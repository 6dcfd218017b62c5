// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nvidia_files.c - what NVIDIA's driver reports on one GPU in files.
 */
#include "base/compat.h"
#include "probe/device/card.h"

#include "format/nvidia_text.h"
#include "probe/device/gpu_nodes.h"
#include "probe/pci/pci_function.h"
#include "probe/read.h"

#define NOT_LISTED "the driver does not list this GPU"

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
	PROC_TEXT_AUTO information = PROC_TEXT_INIT;
	char path[160];

	card_check_power_state(card);
	if (card->untouched != VAL_UNSET) {
		set_no_nvidia(files, card->untouched, card->why);
		return;
	}
	snprintf(path, sizeof(path), NVIDIA_GPUS "/%.64s/information", env->target);
	sink_step(card->sink, path);
	proc_text_read(env, &information, 0, path);
	if (information.state == VAL_ABSENT)
		information.why = NOT_LISTED;
	nvidia_information_decode(&information, &card->arena, files);
}
