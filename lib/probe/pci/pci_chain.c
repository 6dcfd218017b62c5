// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/pci/pci_chain.h"

#include <errno.h>

#include <pci/header.h>

#include "base/text.h"
#include "format/pci_config.h"
#include "probe/pci/aer.h"
#include "probe/pci/pci_function.h"
#include "probe/pci/pci_path.h"
#include "probe/read.h"

static void chain_add(struct pci_chain *chain, const char *address)
{
	struct pci_member *member;

	chain->members = arena_grow(&chain->arena, chain->members, chain->nr, sizeof(*member));
	member = &chain->members[chain->nr++];
	*member = (struct pci_member){ .address = arena_strdup(&chain->arena, address) };
}

/* Who sleeps, from the root port down: whoever has a sleeper above sleeps too, as far as reading is concerned. */
static void chain_find_sleepers(struct pci_chain *chain)
{
	enum val_state above_state = VAL_ASLEEP;
	const char *above = NULL;

	for (size_t i = chain->nr; i-- > 0;) {
		struct pci_member *member = &chain->members[i];
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
	if (!parse_link_speed(text, &mtps) && mtps) {
		struct val_u64 ret = val_u64(mtps);

		ret.from = speed.from;
		return ret;
	}
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

static void read_link(struct probe_env *env, struct sink *sink, struct arena *arena, struct pci_member *member)
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

static void read_config(struct probe_env *env, struct sink *sink, struct arena *arena, struct pci_member *member)
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
	if (env->places_only)
		return;
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

bool pci_member_is_gone(struct probe_env *env, const struct pci_member *member)
{
	return root_is_live(env->root) && root_exists(env->root, PCI_DEVICES "/%s", member->address) == -ENOENT;
}

/* Counters too, which are the kernel's own and are there of one that sleeps. */
void pci_function_set_gone(struct pci_function *pci)
{
	set_untouched(pci, VAL_LOST, PCI_GONE);
	aer_set_unknown(pci, VAL_LOST, PCI_GONE);
}

void pci_member_read(struct probe_env *env, struct sink *sink, struct arena *arena, struct pci_member *member)
{
	if (!env->places_only)
		aer_read(env, arena, member->address, &member->pci);
	if (member->asleep) {
		set_untouched(&member->pci, member->asleep_state, member->asleep);
		return;
	}
	read_config(env, sink, arena, member);
	read_link(env, sink, arena, member);
	/* Unplugged meanwhile: files that are not there any more are not files it never had. */
	if (pci_member_is_gone(env, member))
		pci_function_set_gone(&member->pci);
}

/* Of a bridge where it hangs is known by then. */
static void identify(struct probe_env *env, struct pci_chain *chain, bool is_known_device)
{
	for (size_t i = 0; i < chain->nr; i++) {
		struct pci_member *member = &chain->members[i];

		if (i ? env->places_only : is_known_device)
			pci_function_read_power(env, &chain->arena, member->address, &member->pci);
		else
			pci_function_identify(env, &chain->arena, member->address, &member->pci);
	}
}

int pci_chain_open(struct probe_env *env, struct pci_chain *ret, const char *address, bool is_known_device)
{
	struct strs bridges = { .nr = 0 };
	STRBUF_AUTO link = STRBUF_INIT;
	int error = root_readlink(env->root, &link, PCI_DEVICES "/%s", address);

	*ret = (struct pci_chain){ .nr = 0 };
	if (error == -ENOENT)
		return error;
	chain_add(ret, address);
	if (!error)
		pci_path_bridges(&ret->arena, link.buf, &bridges);
	for (size_t i = 0; i < bridges.nr; i++)
		chain_add(ret, bridges.v[i]);
	identify(env, ret, is_known_device);
	if (!env->may_wake)
		chain_find_sleepers(ret);
	return error;
}

void pci_chain_release(struct pci_chain *chain)
{
	arena_release(&chain->arena);
}
