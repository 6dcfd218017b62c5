// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * slots.c - probe "slots": the slots the kernel names, what is plugged into
 * them and whether it answers.
 *
 * The files "adapter" and "power" are read from the hotplug port, which that
 * wakes (K7.2 drivers/pci/hotplug/pciehp_core.c): where the port above a slot
 * sleeps, or nobody knows which it is, they are left alone.
 */
#include "base/compat.h"
#include "probe/pci/pci_gpu.h"

#include <errno.h>

#include "base/text.h"
#include "probe/pci/pci_function.h"
#include "probe/pci/pci_path.h"
#include "probe/probe_table.h"
#include "probe/read.h"

bool pci_is_in_slot(const char *address, const char *place)
{
	size_t len = strlen(place);

	/* A bus without a device is what slots get whose device the kernel does not know (K7.2 drivers/pci/slot.c). */
	return len && !strncmp(address, place, len) && (address[len] == '.' || address[len] == ':');
}

static const char *clean_name(struct arena *arena, const char *name)
{
	STRBUF_AUTO clean = STRBUF_INIT;

	utf8_clean(&clean, name, strlen(name));
	return arena_strdup(arena, clean.buf);
}

struct val_str pci_slot_label(struct probe_env *env, struct arena *arena, const char *const *addresses, size_t nr)
{
	struct val_str ret = no_str(VAL_ABSENT, "the kernel names no slot there");
	struct name_list names = { 0 };
	int error = root_list(env->root, &names, PCI_SLOTS);
	size_t best = nr;

	if (error && error != -ENOENT)
		return no_str(state_of_errno(error), name_of_errno(error));
	for (size_t i = 0; i < names.nr; i++) {
		struct val_str place = read_str(env, arena, PCI_SLOTS "/%s/address", names.names[i]);

		for (size_t k = 0; k < best; k++) {
			if (!pci_is_in_slot(addresses[k], str_or(place, "")))
				continue;
			ret = val_str(clean_name(arena, names.names[i]));
			best = k;
		}
	}
	name_list_release(&names);
	return ret;
}

/* A kernel has a folder for each bus; what a recording lacks was not recorded. */
static enum val_state no_bus_state(struct probe_env *env)
{
	return root_is_live(env->root) ? VAL_ERROR : VAL_UNSUPPORTED;
}

/* The bridge above a bus, from /sys/class/pci_bus: ".../0000:58:01.0/pci_bus/0000:5d". */
static struct val_str port_above(struct probe_env *env, struct arena *arena, const char *place)
{
	STRBUF_AUTO link = STRBUF_INIT;
	struct pci_address address;
	const char *colon = strchr(place, ':');
	size_t len = colon ? (size_t)(colon - place) + 3 : 0;
	char *end, *name;
	int error;

	if (!colon || strlen(place) < len)
		return no_str(VAL_ERROR, "no place on a bus");
	error = root_readlink(env->root, &link, "/sys/class/pci_bus/%.*s", (int)len, place);
	if (error)
		return no_str(error == -ENOENT ? no_bus_state(env) : state_of_errno(error), name_of_errno(error));
	end = strstr(link.buf, "/pci_bus/");
	if (!end)
		return no_str(VAL_ERROR, "no port in the link of its bus");
	*end = '\0';
	name = strrchr(link.buf, '/');
	if (!name || parse_pci_address(name + 1, &address))
		return no_str(VAL_ABSENT, "on a root bus");
	return val_str(arena_strdup(arena, name + 1));
}

static struct val_bool read_flag(struct probe_env *env, struct arena *arena, const char *name, const char *file)
{
	struct val_u64 flag = read_u64(env, arena, PCI_SLOTS "/%s/%s", name, file);

	if (!is_known(flag))
		return no_bool(flag.state, flag.why);
	return val_bool(u64_or(flag, 0));
}

/* May the files that ask the port be read? */
static bool may_ask_port(struct probe_env *env, struct arena *arena, struct val_str port, enum val_state *ret_state,
			 const char **ret_why)
{
	struct strs path = { .nr = 0 };
	int error;

	if (!is_known(port)) {
		*ret_state = port.state == VAL_ABSENT ? VAL_ERROR : port.state;
		*ret_why = port.why;
		return port.state == VAL_ABSENT;	/* nothing above it that could sleep */
	}
	error = pci_path_read(env, arena, str_or(port, ""), &path);
	if (error) {
		*ret_state = state_of_errno(error);
		*ret_why = name_of_errno(error);
		return false;
	}
	return !pci_path_sleeps(env, arena, &path, ret_state, ret_why);
}

static void add_slot(struct probe_env *env, struct sink *sink, const char *name, const struct name_list *devices)
{
	struct arena *arena = &sink->facts.arena;
	struct slot *slot = list_element(arena, &sink->facts, slots, slot, clean_name(arena, name));
	enum val_state state;
	const char *why;

	slot->address = read_str(env, arena, PCI_SLOTS "/%s/address", name);
	slot->port = is_known(slot->address) ? port_above(env, arena, str_or(slot->address, "")) :
					       no_str(slot->address.state, slot->address.why);
	slot->answers = is_known(slot->address) ? val_bool(false) : no_bool(slot->address.state, slot->address.why);
	for (size_t i = 0; i < devices->nr; i++)
		if (pci_is_in_slot(devices->names[i], str_or(slot->address, "")))
			slot->answers = val_bool(true);
	sink_step(sink, arena_printf(arena, "read adapter of slot %s", name));
	if (may_ask_port(env, arena, slot->port, &state, &why)) {
		slot->occupied = read_flag(env, arena, name, "adapter");
		slot->powered = read_flag(env, arena, name, "power");
	} else {
		slot->occupied = slot->powered = no_bool(state, why);
	}
	sink_flush(sink);
}

static int run(struct probe_env *env, struct sink *sink)
{
	struct name_list names = { 0 }, devices = { 0 };
	int error;

	sink_step(sink, "list " PCI_SLOTS);
	error = root_list(env->root, &devices, PCI_DEVICES);
	if (!error)
		error = root_list(env->root, &names, PCI_SLOTS);
	/* A bus without the folder is one whose slots have no names. */
	if (error && (error != -ENOENT || root_exists(env->root, "/sys/bus/pci"))) {
		sink->facts.listed.slots = no_u64(state_of_errno(error), name_of_errno(error));
		name_list_release(&devices);
		return sink_end(sink, error == -EACCES ? PROBE_DENIED : PROBE_UNAVAILABLE,
				PCI_SLOTS " cannot be listed");
	}
	for (size_t i = 0; i < names.nr; i++)
		add_slot(env, sink, names.names[i], &devices);
	sink->facts.listed.slots = val_u64(names.nr);
	name_list_release(&names);
	name_list_release(&devices);
	return sink_end(sink, PROBE_OK, NULL);
}

static const char *const provides[] = { "slots", "listed.slots", NULL };

const struct probe probe_slots = {
	.name = "slots",
	.help = "PCI slots, and whether their cards respond; skips suspended devices",
	.phase = PHASE_DEVICE_FILES,
	.touches = TOUCHES_FILES,
	.deadline_ms = 2000,
	.provides = provides,
	.run = run,
};
