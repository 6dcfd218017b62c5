/* SPDX-License-Identifier: GPL-2.0-or-later */
/* named_gpu.h - which GPU a line of a program or service names: "GPU 0000:3b:00.0", "gpu=3", "cuda:0", a UUID. */
#pragma once

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* Of several it names none. */
struct named_gpu {
	const char *address;	/* PCI, whatever it is of; NULL: none stands there, or several do */
	const char *uuid;	/* NULL: none, or several */
	bool are_several;	/* of one kind of name there are two */
	bool has_index;		/* one, and no other */
	/* As the writer counts: the library's number, or a program's own of those that it may use. */
	uint64_t index;
};

struct named_gpu named_gpu_in(struct arena *arena, const char *text, const char *end);

/* The first number behind a word, as "index 3", of a line that is about one GPU anyway. */
bool named_gpu_number(const char *text, const char *end, const char *word, uint64_t *ret);
