/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * twins.h - in which fields GPUs of one model differ: every field of record
 * gpu, and of the records in it, that its table marks TWIN. Lists are left out:
 * what they hold is not the GPU's own.
 */
#pragma once

#include "snapshot/snapshot.h"

struct twin_field {
	const char *name;		/* "pci.driver", "bar_bytes" */
	const struct field *field;
	size_t offset;			/* of the value in struct gpu */
	struct twin_agreement *agreement;	/* private to twins.c */
};

struct twin_fields {
	size_t nr;
	struct twin_field *items;
};
void twin_fields_list(struct arena *arena, struct twin_fields *ret);

/* The value of such a field. */
union any_value twin_value(const struct gpu *gpu, const struct twin_field *field);

/* The GPUs of its model and board that are under test, itself among them. */
struct twin_list {
	size_t nr;
	const struct gpu **items;
};
void twins_of(struct arena *arena, const struct snapshot *snapshot, const struct gpu *gpu, struct twin_list *ret);

/* A GPU's field beside those of its twins. Whose value is not known takes no part. */
struct twin_look {
	size_t nr;			/* GPUs whose value is known, itself included */
	size_t nr_other;		/* of them, those that have another value than this GPU */
	bool has_majority;		/* more than half of three or more have one value, and this GPU another */
	union any_value majority;
	const char *values;		/* all values there are, in words, in the GPUs' order */
};
void twins_look(struct arena *arena, const struct twin_list *twins, const struct gpu *gpu,
		const struct twin_field *field, struct twin_look *ret);
