/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unit_failed.h - services of a node that failed, as systemd tells in its log, and did not start again further down. */
#pragma once

#include "import/dump/dump.h"

/* Is the line systemd's, of a service that failed or was not started? */
bool unit_failed_says(const char *text);

/* Puts those of all parts of the reading's text: as the first part of its kind is read. */
void unit_failed_read(struct reading *reading);
