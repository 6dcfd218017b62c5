// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"

#define REQUIRED true
#define OPTIONAL false

static const struct playbook_row rows[] = {
#define CHECK(stage_, check_name, required_) \
	{ .stage = STAGE_##stage_, .check = &check_##check_name, .required = required_ },
#include "checks/playbook.def"
#undef CHECK
};

const struct playbook playbook = { .rows = rows, .nr = ARRAY_SIZE(rows) };
