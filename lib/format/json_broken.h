/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_broken.h - is a file that base/json.h refuses broken for whoever it is for, too? That reader is strict: a key
 * that stands twice, or a byte that is no UTF-8, others take. Pure.
 */
#pragma once

#include <stdbool.h>

#include "base/json.h"

/* For readers of JSON, Go's among them. */
bool is_broken_json(const struct json_error *error);
/* For readers of YAML, which take JSON too, and more: commas at the end, keys without quotation marks. */
bool is_broken_as_yaml(const char *text, size_t len, const struct json_error *error);
