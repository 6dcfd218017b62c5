// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/fleet/kube_nodes.h"
#include "import/fleet/kube_table.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/dump/whose_node.h"

enum {
	MOST_NODES = 2048,
	JOINING_S = 600,	/* a node that joins a cluster, or has no network in it yet */
};

struct node {
	const struct dump_part *part;
	struct dump_line *line;
	const char *name, *status;	/* in the line */
	size_t name_len, status_len;
	uint64_t age_s;
};

struct nodes {
	struct node *v;
	size_t nr;
};

/* "Ready,SchedulingDisabled" */
static bool is_status(const char *word, size_t len)
{
	static const char *const states[] = { "Ready", "NotReady", "Unknown", "SchedulingDisabled" };
	const char *end = word + len;

	while (word < end) {
		size_t state_len = strcspn(word, ", ");

		if (!text_word_is_any(word, state_len, states, ARRAY_SIZE(states)))
			return false;
		word += state_len + (word[state_len] == ',');
	}
	return len;
}

static bool is_not_ready(const struct node *node)
{
	return kube_is_word(node->status, strcspn(node->status, ", "), "NotReady");
}

/* "v1.27.6", "v1.15.11-gke.5" */
static bool is_version(const char *word, size_t len)
{
	return len > 3 && *word == 'v' && is_digit(word[1]) && memchr(word, '.', len);
}

/* Of an older kubectl roles are no column. */
static bool row_of(const char *text, struct node *ret)
{
	size_t len;
	const char *word;

	*ret = (struct node){ .line = NULL };
	ret->name = scan_word(&text, &ret->name_len);
	ret->status = scan_word(&text, &ret->status_len);
	if (!is_status(ret->status, ret->status_len))
		return false;
	word = scan_word(&text, &len);
	ret->age_s = kube_duration_s(word, len);
	if (!ret->age_s) {
		word = scan_word(&text, &len);
		ret->age_s = kube_duration_s(word, len);
	}
	word = scan_word(&text, &len);
	return ret->age_s && is_version(word, len);
}

static bool is_head(const char *text)
{
	static const char *const columns[] = { "NAME", "STATUS", "ROLES", "AGE", "VERSION" };
	static const char *const old_columns[] = { "NAME", "STATUS", "AGE", "VERSION" };

	return kube_has_columns(text, columns, ARRAY_SIZE(columns)) ||
	       kube_has_columns(text, old_columns, ARRAY_SIZE(old_columns));
}

bool kube_nodes_begin(const char *text)
{
	struct node node;

	return is_head(text) || row_of(text, &node);
}

static void add_nodes(struct reading *reading, const struct dump_part *part, struct nodes *nodes)
{
	for (size_t i = 0; i < part->nr_lines && nodes->nr < MOST_NODES; i++) {
		struct node node;

		if (is_head(part->lines[i].text)) {
			part->lines[i].is_taken = true;
		} else if (row_of(part->lines[i].text, &node)) {
			part->lines[i].is_taken = true;
			node.part = part;
			node.line = &part->lines[i];
			nodes->v = arena_grow(reading->arena, nodes->v, nodes->nr, sizeof(*nodes->v));
			nodes->v[nodes->nr++] = node;
		}
	}
}

static bool is_told_again(const struct nodes *nodes, const struct node *node)
{
	for (const struct node *later = node + 1; later < nodes->v + nodes->nr; later++)
		if (later->name_len == node->name_len && !strncmp(later->name, node->name, node->name_len))
			return true;
	return false;
}

static void put_nodes(struct reading *reading, const struct node *first, uint64_t nr)
{
	struct program_error *to =
		list_element(reading->arena, reading->snapshot, program_errors, program_error, "node-not-ready");
	const char *more = nr > 1 ? arena_printf(reading->arena, " and %llu more", (unsigned long long)(nr - 1)) : "";
	struct reading of = *reading;

	of.part = first->part;
	put(&of, first->line, to->words, val_str("NotReady"));
	put(&of, first->line, to->line,
	    val_str(arena_printf(reading->arena, "%.*s NotReady%s", (int)first->name_len, first->name, more)));
	put(&of, first->line, to->lines, val_u64(nr));
}

void kube_nodes_read(struct reading *reading)
{
	struct nodes nodes = { .nr = 0 };
	const struct node *first = NULL;
	uint64_t nr = 0;

	for (const struct dump_part *part = NULL; (part = reading_next_part(reading, part)); )
		add_nodes(reading, part, &nodes);
	for (size_t i = 0; i < nodes.nr; i++) {
		const struct node *node = &nodes.v[i];

		if (!is_not_ready(node) || node->age_s < JOINING_S || is_told_again(&nodes, node) ||
		    node_is_of_others(reading, node->name, node->name_len))
			continue;
		first = first ? first : node;
		nr++;
	}
	if (first)
		put_nodes(reading, first, nr);
}
