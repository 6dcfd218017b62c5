// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/facts/port_errors.h"
#include "eval/facts/window.h"

/* Packets of odd protocols count as dropped on healthy networks, a few all day: only many a second are worth a note. */
static void judge_interface(struct judgement *j, const struct network_interface *interface)
{
	const struct network_use *use = &interface->use;
	const char *name = str_or(interface->key, "?");
	/* Wrong checksums are the link's to answer for, below. */
	uint64_t link_errors = port_has_link(interface) ? u64_or(use->receive_crc_errors, 0) : 0;
	double length_s, drops;

	question(j);
	length_s = (double)need(j, window, &j->snapshot->window, length_ms) / 1000.0;
	about(j, name);
	drops = (double)want(j, network_use, use, drops);
	if (need(j, network_use, use, errors) > link_errors) {
		derive_str(j, "interface", name, "/proc/net/dev");
		finding_add_of(j, NETWORK_ERRORS_ERRORS, name);
	} else if (drops > j->policy->network_drops_per_s * length_s) {
		derive_str(j, "interface", name, "/proc/net/dev");
		finding_add_of(j, NETWORK_ERRORS_DROPS, name);
	}
}

static const char *port_of(struct judgement *j, const struct network_interface *interface)
{
	uint64_t port = u64_or(interface->rdma_port, 1);
	const char *device = str_or(interface->rdma_device, str_or(interface->key, "?"));

	return port == 1 ? device : arena_printf(j->arena, "%s port %llu", device, (unsigned long long)port);
}

/* The window's length in seconds; the question is about this port. */
static double ask_port(struct judgement *j, const struct network_interface *interface)
{
	const char *device = str_or(interface->rdma_device, str_or(interface->key, "?"));

	question(j);
	about(j, str_or(interface->key, "?"));
	derive_str(j, "device", device, "/sys/class/net, /sys/class/infiniband");
	phrase(j, "port", port_of(j, interface));
	phrase(j, "signal_command",
	       is_known(interface->rdma_device) ? arena_printf(j->arena, "mlxlink -d %s -m -c -e", device) :
	       arena_printf(j->arena, "ethtool -m %s; ethtool -S %s | grep -iE 'crc|symbol|fec'", device, device));
	return (double)need(j, window, &j->snapshot->window, length_ms) / 1000.0;
}

static void judge_port_errors(struct judgement *j, const struct network_interface *interface)
{
	struct port_errors errors = port_errors_of_window(interface);
	double length_s = ask_port(j, interface);

	if (!port_has_link(interface) || !has_port_errors(&errors))
		return;
	derive_str(j, "port_errors", port_errors_in_words(j->arena, &errors), "counters of the port");
	if (is_known(interface->rdma_rate_mbps))
		want(j, network_interface, interface, rdma_rate_mbps);
	else
		want(j, network_interface, interface, speed_mbps);
	finding_add_of(j, has_many_port_errors(j->policy, &errors, port_rate_mbps(interface), length_s) ?
				  NETWORK_ERRORS_PORT : NETWORK_ERRORS_PORT_FEW, port_of(j, interface));
}

/* Too much traffic for somebody on the way: no fault of a cable. */
static void judge_congestion(struct judgement *j, const struct network_interface *interface)
{
	const struct rdma_use *use = &interface->rdma_use;
	double length_s = ask_port(j, interface), notifications, lost;

	notifications = (double)want(j, rdma_use, use, congestion_handled);
	notifications += (double)want(j, rdma_use, use, congestion_sent);
	want(j, rdma_use, use, congestion_marked);
	want(j, rdma_use, use, transmit_waits);
	if (notifications > j->policy->network_congestion_per_s * length_s) {
		derive(j, "notifications", UNIT_COUNT, notifications, "congestion_handled + congestion_sent");
		finding_add_of(j, NETWORK_ERRORS_CONGESTION, port_of(j, interface));
	}
	ask_port(j, interface);
	lost = (double)want(j, rdma_use, use, sequence_errors);
	lost += (double)want(j, rdma_use, use, ack_timeouts);
	if (lost > j->policy->network_drops_per_s * length_s) {
		derive(j, "lost", UNIT_COUNT, lost, "sequence_errors + ack_timeouts");
		finding_add_of(j, NETWORK_ERRORS_LOST, port_of(j, interface));
	}
}

static bool has_rdma_counters(const struct rdma_use *use)
{
	return is_known(use->symbol_errors) || is_known(use->receive_errors) || is_known(use->sequence_errors) ||
	       is_known(use->congestion_handled);
}

static void eval(struct judgement *j)
{
	size_t watched = 0;

	if (!has_window(j))
		return;
	need(j, window, &j->snapshot->window, length_ms);
	if (!all_known(j))
		return;
	for (size_t i = 0; i < j->snapshot->nr_network_interfaces; i++) {
		const struct network_interface *interface = &j->snapshot->network_interfaces[i];
		const bool has_packets = is_known(interface->use.errors),
			   has_rdma = has_rdma_counters(&interface->rdma_use);

		if (has_packets)
			judge_interface(j, interface);
		if (has_rdma || is_known(interface->use.receive_crc_errors))
			judge_port_errors(j, interface);
		if (has_rdma)
			judge_congestion(j, interface);
		watched += has_packets || has_rdma;
	}
	if (!watched)
		skip_check(j, "no network interface during the whole window");
}

const struct check check_network_errors = {
	.name = "network-errors",
	.title = "Network errors",
	.doc = "Do network and RDMA ports count errors of their links during the window, wrong checksums (CRC) among them, "
	       "more than a good cable has? That is a warning. "
	       "Notes: fewer of them, congestion and lost packets of RDMA ports, other bad and dropped packets of interfaces. "
	       "Counters that stand still or were reset say nothing, however high they are.",
	.per = SUBJECT_NODE,
	.needs = NEEDS_WINDOW,
	.says = NULL,
	.may_emit = IDS(NETWORK_ERRORS_PORT, NETWORK_ERRORS_PORT_FEW, NETWORK_ERRORS_CONGESTION, NETWORK_ERRORS_LOST,
			NETWORK_ERRORS_ERRORS, NETWORK_ERRORS_DROPS),
	.eval = eval,
};
