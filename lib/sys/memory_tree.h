/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_tree.h - a recorded tree that is in memory: files of an archive, or of a paste. It stands below a root in
 * place of a folder (root.h), so that whoever reads a folder reads it too, and nothing of it is ever written to a disk.
 *
 * There are files and links. Folders are what paths of others name; a link is followed in the tree alone.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/compat.h"

struct name_list;

struct memory_file {
	const char *path;	/* from the root on, without a "/" before it; no ".", ".." or "//" in it */
	const char *bytes;
	size_t len;
	const char *link;	/* where it leads; NULL: a file */
	bool is_too_large;	/* its bytes were left out */
	uint32_t from;		/* as that of a value: where it was pasted; 0: not told */
};

/* The memory of all texts is the caller's. */
struct memory_tree {
	struct memory_file *files;
	size_t nr;
};

/* Puts them in order; of several with one path the last stays. Before any other call. */
void memory_tree_sort(struct memory_tree *tree);

/* The file or link of that path, as it is written; NULL: there is none. */
const struct memory_file *memory_tree_at(const struct memory_tree *tree, const char *path);
/* Does anything stand below that path? Links on the way to it are not followed. */
bool memory_tree_is_folder(const struct memory_tree *tree, const char *path);

/*
 * path: absolute, of a root. What root.h says of the functions of its names, 0 or -errno; open gives a descriptor of a
 * copy.
 */
int memory_tree_open(const struct memory_tree *tree, const char *path) MUST_CHECK;
int memory_tree_stat(const struct memory_tree *tree, const char *path, struct stat *ret) MUST_CHECK;
int memory_tree_list(const struct memory_tree *tree, const char *path, struct name_list *ret) MUST_CHECK;
/* Where the link leads, or NULL and *ret_error. */
const char *memory_tree_readlink(const struct memory_tree *tree, const char *path, int *ret_error) MUST_CHECK;
/* `from` of the file that it leads to; 0: not told. */
uint32_t memory_tree_from(const struct memory_tree *tree, const char *path);
