/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * toml.h - a TOML file, value by value, for the few that are wanted. Pure.
 *
 * Tables, keys (bare, quoted, dotted), strings of all four forms, arrays and inline tables over several lines. What is
 * told of an array is its texts; of an inline table and of dates only that they are there. Keys that stand twice are
 * not found out.
 */
#pragma once

#include "snapshot/snapshot.h"

enum { TOML_MAX_DEPTH = 16 };

struct toml_key {
	const char *parts[TOML_MAX_DEPTH];	/* "plugins", "io.containerd.grpc.v1.cri", "containerd" */
	size_t nr;
};

struct toml_taker {
	void *data;
	void (*table)(void *data, const struct toml_key *table);
	/*
	 * key: with its table before it. text: of a scalar as it stands, a string without quotes; NULL: an array, or
	 * another.
	 */
	void (*value)(void *data, const struct toml_key *key, const char *text, const struct strs *array);
};

/* 0, or the line on which it is broken, with *ret_what: "no = after the key". */
unsigned toml_read(struct arena *arena, const char *text, const struct toml_taker *taker, const char **ret_what);
