// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lspci_tree.c - lspci -t: which bridges are above a function, and nothing else of either:
 *
 *	-+-[0000:00]-+-00.0
 *	 |           \-01.1-[01-08]----00.0-[02-08]--+-00.0-[03]----00.0
 *	 |                                           \-08.0-[06]--+-00.0
 *	 |                                                        \-00.1
 *	 \-[0000:20]-+-00.0
 *
 * A bridge has the buses below it in brackets; what stands below a "+" goes on with what is above that. Whether a
 * function is a GPU, another dump has to tell.
 */
#include "base/compat.h"
#include "import/dump/readers.h"

#include "base/text_scan.h"

enum { MAX_DEPTH = 32, MAX_LEVELS = 64, MAX_FUNCTIONS = 4096 };

/* Where a line goes on: the bus, and how many bridges are above it. */
struct level {
	size_t column;
	unsigned domain, bus;
	size_t depth;
};

struct tree {
	struct reading *reading;
	struct level levels[MAX_LEVELS];	/* from the left */
	size_t nr_levels;
	struct level at;
	const char *bridges[MAX_DEPTH];		/* from the root */
	size_t nr_functions;
};

static bool take_hex(const char **at, size_t digits, unsigned *ret)
{
	const char *from = *at;

	*ret = 0;
	for (size_t i = 0; i < digits; i++) {
		if (hex_digit(from[i]) < 0)
			return false;
		*ret = *ret << 4 | (unsigned)hex_digit(from[i]);
	}
	*at = from + digits;
	return true;
}

/* "[0000:00]-", "[00]-": a bus of the root. */
static bool take_root(const char **at, unsigned *ret_domain, unsigned *ret_bus)
{
	const char *from = *at;
	size_t domain_len = strcspn(from, ":]") - 1;

	*ret_domain = 0;
	if (!scan_char(&from, '['))
		return false;
	if (domain_len >= 4 && domain_len <= 8 && (!take_hex(&from, domain_len, ret_domain) || !scan_char(&from, ':')))
		return false;
	if (!take_hex(&from, 2, ret_bus) || strncmp(from, "]-", 2) != 0)
		return false;
	*at = from + 1;
	return true;
}

enum dump_begins lspci_tree_begins(const struct dump_line *lines, size_t nr)
{
	const char *at = lines->text + strspn(lines->text, " ");
	unsigned domain, bus;

	(void)nr;
	if (!scan_char(&at, '-'))
		return BEGINS_NOT;
	if (!strncmp(at, "+-[", 3))
		at += 2;
	return take_root(&at, &domain, &bus) ? BEGINS_NEW : BEGINS_NOT;
}

/* ---- functions */

static void put_path(struct tree *tree, struct dump_line *line, const char *address)
{
	struct arena *arena = tree->reading->arena;
	struct gpu *gpu =
		tree->at.depth && tree->nr_functions++ < MAX_FUNCTIONS ? reading_gpu(tree->reading, address) : NULL;

	for (size_t i = 0; gpu && i < tree->at.depth; i++) {
		struct hop *hop = list_element(arena, gpu, hops, hop, arena_printf(arena, "%zu", i));

		put(tree->reading, line, hop->address, val_str(tree->bridges[tree->at.depth - 1 - i]));
	}
	if (gpu)
		put(tree->reading, line, gpu->bridges, val_u64(tree->at.depth));
}

/* "01.1", "01.1-[01]", "02.1-[04-10]": true: it is a bridge, and what follows is below it. */
static bool take_function(struct tree *tree, struct dump_line *line, const char **at)
{
	unsigned device, function, last;
	const char *address, *from = *at;

	if (!take_hex(&from, 2, &device) || device > 0x1f || !scan_char(&from, '.') || !take_hex(&from, 1, &function) ||
	    function > 7)
		return false;
	line->is_taken = true;
	address = arena_printf(tree->reading->arena, "%04x:%02x:%02x.%x", tree->at.domain, tree->at.bus, device,
			       function);
	if (strncmp(from, "-[", 2) != 0) {
		if (!function)
			put_path(tree, line, address);
		return false;
	}
	from += 2;
	if (tree->at.depth == MAX_DEPTH || !take_hex(&from, 2, &tree->at.bus) ||
	    (scan_char(&from, '-') && !take_hex(&from, 2, &last)) || !scan_char(&from, ']'))
		return false;
	tree->bridges[tree->at.depth++] = address;
	*at = from;
	return true;
}

/* ---- lines */

/* Past "-", "--", "+-": what is behind a plus goes on in lines below it. */
static const char *past_branch(struct tree *tree, const char *start, const char *at)
{
	at += strspn(at, "-");
	if (*at == '+' && at[1] == '-') {
		if (tree->nr_levels < MAX_LEVELS) {
			tree->levels[tree->nr_levels] = tree->at;
			tree->levels[tree->nr_levels++].column = (size_t)(at - start);
		}
		return at + 2;
	}
	return at;
}

static void take_rest(struct tree *tree, struct dump_line *line, const char *at)
{
	unsigned domain, bus;

	if (take_root(&at, &domain, &bus)) {
		tree->at = (struct level){ .domain = domain, .bus = bus };
		line->is_taken = true;
		at = past_branch(tree, line->text, at);
	}
	while (take_function(tree, line, &at))
		at = past_branch(tree, line->text, at);
}

/* What it goes on with stands in the column of its branch: the levels to the right of that are over. */
static bool find_level(struct tree *tree, size_t column, bool is_last)
{
	while (tree->nr_levels && tree->levels[tree->nr_levels - 1].column > column)
		tree->nr_levels--;
	if (!tree->nr_levels || tree->levels[tree->nr_levels - 1].column != column)
		return false;
	tree->at = tree->levels[tree->nr_levels - 1];
	tree->nr_levels -= is_last ? 1 : 0;
	return true;
}

static void read_line(struct tree *tree, struct dump_line *line)
{
	size_t column = strspn(line->text, " |");
	const char *at = line->text + column;

	if (lspci_tree_begins(line, 1) != BEGINS_NOT) {
		tree->nr_levels = 0;
		take_rest(tree, line, past_branch(tree, line->text, at));
	} else if ((*at == '+' || *at == '\\') && at[1] == '-' && find_level(tree, column, *at == '\\')) {
		take_rest(tree, line, at + 2);
	}
}

void lspci_tree_read(struct reading *reading)
{
	struct tree tree = { .reading = reading };

	for (size_t i = 0; i < reading->part->nr_lines; i++)
		read_line(&tree, &reading->part->lines[i]);
}
