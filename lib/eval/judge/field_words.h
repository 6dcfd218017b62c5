/* SPDX-License-Identifier: GPL-2.0-or-later */
/* field_words.h - what a field of the snapshot is called among people, and why it may have no value. Pure. */
#pragma once

#include "eval/judge/report.h"

/* "link width able", "size of /dev/shm": of a field that stands in no record, its name with spaces. */
const char *field_words(struct arena *arena, const struct field *field);

/* The probe that looks at it, "pci-link"; NULL: it depends on the GPU's maker, or none does. */
const char *field_probe(const struct field *field);

/* Why that field of the subject was never written: "not collected (probe kernel-log)". */
const char *unset_words(struct arena *arena, const struct snapshot *snapshot, const struct subject *subject,
			const struct field *field);
