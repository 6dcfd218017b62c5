/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * service_back.h - services of a node that failed to start, or to start a pod, and did it later as the same text tells:
 * at boot the kubelet comes before the runtime, slurmd before the network, and udev
 * before the modules that another one needs.
 */
#pragma once

#include "import/program/ends_below.h"

/*
 * Does what the reading's part says of a service in a line end further down in its file? words: of the error, as it is
 * known. *below as for ends_below_of().
 */
bool service_is_back(const struct reading *reading, struct ends_below **below, const char *words,
		     const struct dump_line *line);
/* Is a module of NVIDIA's loaded further down that could not be at first? words: the line from its name on. */
bool module_is_back(const struct reading *reading, struct ends_below **below, const char *words,
		    const struct dump_line *line);
