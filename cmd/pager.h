/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pager.h - what is longer than the screen goes through a pager, as with git: $GPUDIAG_PAGER, else $PAGER, else less;
 * set but empty, or cat: none. Only for what is printed to be read (help, explain, list, diff, logs): a run ends by
 * itself.
 */
#pragma once

#include "cmd/delivery.h"

/*
 * deliver() and delivery_put(), and where standard output is a terminal that the text does not fit, through the pager
 * until its reader leaves it. Without a pager, or where it cannot be started or dies, the text is printed.
 */
int page(const char *text, size_t len);
int page_delivery(struct delivery *to, const char *text, size_t len);
/* The same for lists: for a program as they are; where a terminal is too narrow, their lines are wrapped. */
int page_lines(const char *text, size_t len);
/* These without the pager: for what stands beside a report. */
int print_lines(const char *text, size_t len);
