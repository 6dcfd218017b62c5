/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load.h - the part of looking that measures: its options, what a bench needs, and how far it is. Private to look*.c and examine.c. */
#ifndef GPUDIAG_CMD_LOAD_H
#define GPUDIAG_CMD_LOAD_H

#include "cmd/look.h"
#include "probe/probe.h"

/* Takes one of the options that say what is measured, and how. */
void load_option(struct look *look, const struct option_parser *parser, int id);

/*
 * Dies with status 64 where a selector of --gpu means nothing that is here,
 * naming what is; to be called once the devices are known.
 */
void load_check_selectors(const struct look *look);

/* Does a bench need that probe? */
bool load_needs(const struct look *look, const struct probe *probe);

/* "measuring GPU 3, 4 of 8 … about 12 s left": when the worker of that device is about to start. */
void load_progress(struct look *look, const char *target);

#endif
