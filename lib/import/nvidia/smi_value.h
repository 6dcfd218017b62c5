/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * smi_value.h - values of nvidia-smi in its words. A path is the names of sections and key, in small letters, "/"
 * between them.
 */
#pragma once

#include "import/dump/dump.h"

enum smi_output { SMI_TEXT, SMI_XML };

/*
 * Is this text no value, as nvidia-smi words what it cannot tell ("N/A", "[Unknown Error]", "GPU is lost")? Then its
 * state and why.
 */
bool smi_is_no_value(const char *text, struct val_head *ret);

/* A number at the beginning, with the unit that must follow where one is given. */
bool smi_take_number(const char *text, const char *unit, double *ret);
/* People write arrows and remarks behind a value: its first word counts. */
bool smi_first_word_is(const char *text, const char *word);

/* The digits and points behind a label, "Driver Version: 550.90.07", where it is in the line and they are there. */
void smi_put_version(struct reading *reading, struct dump_line *line, const char *label, struct val_str *to);

/* smi_count.c: was it asked for some GPUs, or was its output searched? */
bool smi_is_choice(const struct dump_part *part);
/*
 * May it have other GPUs than the bus that other parts list? It ran in a container or a job, which may have been given
 * some of them, or was typed for another machine.
 */
bool smi_is_elsewhere(const struct reading *reading);

/* Does a path end with these names? */
bool smi_path_ends(const char *path, const char *end);
/* The last name. */
const char *smi_path_name(const char *path);

/* Puts the value of a key that is one field (smi_keys.def); false: it is none. */
bool smi_take_key(struct reading *reading, struct gpu *gpu, enum smi_output output, const char *path, const char *value,
		  struct dump_line *line);
