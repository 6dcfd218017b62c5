/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * error_signs.h - by what a line that may be an error's is known, or passed over: whom it is about, who says it, and
 * what frameworks, shells and tables say wherever they run. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "import/dump/dump.h"

/* By the name of a vendor, or of what runs on GPUs or reaches them. */
bool error_names_gpus(const char *text);
/* By that, or by what speaks of GPUs where no such name does: then an error beside it may have to do with them. */
bool error_is_about_gpus(const char *text);

/* 'I', 'W', 'E' or 'F' as glog has them: "I0503 12:00:01.233412", at the beginning or behind who prints it. */
bool error_is_of_level(const char *text, char level);

/* "[    2.1] hyperv_fb: probe of …": the kernel's. */
bool error_is_of_kernel(const char *text);

/* What frameworks say wherever they start, and packages of what is not there. */
bool error_is_harmless(const char *text);
/* The same of lines that name no GPU as what failed: shells, what fetches, and what goes on with something else. */
bool error_is_harmless_beside(const char *text);

/* Behind "name: ", who prints the line, as often as it comes; the beginning where nobody is named. */
const char *error_past_speakers(const char *text);
/* Whoever writes of himself, asks or advises is no program. */
bool error_is_written(const char *text);
/* "Error Information Log Entries:      0": a table of a tool. */
bool error_is_field(const char *text);
/* Words of a failure from `at` up to `behind`: "0 failed", "failed=0", "failed: 0", "error rate: 0.0 %". */
bool error_counts_none(const char *text, const char *at, const char *behind);

/* Ansible's, of a host, or of an item there: "fatal: [node7]: FAILED! => {…}", "failed: [node7] (item=nvsm) => …". */
bool error_is_of_ansible(const char *text);
/* Of a task of Ansible's that may fail: its last line, and below it "...ignoring". */
bool error_is_ignored(const struct dump_part *part, size_t at);
