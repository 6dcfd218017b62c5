// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"
#include "checks/playbook.h"
#include "eval/baseline/baseline_lookup.h"
#include "eval/facts/port_errors.h"
#include "eval/facts/rdma_port.h"
#include "snapshot/node.h"
#include "snapshot/under_test.h"

enum {
	FASTEST_PORT_MBPS = 800000,
	/* More than cables that are pulled, and starts of hosts, leave in a counter. */
	MANY_DOWNS = 100, MANY_SYMBOL_ERRORS = 1000000,
};

/* As commands take it. */
static const char *device_of(const struct network_interface *interface)
{
	return str_or(interface->rdma_device, str_or(interface->key, "?"));
}

/* As people do, and one for each port. */
static const char *port_of(struct judgement *j, const struct network_interface *interface)
{
	uint64_t port = u64_or(interface->rdma_port, 1);

	return port == 1 ? device_of(interface) :
			   arena_printf(j->arena, "%s port %llu", device_of(interface), (unsigned long long)port);
}

static void judge_rate(struct judgement *j, const struct network_interface *interface)
{
	uint64_t rate = need(j, network_interface, interface, rdma_rate_mbps);
	uint64_t usual = rdma_usual_rate(j->snapshot, interface);
	uint64_t others = is_imported(j->snapshot) ? rdma_rate_of_others(j->snapshot, interface) : 0;

	if (rate < usual) {
		expect_u64(j, "rdma_rate_mbps", usual);
		finding_add_of(j, NETWORK_LINK_SLOWER_THAN_TWINS, port_of(j, interface));
	} else if (rate < others) {
		expect_u64(j, "rdma_rate_mbps", others);
		finding_add_of(j, NETWORK_LINK_SLOWER_THAN_OTHERS, port_of(j, interface));
	}
}

static const struct network_interface *then_of(const struct judgement *j, const struct network_interface *interface)
{
	const char *why;
	const struct baseline *baseline = baseline_to_compare(j, &why);

	if (!baseline)
		return NULL;
	return list_find(&baseline->snapshot, network_interfaces, network_interface, str_or(interface->key, ""));
}

/* iWARP and old cards have none, and are well: only where a port of its type has some, or it had, it is a fault. */
static bool lacks_roce(const struct judgement *j, const struct network_interface *interface,
		       const struct network_interface *then)
{
	if (!is_known(interface->roce_v2_gids) || u64_or(interface->roce_v2_gids, 0))
		return false;
	if (then && u64_or(then->roce_v2_gids, 0))
		return true;
	for (size_t i = 0; i < j->snapshot->nr_network_interfaces; i++) {
		const struct network_interface *other = &j->snapshot->network_interfaces[i];

		if (rdma_ports_are_alike(interface, other) && rdma_port_is_active(other) &&
		    u64_or(other->roce_v2_gids, 0))
			return true;
	}
	return false;
}

/* Where a tool does not tell of the link, as ibv_devinfo, it matters only of ports that are neither active nor down. */
static bool goes_by_link(const struct judgement *j, const struct network_interface *interface)
{
	return !is_imported(j->snapshot) ||
	       !(rdma_port_is_active(interface) || str_is(interface->rdma_state, "down")) ||
	       (is_known(interface->rdma_physical_state) && is_known(interface->rdma_link_layer));
}

/*
 * It is down with its link up, beside an active port of its type: nobody set it up, as the further port of a card in
 * two slots. Virtual functions are of a type of their own, and down until they are given to somebody.
 */
static bool is_left_out(const struct judgement *j, const struct network_interface *interface)
{
	if (!str_is(interface->rdma_state, "down") || !str_is(interface->rdma_physical_state, "linkup") ||
	    !str_is(interface->rdma_link_layer, "InfiniBand"))
		return false;
	for (size_t i = 0; i < j->snapshot->nr_network_interfaces; i++) {
		const struct network_interface *other = &j->snapshot->network_interfaces[i];

		if (rdma_ports_are_alike(interface, other) && rdma_port_is_active(other))
			return true;
	}
	return false;
}

/*
 * A port without a cable is none of ours to judge: it polls, or is off. One whose link is up and that is not active
 * waits for somebody: over InfiniBand for the subnet manager.
 */
static void judge_port(struct judgement *j, const struct network_interface *interface)
{
	const struct network_interface *then = then_of(j, interface);

	question(j);
	about(j, str_or(interface->key, "?"));
	derive_str(j, "device", device_of(interface), "/sys/class/infiniband");
	phrase(j, "port", port_of(j, interface));
	need(j, network_interface, interface, rdma_state);
	if (goes_by_link(j, interface)) {
		want(j, network_interface, interface, rdma_physical_state);
		want(j, network_interface, interface, rdma_link_layer);
	}
	if (!all_known(j))
		return;
	if (rdma_port_is_active(interface)) {
		if (is_known(interface->rdma_rate_mbps) || !is_imported(j->snapshot))
			judge_rate(j, interface);
		if (lacks_roce(j, interface, then)) {
			want(j, network_interface, interface, roce_v2_gids);
			finding_add_of(j, NETWORK_LINK_NO_ROCE, port_of(j, interface));
		}
	} else if (rdma_port_waits_for_manager(interface)) {
		finding_add_of(j, NETWORK_LINK_NO_SUBNET_MANAGER, port_of(j, interface));
	} else if (then && rdma_port_is_active(then)) {
		finding_add_of(j, NETWORK_LINK_DOWN, port_of(j, interface));
	} else if (is_left_out(j, interface)) {
		finding_add_of(j, NETWORK_LINK_LINK_UNUSED, port_of(j, interface));
	}
}

/* Since when the interface was made, so within one boot; a few at boot are how links come up. */
static void judge_flaps(struct judgement *j, const struct network_interface *interface)
{
	const struct network_interface *then = then_of(j, interface);
	uint64_t changes, before;

	if (!then || !is_known(then->carrier_changes) || !is_known(interface->carrier_changes) ||
	    !str_is(j->baseline->snapshot.host.boot_id, str_or(j->snapshot->host.boot_id, "?")))
		return;
	question(j);
	about(j, str_or(interface->key, "?"));
	derive_str(j, "device", str_or(interface->key, "?"), "/sys/class/net");
	changes = need(j, network_interface, interface, carrier_changes);
	before = u64_or(then->carrier_changes, 0);
	if (changes <= before + 1)	/* one is somebody who pulled a cable, and did not put it back */
		return;
	derive(j, "flaps", UNIT_COUNT, (double)(changes - before), "carrier_changes since the baseline");
	finding_add_of(j, NETWORK_LINK_FLAPS, str_or(interface->key, "?"));
}

/* Since the baseline, of a link that was up all the time since. */
static void judge_growth(struct judgement *j, const struct network_interface *interface)
{
	const struct network_interface *then = then_of(j, interface);
	uint64_t uptime_s = u64_or(j->snapshot->host.uptime_s, 0), before_s;
	struct port_errors errors;

	if (!then || !port_has_link(interface) ||
	    !str_is(j->baseline->snapshot.host.boot_id, str_or(j->snapshot->host.boot_id, "?")))
		return;
	before_s = u64_or(j->baseline->snapshot.host.uptime_s, 0);
	errors = port_errors_since(interface, then);
	if (!has_many_port_errors(j->policy, &errors, port_rate_mbps(interface),
				  uptime_s > before_s ? (double)(uptime_s - before_s) : 0.0))
		return;
	question(j);
	about(j, str_or(interface->key, "?"));
	derive_str(j, "device", device_of(interface), "/sys/class/net, /sys/class/infiniband");
	phrase(j, "port", port_of(j, interface));
	derive_str(j, "port_errors", port_errors_in_words(j->arena, &errors),
		   "counters of the port since the baseline");
	finding_add_of(j, NETWORK_LINK_PORT_ERRORS, port_of(j, interface));
}

/* Both ends told each other what they can do: less than that was agreed on in the end. False: not to be judged. */
static bool judge_able(struct judgement *j, const struct network_interface *interface)
{
	if (!str_is(interface->state, "up") || !is_known(interface->speed_mbps) ||
	    !is_known(interface->speed_able_mbps))
		return false;
	question(j);
	about(j, str_or(interface->key, "?"));
	derive_str(j, "device", str_or(interface->key, "?"), "/sys/class/net");
	if (need(j, network_interface, interface, speed_mbps) < need(j, network_interface, interface, speed_able_mbps))
		finding_add_of(j, NETWORK_LINK_SLOWER_THAN_ABLE, str_or(interface->key, "?"));
	return true;
}

/* NCCL takes every RDMA device that is active, this one too. */
static void judge_software(struct judgement *j, const struct network_interface *interface)
{
	question(j);
	about(j, str_or(interface->key, "?"));
	derive_str(j, "device", str_or(interface->key, "?"), "/sys/class/infiniband");
	need(j, network_interface, interface, rdma_software);
	want(j, network_interface, interface, state);
	finding_add_of(j, NETWORK_LINK_SOFTWARE_RDMA, str_or(interface->key, "?"));
}

/* ---- GPUDirect RDMA */

static bool is_loaded(const struct snapshot *snapshot, const char *module)
{
	return list_find(snapshot, modules, module, module) != NULL;
}

static bool drives_a_gpu(const struct snapshot *snapshot, const char *driver)
{
	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		if (gpu_is_under_test(snapshot, &snapshot->gpus[i]) && str_is(snapshot->gpus[i].pci.driver, driver))
			return true;
	return false;
}

/*
 * Cards read NVIDIA's GPUs by nvidia_peermem, or by DMA-BUF, which the open module has and RDMA has since Linux 5.12
 * (NVIDIA driver README, "GPUDirect RDMA Peer Memory Client"; NCCL reports which one it uses).
 */
static void judge_gpudirect(struct judgement *j, const struct network_interface *interface)
{
	const struct snapshot *snapshot = j->snapshot;
	const struct module *nvidia = list_find(snapshot, modules, module, "nvidia");

	if (!nvidia || !is_known(nvidia->flavour) || !is_known(snapshot->listed.modules) ||
	    !is_known(snapshot->host.kernel) || !drives_a_gpu(snapshot, "nvidia") ||
	    is_loaded(snapshot, "nvidia_peermem") || is_loaded(snapshot, "nv_peer_mem"))
		return;
	question(j);
	derive_str(j, "device", device_of(interface), "/sys/class/infiniband");
	want(j, module, nvidia, flavour);
	want(j, host, &snapshot->host, kernel);
	if (!str_is(nvidia->flavour, "open") || version_compare(str_or(snapshot->host.kernel, ""), "5.12") < 0)
		finding_add(j, NETWORK_LINK_NO_GPUDIRECT);
}

static const char *joined(struct judgement *j, const struct strs *names)
{
	const char *text = "";

	for (size_t i = 0; i < names->nr; i++)
		text = arena_printf(j->arena, "%s%s%s", text, i ? ", " : "", names->v[i]);
	return text;
}

static const struct bond *bond_then(const struct judgement *j, const struct bond *bond)
{
	const char *why;
	const struct baseline *baseline = baseline_to_compare(j, &why);

	return baseline ? list_find(&baseline->snapshot, bonds, bond, str_or(bond->key, "")) : NULL;
}

/* Bonds are made with a member that is cabled some day: only what the baseline had in use is lost. */
static void judge_bond(struct judgement *j, const struct bond *bond)
{
	const struct bond *then = bond_then(j, bond);
	bool are_more = then && bond->members_down.nr > then->members_down.nr;

	question(j);
	about(j, str_or(bond->key, "?"));
	derive_str(j, "bond", str_or(bond->key, "?"), "/proc/net/bonding");
	need(j, bond, bond, members);
	want(j, bond, bond, mode);
	if (bond->members_down.nr) {
		derive_str(j, "members_named", joined(j, &bond->members_down), "MII Status");
		finding_add_of(j, are_more ? NETWORK_LINK_BOND_MEMBER_LOST : NETWORK_LINK_BOND_MEMBER_DOWN,
			       str_or(bond->key, "?"));
	}
	if (bond->members_apart.nr) {
		derive_str(j, "members_named", joined(j, &bond->members_apart),
			   "Aggregator ID, partner's system mac address");
		finding_add_of(j, NETWORK_LINK_BOND_MEMBER_APART, str_or(bond->key, "?"));
	}
}

/* ---- imports */

/* What a cable, a transceiver or the other end does to a link, and nobody's wish. */
static bool is_of_cable(const char *trouble)
{
	return text_has_word_of(trouble,
				"signal integrity|unsupported cable|unsupported module|module is not supported|"
				"cable issue|cable is not supported|cable test|bus stuck|I2C|power budget|overheat|"
				"high temperature|EEPROM|calibration failure");
}

static bool judge_trouble(struct judgement *j, const struct network_interface *interface)
{
	if (!is_known(interface->link_trouble) || port_has_link(interface) ||
	    !is_of_cable(str_or(interface->link_trouble, "")))
		return false;
	question(j);
	about(j, str_or(interface->key, "?"));
	derive_str(j, "device", device_of(interface), "ethtool, mlxlink");
	phrase(j, "port", port_of(j, interface));
	need(j, network_interface, interface, link_trouble);
	finding_add_of(j, NETWORK_LINK_TROUBLE, port_of(j, interface));
	return true;
}

/* Counters of one reading: how fast they grew is known where it is told since when they count. */
static bool judge_counted(struct judgement *j, const struct network_interface *interface)
{
	const struct network_interface zero = {
		.symbol_errors = val_u64(0), .receive_crc_errors = val_u64(0), .link_recoveries = val_u64(0),
		.rdma_receive_errors = val_u64(0), .integrity_errors = val_u64(0), .link_downed = val_u64(0),
	};
	struct port_errors errors = port_errors_since(interface, &zero), at_once = errors;
	/* Where it is not told, as fast as there are any. */
	uint64_t rate = port_rate_mbps(interface) ? port_rate_mbps(interface) : FASTEST_PORT_MBPS;
	bool is_down = (is_known(interface->rdma_state) || is_known(interface->state)) && !port_has_link(interface),
	     are_many;

	at_once.downs = 0;
	if (!is_imported(j->snapshot) || (!has_many_port_errors(j->policy, &at_once, 0, 1.0) &&
					  (double)errors.downs <= j->policy->network_port_errors))
		return false;
	are_many = !is_down && is_known(interface->counted_s) &&
		   has_many_port_errors(j->policy, &errors, rate, (double)u64_or(interface->counted_s, 0));
	question(j);
	about(j, str_or(interface->key, "?"));
	derive_str(j, "device", device_of(interface), "counters of the port");
	phrase(j, "port", port_of(j, interface));
	derive_str(j, "port_errors", port_errors_in_words(j->arena, &errors), "counters of the port");
	if (are_many)
		need(j, network_interface, interface, counted_s);
	else if (!is_known(interface->counted_s) &&
		 (errors.downs > MANY_DOWNS || errors.symbols > MANY_SYMBOL_ERRORS))
		unknown(j, "counters of errors, of which it is not told since when they count");
	finding_add_of(j, are_many ? NETWORK_LINK_ERRORS_MANY : NETWORK_LINK_ERRORS_COUNTED, port_of(j, interface));
	return true;
}

/* Interfaces of an import, none of which has a link; of RDMA ports others tell. */
static bool judge_none_up(struct judgement *j)
{
	const char *names = "";

	for (size_t i = 0; i < j->snapshot->nr_network_interfaces; i++) {
		const struct network_interface *interface = &j->snapshot->network_interfaces[i];

		if (!is_imported(j->snapshot) || port_has_link(interface) || is_known(interface->rdma_state))
			return false;
		if (str_is(interface->state, "down"))
			names = arena_printf(j->arena, "%s%s%s", names, *names ? ", " : "",
					     str_or(interface->key, "?"));
	}
	if (!*names)
		return false;
	question(j);
	derive_str(j, "ports_named", names, "ethtool, ip link");
	finding_add(j, NETWORK_LINK_NONE_UP);
	return true;
}

/* ---- all of them */

static bool is_shown(const struct judgement *j, size_t at)
{
	return is_known(j->snapshot->network_interfaces[at].rdma_state) && !port_is_listed_before(j->snapshot, at);
}

/* How many an import shows; 0: one of them is active, or other findings tell of them. */
static size_t count_inactive(const struct judgement *j)
{
	size_t nr = 0;

	for (size_t i = 0; is_imported(j->snapshot) && i < j->snapshot->nr_network_interfaces; i++) {
		const struct network_interface *interface = &j->snapshot->network_interfaces[i], *then;

		if (!is_shown(j, i))
			continue;
		then = then_of(j, interface);
		if (rdma_port_is_active(interface) || rdma_port_waits_for_manager(interface) ||
		    (then && rdma_port_is_active(then)))
			return 0;
		nr++;
	}
	return nr;
}

/* The only port of an import: without a cable it is none of ours to judge, with a link somebody did not set it up. */
static bool judge_only_port(struct judgement *j)
{
	for (size_t i = 0; i < j->snapshot->nr_network_interfaces; i++) {
		const struct network_interface *interface = &j->snapshot->network_interfaces[i];

		if (!is_shown(j, i) || !str_is(interface->rdma_physical_state, "linkup") ||
		    !str_is(interface->rdma_link_layer, "InfiniBand"))
			continue;
		question(j);
		about(j, str_or(interface->key, "?"));
		derive_str(j, "device", device_of(interface), "/sys/class/infiniband");
		phrase(j, "port", port_of(j, interface));
		need(j, network_interface, interface, rdma_state);
		want(j, network_interface, interface, rdma_physical_state);
		finding_add_of(j, NETWORK_LINK_LINK_UNUSED, port_of(j, interface));
		return true;
	}
	return false;
}

/* Whoever shows ports of which none is active looks for a fault, of which a cable that is missing may be all. */
static void judge_none_active(struct judgement *j, size_t nr)
{
	const char *names = "";

	question(j);
	for (size_t i = 0; i < j->snapshot->nr_network_interfaces; i++)
		if (is_shown(j, i))
			names = arena_printf(j->arena, "%s%s%s", names, *names ? ", " : "",
					     port_of(j, &j->snapshot->network_interfaces[i]));
	derive(j, "ports", UNIT_COUNT, (double)nr, "state of each");
	derive_str(j, "ports_named", names, "state of each");
	finding_add(j, NETWORK_LINK_NONE_ACTIVE);
}

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	const struct network_interface *active = NULL;
	size_t judged = 0, nr_inactive = count_inactive(j);

	for (size_t i = 0; i < snapshot->nr_network_interfaces; i++) {
		const struct network_interface *interface = &snapshot->network_interfaces[i];

		if (is_known(interface->rdma_software)) {
			judge_software(j, interface);
			judged++;
			continue;
		}
		judge_flaps(j, interface);
		judged += judge_trouble(j, interface);
		judged += judge_counted(j, interface);
		judged += judge_able(j, interface);
		if (port_is_listed_before(snapshot, i))
			continue;
		judge_growth(j, interface);
		if (interface->rdma_state.state == VAL_UNSET)
			continue;
		judge_port(j, interface);
		judged += !nr_inactive;
		if (!active && rdma_port_is_active(interface))
			active = interface;
	}
	if (active)
		judge_gpudirect(j, active);
	for (size_t i = 0; i < snapshot->nr_bonds; i++, judged++)
		judge_bond(j, &snapshot->bonds[i]);
	judged += judge_none_up(j);
	if (nr_inactive > 1)
		judge_none_active(j, nr_inactive);
	else if (nr_inactive && judge_only_port(j))
		return;
	else if (!judged)
		skip_check(j, nr_inactive ? "the RDMA port that is shown is not active" :
					    "no RDMA port, no bond, and no negotiated link");
}

const struct check check_network_link = {
	.name = "network-link",
	.title = "Network links",
	.doc = "Is each RDMA port with a cable active, as fast as most of its kind, and usable for RoCE if others "
	       "are? Is each negotiated link as fast as both of its ends offer? Compared with the baseline: did a "
	       "port or a member of a bond go down, a link change its state again and again, or count more errors "
	       "than a good cable has? Ports without a cable do not count; a member of a bond that is not in use is "
	       "a note, as are a driver without GPUDirect RDMA, RDMA in software, an InfiniBand port that is down with "
	       "its link up beside an active one of its type, and imported output in which no RDMA port is active, or "
	       "one is slower than all others and their types are not told. A link that is "
	       "down for its cable or transceiver, as its card reports it, and more errors than a good cable has in "
	       "the time that they were counted, are warnings.",
	.per = SUBJECT_NODE,
	.says = NULL,
	.may_emit = IDS(NETWORK_LINK_SLOWER_THAN_TWINS, NETWORK_LINK_SLOWER_THAN_OTHERS, NETWORK_LINK_SLOWER_THAN_ABLE,
			NETWORK_LINK_NO_ROCE, NETWORK_LINK_NO_SUBNET_MANAGER, NETWORK_LINK_DOWN,
			NETWORK_LINK_NONE_ACTIVE, NETWORK_LINK_LINK_UNUSED, NETWORK_LINK_TROUBLE, NETWORK_LINK_NONE_UP,
			NETWORK_LINK_ERRORS_MANY, NETWORK_LINK_ERRORS_COUNTED, NETWORK_LINK_FLAPS,
			NETWORK_LINK_PORT_ERRORS, NETWORK_LINK_BOND_MEMBER_DOWN, NETWORK_LINK_BOND_MEMBER_LOST,
			NETWORK_LINK_BOND_MEMBER_APART, NETWORK_LINK_NO_GPUDIRECT, NETWORK_LINK_SOFTWARE_RDMA),
	.eval = eval,
};
