/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prompt.h - which command printed what stands below a line, as prompts of shells tell it. */
#pragma once

#include "import/dump/dump.h"

/*
 * "user@host:~$ nvidia-smi -q", "[root@node ~]# lspci", "me@node ~> lspci", "$ dmesg", "# dmesg": the command, or NULL;
 * "" where the prompt waits for one. Of a bare # the word after it must be a program that dumps come from, as # begins
 * comments and headings, too.
 */
const char *prompt_command(const char *text);
