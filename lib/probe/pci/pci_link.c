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

#include <pci/header.h>

#include "base/text.h"
#include "format/pci_config.h"
#include "probe/pci/aer.h"
#include "probe/pci/pci_function.h"
#include "probe/pci/pci_gpu.h"
#include "probe/pci/pci_path.h"
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

static void chain_add(struct chain *chain, const char *address)
{
	struct member *member;

	chain->members = arena_grow(&chain->arena, chain->members, chain->nr, sizeof(*member));
	member = &chain->members[chain->nr++];
	*member = (struct member){ .address = arena_strdup(&chain->arena, address) };
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

/* The speed and the width of a pair come from one register: a width that cannot be condemns the speed as well. */
static struct val_u64 checked_speed(struct arena *arena, struct val_str speed, struct val_u64 width, bool is_driven)
{
	const char *text = str_or(speed, "");
	enum val_state state = VAL_ERROR;
	uint64_t mtps;

	if (!is_known(speed))
		return no_u64(pci_is_no_answer(speed.state, speed.why) ? VAL_LOST : speed.state, speed.why);
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
	return pci_read_width(env, arena, address, file);
}

/* There is no other source, so a failure is confirmed by reading again. A recording does not change. */
static struct val_u64 read_width_now(struct probe_env *env, struct sink *sink, struct arena *arena, const char *address)
{
	struct val_u64 width = read_width(env, sink, arena, "current_link_width", address);

	if (width.state != VAL_ERROR || !root_is_live(env->root))
		return width;
	sink_sleep_ns(sink, PROBE_AGAIN_NS);
	return read_width(env, sink, arena, "current_link_width", address);
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

	pci->link_width = read_width_now(env, sink, arena, address);
	speed = read_speed_text(env, sink, arena, "current_link_speed", address);
	pci->link_speed_mtps = checked_speed(arena, speed, pci->link_width, is_driven);
	pci->link_width_able = read_width(env, sink, arena, "max_link_width", address);
	speed = read_speed_text(env, sink, arena, "max_link_speed", address);
	pci->link_speed_able_mtps = checked_speed(arena, speed, pci->link_width_able, is_driven);
}

/*
 * Does a port send what passes between the devices below it up to the root?
 * The list of extended capabilities is followed and nothing else is read: some
 * devices take it badly to be asked for registers they do not have (lspci(8)).
 */
static struct val_bool read_acs(struct probe_env *env, const char *address)
{
	enum { MAX_CAPABILITIES = (PCI_CONFIG_EXTENDED_BYTES - PCI_CONFIG_BYTES) / 8 };
	size_t at = PCI_CONFIG_BYTES, len;

	for (int i = 0; i < MAX_CAPABILITIES && at; i++) {
		unsigned char head[8];
		int error = root_read_at(env->root, head, sizeof(head), &len, at, PCI_DEVICES "/%s/config", address);

		if (error)
			return no_bool(state_of_errno(error), name_of_errno(error));
		if (len < sizeof(head))
			return no_bool(VAL_ABSENT, "no extended configuration space");
		if (pci_config_extended_id(head) == PCI_EXT_CAP_ID_ACS)
			return val_bool(head[PCI_ACS_CTRL] & PCI_ACS_CTRL_REQ_RED);
		at = pci_config_extended_next(head);
	}
	return no_bool(VAL_ABSENT, "no ACS capability");
}

static bool is_port_down(struct val_str type)
{
	return str_is(type, "root-port") || str_is(type, "downstream-port");
}

/* One state for all that stands in configuration space. */
static void set_no_config(struct pci_function *pci, enum val_state state, const char *why)
{
	pci->config_all_ones = pci->acs_redirects = no_bool(state, why);
	pci->port_type = no_str(state, why);
	pci_config_no_settings(pci, state, why);
}

static void read_config(struct probe_env *env, struct sink *sink, struct arena *arena, struct member *member)
{
	struct pci_function *pci = &member->pci;
	unsigned char config[PCI_CONFIG_BYTES];
	size_t len;
	int error;

	step_file(sink, "config", member->address);
	error = root_read_bytes(env->root, config, sizeof(config), &len, PCI_DEVICES "/%s/config", member->address);
	if (error) {
		set_no_config(pci, state_of_errno(error), name_of_errno(error));
		return;
	}
	pci->config_all_ones = pci_config_all_ones(config, len);
	pci->port_type = pci_config_port_type(arena, config, len);
	pci_config_settings(arena, config, len, pci);
	if (is_port_down(pci->port_type))
		pci->acs_redirects = read_acs(env, member->address);
	else
		pci->acs_redirects = no_bool(is_known(pci->port_type) ? VAL_ABSENT : pci->port_type.state,
					     is_known(pci->port_type) ? "no port that faces down" : pci->port_type.why);
}

/* One state for all that touches the device. */
static void set_untouched(struct pci_function *pci, enum val_state state, const char *why)
{
	pci->link_width = pci->link_width_able = no_u64(state, why);
	pci->link_speed_mtps = pci->link_speed_able_mtps = no_u64(state, why);
	set_no_config(pci, state, why);
}

static bool is_gone(struct probe_env *env, const struct member *member)
{
	return root_is_live(env->root) && root_exists(env->root, PCI_DEVICES "/%s", member->address) == -ENOENT;
}

/* Counters too, which are the kernel's own and are there of one that sleeps. */
static void set_gone(struct pci_function *pci)
{
	set_untouched(pci, VAL_LOST, GONE);
	aer_set_unknown(pci, VAL_LOST, GONE);
}

static void touch_member(struct probe_env *env, struct sink *sink, struct arena *arena, struct member *member)
{
	aer_read(env, arena, member->address, &member->pci);
	if (member->asleep) {
		set_untouched(&member->pci, member->asleep_state, member->asleep);
		return;
	}
	read_config(env, sink, arena, member);
	read_link(env, sink, arena, member);
	/* Unplugged meanwhile: files that are not there any more are not files it never had. */
	if (is_gone(env, member))
		set_gone(&member->pci);
}

/* Probe "pci" has said who the GPU is: only what this one read is added. */
static void add_touched(struct gpu *gpu, const struct pci_function *pci)
{
	gpu->pci.link_width = pci->link_width;
	gpu->pci.link_width_able = pci->link_width_able;
	gpu->pci.link_speed_mtps = pci->link_speed_mtps;
	gpu->pci.link_speed_able_mtps = pci->link_speed_able_mtps;
	gpu->pci.port_type = pci->port_type;
	gpu->pci.config_all_ones = pci->config_all_ones;
	gpu->pci.max_payload_bytes = pci->max_payload_bytes;
	gpu->pci.max_payload_able_bytes = pci->max_payload_able_bytes;
	gpu->pci.max_read_request_bytes = pci->max_read_request_bytes;
	gpu->pci.aspm = pci->aspm;
	gpu->pci.acs_redirects = pci->acs_redirects;
	gpu->pci.aer_correctable = pci->aer_correctable;
	gpu->pci.aer_nonfatal = pci->aer_nonfatal;
	gpu->pci.aer_fatal = pci->aer_fatal;
	gpu->pci.aer_unsupported = pci->aer_unsupported;
	gpu->pci.aer_kinds = pci->aer_kinds;
	gpu->pci.aer_root_fatal = pci->aer_root_fatal;
}

static void send_gpu(struct sink *sink, const char *key, const struct pci_function *pci)
{
	add_touched(list_element(&sink->facts.arena, &sink->facts, gpus, gpu, key), pci);
	sink_flush(sink);
}

/* What the bus reports beside its link. */
static void send_place(struct probe_env *env, struct sink *sink, const struct chain *chain)
{
	struct arena *arena = &sink->facts.arena;
	const struct member *self = &chain->members[0];
	struct gpu *gpu = list_element(arena, &sink->facts, gpus, gpu, self->address);
	const char **addresses = arena_alloc(arena, chain->nr * sizeof(*addresses));

	for (size_t i = 0; i < chain->nr; i++)
		addresses[i] = chain->members[i].address;
	pci_gpu_read(env, sink, arena, self->address, self->asleep_state, self->asleep, gpu);
	if (is_gone(env, self))
		pci_gpu_set_unknown(gpu, VAL_LOST, GONE);
	pci_gpu_read_slot(env, sink, arena, addresses, chain->nr, gpu);
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

	set_gone(&pci);
	pci_gpu_set_unknown(list_element(&sink->facts.arena, &sink->facts, gpus, gpu, env->target), VAL_LOST, GONE);
	send_gpu(sink, env->target, &pci);
	return sink_end(sink, PROBE_PARTIAL, GONE);
}

static int run(struct probe_env *env, struct sink *sink)
{
	struct chain chain = { 0 };
	struct strs bridges = { .nr = 0 };
	STRBUF_AUTO link = STRBUF_INIT;
	int error = root_readlink(env->root, &link, PCI_DEVICES "/%s", env->target);

	if (error == -ENOENT)
		return gone(env, sink);
	chain_add(&chain, env->target);
	if (!error)
		pci_path_bridges(&chain.arena, link.buf, &bridges);
	for (size_t i = 0; i < bridges.nr; i++)
		chain_add(&chain, bridges.v[i]);
	for (size_t i = 0; i < chain.nr; i++)
		pci_function_identify(env, &chain.arena, chain.members[i].address, &chain.members[i].pci);
	if (!env->may_wake)
		chain_find_sleepers(&chain);
	for (size_t i = 0; i < chain.nr; i++) {
		struct member *member = &chain.members[i];

		touch_member(env, sink, &chain.arena, member);
		if (!i)
			send_gpu(sink, env->target, &member->pci);
		else
			send_hop(sink, env->target, i - 1, member);
	}
	send_place(env, sink, &chain);
	/* Last: bridges that were not seen, or not all said, are not the same as none. */
	if (!error)
		list_element(&sink->facts.arena, &sink->facts, gpus, gpu, env->target)->bridges = val_u64(chain.nr - 1);
	arena_release(&chain.arena);
	if (error)
		return sink_end(sink, PROBE_PARTIAL, "the bridges above are not visible: no link in " PCI_DEVICES);
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
	"gpus.pci.link_speed_able_mtps", "gpus.pci.config_all_ones", "gpus.pci.max_payload_bytes",
	"gpus.pci.max_payload_able_bytes", "gpus.pci.max_read_request_bytes", "gpus.pci.aspm", "gpus.pci.acs_redirects",
	"gpus.pci.aer_correctable", "gpus.pci.aer_nonfatal", "gpus.pci.aer_fatal", "gpus.pci.aer_unsupported",
	"gpus.pci.aer_kinds", "gpus.pci.aer_root_fatal", "gpus.slot", "gpus.smbios_slot", "gpus.bar_bytes",
	"gpus.bar_able_bytes", "gpus.iommu_group", "gpus.iommu_type", "gpus.virtual_functions", "gpus.hops",
	"gpus.bridges",
	NULL
};

const struct probe probe_pci_link = {
	.name = "pci-link",
	.help = "PCIe link of a GPU and of every bridge above it; skips suspended devices",
	.phase = PHASE_DEVICE_FILES,
	.touches = TOUCHES_FILES,
	.deadline_ms = 2000,
	.provides = provides,
	.targets = targets,
	.run = run,
};
