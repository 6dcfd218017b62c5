// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * window_rdma.c - errors and congestion of RDMA ports over the window.
 *
 * The names of counters are those of the kernel (Documentation/ABI/stable/sysfs-class-infiniband) and, below
 * hw_counters, of the card's driver: what a driver does not count is absent.
 */
#include "base/compat.h"
#include "probe/window/window_internal.h"

#include "base/text.h"
#include "probe/read.h"
#include "probe/window_rates.h"

enum port_counter {
	SYMBOL_ERRORS, LINK_RECOVERIES, LINK_DOWNED, RECEIVE_ERRORS, INTEGRITY_ERRORS, PACKET_SEQUENCE, OUT_OF_SEQUENCE,
	ACK_TIMEOUTS, CONGESTION_SENT, CONGESTION_HANDLED, CONGESTION_MARKED, TRANSMIT_WAITS, NR_PORT_COUNTERS
};

static const char *const files[NR_PORT_COUNTERS] = {
	[SYMBOL_ERRORS] = "counters/symbol_error",
	[LINK_RECOVERIES] = "counters/link_error_recovery",
	[LINK_DOWNED] = "counters/link_downed",
	[RECEIVE_ERRORS] = "counters/port_rcv_errors",
	[INTEGRITY_ERRORS] = "counters/local_link_integrity_errors",
	[PACKET_SEQUENCE] = "hw_counters/packet_seq_err",
	[OUT_OF_SEQUENCE] = "hw_counters/out_of_sequence",
	[ACK_TIMEOUTS] = "hw_counters/local_ack_timeout_err",
	[CONGESTION_SENT] = "hw_counters/np_cnp_sent",
	[CONGESTION_HANDLED] = "hw_counters/rp_cnp_handled",
	[CONGESTION_MARKED] = "hw_counters/np_ecn_marked_roce_packets",
	[TRANSMIT_WAITS] = "counters/port_xmit_wait",
};

struct watched_port {
	const char *key, *folder;
	struct val_u64 start[NR_PORT_COUNTERS];
};

static void read_counters(struct rdma_watch *watch, const char *folder, struct val_u64 ret[NR_PORT_COUNTERS])
{
	for (size_t i = 0; i < NR_PORT_COUNTERS; i++)
		ret[i] = read_u64(watch->env, &watch->arena, "%s/%s", folder, files[i]);
}

/* "mlx5_0/1/ib0" */
static void add_port(struct rdma_watch *watch, const char *word, size_t len)
{
	char *device = arena_strndup(&watch->arena, word, len), *number = strchr(device, '/'), *key;
	struct watched_port *port;

	key = number ? strchr(number + 1, '/') : NULL;
	if (!key)
		return;
	*number++ = '\0';
	*key++ = '\0';
	watch->ports = arena_grow(&watch->arena, watch->ports, watch->nr, sizeof(*watch->ports));
	port = &watch->ports[watch->nr++];
	*port = (struct watched_port){
		.key = key, .folder = arena_printf(&watch->arena, "/sys/class/infiniband/%s/ports/%s", device, number),
	};
	read_counters(watch, port->folder, port->start);
}

void rdma_watch_begin(struct rdma_watch *watch, struct probe_env *env, const char *plan)
{
	*watch = (struct rdma_watch){ .env = env };
	for (const char *word = plan; *word;) {
		size_t len = strcspn(word, " ");

		add_port(watch, word, len);
		word += len;
		word += strspn(word, " ");
	}
}

/* Of two counters that drivers have one or both of. */
static struct val_u64 either_or_both(struct val_u64 a, struct val_u64 b)
{
	if (!is_known(a) || !is_known(b))
		return is_known(a) ? a : b;
	return val_u64(u64_or(a, 0) + u64_or(b, 0));
}

void rdma_watch_end(struct rdma_watch *watch, struct sink *sink)
{
	struct snapshot *facts = &sink->facts;

	for (size_t i = 0; i < watch->nr; i++) {
		const struct watched_port *port = &watch->ports[i];
		struct rdma_use *use =
			&list_element(&facts->arena, facts, network_interfaces, network_interface, port->key)->rdma_use;
		struct val_u64 grown[NR_PORT_COUNTERS];

		read_counters(watch, port->folder, grown);
		for (size_t k = 0; k < NR_PORT_COUNTERS; k++)
			grown[k] = growth_of(port->start[k], grown[k]);
		use->symbol_errors = grown[SYMBOL_ERRORS];
		use->link_recoveries = grown[LINK_RECOVERIES];
		use->link_downed = grown[LINK_DOWNED];
		use->receive_errors = grown[RECEIVE_ERRORS];
		use->integrity_errors = grown[INTEGRITY_ERRORS];
		use->sequence_errors = either_or_both(grown[PACKET_SEQUENCE], grown[OUT_OF_SEQUENCE]);
		use->ack_timeouts = grown[ACK_TIMEOUTS];
		use->congestion_sent = grown[CONGESTION_SENT];
		use->congestion_handled = grown[CONGESTION_HANDLED];
		use->congestion_marked = grown[CONGESTION_MARKED];
		use->transmit_waits = grown[TRANSMIT_WAITS];
	}
	sink_flush(sink);
	arena_release(&watch->arena);
}
