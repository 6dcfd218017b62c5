/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tree.h - what tests of probes share: a root of files that the test makes, and the lines that a probe said. */
#pragma once

#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "probe/probe.h"
#include "tests/unit/support.h"

static struct root tree;
static struct probe_env env;
static struct snapshot facts;

/* Set up and clean up, as cmocka calls them. */
static inline int tree_make(void **state)
{
	(void)state;
	env = (struct probe_env){ .root = &tree, .lock_fd = -1 };
	return scratch_make() ? root_open(&tree, scratch_folder) : -1;
}

static inline int tree_remove(void **state)
{
	(void)state;
	snapshot_release(&facts);
	root_close(&tree);
	scratch_remove();
	return 0;
}

/* Files of the tree; path without a first slash. */
static inline void put_file(const char *path, const void *data, size_t len)
{
	assert_true(scratch_write(path, data, len));
}

static inline void put_text(const char *path, const char *text)
{
	put_file(path, text, strlen(text));
}

static inline void put_link(const char *path, const char *target)
{
	scratch_make_way(path);
	assert_int_equal(symlink(target, scratch(path)), 0);
}

/* A sink whose frames are kept for assert_said(); its fd is the test's to close. */
static inline struct sink sink_that_keeps(void)
{
	return (struct sink){
		.lock_fd = -1,
		.fd = open(scratch("said"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600),
	};
}

static inline void assert_said(const char *text)
{
	const char *said = scratch_content("said");

	if (!strstr(said, text))
		fail_msg("no %s in %s", text, said);
}

static inline void assert_not_said(const char *text)
{
	const char *said = scratch_content("said");

	if (strstr(said, text))
		fail_msg("%s in %s", text, said);
}
