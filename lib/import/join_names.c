// SPDX-License-Identifier: GPL-2.0-or-later
/* join_names.c - who a GPU is that a part tells no address of: by what the other parts tell of theirs. */
#include "base/compat.h"
#include "import/join.h"
#include "import/machines.h"
#include "import/overlay.h"

#include "snapshot/gpus.h"

static bool same_text(struct val_str a, struct val_str b)
{
	return is_known(a) && is_known(b) && !strcmp(str_or(a, ""), str_or(b, ""));
}

static bool same_number(struct val_u64 a, struct val_u64 b)
{
	return is_known(a) && is_known(b) && u64_or(a, 0) == u64_or(b, 0);
}

static bool is_serial_shared(const struct gpu *gpus, size_t nr, const struct gpu *gpu)
{
	size_t nr_same = 0;

	for (size_t i = 0; i < nr; i++)
		nr_same += same_text(gpus[i].nvml.serial, gpu->nvml.serial) ? 1 : 0;
	return nr_same > 1;
}

/* The GPUs of a board, as an A16 has four, share its serial number: it tells none of them from the others. */
static bool same_card(const struct gpu *a, const struct gpu *b, bool is_of_board)
{
	if (dump_cards_match(a, b) != CARDS_SAME)
		return false;
	return !is_of_board ||
	       (is_known(a->nvml.uuid) && !strcasecmp(str_or(a->nvml.uuid, ""), str_or(b->nvml.uuid, "")));
}

/* Who is it, among those whose address is known: by UUID, by serial number, by its vendor's tools' index. */
static const struct gpu *known_gpu(const struct snapshot *base, const struct gpu *gpu, bool is_of_board)
{
	for (size_t i = 0; i < base->nr_gpus; i++)
		if (same_card(&base->gpus[i], gpu, is_of_board) ||
		    same_text(base->gpus[i].amdgpu.unique_id, gpu->amdgpu.unique_id))
			return &base->gpus[i];
	for (size_t i = 0; i < base->nr_gpus; i++)
		if (same_number(base->gpus[i].nvml.index, gpu->nvml.index) ||
		    same_number(base->gpus[i].amdgpu.index, gpu->amdgpu.index) ||
		    same_number(base->gpus[i].intel.index, gpu->intel.index))
			return &base->gpus[i];
	return NULL;
}

bool join_may_be_no_gpu(const struct gpu *gpu)
{
	return !is_known(gpu->pci.vendor_id) && !is_known(gpu->pci.class_code) && !is_known(gpu->pci.driver) &&
	       !is_known(gpu->nvml.index) && !is_known(gpu->nvml.uuid) && !is_known(gpu->amdgpu.index) &&
	       !is_known(gpu->intel.index) &&
	       (gpu->nr_hops || gpu->pci.link_width.state != VAL_UNSET || gpu->pci.link_width_able.state != VAL_UNSET ||
		gpu->pci.max_payload_bytes.state != VAL_UNSET || gpu->pci.aspm.state != VAL_UNSET ||
		gpu->pci.config_all_ones.state != VAL_UNSET);
}

static void note_text(struct arena *arena, struct val_str *to, struct val_str value)
{
	if (!is_known(*to) && is_known(value))
		*to = val_str(arena_strdup(arena, str_or(value, "")));
}

/* Those of NVIDIA of which lspci tells no more than where they are; by i, or NULL. */
static const struct gpu *unnamed_of_nvidia(const struct snapshot *named, size_t i, size_t *ret_nr)
{
	const struct gpu *ret = NULL;

	*ret_nr = 0;
	for (size_t k = 0; k < named->nr_gpus; k++) {
		if (!str_is(named->gpus[k].pci.vendor_id, "0x10de"))
			continue;
		if (is_known(named->gpus[k].nvml.index) || is_known(named->gpus[k].nvml.uuid))
			return NULL;
		ret = *ret_nr == i ? &named->gpus[k] : ret;
		++*ret_nr;
	}
	return ret;
}

static const char between_words[] = "[] -/";

static bool has_word(const char *name, const char *word, size_t len)
{
	for (const char *at = name; *at;) {
		size_t len_at;

		at += strspn(at, between_words);
		len_at = strcspn(at, between_words);
		if (len_at == len && !strncasecmp(at, word, len))
			return true;
		at += len_at;
	}
	return false;
}

/* Of "NVIDIA Corporation GA100 [A100 SXM4 80GB]" the first word in brackets with a digit is in nvidia-smi's name. */
static bool are_of_model(const struct gpu *on_bus, const struct gpu *listed)
{
	const char *word = strchr(str_or(on_bus->pci.model, ""), '[');

	for (size_t len; word && *word; word += len) {
		word += strspn(word, between_words);
		len = strcspn(word, between_words);
		if (len && strcspn(word, "0123456789") < len)
			return has_word(str_or(listed->nvml.name, ""), word, len);
	}
	return false;
}

/*
 * nvidia-smi numbers GPUs by their addresses: a whole list without any is of those that the bus has, if they are as
 * many and of the same models.
 */
static bool are_as_on_bus(const struct snapshot *named, const struct snapshot *part, const struct gpu *gpus, size_t nr)
{
	size_t nr_on_bus = 0;

	if (!is_known(part->nvml.gpus) || u64_or(part->nvml.gpus, 0) != nr)
		return false;
	for (size_t i = 0; i < nr; i++) {
		const struct gpu *on_bus = unnamed_of_nvidia(named, i, &nr_on_bus);

		if (!on_bus || u64_or(gpus[i].nvml.index, nr) != i || gpu_has_address(&gpus[i]) ||
		    !are_of_model(on_bus, &gpus[i]))
			return false;
	}
	return nr && nr_on_bus == nr;
}

/* What lspci lists as a GPU that its driver may have: not one that another has, or that no longer responds. */
static bool may_be_listed(const struct gpu *gpu)
{
	return !bool_or(gpu->pci.config_all_ones, false) && !str_is(gpu->pci.revision, "0xff") &&
	       (gpu->pci.driver.state == VAL_UNSET || str_is(gpu->pci.driver, "nvidia"));
}

void join_note_addresses(struct arena *arena, struct snapshot *named, const struct snapshot *part, bool are_gpus)
{
	for (size_t i = 0; i < part->nr_gpus; i++) {
		const struct gpu *gpu = &part->gpus[i];
		struct gpu *to;

		if (!gpu_has_address(gpu) || (!are_gpus && join_may_be_no_gpu(gpu)))
			continue;
		to = list_element(arena, named, gpus, gpu, str_or(gpu->key, ""));
		if (may_be_listed(gpu)) {
			note_text(arena, &to->pci.vendor_id, gpu->pci.vendor_id);
			note_text(arena, &to->pci.model, gpu->pci.model);
		}
		note_text(arena, &to->nvml.uuid, gpu->nvml.uuid);
		note_text(arena, &to->nvml.serial, gpu->nvml.serial);
		note_text(arena, &to->amdgpu.unique_id, gpu->amdgpu.unique_id);
		to->nvml.index = is_known(to->nvml.index) ? to->nvml.index : gpu->nvml.index;
		to->amdgpu.index = is_known(to->amdgpu.index) ? to->amdgpu.index : gpu->amdgpu.index;
		to->intel.index = is_known(to->intel.index) ? to->intel.index : gpu->intel.index;
	}
}

/*
 * Lines of a link alone, in a ticket that names no GPU: whose link it is that somebody asks about needs no name. It is
 * one that is narrowed, of as many lanes as GPUs have; "Width x2 (downgraded)" alone may be any device's, and at an
 * address of which nothing else is told there may be a network card.
 */
static bool is_link_asked_for(const struct gpu *gpu)
{
	enum { LANES_OF_GPUS = 16 };
	uint64_t able = u64_or(gpu->pci.link_width_able, 0);

	return able == LANES_OF_GPUS && u64_or(gpu->pci.link_width, able) < able && !gpu->nr_hops &&
	       !gpu_has_address(gpu);
}

void join_name_by_address(struct arena *arena, const struct snapshot *named, bool are_any, struct snapshot *part)
{
	struct gpu *gpus = part->gpus;
	size_t nr = part->nr_gpus, nr_on_bus;
	bool are_in_order = are_as_on_bus(named, part, gpus, nr);

	part->gpus = NULL;
	part->nr_gpus = 0;
	for (size_t i = 0; i < nr; i++) {
		bool is_of_board =
			is_serial_shared(named->gpus, named->nr_gpus, &gpus[i]) || is_serial_shared(gpus, nr, &gpus[i]);
		const struct gpu *known = gpu_has_address(&gpus[i]) ? NULL : known_gpu(named, &gpus[i], is_of_board);
		const char *key;

		known = known || !are_in_order ? known : unnamed_of_nvidia(named, i, &nr_on_bus);
		if (str_is(gpus[i].key, "gpu?") && is_link_asked_for(&gpus[i]) && named->nr_gpus == 1)
			known = &named->gpus[0];
		key = str_or(known ? known->key : gpus[i].key, "");
		if (join_may_be_no_gpu(&gpus[i]) && !list_find(named, gpus, gpu, key) &&
		    (are_any || !is_link_asked_for(&gpus[i])))
			continue;
		gpu_overlay(arena, list_element(arena, part, gpus, gpu, key), &gpus[i]);
	}
}
