/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stamp.h - the time that a line of a log begins with: what a document says has none. */
#pragma once

#include <stdbool.h>

/* "[  812.120331]" of the kernel? */
bool stamp_is_of_boot(const char *at);

/* Does a line begin with the kernel's stamp or syslog's, behind blanks and a priority or not? */
bool stamp_begins(const char *text);
