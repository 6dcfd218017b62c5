// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * amdgpu.c - what amdgpu reports on one GPU in files.
 */
#include "base/compat.h"
#include "probe/amd/amdgpu_internal.h"

#include "format/amdgpu_throttle.h"
#include "probe/pci/pci_function.h"
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

static void read_identity(struct card *card, struct amdgpu_files *files)
{
	files->serial = card_text(card, "serial_number");
	files->unique_id = card_text(card, "unique_id");
	files->vbios = card_text(card, "vbios_version");
	files->product = card_text(card, "product_name");
	files->smc_firmware = card_text(card, "fw_version/smc_fw_version");
	files->sos_firmware = card_text(card, "fw_version/sos_fw_version");
}

static void read_memory(struct card *card, struct amdgpu_files *files)
{
	files->vram_total_bytes = card_number(card, "mem_info_vram_total");
	files->vram_used_bytes = card_number(card, "mem_info_vram_used");
	files->visible_vram_bytes = card_number(card, "mem_info_vis_vram_total");
	files->gtt_total_bytes = card_number(card, "mem_info_gtt_total");
	files->gtt_used_bytes = card_number(card, "mem_info_gtt_used");
}

/* Its table gpu_metrics. */
static void read_metrics(struct card *card, struct amdgpu_files *files, struct amdgpu_metrics *ret)
{
	unsigned char buf[AMDGPU_METRICS_MAX_BYTES];
	size_t len = 0;
	struct val_head head = card_bytes(card, "gpu_metrics", buf, sizeof(buf), &len);

	files->metrics_version = amdgpu_metrics_table(&card->arena, head, buf, len, ret);
	files->throttle_status = amdgpu_throttle_status(&card->arena, ret, files->hotspot_c, files->hotspot_max_c);
	files->pcie_recoveries = ret->pcie_recoveries;
	files->pcie_replays = card_number(card, "pcie_replay_count");
	if (!is_known(files->pcie_replays) && is_known(ret->pcie_replays))
		files->pcie_replays = ret->pcie_replays;
}

/*
 * pcie_bw is left alone: it counts for a second before it answers (Linux 7.2
 * amdgpu/soc15.c). So is xgmi_error, whose count every read clears.
 */
void amdgpu_files_read(struct card *card, struct gpu *gpu)
{
	struct amdgpu_files *files = &gpu->amdgpu;
	struct amdgpu_sensors sensors;
	struct amdgpu_metrics metrics;

	card->reason = amdgpu_reason;
	card_check_power_state(card);
	read_identity(card, files);
	read_memory(card, files);
	amdgpu_read_sensors(card, files, &sensors);
	read_metrics(card, files, &metrics);
	amdgpu_read_clocks(card, files, &sensors, &metrics);
	amdgpu_read_ras(card, files);
	amdgpu_read_links(card, gpu, &metrics);
	files->compute_partition = card_text(card, "current_compute_partition");
	files->memory_partition = card_text(card, "current_memory_partition");
	amdgpu_read_kfd(card, gpu);
}
