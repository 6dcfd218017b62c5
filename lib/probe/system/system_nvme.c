// SPDX-License-Identifier: GPL-2.0-or-later
/* system_nvme.c - NVMe controllers, as their files tell; none of them asks the controller. */
#include "base/compat.h"
#include "probe/system/system_internal.h"

#include "base/text.h"
#include "probe/read.h"

#define NVME "/sys/class/nvme"

static struct val_str read_address(struct probe_env *env, struct arena *arena, const char *name)
{
	struct val_str text = read_str(env, arena, NVME "/%s/address", name);
	struct pci_address address;

	/* Of a disk on a server it is that server's. */
	if (is_known(text) && parse_pci_address(str_or(text, ""), &address))
		return no_str(VAL_ABSENT, "on no PCI bus");
	return text;
}

void system_nvme_read(struct probe_env *env, struct snapshot *facts)
{
	struct arena *arena = &facts->arena;
	struct name_list names = { 0 };
	int error = root_list(env->root, &names, NVME);

	for (size_t i = 0; i < names.nr; i++) {
		const char *name = names.names[i];
		struct nvme_controller *controller =
			list_element(arena, facts, nvme_controllers, nvme_controller, name);

		controller->model = read_str(env, arena, NVME "/%s/model", name);
		controller->serial = read_str(env, arena, NVME "/%s/serial", name);
		controller->firmware = read_str(env, arena, NVME "/%s/firmware_rev", name);
		controller->state = read_str(env, arena, NVME "/%s/state", name);
		controller->transport = read_str(env, arena, NVME "/%s/transport", name);
		controller->address = read_address(env, arena, name);
	}
	name_list_release(&names);
	facts->listed.nvme_controllers = listed_of(env, facts->nr_nvme_controllers, error);
}
