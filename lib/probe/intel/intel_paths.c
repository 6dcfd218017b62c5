// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * intel_paths.c - where i915 and xe have put their files.
 */
#include "base/compat.h"
#include "probe/intel/intel.h"

#include "base/text.h"
#include "probe/device/hwmon.h"
#include "probe/pci/pci_function.h"
#include "probe/read.h"

enum { MAX_NUMBER = 63 };		/* of a tile, a part, a card: more than there are */

/* "gt3" is number 3 of "gt". */
static bool is_numbered(const char *name, const char *begins, unsigned *ret)
{
	size_t len = strlen(begins);
	uint64_t number;

	if (strncmp(name, begins, len) || name[len] < '0' || name[len] > '9' || parse_u64(name + len, &number) ||
	    number > MAX_NUMBER)
		return false;
	*ret = (unsigned)number;
	return true;
}

/* The numbers of the folders named so, a bit each. */
static uint64_t numbers_of(const struct root *root, const char *address, const char *folder, const char *begins)
{
	struct name_list names;
	uint64_t numbers = 0;
	unsigned number;

	if (root_list(root, &names, PCI_DEVICES "/%s/%s", address, folder))
		return 0;
	for (size_t i = 0; i < names.nr; i++)
		if (is_numbered(names.names[i], begins, &number))
			numbers |= UINT64_C(1) << number;
	name_list_release(&names);
	return numbers;
}

static struct intel_gt_place *add_gt(struct intel_paths *places)
{
	return places->nr_gts < INTEL_MAX_GTS ? &places->gts[places->nr_gts++] : NULL;
}

/* The first part of a tile is its graphics; media parts come after it. */
static void find_tile(const struct root *root, const char *address, unsigned tile, struct intel_paths *ret)
{
	struct intel_gt_place *gt;
	bool is_first = true;
	char folder[32];
	uint64_t numbers;

	snprintf(folder, sizeof(folder), "tile%u", tile);
	numbers = numbers_of(root, address, folder, "gt");
	for (unsigned number = 0; number <= MAX_NUMBER; number++) {
		if (!(numbers >> number & 1) || !(gt = add_gt(ret)))
			continue;
		*gt = (struct intel_gt_place){ .is_xe = true, .is_graphics = is_first };
		snprintf(gt->key, sizeof(gt->key), "%u/%u", tile, number);
		snprintf(gt->clocks, sizeof(gt->clocks), "tile%u/gt%u/freq0/", tile, number);
		snprintf(gt->reasons, sizeof(gt->reasons), "tile%u/gt%u/freq0/throttle/reason_", tile, number);
		is_first = false;
	}
}

static void find_i915(const struct root *root, const char *address, unsigned card, struct intel_paths *ret)
{
	struct intel_gt_place *gt;
	char folder[32];
	uint64_t numbers;

	snprintf(folder, sizeof(folder), "drm/card%u/gt", card);
	numbers = numbers_of(root, address, folder, "gt");
	for (unsigned number = 0; number <= MAX_NUMBER; number++) {
		if (!(numbers >> number & 1) || !(gt = add_gt(ret)))
			continue;
		*gt = (struct intel_gt_place){ .is_graphics = !number };
		snprintf(gt->key, sizeof(gt->key), "%u", number);
		snprintf(gt->clocks, sizeof(gt->clocks), "%s/gt%u/rps_", folder, number);
		snprintf(gt->reasons, sizeof(gt->reasons), "%s/gt%u/throttle_reason_", folder, number);
	}
}

void intel_find_places(const struct root *root, const char *address, struct intel_paths *ret)
{
	/* i915 has further hwmon folders for single parts, "i915_gt0", which count energy alone. */
	static const char *const drivers[] = { "i915", "xe", NULL };
	uint64_t tiles = numbers_of(root, address, "", "tile"), cards = 0;

	*ret = (struct intel_paths){ .nr_gts = 0 };
	for (unsigned tile = 0; tile <= MAX_NUMBER; tile++)
		if (tiles >> tile & 1) {
			find_tile(root, address, tile, ret);
			ret->tiles++;
		}
	if (!tiles)
		cards = numbers_of(root, address, "drm", "card");
	for (unsigned card = 0; card <= MAX_NUMBER; card++)
		if (cards >> card & 1)
			find_i915(root, address, card, ret);
	(void)hwmon_find(root, address, drivers, ret->hwmon);
}
