/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fleet_read.h - the files of a fleet: reports and snapshots, one a file or one a line, in folders, through pipes. */
#pragma once

#include "base/strbuf.h"
#include "eval/fleet/fleet.h"

/*
 * Adds what a file has, or standard input for "-", or each file of a folder and of those below it. Of a stream whose
 * lines a launcher has labelled, "n17: {…}", the label is left out. What is no record is refused and counted; a line
 * that does not begin one is passed over. Dies with status 64 where the path cannot be read.
 */
void fleet_read(struct fleet *fleet, const char *path, const struct policy *policy);

/* The nodes that should answer: a number, a file with their names, or a list, "gpu[001-128]". Dies with status 64. */
void fleet_read_expected(struct fleet *fleet, const char *who);

/* "rack=FILE", lines of "NODE VALUE". After all reports. Dies with status 64. */
void fleet_read_label(struct fleet *fleet, const char *label_and_file);

/*
 * fleet_labels.c: labels and features of nodes, as Kubernetes and Slurm print them. Gives nodes the label of that name,
 * if the text is what `kubectl get nodes` or Slurm prints of its nodes; false where it is something else. Ends the
 * program where it is damaged, or where no node has such a label.
 */
bool fleet_read_node_labels(struct fleet *fleet, const char *label, const char *file, struct strbuf *text);
