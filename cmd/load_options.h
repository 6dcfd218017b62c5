/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load_options.h - the part of looking that measures: its options, what a bench needs, and how far it is. Private to look*.c and judge_run.c. */
#pragma once

#include "cmd/acquire.h"
#include "probe/probe.h"

/*
 * Dies with status 64 where a selector of --gpu means nothing that is here,
 * naming what is; to be called once the devices are known.
 */
void load_check_selectors(const struct acquisition *acq);

/* Does a bench need that probe? */
bool load_needs(const struct acquisition *acq, const struct probe *probe);

/* "measuring GPU 3, 4 of 8 … about 12 s left": when the worker of that device is about to start. */
void load_progress(struct acquisition *acq, const char *target);
