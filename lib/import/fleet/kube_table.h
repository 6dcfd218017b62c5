/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kube_table.h - what tables of kubectl have in common. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "4h37m", "99s", "3d22h", "2y35d"; 0: the word is none. */
uint64_t kube_duration_s(const char *word, size_t len);

/* Is a word of a line that one, which may be NULL? */
bool kube_is_word(const char *word, size_t len, const char *other);

/* Are a line's first words these? */
bool kube_has_columns(const char *text, const char *const *columns, size_t nr);
