// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * amdgpu.c - what amdgpu tells of one GPU in files.
 */
#include "base/compat.h"
#include "probe/gpu_files.h"

#include "probe/pci_function.h"
#include "probe/read.h"

/*
 * What amdgpu answers instead of a value: EPERM while the card sleeps, EBUSY
 * while it is reset, the others where this card has no such thing
 * (Linux 7.2 drivers/gpu/drm/amd/pm/amdgpu_pm.c).
 */
static struct val_head amdgpu_reason(struct card *card, enum val_state state, const char *why)
{
	static const char *const unsupported[] = { "EINVAL", "ENODEV", "ENODATA", "EOPNOTSUPP" };
	struct pci_function now = { 0 };

	if (!strcmp(why, "EBUSY"))
		return (struct val_head){ .state = VAL_ERROR, .why = "EBUSY: the driver resets the GPU" };
	for (size_t i = 0; i < ARRAY_SIZE(unsupported); i++)
		if (!strcmp(why, unsupported[i]))
			return (struct val_head){ .state = VAL_UNSUPPORTED, .why = why };
	if (!strcmp(why, "EPERM")) {
		/* It fell asleep since we looked. */
		now.runtime_status = read_str(card->env, &card->arena, PCI_DEVICES "/%s/power/runtime_status",
					      card->env->target);
		if (pci_function_is_asleep(&card->arena, &now, &why))
			state = VAL_ASLEEP;
	}
	return (struct val_head){ .state = state, .why = why };
}

void amdgpu_files_read(struct card *card, struct gpu *gpu)
{
	struct amdgpu_files *files = &gpu->amdgpu;

	card->reason = amdgpu_reason;
	card_look_whether_asleep(card);
	files->serial = card_text(card, "serial_number");
	files->unique_id = card_text(card, "unique_id");
	files->vbios = card_text(card, "vbios_version");
	files->product = card_text(card, "product_name");
	files->vram_total_bytes = card_number(card, "mem_info_vram_total");
	files->vram_used_bytes = card_number(card, "mem_info_vram_used");
	files->visible_vram_bytes = card_number(card, "mem_info_vis_vram_total");
}
