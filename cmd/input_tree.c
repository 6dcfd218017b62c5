// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "cmd/input_tree.h"

#include <errno.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/probe_worker.h"
#include "collect/collect.h"
#include "format/report_tree.h"
#include "probe/probe_table.h"
#include "sys/memory_tree.h"
#include "sys/root.h"

enum { MAX_TREES = 16 };	/* in one archive: more are none of one machine */

/* ---- what the probes tell of a tree */

/* Files are read, and nothing else. The logs of a tree are read as those of dumps are, which cites their lines. */
static bool wanted(const struct probe *probe, void *data)
{
	(void)data;
	return probe->touches == TOUCHES_FILES && !probe->live_only && probe != &probe_kernel_log &&
	       (probe->phase == PHASE_NODE || probe->phase == PHASE_DEVICE_FILES);
}

/* A worker is a fork, which has the tree as its parent has it. */
static const struct root *tree_of_workers;

static int worker_main(int argc, char **argv)
{
	return probe_worker_run(argc - 1, argv + 1, tree_of_workers);
}

/*
 * Of the bus a recording may hold a few functions. How many GPUs there are it proves if it has those that people leave
 * out: the host bridge, or several functions that are neither bridges nor GPUs.
 */
static bool is_bus_whole(const struct root *root)
{
	static const char *const in_question[] = { "0x06", "0x03", "0x12" };
	struct name_list names = { .nr = 0 };
	size_t nr_others = 0;
	bool ret = false;

	if (root_list(root, &names, "/sys/bus/pci/devices"))
		return false;
	for (size_t i = 0; i < names.nr && !ret; i++) {
		STRBUF_AUTO class = STRBUF_INIT;

		if (root_read(root, &class, "/sys/bus/pci/devices/%s/class", names.names[i]))
			continue;
		nr_others += !text_begins_any(class.buf, in_question, ARRAY_SIZE(in_question));
		ret = !strncmp(class.buf, "0x0600", strlen("0x0600")) || nr_others > 1;
	}
	name_list_release(&names);
	return ret;
}

static void read_tree(const struct root *root, struct snapshot *ret)
{
	static const volatile int never;
	const struct collect_options options = {
		.root = root, .cancel = &never, .worker_main = worker_main, .wanted = wanted,
	};

	*ret = (struct snapshot){ .run = { .source = val_str("tree") }, .request = { .level = val_str("read") } };
	tree_of_workers = root;
	collect(ret, &options);
	tree_of_workers = NULL;
	if (!is_bus_whole(root))
		ret->bus = (struct bus){ .gpus = { .state = VAL_UNSET } };
}

/* ---- a folder */

/* What there is of these, as the tree itself has it: a link out of it leads nowhere. */
static bool has_any(const struct root *root, const char *const *paths, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!root_exists(root, "%s", paths[i]))
			return true;
	return false;
}

bool input_is_tree(const char *folder)
{
	static const char *const sys[] = {
		"/sys/block", "/sys/bus", "/sys/class", "/sys/devices", "/sys/firmware", "/sys/kernel", "/sys/module",
	};
	static const char *const proc[] = {
		"/proc/meminfo", "/proc/modules", "/proc/stat", "/proc/mounts", "/proc/self", "/proc/sys",
	};
	static const char *const report[] = { "/sos_commands", "/insights_commands" };
	struct root root;
	bool ret;

	if (root_open(&root, folder))
		return false;
	ret = has_any(&root, sys, ARRAY_SIZE(sys)) ||
	      (has_any(&root, proc, ARRAY_SIZE(proc)) && !has_any(&root, report, ARRAY_SIZE(report)));
	root_close(&root);
	return ret;
}

void input_tree(struct import *import, const char *folder)
{
	struct snapshot told;
	struct root root;
	int r = root_open(&root, folder);

	if (r)
		die(EXIT_USAGE, "%s: %s", folder, strerror(-r));
	read_tree(&root, &told);
	root_close(&root);
	import_tree_told(import, folder, &told);
}

/* ---- an archive */

/* The tree of each file: what stands before its path on the machine. */
struct trees {
	struct { const char *prefix; size_t len; bool has_sys, has_proc, is_report; } v[MAX_TREES];
	size_t nr;
	bool is_full;
};

static size_t tree_of(struct trees *trees, const char *path, size_t len)
{
	for (size_t i = 0; i < trees->nr; i++)
		if (trees->v[i].len == len && !strncmp(trees->v[i].prefix, path, len))
			return i;
	if (trees->nr == MAX_TREES) {
		trees->is_full = true;
		return MAX_TREES;
	}
	trees->v[trees->nr].prefix = path;
	trees->v[trees->nr].len = len;
	return trees->nr++;
}

static void find_trees(const struct unpacked *unpacked, struct trees *trees)
{
	for (size_t i = 0; i < unpacked->tree.nr; i++) {
		const char *path = unpacked->tree.files[i].path, *inside = recorded_path(path);
		enum recorded_file is = inside ? recorded_file(inside) : RECORDED_BESIDE;
		size_t at = is == RECORDED_BESIDE ? MAX_TREES : tree_of(trees, path, (size_t)(inside - path));

		if (at < MAX_TREES) {
			trees->v[at].has_sys |= is == RECORDED_SYS;
			trees->v[at].has_proc |= is == RECORDED_PROC;
		}
	}
	for (size_t i = 0; i < unpacked->nr; i++)
		for (size_t k = 0; k < trees->nr; k++)
			if (!strncmp(unpacked->files[i].name, trees->v[k].prefix, trees->v[k].len))
				trees->v[k].is_report |=
					strstr(unpacked->files[i].name + trees->v[k].len, "sos_commands/") ||
					strstr(unpacked->files[i].name + trees->v[k].len, "insights_commands/");
}

static bool is_tree(const struct trees *trees, size_t at)
{
	return trees->v[at].has_sys || (trees->v[at].has_proc && !trees->v[at].is_report);
}

/* "./sys/class" and "sys//class" of an archive as "sys/class"; false: it leads elsewhere. */
static bool plain_path(const char *path, struct strbuf *ret)
{
	strbuf_setlen(ret, 0);
	while (*(path += strspn(path, "/"))) {
		size_t len = strcspn(path, "/");

		if (len == 2 && !memcmp(path, "..", 2))
			return false;
		if (len != 1 || *path != '.')
			strbuf_addf(ret, "%s%.*s", ret->len ? "/" : "", (int)len, path);
		path += len;
	}
	return ret->len;
}

static void add_tree_file(struct arena *arena, struct memory_tree *tree, const struct memory_file *file,
			  const char *path)
{
	STRBUF_AUTO plain = STRBUF_INIT;

	if (!plain_path(path, &plain))
		return;
	tree->files = arena_grow(arena, tree->files, tree->nr, sizeof(*tree->files));
	tree->files[tree->nr] = *file;
	tree->files[tree->nr++].path = arena_strdup(arena, plain.buf);
}

/* Copies of /sys/devices come without the links of /sys/bus that lead there. */
static void add_bus_links(struct arena *arena, struct memory_tree *tree)
{
	size_t nr = tree->nr;

	for (size_t i = 0; i < nr; i++) {
		const char *path = tree->files[i].path, *slash = strrchr(path, '/'), *name = slash;
		const char *link;

		if (strncmp(path, "sys/devices/", 12) != 0 || !slash || strcmp(slash, "/vendor") != 0)
			continue;
		while (name > path && name[-1] != '/')
			name--;
		link = arena_printf(arena, "sys/bus/pci/devices/%.*s", (int)(slash - name), name);
		tree->files = arena_grow(arena, tree->files, tree->nr, sizeof(*tree->files));
		tree->files[tree->nr++] = (struct memory_file){
			.path = link, .link = arena_printf(arena, "../../../../%.*s", (int)(slash - path), path),
			.bytes = "",
		};
	}
}

static void read_archived(struct import *import, const char *name, struct unpacked *unpacked, const struct trees *trees,
			  size_t at)
{
	struct arena *arena = &unpacked->arena;
	struct memory_tree tree = { .nr = 0 };
	struct root root = { .fd = -1, .memory = &tree };
	size_t len = trees->v[at].len;
	struct snapshot told;

	for (size_t i = 0; i < unpacked->tree.nr; i++)
		if (!strncmp(unpacked->tree.files[i].path, trees->v[at].prefix, len))
			add_tree_file(arena, &tree, &unpacked->tree.files[i], unpacked->tree.files[i].path + len);
	for (size_t i = 0; i < unpacked->nr; i++) {
		const struct unpacked_file *file = &unpacked->files[i];

		if (!strncmp(file->name, trees->v[at].prefix, len) && recorded_path(file->name) == file->name + len)
			add_tree_file(arena, &tree, &(struct memory_file){ .bytes = file->bytes, .len = file->len },
				      file->name + len);
	}
	add_bus_links(arena, &tree);
	memory_tree_sort(&tree);
	root.path = arena_printf(arena, "%s%.*s", name, (int)(len ? len - 1 : 0), trees->v[at].prefix);
	read_tree(&root, &told);
	import_tree_told(import, root.path, &told);
}

/* The prefix of the tree that the file is in; false: it is in none. */
static bool tree_around(const struct trees *trees, const char *path, size_t *ret_len)
{
	for (size_t i = 0; i < trees->nr; i++)
		if (is_tree(trees, i) && !strncmp(path, trees->v[i].prefix, trees->v[i].len)) {
			*ret_len = trees->v[i].len;
			return true;
		}
	return false;
}

/* Files of the node that the probes have read with its tree are no dumps. */
static void leave_files_of_trees(struct unpacked *unpacked, const struct trees *trees)
{
	size_t nr = 0, len;

	for (size_t i = 0; i < unpacked->nr; i++) {
		const char *name = unpacked->files[i].name, *inside;

		if (!tree_around(trees, name, &len) || report_file(name + len, true, &inside) != REPORT_FILE_LEFT)
			unpacked->files[nr++] = unpacked->files[i];
	}
	unpacked->nr = nr;
}

/* What is in no tree is a file like any other. */
static void give_back_files(struct unpacked *unpacked, const struct trees *trees)
{
	size_t len;

	for (size_t i = 0; i < unpacked->tree.nr; i++) {
		const struct memory_file *file = &unpacked->tree.files[i];
		const char *inside;

		if (file->link || tree_around(trees, file->path, &len) ||
		    report_file(file->path, false, &inside) == REPORT_FILE_LEFT)
			continue;
		unpacked->files = arena_grow(&unpacked->arena, unpacked->files, unpacked->nr, sizeof(*unpacked->files));
		unpacked->files[unpacked->nr++] = (struct unpacked_file){
			.name = file->path, .bytes = file->bytes, .len = file->len,
		};
	}
}

void input_unpacked_trees(struct import *import, const char *name, struct unpacked *unpacked)
{
	struct trees trees = { .nr = 0 };

	find_trees(unpacked, &trees);
	for (size_t i = 0; i < trees.nr; i++)
		if (is_tree(&trees, i))
			read_archived(import, name, unpacked, &trees, i);
	if (trees.is_full) {
		STRBUF_AUTO note = STRBUF_INIT;

		strbuf_addf(&note, "%s: more than %d recorded trees in it: the others were not read", name, MAX_TREES);
		complain("%s", note.buf);
		import_note(import, note.buf);
	}
	leave_files_of_trees(unpacked, &trees);
	give_back_files(unpacked, &trees);
}

/* ---- a paste */

void input_pasted_files(struct import *import)
{
	size_t nr;
	const struct import_file *files = import_files(import, &nr);
	struct memory_tree tree = { .nr = nr };
	const struct root root = { .fd = -1, .path = "paste", .memory = &tree };
	struct arena arena = { .blocks = NULL };
	struct snapshot told;

	if (!nr)
		return;
	tree.files = arena_alloc(&arena, nr * sizeof(*tree.files));
	for (size_t i = 0; i < nr; i++)
		tree.files[i] = (struct memory_file){
			.path = files[i].path, .bytes = files[i].text, .len = strlen(files[i].text),
			.link = files[i].link,
			.from = files[i].from,
		};
	memory_tree_sort(&tree);
	read_tree(&root, &told);
	arena_release(&arena);
	import_files_told(import, &told);
}
