// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pci_link.c - probe "pci-link": the link of one GPU and of every bridge
 * above it, and what its configuration space tells.
 *
 * Reading a link file or configuration space resumes the bridge above, and
 * the device itself from D3cold (K7.2 drivers/pci/pci-sysfs.c, pci.c). So the
 * power state of the whole chain is read first, which touches nothing, and
 * what sleeps or has a sleeping bridge above it is left alone.
 */
#include "base/compat.h"

#include <errno.h>

#include "base/text.h"
#include "probe/pci_config.h"
#include "probe/pci_function.h"
#include "probe/probe_table.h"
#include "probe/read.h"
#include "snapshot/under_test.h"

#define GONE "the function is gone from the bus"

/* The GPU or a bridge above it. */
struct member {
	const char *address;
	const char *asleep;		/* why it must not be touched; NULL: it may be */
	enum val_state asleep_state;	/* what its values are then */
	struct pci_function pci;
};

/* From the GPU, the first, up to the root port. */
struct chain {
	struct arena arena;
	struct member *members;
	size_t nr;
};

static void chain_add(struct chain *chain, const char *address, size_t len)
{
	struct member *member;

	chain->members = arena_grow(&chain->arena, chain->members, chain->nr, sizeof(*member));
	member = &chain->members[chain->nr++];
	*member = (struct member){ .address = arena_strndup(&chain->arena, address, len) };
}

/*
 * The bridges stand in the text of the GPU's link:
 * "../../../devices/pci0000:00/0000:00:01.0/0000:01:00.0". Behind a VMD the
 * text names two root complexes and a function between them that is no bridge
 * of this domain: what stands before the last complex does not count.
 */
static void chain_add_bridges(struct chain *chain, const char *link)
{
	const char *end = strrchr(link, '/');

	while (end && end > link) {
		const char *start = end;
		struct pci_address address;
		const char *name;

		while (start > link && start[-1] != '/')
			start--;
		name = arena_strndup(&chain->arena, start, (size_t)(end - start));
		if (parse_pci_address(name, &address))
			return;
		chain_add(chain, name, strlen(name));
		end = start > link ? start - 1 : NULL;
	}
}

/* Who sleeps, from the root port down: whoever has a sleeper above sleeps too, as far as reading is concerned. */
static void chain_find_sleepers(struct chain *chain)
{
	enum val_state above_state = VAL_ASLEEP;
	const char *above = NULL;

	for (size_t i = chain->nr; i-- > 0;) {
		struct member *member = &chain->members[i];
		enum val_state state;
		const char *why;

		member->asleep = above;
		member->asleep_state = above_state;
		if (pci_function_is_asleep(&chain->arena, &member->pci, &why))
			state = VAL_ASLEEP;
		else if (!pci_function_may_sleep(&chain->arena, &member->pci, &state, &why))
			state = VAL_UNSET;
		if (state != VAL_UNSET) {
			member->asleep = why;
			member->asleep_state = above_state = state;
			above = arena_printf(&chain->arena, "bridge %s: %s", member->address, why);
		}
	}
}

static bool is_pcie_width(uint64_t lanes)
{
	return lanes == 1 || lanes == 2 || lanes == 4 || lanes == 8 || lanes == 12 || lanes == 16 || lanes == 32;
}

/* What the kernel says of a device that did not answer it. */
static bool is_no_answer(enum val_state state, const char *why)
{
	return state == VAL_ERROR && !strcmp(why, "EINVAL");
}

/* What stands in place of a number of lanes tells why there is none. */
static struct val_u64 checked_width(struct arena *arena, struct val_u64 width)
{
	unsigned long long lanes = u64_or(width, 0);

	if (!is_known(width))
		return no_u64(is_no_answer(width.state, width.why) ? VAL_LOST : width.state, width.why);
	switch (lanes) {
	case 0:
		return no_u64(VAL_UNSUPPORTED, "reads 0");
	case 63:
		return no_u64(VAL_LOST, "reads 63: the device does not answer");
	case 255:
		return no_u64(VAL_ERROR, "reads 255: the capability reads as zero");
	}
	if (!is_pcie_width(lanes))
		return no_u64(VAL_ERROR, arena_printf(arena, "reads %llu", lanes));
	return width;
}

/* The speed and the width of a pair come from one register: a width that cannot be condemns the speed as well. */
static struct val_u64 checked_speed(struct arena *arena, struct val_str speed, struct val_u64 width, bool is_driven)
{
	const char *text = str_or(speed, "");
	enum val_state state = VAL_ERROR;
	uint64_t mtps;

	if (!is_known(speed))
		return no_u64(is_no_answer(speed.state, speed.why) ? VAL_LOST : speed.state, speed.why);
	if (width.state == VAL_LOST)
		return no_u64(VAL_LOST, width.why);
	if (!parse_link_speed(text, &mtps) && mtps)
		return val_u64(mtps);
	/* Integrated GPUs have no link and say so; a driven card whose width cannot be had either is off the bus. */
	if (!strncmp(text, "Unknown", strlen("Unknown")) && width.state != VAL_ERROR)
		state = width.state == VAL_ABSENT && is_driven ? VAL_LOST : VAL_UNSUPPORTED;
	return no_u64(state, arena_printf(arena, "reads \"%.40s\"", text));
}

static void step_file(struct sink *sink, const char *file, const char *address)
{
	char call[96];

	snprintf(call, sizeof(call), "read %s of %s", file, address);
	sink_step(sink, call);
}

static struct val_u64 read_width(struct probe_env *env, struct sink *sink, struct arena *arena, const char *file,
				 const char *address)
{
	step_file(sink, file, address);
	return checked_width(arena, read_u64(env, arena, PCI_DEVICES "/%s/%s", address, file));
}

static struct val_str read_speed_text(struct probe_env *env, struct sink *sink, struct arena *arena, const char *file,
				      const char *address)
{
	step_file(sink, file, address);
	return read_str(env, arena, PCI_DEVICES "/%s/%s", address, file);
}

static void read_link(struct probe_env *env, struct sink *sink, struct arena *arena, struct member *member)
{
	struct pci_function *pci = &member->pci;
	const char *address = member->address;
	bool is_driven = is_known(pci->driver);
	struct val_str speed;

	pci->link_width = read_width(env, sink, arena, "current_link_width", address);
	speed = read_speed_text(env, sink, arena, "current_link_speed", address);
	pci->link_speed_mtps = checked_speed(arena, speed, pci->link_width, is_driven);
	pci->link_width_able = read_width(env, sink, arena, "max_link_width", address);
	speed = read_speed_text(env, sink, arena, "max_link_speed", address);
	pci->link_speed_able_mtps = checked_speed(arena, speed, pci->link_width_able, is_driven);
}

static void read_config(struct probe_env *env, struct sink *sink, struct arena *arena, struct member *member)
{
	unsigned char config[PCI_CONFIG_BYTES];
	size_t len;
	int error;

	step_file(sink, "config", member->address);
	error = root_read_bytes(env->root, config, sizeof(config), &len, PCI_DEVICES "/%s/config", member->address);
	if (error) {
		member->pci.config_all_ones = no_bool(state_of_errno(error), name_of_errno(error));
		member->pci.port_type = no_str(state_of_errno(error), name_of_errno(error));
		return;
	}
	member->pci.config_all_ones = pci_config_all_ones(config, len);
	member->pci.port_type = pci_config_port_type(arena, config, len);
}

/* One state for all that touches the device. */
static void set_untouched(struct pci_function *pci, enum val_state state, const char *why)
{
	pci->link_width = pci->link_width_able = no_u64(state, why);
	pci->link_speed_mtps = pci->link_speed_able_mtps = no_u64(state, why);
	pci->port_type = no_str(state, why);
	pci->config_all_ones = no_bool(state, why);
}

static void touch_member(struct probe_env *env, struct sink *sink, struct arena *arena, struct member *member)
{
	if (member->asleep) {
		set_untouched(&member->pci, member->asleep_state, member->asleep);
		return;
	}
	read_config(env, sink, arena, member);
	read_link(env, sink, arena, member);
}

/* Probe "pci" has said who the GPU is: only what this one read is added. */
static void send_gpu(struct sink *sink, const char *key, const struct pci_function *pci)
{
	struct gpu *gpu = list_element(&sink->facts.arena, &sink->facts, gpus, gpu, key);

	gpu->pci.link_width = pci->link_width;
	gpu->pci.link_width_able = pci->link_width_able;
	gpu->pci.link_speed_mtps = pci->link_speed_mtps;
	gpu->pci.link_speed_able_mtps = pci->link_speed_able_mtps;
	gpu->pci.port_type = pci->port_type;
	gpu->pci.config_all_ones = pci->config_all_ones;
	sink_flush(sink);
}

static void send_hop(struct sink *sink, const char *gpu_key, size_t place, const struct member *bridge)
{
	struct arena *arena = &sink->facts.arena;
	struct gpu *gpu = list_element(arena, &sink->facts, gpus, gpu, gpu_key);
	struct hop *hop = list_element(arena, gpu, hops, hop, arena_printf(arena, "%zu", place));

	hop->address = val_str(bridge->address);
	hop->pci = bridge->pci;
	sink_flush(sink);
}

static int gone(struct probe_env *env, struct sink *sink)
{
	struct pci_function pci = { 0 };

	set_untouched(&pci, VAL_LOST, GONE);
	send_gpu(sink, env->target, &pci);
	return sink_end(sink, PROBE_PARTIAL, GONE);
}

static int run(struct probe_env *env, struct sink *sink)
{
	struct chain chain = { 0 };
	STRBUF_AUTO link = STRBUF_INIT;
	int error = root_readlink(env->root, &link, PCI_DEVICES "/%s", env->target);

	if (error == -ENOENT)
		return gone(env, sink);
	chain_add(&chain, env->target, strlen(env->target));
	if (!error)
		chain_add_bridges(&chain, link.buf);
	for (size_t i = 0; i < chain.nr; i++)
		pci_function_identify(env, &chain.arena, chain.members[i].address, &chain.members[i].pci);
	chain_find_sleepers(&chain);
	for (size_t i = 0; i < chain.nr; i++) {
		struct member *member = &chain.members[i];

		touch_member(env, sink, &chain.arena, member);
		if (!i)
			send_gpu(sink, env->target, &member->pci);
		else
			send_hop(sink, env->target, i - 1, member);
	}
	/* Last: bridges that were not seen, or not all said, are not the same as none. */
	if (!error)
		list_element(&sink->facts.arena, &sink->facts, gpus, gpu, env->target)->bridges = val_u64(chain.nr - 1);
	arena_release(&chain.arena);
	if (error)
		return sink_end(sink, PROBE_PARTIAL, "the bridges above cannot be seen: no link in " PCI_DEVICES);
	return sink_end(sink, PROBE_OK, NULL);
}

static void targets(const struct snapshot *snapshot, struct arena *arena, struct strs *ret)
{
	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		if (gpu_role(snapshot, &snapshot->gpus[i]) != GPU_ROLE_NOT_OURS)
			strs_add(arena, ret, str_or(snapshot->gpus[i].key, ""));
}

static const char *const provides[] = {
	"gpus.pci.port_type", "gpus.pci.link_width", "gpus.pci.link_width_able", "gpus.pci.link_speed_mtps",
	"gpus.pci.link_speed_able_mtps", "gpus.pci.config_all_ones", "gpus.hops", "gpus.bridges",
	NULL
};

const struct probe probe_pci_link = {
	.name = "pci-link",
	.help = "PCIe link of a GPU and of every bridge above it; leaves what sleeps alone",
	.phase = PHASE_DEVICE_FILES,
	.touches = TOUCHES_FILES,
	.live_only = false,
	.target_is_prefix = false,
	.deadline_ms = 2000,
	.provides = provides,
	.targets = targets,
	.environment = NULL,
	.run = run,
};
