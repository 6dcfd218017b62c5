// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kube_node.c - kubectl describe node: how many GPUs the kubelet was told of (Capacity), and how many of them their device
 * plugin thinks are well (Allocatable). Where they differ the plugin has marked some unhealthy, after an Xid as a rule.
 */
#include "base/compat.h"
#include "import/readers.h"

#include "base/text.h"
#include "base/text_scan.h"

static const char *const resources[] = {
	"nvidia.com/gpu:", "alpha.kubernetes.io/nvidia-gpu:", "amd.com/gpu:", "gpu.intel.com/i915:", "gpu.intel.com/xe:",
};

static bool is_head(const char *text, const char *name)
{
	return !strcmp(past_blanks(text), name);
}

enum dump_begins kube_node_begins(const struct dump_line *lines, size_t nr)
{
	(void)nr;
	return is_head(lines->text, "Capacity:") ? BEGINS_NEW : BEGINS_NOT;
}

/* "  nvidia.com/gpu:     8": how many, and of which resource. */
static bool count_of(const char *text, uint64_t *ret, size_t *ret_resource)
{
	bool fits = true;

	text = past_blanks(text);
	for (size_t i = 0; i < ARRAY_SIZE(resources); i++) {
		const char *at;

		if (!text_begins(text, resources[i]))
			continue;
		at = past_blanks(text + strlen(resources[i]));
		*ret_resource = i;
		return scan_u64(&at, 10, ret, &fits) && fits;
	}
	return false;
}

static void put_missing(struct reading *reading, struct dump_line *line, uint64_t allocatable, uint64_t capacity,
			size_t resource)
{
	struct program_error *to = list_element(reading->arena, reading->snapshot, program_errors, program_error, "allocatable");
	const char *name = resources[resource];

	put(reading, line, to->words, val_str(arena_printf(reading->arena, "%llu of %llu %.*s", (unsigned long long)allocatable,
							  (unsigned long long)capacity, (int)strlen(name) - 1, name)));
	put(reading, line, to->lines, val_u64(1));
}

void kube_node_read(struct reading *reading)
{
	const struct dump_part *part = reading->part;
	uint64_t capacity[ARRAY_SIZE(resources)] = { 0 }, count;
	bool is_allocatable = false;
	size_t resource;

	for (size_t i = 0; i < part->nr_lines; i++) {
		struct dump_line *line = &part->lines[i];

		if (is_head(line->text, "Allocatable:") || is_head(line->text, "Capacity:")) {
			is_allocatable = is_head(line->text, "Allocatable:");
			line->is_taken = true;
		} else if (count_of(line->text, &count, &resource)) {
			line->is_taken = true;
			if (!is_allocatable)
				capacity[resource] = count;
			else if (count < capacity[resource])
				put_missing(reading, line, count, capacity[resource], resource);
		}
	}
}
