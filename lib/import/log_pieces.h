/* SPDX-License-Identifier: GPL-2.0-or-later */
/* log_pieces.h - lines of a log within one line of a paste. */
#pragma once

/* Where in a line the next of the log's begins, behind the one that the line begins with; NULL: nowhere. */
const char *log_next_piece(const char *text);
