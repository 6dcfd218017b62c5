/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fleet_labels.h - labels and features of nodes, as Kubernetes and Slurm print them. */
#pragma once

#include "base/strbuf.h"
#include "eval/fleet/fleet.h"

/*
 * Gives nodes the label of that name, if the text is what `kubectl get nodes` or Slurm prints of its nodes; false where it
 * is something else. Ends the program where it is damaged, or where no node has such a label.
 */
bool fleet_read_node_labels(struct fleet *fleet, const char *label, const char *file, struct strbuf *text);
