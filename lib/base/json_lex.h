/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_lex.h - the strict reading that comes before cJSON. Private to json.c.
 */
#pragma once

#include "base/json.h"

/*
 * Goes over doc->text once: refuses what is not strict JSON, blanks comments
 * where flags allow them, and notes in doc->offset where each value begins.
 * 0, or -EINVAL with *error filled; the caller releases doc in both cases.
 */
int json_lex(struct json_doc *doc, unsigned flags, struct json_error *error) MUST_CHECK;
