/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * root.h - reading files below a root: "/" when live, or a recorded tree, in a folder or in memory (memory_tree.h).
 *
 * Live reads go through libc's open() with an absolute path, so that a test
 * can put a mock /sys below them. Under a recorded tree every path is resolved
 * inside it by openat2(RESOLVE_IN_ROOT): an absolute link in the tree leads
 * into the tree, and nothing can lead out of it; where the kernel is older
 * than 5.6 a path that climbs out is refused.
 *
 * Paths are written absolute ("/sys/class/dmi/id/product_name") and printf-
 * style. Nothing is written, no device node is opened, no open waits (a fifo
 * in a tree answers at once). All return 0 or -errno.
 */
#pragma once

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/strbuf.h"

struct memory_tree;

struct root {
	int fd;			/* of the tree; -1 when live, and of a tree in memory */
	const char *path;	/* as given; NULL when live */
	const struct memory_tree *memory;	/* a tree in memory; NULL: none */
	/* Of a live one: paths that must not be touched give -EREMOTE; NULL: there are none. */
	bool (*avoids)(const void *avoided, const char *path);
	const void *avoided;
	struct root_folders *folders;	/* of a tree in a folder, private to root.c */
};

#define ROOT_LIVE { .fd = -1, .path = NULL }

/* Opens a recorded tree. path is kept, not copied. */
int root_open(struct root *ret, const char *path) MUST_CHECK;
void root_close(struct root *root);
static inline bool root_is_live(const struct root *root) { return root->fd < 0 && !root->memory; }

/* What no file of /proc or /sys that is read whole exceeds; a longer one gives -EFBIG. */
#define ROOT_MAX_FILE_BYTES ((size_t)4 << 20)

/* Replaces *ret by the file's bytes. */
int root_read(const struct root *root, struct strbuf *ret, const char *path_format, ...) PRINTF_LIKE(3, 4) MUST_CHECK;
/* The first len bytes at most (config space); *ret_len says how many came. */
int root_read_bytes(const struct root *root, void *buf, size_t len, size_t *ret_len, const char *path_format, ...)
	PRINTF_LIKE(5, 6) MUST_CHECK;
/* A descriptor of the file, for one that is read again and again (sys/cached_fd.h), or -errno. */
int root_open_file(const struct root *root, const char *path_format, ...) PRINTF_LIKE(2, 3) MUST_CHECK;
/* The same from an offset on. */
int root_read_at(const struct root *root, void *buf, size_t len, size_t *ret_len, size_t offset,
		 const char *path_format, ...) PRINTF_LIKE(6, 7) MUST_CHECK;
/* Of a tree in memory, where the file was pasted (memory_file.from); 0: not told. */
uint32_t root_from(const struct root *root, const char *path);
/* The text of a symbolic link, unresolved. */
int root_readlink(const struct root *root, struct strbuf *ret, const char *path_format, ...)
	PRINTF_LIKE(3, 4) MUST_CHECK;
/* Is there such a path? -ENOENT: no. */
int root_exists(const struct root *root, const char *path_format, ...) PRINTF_LIKE(2, 3) MUST_CHECK;
/* What the path's inode tells; links are followed, and nothing is opened. */
int root_stat(const struct root *root, struct stat *ret, const char *path_format, ...) PRINTF_LIKE(3, 4) MUST_CHECK;

/* The names in a folder, sorted by byte, without . and .. */
struct name_list {
	size_t nr;
	char **names;
};
int root_list(const struct root *root, struct name_list *ret, const char *path_format, ...)
	PRINTF_LIKE(3, 4) MUST_CHECK;
void name_list_release(struct name_list *list);

/* The path of a function that takes it as printf() does; error: 0 or -errno. */
#define ROOT_TAKE_PATH(error, path, format)                         \
	do {                                                        \
		va_list args_;                                      \
                                                                    \
		va_start(args_, format);                            \
		(error) = root_format_path(path, format, args_);    \
		va_end(args_);                                      \
	} while (0)
int root_format_path(char path[PATH_MAX], const char *format, va_list args) PRINTF_LIKE(2, 0) MUST_CHECK;
