/* SPDX-License-Identifier: GPL-2.0-or-later */
/* log_pieces.h - lines of a log within the lines of a paste. */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/strbuf.h"

/* Where in a line the next of the log's begins, behind the one that the line begins with; NULL: nowhere. */
const char *log_next_piece(const char *text);

/*
 * The line that stands in what another program or a page wrapped around it: `"textPayload": "…",`, "message: '…'",
 * "**…**", "<code>…</code>". The text itself where there is nothing around it that is known.
 */
const char *log_unwrapped(struct arena *arena, const char *text);

/*
 * Where in "dmesg says: NVRM: Xid (PCI:0000:01:00): 79, …" or behind a prefix that is not known a line of the kernel's
 * may begin, at or behind `from`, which is in the text; NULL: nowhere more, or all of it stands in a command.
 */
const char *log_quoted_line(const char *text, const char *from);

/*
 * What a device plugin of Kubernetes, gpud or the vGPU manager says of an Xid, without the prefixes of its program;
 * NULL: the line has no such words.
 */
const char *log_plugin_line(const char *text);

/*
 * "xe 0000:03:00.0 : [drm] …", "Xid ( PCI:0000:1b:00): 13 , pid=…": a program that read a picture puts blanks where
 * none were. false: there are no such; else the line without them is added.
 */
bool log_respace(const char *text, struct strbuf *out);
