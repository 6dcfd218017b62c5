// SPDX-License-Identifier: GPL-2.0-or-later
/* pci.c - probe "pci": which GPUs are on the bus; reads only attributes cached by the kernel, so no device wakes. */
#include "base/compat.h"

#include <errno.h>

#include "base/text.h"
#include "probe/pci/pci_function.h"
#include "probe/pci/pci_names.h"
#include "probe/probe_table.h"
#include "probe/read.h"

/* What was found, kept over the flushes that empty the sink. */
struct inventory {
	struct arena arena;
	struct strs gpus;
	struct pci_function *identities;	/* of the GPUs, in the same order */
	uint64_t functions;
	uint64_t nvswitches;
	const char *unreadable;			/* first function whose class could not be read */
};

/*
 * An NVSwitch is a bridge device of NVIDIA. So are the network functions of
 * its nForce chipsets, whose device ids lie below 0x1000 (pci.ids).
 */
static bool is_nvswitch(struct probe_env *env, struct arena *arena, const char *address, uint64_t class_code)
{
	return class_code >> 8 == 0x0680 &&
	       u64_or(read_u64(env, arena, PCI_DEVICES "/%s/vendor", address), 0) == 0x10de &&
	       u64_or(read_u64(env, arena, PCI_DEVICES "/%s/device", address), 0) >= 0x1000;
}

/*
 * Unplugged since the list was read: its files are gone or, where they were open by then, answer ENODEV. A recording
 * whose entry leads nowhere has lost something.
 */
static bool is_unplugged(struct probe_env *env, const char *address, const struct val_u64 *class_code)
{
	return root_is_live(env->root) && (class_code->state == VAL_LOST ||
					   root_exists(env->root, PCI_DEVICES "/%s", address) == -ENOENT);
}

static void look_at_function(struct probe_env *env, struct inventory *found, const char *address)
{
	struct val_u64 class_code = read_u64(env, &found->arena, PCI_DEVICES "/%s/class", address);
	bool is_gpu = is_known(class_code) && pci_class_is_gpu(u64_or(class_code, 0));
	struct pci_function identity = { 0 };
	size_t nr = found->gpus.nr;

	if (is_gpu)
		pci_function_identify(env, &found->arena, address, &identity);
	if ((is_gpu || !is_known(class_code)) && is_unplugged(env, address, &class_code))
		return;
	found->functions++;
	if (!is_known(class_code) && !found->unreadable)
		found->unreadable = arena_printf(&found->arena, "%s/class: %s", address, class_code.why);
	found->nvswitches += is_nvswitch(env, &found->arena, address, u64_or(class_code, 0));
	if (!is_gpu)
		return;
	found->identities = arena_grow(&found->arena, found->identities, nr, sizeof(identity));
	found->identities[nr] = identity;
	strs_add(&found->arena, &found->gpus, address);
}

static void send_identities(struct sink *sink, const struct inventory *found)
{
	for (size_t i = 0; i < found->gpus.nr; i++) {
		struct gpu *gpu = list_element(&sink->facts.arena, &sink->facts, gpus, gpu, found->gpus.v[i]);

		gpu->pci = found->identities[i];
	}
	sink_flush(sink);
}

/* After every GPU was said: the count is a promise that none is missing. */
static void send_counts(struct sink *sink, const struct inventory *found)
{
	sink->facts.bus.functions = val_u64(found->functions);
	sink->facts.bus.gpus = val_u64(found->gpus.nr);
	sink->facts.bus.nvswitches = val_u64(found->nvswitches);
	if (found->unreadable)
		sink->facts.bus.gpus = sink->facts.bus.nvswitches = no_u64(VAL_ERROR, found->unreadable);
	sink_flush(sink);
}

static void send_models(struct probe_env *env, struct sink *sink, struct inventory *found)
{
	const char *why = NULL;
	struct pci_names *names;

	if (!found->gpus.nr)
		return;
	names = pci_names_open(env, sink, &found->arena, &why);
	for (size_t i = 0; i < found->gpus.nr; i++) {
		const struct pci_function *identity = &found->identities[i];
		struct gpu *gpu = list_element(&sink->facts.arena, &sink->facts, gpus, gpu, found->gpus.v[i]);

		gpu->pci.model = no_str(VAL_ABSENT, why);
		if (names)
			gpu->pci.model =
				pci_names_model(names, &found->arena, identity->vendor_id, identity->device_id);
	}
	sink_flush(sink);
	pci_names_close(names);
}

/* A machine that runs and shows its buses without PCI has no GPU on it; of a recording nobody knows what was left out.
 */
static int no_bus(struct probe_env *env, struct sink *sink, int error)
{
	struct bus *bus = &sink->facts.bus;

	if (error == -ENOENT && root_is_live(env->root) && !root_exists(env->root, "/sys/bus") &&
	    root_exists(env->root, "/sys/bus/pci") == -ENOENT) {
		bus->functions = bus->gpus = bus->nvswitches = val_u64(0);
		return sink_end(sink, PROBE_OK, NULL);
	}
	bus->functions = bus->gpus = bus->nvswitches = no_u64(state_of_errno(error), name_of_errno(error));
	return sink_end(sink, error == -EACCES ? PROBE_DENIED : PROBE_UNAVAILABLE, PCI_DEVICES " cannot be listed");
}

static int run(struct probe_env *env, struct sink *sink)
{
	struct inventory found = { 0 };
	struct name_list names = { 0 };
	STRBUF_AUTO why = STRBUF_INIT;
	int error;

	sink_step(sink, "list " PCI_DEVICES);
	error = root_list(env->root, &names, PCI_DEVICES);
	if (error)
		return no_bus(env, sink, error);
	for (size_t i = 0; i < names.nr; i++) {
		struct pci_address address;

		if (!parse_pci_address(names.names[i], &address))
			look_at_function(env, &found, names.names[i]);
	}
	name_list_release(&names);
	send_identities(sink, &found);
	send_counts(sink, &found);
	send_models(env, sink, &found);		/* a library's crash must not lose the rest */
	if (found.unreadable)
		strbuf_addstr(&why, found.unreadable);
	arena_release(&found.arena);
	return sink_end(sink, why.len ? PROBE_PARTIAL : PROBE_OK, why.len ? why.buf : NULL);
}

/* Field by field: the rest of a GPU is pci-link's, and stays so when this worker dies. */
static const char *const provides[] = {
	"bus",
	"gpus.pci.vendor_id", "gpus.pci.device_id", "gpus.pci.subsystem_id", "gpus.pci.class_code", "gpus.pci.revision",
	"gpus.pci.model", "gpus.pci.driver", "gpus.pci.numa_node", "gpus.pci.local_cpus", "gpus.pci.power_state",
	"gpus.pci.runtime_status", "gpus.pci.physical_function",
	NULL
};

const struct probe probe_pci = {
	.name = "pci",
	.help = "GPUs on the PCI bus, from attributes cached by the kernel; touches no device",
	.phase = PHASE_NODE,
	.touches = TOUCHES_FILES,
	.deadline_ms = 5000,
	.provides = provides,
	.run = run,
};
