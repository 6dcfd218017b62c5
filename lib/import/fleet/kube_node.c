// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kube_node.c - kubectl describe node, and kubectl get node -o yaml or json: how many GPUs the kubelet was told of
 * (Capacity), and how many of them their device plugin thinks are well (Allocatable). Where they differ the plugin has
 * marked some unhealthy, after an Xid as a rule. kubectl's tables are of this kind, too.
 */
#include "base/compat.h"
#include "import/dump/readers.h"
#include "import/dump/whose_node.h"
#include "import/fleet/kube_described.h"
#include "import/fleet/kube_events.h"
#include "import/fleet/kube_nodes.h"
#include "import/fleet/kube_pods.h"

#include "base/text.h"
#include "base/text_scan.h"

static const char *const resources[] = {
	"nvidia.com/gpu", "alpha.kubernetes.io/nvidia-gpu", "amd.com/gpu", "gpu.intel.com/i915", "gpu.intel.com/xe",
};

/* Behind blanks, and the quotes of YAML and JSON. */
static const char *past_marks(const char *text)
{
	return text + strspn(text, " \"");
}

/* "Capacity:" of kubectl describe, "capacity:" of YAML, "\"capacity\": {" of JSON. */
static bool is_head(const char *text, const char *name)
{
	size_t len = strlen(name);

	text = past_marks(text);
	return !strncasecmp(text, name, len) && !text[len + strspn(text + len, "\": {")] && strchr(text + len, ':');
}

static const char capacity_head[] = "Capacity", allocatable_head[] = "Allocatable";

enum dump_begins kube_node_begins(const struct dump_line *lines, size_t nr)
{
	(void)nr;
	if (is_head(lines->text, capacity_head) || kube_pods_begin(lines->text) || kube_nodes_begin(lines->text) ||
	    kube_event_begins(lines->text) || kube_described_begins(lines->text))
		return BEGINS_MORE;
	/* kubectl describe has it second. */
	return is_head(lines->text, allocatable_head) ? BEGINS_MORE : BEGINS_NOT;
}

/* "  nvidia.com/gpu:     8", "nvidia.com/gpu: \"8\"": how many, and of which resource. */
static bool count_of(const char *text, uint64_t *ret, size_t *ret_resource)
{
	bool fits = true;

	text = past_marks(text);
	for (size_t i = 0; i < ARRAY_SIZE(resources); i++) {
		size_t len = strlen(resources[i]);
		const char *at = text + len;

		if (!text_begins(text, resources[i]) || !strchr("\":", *at) || !*at)
			continue;
		at += strspn(at, "\": ");
		*ret_resource = i;
		return scan_u64(&at, 10, ret, &fits) && fits;
	}
	return false;
}

/* What a node has, and what of that its pods may have, as far as it was read. */
struct node {
	bool has_capacity[ARRAY_SIZE(resources)], has_allocatable[ARRAY_SIZE(resources)];
	uint64_t capacity[ARRAY_SIZE(resources)], allocatable[ARRAY_SIZE(resources)];
};

static void put_missing(struct reading *reading, struct dump_line *line, const struct node *node, size_t resource)
{
	struct program_error *to =
		list_element(reading->arena, reading->snapshot, program_errors, program_error, "allocatable");

	put(reading, line, to->words,
	    val_str(arena_printf(reading->arena, "%llu of %llu %s", (unsigned long long)node->allocatable[resource],
				 (unsigned long long)node->capacity[resource], resources[resource])));
	put(reading, line, to->lines, val_u64(1));
}

/* Both were told; the next counts are of another node. */
static void end_resource(struct reading *reading, struct dump_line *line, struct node *node, size_t resource)
{
	if (!node->has_capacity[resource] || !node->has_allocatable[resource])
		return;
	if (node->allocatable[resource] < node->capacity[resource] && !line_is_of_others(reading, reading->part, line))
		put_missing(reading, line, node, resource);
	node->has_capacity[resource] = node->has_allocatable[resource] = false;
}

/* "Name:", "name: node7" of YAML, "\"name\": \"node7\"" of JSON: whose counts come next. */
static bool is_name(const char *text)
{
	text = past_marks(text);
	if (text_begins(text, "- "))
		text = past_marks(text + 2);
	return !strncasecmp(text, "name", 4) && text[4 + strspn(text + 4, "\"")] == ':';
}

static size_t indent_of(const char *text)
{
	return strspn(text, " ");
}

/* "limits:", "}," and what stands as far left as the head did, where what is below it stood further right. */
static bool is_behind(const struct dump_line *head, const char *text)
{
	size_t len = strlen(text), indent = indent_of(head->text);

	if (!len)
		return false;
	return strchr(":{}", text[len - 1]) || (indent_of(head[1].text) > indent && indent_of(text) <= indent);
}

static void read_counts(struct reading *reading)
{
	const struct dump_part *part = reading->part;
	const struct dump_line *head = NULL;
	struct node node = { .capacity = { 0 } };
	bool is_capacity = false;
	uint64_t count;
	size_t resource;

	for (size_t i = 0; i < part->nr_lines; i++) {
		struct dump_line *line = &part->lines[i];

		if (is_head(line->text, allocatable_head) || is_head(line->text, capacity_head)) {
			is_capacity = is_head(line->text, capacity_head);
			head = i + 1 < part->nr_lines ? line : NULL;
			line->is_taken = true;
			continue;
		}
		if (is_name(line->text))
			node = (struct node){ .capacity = { 0 } };
		if (head && is_behind(head, line->text))
			head = NULL;
		if (!head || !count_of(line->text, &count, &resource))
			continue;
		line->is_taken = true;
		(is_capacity ? node.capacity : node.allocatable)[resource] = count;
		(is_capacity ? node.has_capacity : node.has_allocatable)[resource] = true;
		end_resource(reading, line, &node, resource);
	}
}

void kube_node_read(struct reading *reading)
{
	bool has_pods;

	read_counts(reading);
	has_pods = kube_pods_read(reading);
	kube_nodes_read(reading);
	if (!has_pods)
		has_pods = kube_described_read(reading);
	kube_events_read(reading, has_pods);
}
