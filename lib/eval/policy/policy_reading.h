/* SPDX-License-Identifier: GPL-2.0-or-later */
/* policy_reading.h - one policy file being read: private to policy_file.c and what it stands on. */
#pragma once

#include "eval/policy/policy.h"

/* Where values go: the file itself, or one override in it. */
struct policy_reading {
	struct policy *policy;
	struct arena *arena;
	const struct strs *checks;	/* their names */
	const struct json_doc *doc;
	struct policy_errors *errors;
	const char *path;		/* of the file */
	const char *prefix;		/* of keys in messages: "", "models.*H100*." */
	enum { READING_FILE, READING_MODEL, READING_NODE } of;
};

/* In the order of their lines, whatever found them. */
void policy_add_error(struct arena *arena, struct policy_errors *errors, unsigned line, const char *what);

/* Notes what is wrong with a value, by its line. */
void PRINTF_LIKE(3, 4) policy_refuse(struct policy_reading *r, const cJSON *at, const char *format, ...);

/* The same by the line's number. */
void PRINTF_LIKE(3, 4) policy_refuse_line(struct policy_reading *r, unsigned line, const char *format, ...);

/* The same with the word that was probably meant; without one, with the place to look it up. */
void policy_refuse_word(struct policy_reading *r, const cJSON *at, const char *what, const char *word,
			const char *const *near, size_t nr, const char *see);

/* "policy.json:14" */
const char *policy_origin_of(struct policy_reading *r, const cJSON *value);

/* A key of policy.def, with its value. */
void policy_read_row(struct policy_reading *r, unsigned row, const cJSON *value);

/* What an override sets, over what is there. */
void policy_lay_over(struct arena *arena, struct policy *policy, const struct policy *set);
