/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kube_nodes.h - kubectl get nodes, "NAME STATUS ROLES AGE VERSION": nodes that are not ready. */
#pragma once

#include "import/dump/dump.h"

/* Is it the head of such a table, or a row whose columns are all there? */
bool kube_nodes_begin(const char *text);

/* What all parts of one text tell of nodes: of a node its last row counts. Of the first part, and nothing of others. */
void kube_nodes_read(struct reading *reading);
