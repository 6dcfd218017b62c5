// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kube_node.c - kubectl describe node, and kubectl get node -o yaml or json: how many GPUs the kubelet was told of
 * (Capacity), and how many of them their device plugin thinks are well (Allocatable). Where they differ the plugin has
 * marked some unhealthy, after an Xid as a rule. Where both are 0 it was there once and has none to offer. kubectl's
 * tables are of this kind, too.
 */
#include "base/compat.h"
#include "import/dump/error_put.h"
#include "import/dump/readers.h"
#include "import/dump/whose_node.h"
#include "import/fleet/kube_described.h"
#include "import/fleet/kube_events.h"
#include "import/fleet/kube_nodes.h"
#include "import/fleet/kube_pods.h"
#include "import/fleet/kube_workloads.h"

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
	    kube_workloads_begin(lines->text) ||
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
	const struct dump_line *head;	/* the first that counts stand below; NULL: none up to here */
	struct dump_line *none_line;	/* it offers none of these: both counts are 0; NULL: it does not say so */
	size_t none_of;
	bool has_other;			/* it offers its GPUs by another name: parts of MIG, shares */
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
	if (!node->capacity[resource] && !node->none_line) {
		node->none_line = line;
		node->none_of = resource;
	}
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

/* "nvidia.com/mig-1g.10gb: 7", "nvidia.com/gpu.shared: 8", "nvidia.com/GA102GL_A10: 2" of virtual machines: some. */
static bool is_other_count(const char *text)
{
	static const char *const makers[] = { "nvidia.com/", "amd.com/", "gpu.intel.com/" };
	const char *colon = strchr(text, ':'), *number;

	text = past_marks(text);
	number = colon ? past_marks(colon + 1) : "";
	return text_begins_any(text, makers, ARRAY_SIZE(makers)) && *number >= '1' && *number <= '9';
}

/* ---- a node that offers none */

/* "nvidia.com/gpu.count=2", "\"nvidia.com/gpu.count\": \"2\"": what a label says; NULL: it is another line. */
static const char *label_in(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	at = at ? at + strlen(name) : "";
	at += *at == '"';
	return *at == '=' || *at == ':' ? at + 1 + strspn(at + 1, "\" ") : NULL;
}

/* How many lines of a text stand above one: of lines in a string, which have all one number, by their place. */
static size_t lines_above(const struct dump_lines *text, const struct dump_line *line)
{
	const uintptr_t first = (uintptr_t)text->v, at = (uintptr_t)line;
	size_t low = 0, high = text->nr;

	if (at >= first && at < first + text->nr * sizeof(*line))
		return (at - first) / sizeof(*line);
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (text->v[middle].number < line->number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * How many GPUs the labels of a node tell of, which stand above its counts, by discovery of what is on its bus. 0:
 * none; NOT_FOR_PODS: they are given to virtual machines, or the plugin is not wanted there.
 */
enum { NOT_FOR_PODS = UINT16_MAX };

static uint64_t labelled_gpus(const struct dump_lines *text, const struct dump_line *head)
{
	enum { MOST_ABOVE = 200 };
	uint64_t ret = 0, count;
	bool fits = true;
	const size_t end = lines_above(text, head);

	for (size_t i = end; i > 0 && end - i < MOST_ABOVE; i--) {
		const char *line = text->v[i - 1].text, *said;

		if (is_head(line, capacity_head) || is_head(line, allocatable_head))
			break;
		if (((said = label_in(line, "nvidia.com/gpu.deploy.device-plugin")) && text_begins(said, "false")) ||
		    ((said = label_in(line, "nvidia.com/gpu.workload.config")) && text_begins(said, "vm-")))
			return NOT_FOR_PODS;
		if ((said = label_in(line, "nvidia.com/gpu.count")) && scan_u64(&said, 10, &count, &fits) && fits)
			ret = count;
		else if (!ret && (said = label_in(line, "nvidia.com/gpu.present")) && text_begins(said, "true"))
			ret = 1;
		if (text_begins(past_blanks(line), "Name:"))
			break;
	}
	return ret;
}

/* A node without GPUs has such a row, too, where it had some: without labels that tell of them it is noted. */
static void end_node(struct reading *reading, struct node *node)
{
	const struct dump_parts *parts = reading->parts;
	uint64_t labelled = 0;

	if (node->none_line && !node->has_other && !line_is_of_others(reading, reading->part, node->none_line)) {
		for (size_t i = 0; parts && i < parts->nr_texts && !labelled; i++)
			if (!strcmp(parts->texts[i].file, reading->part->file))
				labelled = labelled_gpus(&parts->texts[i], node->head);
		node->capacity[node->none_of] = labelled;
		if (labelled && labelled != NOT_FOR_PODS)
			put_missing(reading, node->none_line, node, node->none_of);
		else if (!labelled)
			program_error_put(reading, node->none_line, "none-allocatable", resources[node->none_of], NULL);
	}
	*node = (struct node){ .capacity = { 0 } };
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
			node.head = node.head ? node.head : line;
			line->is_taken = true;
			continue;
		}
		if (is_name(line->text))
			end_node(reading, &node);
		if (head && is_behind(head, line->text))
			head = NULL;
		if (!head || !count_of(line->text, &count, &resource)) {
			node.has_other |= head && is_other_count(line->text);
			continue;
		}
		node.has_other |= count != 0;
		line->is_taken = true;
		(is_capacity ? node.capacity : node.allocatable)[resource] = count;
		(is_capacity ? node.has_capacity : node.has_allocatable)[resource] = true;
		end_resource(reading, line, &node, resource);
	}
	end_node(reading, &node);
}

void kube_node_read(struct reading *reading)
{
	bool has_pods;

	read_counts(reading);
	has_pods = kube_pods_read(reading);
	kube_nodes_read(reading);
	if (!has_pods)
		has_pods = kube_described_read(reading);
	/* Why it is not ready its pods say. */
	if (!has_pods)
		kube_workloads_read(reading);
	kube_events_read(reading, has_pods);
}
