// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/pci/pci_path.h"

#include "base/text.h"
#include "probe/pci/pci_function.h"
#include "probe/read.h"

/*
 * The bridges stand in the text of the link:
 * "../../../devices/pci0000:00/0000:00:01.0/0000:01:00.0". Behind a VMD the
 * text names two root complexes and a function between them that is no bridge
 * of this domain: what stands before the last complex does not count.
 */
void pci_path_bridges(struct arena *arena, const char *link, struct strs *ret)
{
	const char *end = strrchr(link, '/');

	while (end && end > link) {
		const char *start = end;
		struct pci_address address;
		const char *name;

		while (start > link && start[-1] != '/')
			start--;
		name = arena_strndup(arena, start, (size_t)(end - start));
		if (parse_pci_address(name, &address))
			return;
		strs_add(arena, ret, name);
		end = start > link ? start - 1 : NULL;
	}
}

int pci_path_read(struct probe_env *env, struct arena *arena, const char *address, struct strs *ret)
{
	STRBUF_AUTO link = STRBUF_INIT;
	int error = root_readlink(env->root, &link, PCI_DEVICES "/%s", address);

	if (error)
		return error;
	strs_add(arena, ret, address);
	pci_path_bridges(arena, link.buf, ret);
	return 0;
}

bool pci_path_sleeps(struct probe_env *env, struct arena *arena, const struct strs *path, enum val_state *ret_state,
		     const char **ret_why)
{
	for (size_t i = 0; i < path->nr; i++) {
		struct pci_function function = {
			.power_state = read_str(env, arena, PCI_DEVICES "/%s/power_state", path->v[i]),
			.runtime_status = read_str(env, arena, PCI_DEVICES "/%s/power/runtime_status", path->v[i]),
		};

		*ret_state = VAL_ASLEEP;
		if (!pci_function_is_asleep(arena, &function, ret_why) &&
		    !pci_function_may_sleep(arena, &function, ret_state, ret_why))
			continue;
		if (i)
			*ret_why = arena_printf(arena, "bridge %s: %s", path->v[i], *ret_why);
		return true;
	}
	return false;
}
