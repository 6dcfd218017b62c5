// SPDX-License-Identifier: GPL-2.0-or-later
/* amdgpu_table.c - reads gpu_metrics of one AMD GPU. */
#include "base/compat.h"
#include "probe/amd/amdgpu_internal.h"

#include "format/amdgpu_throttle.h"

void amdgpu_read_metrics(struct card *card, struct amdgpu_files *files, struct amdgpu_metrics *ret)
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
