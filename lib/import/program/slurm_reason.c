// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/program/slurm_reason.h"

#include "base/hostlist.h"
#include "base/text.h"
#include "base/text_scan.h"

bool slurm_reason_is_of_gpus(const char *words)
{
	return text_has_word_of(words, "gpu|xid|nvlink|nvidia|check_nv|nvsmi|nvml|dcgm|cuda|rocm|amdgpu|ecc") &&
	       !text_has_word_of(words, "maint|upgrad|install|reserv|reimag|test");
}

/* ---- sinfo -R */

bool slurm_reasons_begin(const char *text)
{
	static const char *const columns[] = { "REASON", "USER", "TIMESTAMP", "NODELIST" };
	size_t len;

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		const char *word = scan_word(&text, &len);

		if (len != strlen(columns[i]) || strncmp(word, columns[i], len) != 0)
			return false;
	}
	return !*past_blanks(text);
}

/* Where the user, the third word from the end, begins, and the nodes, which are the last; NULL: the row is none. */
static const char *past_reason(const char *text, const char **ret_nodes)
{
	const char *words[3] = { NULL }, *word;
	size_t len;

	while ((word = scan_word(&text, &len)) && len) {
		words[0] = words[1];
		words[1] = words[2];
		words[2] = word;
	}
	*ret_nodes = words[2];
	return words[0] && strspn(words[1], "0123456789-") == 10 && words[1][10] == 'T' ? words[0] : NULL;
}

struct node {
	const char *host;
	bool is_named;
};

static void compare_node(void *to, const char *name)
{
	struct node *node = to;
	size_t len = strcspn(node->host, ".");

	node->is_named |= strcspn(name, ".") == len && !strncmp(node->host, name, len);
}

/* The list is of a cluster: what beside it tells of GPUs may be of a node that is not in it, by its prompt. */
static bool is_of_others(const struct reading *reading, const char *nodes)
{
	const struct dump_parts *parts = reading->parts;
	bool is_told = false;

	for (size_t i = 0; parts && i < parts->nr; i++) {
		struct node node = { .host = parts->v[i].host.text };
		const char *why;

		if (!node.host || !dump_is_of_tool(parts->v[i].kind))
			continue;
		if (hostlist_expand(nodes, compare_node, &node, &why) || node.is_named)
			return false;
		is_told = true;
	}
	return is_told;
}

static void read_reason(struct reading *reading, struct dump_line *line)
{
	const char *text = past_blanks(line->text), *nodes, *end = past_reason(text, &nodes);
	const char *words = end ? arena_strndup(reading->arena, text, (size_t)(end - text)) : "";
	struct program_error *to;

	line->is_taken |= end != NULL;
	if (!slurm_reason_is_of_gpus(words) || is_of_others(reading, nodes))
		return;
	to = list_element(reading->arena, reading->snapshot, program_errors, program_error, "drained");
	if (to->words.state == VAL_UNSET) {
		put(reading, line, to->words, val_str("sinfo -R"));
		put(reading, line, to->line, val_str(arena_strndup(reading->arena, text, strnlen(text, MOST_REASON_WORDS))));
	}
	put(reading, line, to->lines, val_u64(u64_or(to->lines, 0) + 1));
}

size_t slurm_reasons_read(struct reading *reading, struct dump_line *lines, size_t nr)
{
	const char *nodes;
	size_t i = 1;

	lines->is_taken = true;
	while (i < nr && past_reason(lines[i].text, &nodes))
		read_reason(reading, &lines[i++]);
	return i;
}
