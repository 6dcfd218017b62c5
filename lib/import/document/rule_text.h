/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rule_text.h - rules that others have for errors: alerts of Prometheus and Loki, tasks of Ansible, panels of Grafana,
 * patterns of the node problem detector, maps of Kubernetes. They hold the words of an error for the day when it comes.
 */
#pragma once

#include "import/document/left_out.h"

bool rule_text_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret);
