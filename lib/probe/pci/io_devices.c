// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * io_devices.c - probe "io-devices": network cards and NVMe disks, their links,
 * and the bridges above them. What feeds a GPU is judged by the same link as
 * the GPU is, and its place is half of the node's topology.
 */
#include "base/compat.h"
#include "probe/probe_table.h"

#include "base/text.h"
#include "probe/pci/pci_chain.h"
#include "probe/pci/pci_function.h"
#include "probe/read.h"

/*
 * Class codes of the PCI Code and ID Assignment Specification: base class, subclass, and an interface that is left out.
 */
static const char *kind_of(const char *class_code)
{
	static const struct {
		const char *prefix, *kind;
	} kinds[] = {
		{ "0x0200", "network" },	/* Ethernet */
		{ "0x0207", "network" },	/* InfiniBand */
		{ "0x0208", "network" },	/* host fabric */
		{ "0x0108", "nvme" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strncmp(class_code, kinds[i].prefix, strlen(kinds[i].prefix)))
			return kinds[i].kind;
	return NULL;
}

/* "ib0, mlx5_0" */
static struct val_str read_names(struct probe_env *env, struct arena *arena, const char *address)
{
	static const char *const folders[] = { "net", "infiniband", "nvme" };
	STRBUF_AUTO text = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		struct name_list names = { 0 };

		if (root_list(env->root, &names, PCI_DEVICES "/%s/%s", address, folders[i]))
			continue;
		for (size_t k = 0; k < names.nr; k++)
			strbuf_addf(&text, "%s%s", text.len ? ", " : "", names.names[k]);
		name_list_release(&names);
	}
	if (!text.len || !utf8_valid(text.buf, text.len))
		return no_str(VAL_ABSENT, "no driver has named it");
	return val_str(arena_strdup(arena, text.buf));
}

static struct io_device *facts(struct sink *sink, const char *address)
{
	return list_element(&sink->facts.arena, &sink->facts, io_devices, io_device, address);
}

static void read_device(struct probe_env *env, struct sink *sink, const char *address, const char *kind)
{
	struct io_device *device = facts(sink, address);
	struct pci_chain chain;
	int error = pci_chain_open(env, &chain, address, false);

	device->kind = val_str(kind);
	device->names = read_names(env, &sink->facts.arena, address);
	for (size_t i = 0; i < chain.nr; i++) {
		struct pci_member *member = &chain.members[i];

		pci_member_read(env, sink, &chain.arena, member);
		device = facts(sink, address);
		if (i) {
			struct arena *arena = &sink->facts.arena;
			struct hop *hop = list_element(arena, device, hops, hop, arena_printf(arena, "%zu", i - 1));

			hop->address = val_str(member->address);
			hop->pci = member->pci;
		} else {
			device->pci = member->pci;
		}
		sink_flush(sink);
	}
	/* Last: bridges that were not seen, or not all said, are not the same as none. */
	if (!error)
		facts(sink, address)->bridges = val_u64(chain.nr ? chain.nr - 1 : 0);
	sink_flush(sink);
	pci_chain_release(&chain);
}

static int run(struct probe_env *env, struct sink *sink)
{
	struct arena arena = { 0 };
	struct name_list names = { 0 };
	uint64_t nr = 0;
	int error;

	sink_step(sink, "list " PCI_DEVICES);
	error = root_list(env->root, &names, PCI_DEVICES);
	for (size_t i = 0; i < names.nr; i++) {
		const char *address = names.names[i];
		const char *kind = kind_of(str_or(read_str(env, &arena, PCI_DEVICES "/%s/class", address), ""));

		/* A virtual function has its card's link; hundreds of them may hang below one. */
		if (!kind || !root_exists(env->root, PCI_DEVICES "/%s/physfn", address))
			continue;
		read_device(env, sink, address, kind);
		nr++;
	}
	name_list_release(&names);
	sink->facts.listed.io_devices = listed_of(env, nr, error);
	arena_release(&arena);
	return sink_end(sink, PROBE_OK, NULL);
}

const struct probe probe_io_devices = {
	.name = "io-devices",
	.help = "PCIe links of network cards and NVMe disks, and of the bridges above them",
	.phase = PHASE_DEVICE_FILES,
	.touches = TOUCHES_FILES,
	.deadline_ms = 2000,
	.provides = (const char *const[]){ "io_devices", "listed.io_devices", NULL },
	.run = run,
};
