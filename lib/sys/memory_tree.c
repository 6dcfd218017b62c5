// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "sys/memory_tree.h"

#include <errno.h>
#include <limits.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "sys/root.h"
#include "sys/write_file.h"

enum { MAX_LINKS = 40 };	/* as the kernel */

/* ---- the order: by path; of one path the later last */

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct memory_file *)a)->path, ((const struct memory_file *)b)->path);
}

static int by_path_and_place(const void *a, const void *b)
{
	const struct memory_file *left = *(const struct memory_file *const *)a,
				 *right = *(const struct memory_file *const *)b;
	int order = by_path(left, right);

	return order ? order : left < right ? -1 : 1;
}

void memory_tree_sort(struct memory_tree *tree)
{
	const struct memory_file **order = xcalloc(tree->nr + 1, sizeof(*order));
	struct memory_file *sorted = xcalloc(tree->nr + 1, sizeof(*sorted));
	size_t nr = 0;

	for (size_t i = 0; i < tree->nr; i++)
		order[i] = &tree->files[i];
	if (tree->nr)
		qsort(order, tree->nr, sizeof(*order), by_path_and_place);
	for (size_t i = 0; i < tree->nr; i++)
		if (nr && !by_path(&sorted[nr - 1], order[i]))
			sorted[nr - 1] = *order[i];
		else
			sorted[nr++] = *order[i];
	if (nr)
		memcpy(tree->files, sorted, nr * sizeof(*sorted));
	tree->nr = nr;
	free(sorted);
	free(order);
}

/* The first whose path is not below that text. */
static size_t lower_bound(const struct memory_tree *tree, const char *path)
{
	size_t low = 0, high = tree->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(tree->files[middle].path, path) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct memory_file *memory_tree_at(const struct memory_tree *tree, const char *path)
{
	size_t at = lower_bound(tree, path);

	return at < tree->nr && !strcmp(tree->files[at].path, path) ? &tree->files[at] : NULL;
}

/* "sys/class" as what its entries begin with: "sys/class/"; of the root "". false: too long for any. */
static bool folder_prefix(const char *path, char ret[PATH_MAX])
{
	int len = snprintf(ret, PATH_MAX, "%s%s", path, *path ? "/" : "");

	return len >= 0 && len < PATH_MAX;
}

bool memory_tree_is_folder(const struct memory_tree *tree, const char *path)
{
	char prefix[PATH_MAX];
	size_t at;

	if (!*path)
		return true;
	if (!folder_prefix(path, prefix))
		return false;
	at = lower_bound(tree, prefix);
	return at < tree->nr && !strncmp(tree->files[at].path, prefix, strlen(prefix));
}

/* ---- resolving a path */

static void drop_last(char *done)
{
	char *slash = strrchr(done, '/');

	*(slash ? slash : done) = '\0';
}

/* Adds a component; -ENAMETOOLONG where it has no room. */
static int add_component(char done[PATH_MAX], const char *name, size_t len)
{
	size_t at = strlen(done);

	if (len == 2 && !memcmp(name, "..", 2)) {
		drop_last(done);	/* at the root it leads to the root */
		return 0;
	}
	if (at + len + 2 > PATH_MAX)
		return -ENAMETOOLONG;
	if (at)
		done[at++] = '/';
	memcpy(done + at, name, len);
	done[at + len] = '\0';
	return 0;
}

/* Puts where a link leads in front of what is left of the path. */
static int follow(char done[PATH_MAX], char rest[PATH_MAX], const char *left, const char *link)
{
	char longer[PATH_MAX];
	int len = snprintf(longer, sizeof(longer), "%s/%s", link, left);

	if (len < 0 || len >= PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(rest, longer, (size_t)len + 1);
	if (*link == '/')
		*done = '\0';
	else
		drop_last(done);
	return 0;
}

/* The path without a link in it. What it names need not be there. */
static int resolve(const struct memory_tree *tree, const char *path, bool follow_last, char done[PATH_MAX])
{
	char rest[PATH_MAX];
	unsigned nr_links = 0;
	char *at = rest;

	*done = '\0';
	if (strlen(path) >= sizeof(rest))
		return -ENAMETOOLONG;
	memcpy(rest, path, strlen(path) + 1);
	for (;;) {
		size_t len;
		const char *left;
		const struct memory_file *file;
		int error;

		at += strspn(at, "/");
		len = strcspn(at, "/");
		if (!len)
			return 0;
		left = at + len + strspn(at + len, "/");
		error = len == 1 && *at == '.' ? 0 : add_component(done, at, len);
		if (error)
			return error;
		file = *left || follow_last ? memory_tree_at(tree, done) : NULL;
		if (!file || !file->link) {
			if (file && *left)
				return -ENOTDIR;
			at += len;
			continue;
		}
		if (++nr_links > MAX_LINKS)
			return -ELOOP;
		error = follow(done, rest, left, file->link);
		if (error)
			return error;
		at = rest;
	}
}

/* The file of that path, or NULL with *ret_error: -EISDIR for a folder. */
static const struct memory_file *file_at(const struct memory_tree *tree, const char *path, bool follow_last,
					 int *ret_error)
{
	char done[PATH_MAX];
	const struct memory_file *file;

	*ret_error = resolve(tree, path, follow_last, done);
	if (*ret_error)
		return NULL;
	file = memory_tree_at(tree, done);
	if (!file)
		*ret_error = memory_tree_is_folder(tree, done) ? -EISDIR : -ENOENT;
	return file;
}

/* ---- what root.h asks */

int memory_tree_open(const struct memory_tree *tree, const char *path)
{
	int error, fd;
	const struct memory_file *file = file_at(tree, path, true, &error);

	if (!file)
		return error;
	if (file->is_too_large)
		return -EFBIG;
	fd = memfd_create("gpudiag-file", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	error = write_all(fd, file->bytes, file->len);
	if (!error && lseek(fd, 0, SEEK_SET) < 0)
		error = -errno;
	if (!error)
		return fd;
	close(fd);
	return error;
}

int memory_tree_stat(const struct memory_tree *tree, const char *path, struct stat *ret)
{
	int error;
	const struct memory_file *file = file_at(tree, path, true, &error);

	if (!file && error != -EISDIR)
		return error;
	memset(ret, 0, sizeof(*ret));
	ret->st_mode = file ? S_IFREG | 0444 : S_IFDIR | 0555;
	ret->st_nlink = 1;
	ret->st_size = file ? (off_t)file->len : 0;
	return 0;
}

const char *memory_tree_readlink(const struct memory_tree *tree, const char *path, int *ret_error)
{
	const struct memory_file *file = file_at(tree, path, false, ret_error);

	if (file && !file->link)
		*ret_error = -EINVAL;
	else if (!file && *ret_error == -EISDIR)
		*ret_error = -EINVAL;
	return file ? file->link : NULL;
}

uint32_t memory_tree_from(const struct memory_tree *tree, const char *path)
{
	int error;
	const struct memory_file *file = file_at(tree, path, true, &error);

	return file ? file->from : 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_name(struct name_list *list, const char *name, size_t len)
{
	/* Full at every power of two. */
	if (!(list->nr & (list->nr - 1)))
		list->names = xrealloc(list->names, (list->nr ? list->nr * 2 : 1) * sizeof(*list->names));
	list->names[list->nr] = xmalloc(len + 1);
	memcpy(list->names[list->nr], name, len);
	list->names[list->nr++][len] = '\0';
}

int memory_tree_list(const struct memory_tree *tree, const char *path, struct name_list *ret)
{
	struct name_list list = { .nr = 0 };
	char done[PATH_MAX], prefix[PATH_MAX];
	int error = resolve(tree, path, true, done);
	size_t at, len, nr = 0;

	if (!error && !memory_tree_is_folder(tree, done))
		error = memory_tree_at(tree, done) ? -ENOTDIR : -ENOENT;
	if (!error && !folder_prefix(done, prefix))
		error = -ENAMETOOLONG;
	if (error)
		return error;
	len = strlen(prefix);
	for (at = lower_bound(tree, prefix); at < tree->nr && !strncmp(tree->files[at].path, prefix, len); at++) {
		const char *name = tree->files[at].path + len;
		size_t name_len = strcspn(name, "/");
		const char *last = list.nr ? list.names[list.nr - 1] : NULL;

		if (!last || strlen(last) != name_len || strncmp(last, name, name_len) != 0)
			add_name(&list, name, name_len);
	}
	if (list.nr)
		qsort(list.names, list.nr, sizeof(*list.names), compare_names);
	/* "a/b", "a-b", "a/c": what stands between may have parted a name from itself. */
	for (size_t i = 0; i < list.nr; i++)
		if (nr && !strcmp(list.names[nr - 1], list.names[i]))
			free(list.names[i]);
		else
			list.names[nr++] = list.names[i];
	list.nr = nr;
	*ret = list;
	return 0;
}
