// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"

#define OPTIONAL .required = false
#define REQUIRED .required = true
#define REQUIRED_IN_GATE .required_in_gate = true
#define GATE .gate_only = true
#define GATE_REQUIRED .gate_only = true, .required_in_gate = true

static const struct playbook_row rows[] = {
#define CHECK(stage_, check_name, when) { .stage = STAGE_##stage_, .check = &check_##check_name, when },
#include "checks/playbook.def"
#undef CHECK
};

const struct playbook playbook = { .rows = rows, .nr = ARRAY_SIZE(rows) };
