/* SPDX-License-Identifier: GPL-2.0-or-later */
/* named_gpu.h - which GPU a line of a program or service names: "GPU 0000:3b:00.0", "gpu=3", "cuda:0", a UUID. */
#pragma once

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* Of what it names, the first. */
struct named_gpu {
	const char *address;	/* PCI, whatever it is of; NULL: none stands there */
	const char *uuid;	/* NULL: none */
	bool has_index;
	/* As the writer counts: the library's number, or a program's own of those that it may use. */
	uint64_t index;
};

struct named_gpu named_gpu_in(struct arena *arena, const char *text, const char *end);
