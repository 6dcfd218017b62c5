/* SPDX-License-Identifier: GPL-2.0-or-later */
/* disk_self_test.h - what a disk's log says of the tests that it made of itself. */
#pragma once

#include "base/compat.h"

/*
 * "# 1  Extended offline    Completed: read failure       90%      1745         233500365" of smartctl, the newest
 * first: its number, from 1, or 0: it is no such row. *ret_result: "passed", "failed: read failure", or NULL: the test
 * was broken off, or still runs.
 */
unsigned disk_self_test_row(const char *text, const char **ret_result);
/* The same of such a status alone, "Completed: read failure". */
const char *disk_self_test_result(const char *status);
