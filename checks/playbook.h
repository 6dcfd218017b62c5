/* SPDX-License-Identifier: GPL-2.0-or-later */
/* playbook.h - the playbook, which cmd hands to the engine: lib never names a check. */
#pragma once

#include "eval/judge/check.h"

#define CHECK(stage, name, when) extern const struct check check_##name;
#include "checks/playbook.def"
#undef CHECK

extern const struct playbook playbook;
