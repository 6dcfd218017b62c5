// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/dump/whose_node.h"

#include "base/hostlist.h"
#include "base/text.h"
#include "base/text_scan.h"

enum { MOST_ABOVE = 512 };	/* lines of a node's description, which has its labels and pods */

struct named {
	const char *host;
	bool is_among;
};

static void compare(void *to, const char *name)
{
	struct named *named = to;
	size_t len = strcspn(named->host, ".");

	named->is_among |= strcspn(name, ".") == len && !strncasecmp(named->host, name, len);
}

bool nodes_are_of_others(const struct reading *reading, const char *nodes)
{
	const struct dump_parts *parts = reading->parts;
	bool is_told = false;

	for (size_t i = 0; parts && i < parts->nr; i++) {
		struct named named = { .host = parts->v[i].host.text };
		const char *why;

		if (!named.host || !dump_is_of_tool(parts->v[i].kind))
			continue;
		if (hostlist_expand(nodes, compare, &named, &why) || named.is_among)
			return false;
		is_told = true;
	}
	return is_told;
}

bool node_is_of_others(const struct reading *reading, const char *name, size_t len)
{
	return len && nodes_are_of_others(reading, arena_strndup(reading->arena, name, len));
}

/* ---- the name above */

struct name {
	const char *at;		/* NULL: not told */
	size_t len;
};

static struct name name_of(const char *at)
{
	return (struct name){ .at = at, .len = strcspn(at, " ,\"'") };
}

/* "kubectl get node gpu007 -o yaml", "kubectl describe node/gpu007", "scontrol show node gpu007". */
static struct name name_in_command(const char *command)
{
	static const char *const words[] = { " nodes/", " node/", " nodes ", " node " };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const char *at = strstr(command, words[i]);

		at = at ? past_blanks(at + strlen(words[i])) : "";
		if (is_letter_or_digit(*at))
			return name_of(at);
	}
	return (struct name){ .at = NULL };
}

/* "Name: gpu007" with the node's roles below it, "NodeName=gpu007 Arch=x86_64"; true: nobody need look further up. */
static bool take_name(const struct dump_line *line, bool is_last, struct name *ret)
{
	const char *kube = scan_behind(line->text, "Name:"), *slurm = scan_behind(line->text, "NodeName=");

	if (slurm)
		*ret = name_of(slurm);
	else if (kube && !is_last && scan_behind(line[1].text, "Role"))
		*ret = name_of(kube);
	return slurm || kube;
}

struct line_node node_of_line(const struct reading *reading, const struct dump_part *part, const struct dump_line *line)
{
	struct name name = { .at = NULL };
	const void *told_by = NULL;
	size_t at = (size_t)(line - part->lines) + 1;
	bool is_found = false;

	for (int above = 0; !is_found && above < MOST_ABOVE; above++) {
		if (at) {
			at--;
			told_by = &part->lines[at];
			is_found = take_name(&part->lines[at], at + 1 == part->nr_lines, &name);
		} else if (part->about) {
			told_by = part;
			name = name_in_command(part->about);
			is_found = true;
		} else if (reading->parts && part > reading->parts->v && !strcmp(part[-1].file, part->file)) {
			part--;
			at = part->nr_lines;
		} else {
			is_found = true;
		}
	}
	return (struct line_node){ .name = name.at, .len = name.at ? name.len : 0, .told_by = told_by };
}

bool line_is_of_others(const struct reading *reading, const struct dump_part *part, const struct dump_line *line)
{
	const struct line_node node = node_of_line(reading, part, line);

	return node.name && node_is_of_others(reading, node.name, node.len);
}
