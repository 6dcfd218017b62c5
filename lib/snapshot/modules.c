// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "snapshot/modules.h"

const struct module *nvidia_module(const struct snapshot *snapshot)
{
	return list_find(snapshot, modules, module, "nvidia");
}

bool module_has_parameter(const struct module *module, const char *assignment)
{
	return module && strs_has(&module->parameters, assignment);
}
