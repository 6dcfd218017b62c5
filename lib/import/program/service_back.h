/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * service_back.h - services of a node that failed to start, or to start a pod, and did it later as the same text tells:
 * at boot the kubelet comes before the runtime, slurmd before the network, and udev
 * before the modules that another one needs.
 */
#pragma once

#include "import/dump/dump.h"

struct service_back;

/*
 * Does what the reading's part says of a service in a line end further down in its file? words: of the error, as it is
 * known. *back is NULL at first, and read once for all lines of the part.
 */
bool service_is_back(const struct reading *reading, struct service_back **back, const char *words,
		     const struct dump_line *line);
/* Is a module of NVIDIA's loaded further down that could not be at first? words: the line from its name on. */
bool module_is_back(const struct reading *reading, struct service_back **back, const char *words,
		    const struct dump_line *line);
/* The host in a line of a log: the word before its speaker, which may be NULL, as the return is without one. */
const char *host_before(const char *text, const char *speaker, size_t *ret_len);
/* Is a line further down than another of its file? Those of a string all have the number of its line. */
bool line_is_below(const struct dump_line *line, const struct dump_line *other);
