// SPDX-License-Identifier: GPL-2.0-or-later
/* amdgpu_table.c - reads gpu_metrics of one AMD GPU. */
#include "base/compat.h"
#include "probe/amd/amdgpu_internal.h"

#include <errno.h>

#include "format/amdgpu_throttle.h"

/* Every value of the table gets the reason why there is none. */
static void set_unknown(struct amdgpu_metrics *metrics, struct val_head head)
{
	for (size_t at = offsetof(struct amdgpu_metrics, edge_c); at < sizeof(*metrics); at += sizeof(union any_value))
		*(struct val_head *)(void *)((char *)metrics + at) = head;
}

/* Of bytes that begin with no version none is told. */
static const char *describe(struct card *card, const struct amdgpu_metrics *metrics, size_t len, const char *why)
{
	if (!metrics->format || metrics->format == UINT8_MAX)
		return arena_printf(&card->arena, "%zu bytes: %s", len, why);
	return arena_printf(&card->arena, "version %u.%u, %zu bytes: %s", metrics->format, metrics->content, len, why);
}

/* A version of newer firmware is nothing that failed, nor is a table that firmware does not fill. */
static enum val_state state_of_table(int error)
{
	return error == -EPROTONOSUPPORT ? VAL_UNSUPPORTED : error == -ENODATA ? VAL_ABSENT : VAL_ERROR;
}

static struct val_str read_table(struct card *card, struct amdgpu_metrics *ret)
{
	unsigned char buf[AMDGPU_METRICS_MAX_BYTES];
	const char *why;
	size_t len;
	struct val_head head = card_bytes(card, "gpu_metrics", buf, sizeof(buf), &len);
	int error;

	*ret = (struct amdgpu_metrics){ .format = 0 };
	if (head.state == VAL_OK) {
		error = amdgpu_metrics_decode(buf, len, ret, &why);
		if (!error)
			return val_str(amdgpu_metrics_version(ret));
		head = (struct val_head){ .state = state_of_table(error), .why = describe(card, ret, len, why) };
	}
	set_unknown(ret, head);
	return no_str(head.state, head.why);
}

/*
 * Bits that mean the same of every chip, but for the one that sticks; else
 * those of this chip, which say no more than whether there is any.
 */
static struct val_str throttle_status(struct card *card, const struct amdgpu_files *files,
				      const struct amdgpu_metrics *metrics)
{
	STRBUF_AUTO names = STRBUF_INIT;
	uint64_t own = u64_or(metrics->throttle_status, 0);

	if (is_known(metrics->indep_throttle_status)) {
		amdgpu_throttle_names(&names,
				      amdgpu_throttle_believed(u64_or(metrics->indep_throttle_status, 0),
							       files->hotspot_c, files->hotspot_max_c));
		return val_str(arena_strdup(&card->arena, names.buf));
	}
	if (is_known(metrics->throttle_status) && !own)
		return val_str("none");
	if (is_known(metrics->throttle_status))
		return val_str(arena_printf(&card->arena, "0x%llx, bits of this chip", (unsigned long long)own));
	if (is_known(metrics->prochot_residency))
		return no_str(VAL_UNSUPPORTED, "this version counts how long it was held back, not whether it is");
	return no_str(metrics->throttle_status.state, metrics->throttle_status.why);
}

void amdgpu_read_metrics(struct card *card, struct amdgpu_files *files, struct amdgpu_metrics *ret)
{
	files->metrics_version = read_table(card, ret);
	files->throttle_status = throttle_status(card, files, ret);
	files->pcie_recoveries = ret->pcie_recoveries;
	files->pcie_replays = card_number(card, "pcie_replay_count");
	if (!is_known(files->pcie_replays) && is_known(ret->pcie_replays))
		files->pcie_replays = ret->pcie_replays;
}
