/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xid_line.h - lines in which others wrote an Xid down: Redfish's log of a board's controller, which has its own names
 * of the modules; a history that was taken out of a log; and the condition that a device plugin sets on its node, as
 * kubectl describe shows it.
 */
#pragma once

#include "base/arena.h"
#include "import/dump/xid_report.h"

bool xid_line_is(const char *text);
bool xid_line_take(struct arena *arena, const char *text, struct xid_report *ret);

/* A condition has as many as stand in its reason: the next one from *at on, which moves behind it. */
bool xid_line_is_condition(const char *text);
bool xid_line_condition_take(const char **at, struct xid_report *ret);
