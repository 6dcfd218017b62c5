// SPDX-License-Identifier: GPL-2.0-or-later
/* amdgpu_links.c - xGMI of one AMD GPU: the group it is joined to, and its links. */
#include "base/compat.h"
#include "probe/amd/amdgpu_internal.h"

#include "probe/pci/pci_function.h"
#include "probe/read.h"

#define NOT_TOLD "not reported by amdgpu"

static struct val_u64 count_peers(struct card *card)
{
	struct name_list names = { 0 };
	uint64_t nr = 0;
	int error;

	if (card->untouched != VAL_UNSET)
		return no_u64(card->untouched, card->why);
	error = root_list(card->env->root, &names, PCI_DEVICES "/%s/xgmi_hive_info", card->env->target);
	for (size_t i = 0; i < names.nr; i++)
		nr += !strncmp(names.names[i], "node", 4);
	name_list_release(&names);
	return error ? no_u64(state_of_errno(error), name_of_errno(error)) : val_u64(nr);
}

/* What amdgpu counts by block alone (ras/xgmi_wafl_err_count), or not at all. */
static void set_untold(struct gpu_link *link)
{
	link->version = link->crc_errors = link->replays = link->recoveries = link->failed_recoveries =
		link->receive_errors = no_u64(VAL_UNSUPPORTED, NOT_TOLD);
	link->remote = link->remote_kind = no_str(VAL_UNSUPPORTED, NOT_TOLD);
}

/* Lanes times rate; no encoding is known to take of it. */
static struct val_f64 speed_of(const struct amdgpu_metrics *metrics)
{
	uint64_t width = u64_or(metrics->xgmi_link_width, 0), mtps = u64_or(metrics->xgmi_link_speed_mtps, 0);

	if (!width || !mtps)
		return no_f64(VAL_UNSUPPORTED, AMDGPU_METRICS_NOT_FILLED);
	return val_f64((double)width * (double)mtps / 8000);
}

static void add_link(struct card *card, struct gpu *gpu, const struct amdgpu_metrics *metrics, size_t number,
		     bool is_active)
{
	struct arena *arena = &card->sink->facts.arena;
	struct gpu_link *link = list_element(arena, gpu, links, gpu_link, arena_printf(arena, "%zu", number));

	set_untold(link);
	link->kind = val_str("xgmi");
	link->state = val_str(is_active ? "active" : "inactive");
	link->speed_gbps = is_active ? speed_of(metrics) : no_f64(VAL_ABSENT, "the link is not active");
}

/* A number of two digits for each GPU of the group: "00 01 01 01" (Linux 7.2 amdgpu_xgmi.c). */
static struct val_u64 sum_of_links(struct card *card)
{
	struct val_str text = card_text(card, "xgmi_num_links");
	const char *at = str_or(text, "");
	uint64_t sum = 0;

	if (!is_known(text))
		return no_u64(text.state, text.why);
	while (*at) {
		char *end;
		unsigned long number = strtoul(at, &end, 16);

		if (end == at || number > 0xff)
			return no_u64(VAL_ERROR, arena_printf(&card->arena, "reads \"%.40s\"", str_or(text, "")));
		sum += number;
		at = end + strspn(end, " \n");
	}
	return val_u64(sum);
}

void amdgpu_read_links(struct card *card, struct gpu *gpu, const struct amdgpu_metrics *metrics)
{
	struct amdgpu_files *files = &gpu->amdgpu;
	uint64_t links = 0, active = 0;

	files->hive = card_text(card, "xgmi_hive_info/xgmi_hive_id");
	files->hive_gpus = count_peers(card);
	for (size_t i = 0; i < AMDGPU_METRICS_XGMI_LINKS; i++) {
		uint64_t status = u64_or(metrics->xgmi_link_status[i], AMDGPU_XGMI_NOT_AVAILABLE);

		if (status >= AMDGPU_XGMI_NOT_AVAILABLE)
			continue;
		links++;
		active += status == AMDGPU_XGMI_ACTIVE;
		add_link(card, gpu, metrics, i, status == AMDGPU_XGMI_ACTIVE);
	}
	files->xgmi_links = links ? val_u64(links) : sum_of_links(card);
	files->xgmi_links_active = links ? val_u64(active) :
					   no_u64(metrics->xgmi_link_status[0].state, metrics->xgmi_link_status[0].why);
	if (is_known(metrics->xgmi_link_status[0]) && !links)
		files->xgmi_links_active = no_u64(VAL_ABSENT, "no link is available");
}
