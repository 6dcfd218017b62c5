/* SPDX-License-Identifier: GPL-2.0-or-later */
/* log_stretch.h - stretches of a joined log that are of one form: a journal's export may follow lines of dmesg. */
#pragma once

#include "import/log/log_parts.h"

enum log_form {
	LOG_LINES,
	LOG_OBJECTS,	/* JSON over several lines, of dmesg --json or of the journal */
	LOG_EXPORT,	/* journalctl -o export, and the fields of -o verbose */
};

/* The form of what begins with the first of them, and how many go on in it, at least one. */
enum log_form log_stretch(const struct log_origin *origins, size_t nr, size_t *ret_nr);
