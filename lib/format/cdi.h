/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cdi.h - a file of the Container Device Interface: its devices, and what of the host they are made of. Pure.
 *
 * JSON is read whole. Of YAML the block form is read that nvidia-ctk and amd-ctk write: keys, lists, and scalars on
 * one line, plain or quoted. What else YAML allows (flow collections, anchors, tags, block scalars, several
 * documents) is valid and not read here: an unknown form, with its line. Broken is only what no YAML reader takes.
 */
#pragma once

#include "snapshot/snapshot.h"

enum cdi_form { CDI_READ, CDI_UNKNOWN_FORM, CDI_BROKEN };

struct cdi_content {
	enum cdi_form form;
	unsigned line;			/* where it is not CDI_READ, from 1 */
	const char *what;		/* the same: "a tab in the indentation" */
	/* Of a file that is not CDI_READ these end there. */
	const char *kind;		/* "nvidia.com/gpu", or NULL */
	struct strs devices;		/* "0", "GPU-…", "all" */
	struct strs paths;		/* on the host: device nodes, files and folders that are mounted; each once */
};

void cdi_parse(struct arena *arena, const char *text, size_t len, bool is_json, struct cdi_content *ret);

/* cdi_yaml.c, for cdi.c: where a scalar stands is told by the keys above it, a list's items having none. */
struct cdi_place {
	const char *const *keys;	/* of each level, the outermost first; NULL: an item of a list */
	size_t depth;
};
struct cdi_taker {
	void *data;
	void (*item)(void *data, const struct cdi_place *place);	/* an item of a list begins */
	void (*scalar)(void *data, const struct cdi_place *place, const char *text);
};
/* 0, or the line on which it ended; *ret_form and *ret_what say why. */
unsigned cdi_yaml_read(struct arena *arena, const char *text, size_t len, const struct cdi_taker *taker,
		       enum cdi_form *ret_form, const char **ret_what);
