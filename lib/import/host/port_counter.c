// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * port_counter.c - error counters of ports:
 *
 *	# Port counters: Lid 5 port 1 (CapMask: 0x5300)		NIC statistics:
 *	SymbolErrorCounter:..............12			     rx_crc_errors_phy: 0
 *	LinkDownedCounter:...............1			     link_down_events_phy: 2
 *
 *	Errors for "node7 mlx5_0"
 *	   GUID 0xb83fd2030016e1a2 port 1: [SymbolErrorCounter == 12] [LinkDownedCounter == 25 (25.000)]
 *
 * perfquery tells a local identifier (LID), which a subnet manager gave, and ethtool nothing: the command names the
 * device.
 */
#include "base/compat.h"
#include "import/host/port_counter.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/host/network_port.h"

enum counter { SYMBOLS, CHECKSUMS, RECOVERIES, DOWNS, RECEIVE, INTEGRITY, NR_COUNTERS };

static const struct { const char *name; enum counter counter; } counters[] = {
	{ "SymbolErrorCounter", SYMBOLS }, { "LinkErrorRecoveryCounter", RECOVERIES }, { "LinkDownedCounter", DOWNS },
	{ "PortRcvErrors", RECEIVE }, { "LocalLinkIntegrityErrors", INTEGRITY },
	{ "rx_crc_errors_phy", CHECKSUMS }, { "rx_crc_errors", CHECKSUMS }, { "rx_crc_errors.nic", CHECKSUMS },
	{ "rx_symbol_err_phy", SYMBOLS }, { "link_down_events_phy", DOWNS },
	{ "symbol_error", SYMBOLS }, { "link_error_recovery", RECOVERIES }, { "link_downed", DOWNS },
	{ "port_rcv_errors", RECEIVE }, { "local_link_integrity_errors", INTEGRITY },
};

/* By the name that ends at `end`; NR_COUNTERS: of no error of a link. */
static enum counter counter_of(const char *name, const char *end)
{
	size_t len = (size_t)(end - name);

	for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
		if (strlen(counters[i].name) == len && !strncmp(counters[i].name, name, len))
			return counters[i].counter;
	return NR_COUNTERS;
}

static struct val_u64 *member_of(struct network_interface *interface, enum counter counter)
{
	struct val_u64 *const members[] = {
		[SYMBOLS] = &interface->symbol_errors, [CHECKSUMS] = &interface->receive_crc_errors,
		[RECOVERIES] = &interface->link_recoveries, [DOWNS] = &interface->link_downed,
		[RECEIVE] = &interface->rdma_receive_errors, [INTEGRITY] = &interface->integrity_errors,
	};

	return members[counter];
}

static void put_counter(struct reading *reading, struct network_interface *interface, struct dump_line *line,
			enum counter counter, uint64_t value)
{
	if (counter != NR_COUNTERS)
		put(reading, line, *member_of(interface, counter), val_u64(value));
}

/* ---- two readings */

/* Of "perfquery; sleep 60; perfquery"; 0: the command tells of none. */
static uint64_t pause_in(const char *command)
{
	const char *at = command ? strstr(command, "sleep ") : NULL;
	bool fits = true;
	uint64_t ret = 0;

	if (at)
		at += strlen("sleep ");
	return at && scan_u64(&at, 10, &ret, &fits) && fits && *at != 'm' && *at != 'h' ? ret : 0;
}

/* A port is read once more after a pause: by how much its counters grew is what counts from now on. */
static void begin_again(struct reading *reading, struct port_counter *port, struct dump_line *line)
{
	struct network_interface *interface =
		list_find(reading->snapshot, network_interfaces, network_interface, port->key);

	port->seconds = interface && !is_known(interface->counted_s) ? pause_in(port->about) : 0;
	if (!port->seconds)
		return;
	port->before = *interface;
	put(reading, line, interface->counted_s, val_u64(port->seconds));
}

static uint64_t grown(struct port_counter *port, enum counter counter, uint64_t value)
{
	uint64_t before = port->seconds ? u64_or(*member_of(&port->before, counter), 0) : 0;

	return value > before ? value - before : 0;
}

static bool take_value(const char *text, uint64_t *ret)
{
	bool fits = true;

	return scan_u64(&text, 10, ret, &fits) && fits && scan_end(text);
}

/* ---- what ports are called */

/* The word behind an option, "-C mlx5_0"; NULL: the command has none. */
static const char *option_of(struct arena *arena, const char *command, const char *option)
{
	const char *at = command ? strstr(command, option) : NULL;
	size_t len;

	if (!at)
		return NULL;
	at = past_blanks(at + strlen(option));
	len = strcspn(at, " |;&$\"'");
	return len && *at != '-' ? arena_strndup(arena, at, len) : NULL;
}

/* "# Port counters: Lid 5 port 1 (CapMask: 0x5300)", "# Port extended counters: Lid 21 port 1 …" */
static const char *perfquery_port(struct arena *arena, const char *text, const char *command)
{
	const char *at = scan_behind(text, "#"), *device, *lid, *port;
	size_t lid_len, port_len;

	at = at ? scan_behind(at, "Port ") : NULL;
	at = at && text_begins(at, "extended ") ? at + strlen("extended ") : at;
	at = at ? scan_behind(at, "counters: Lid ") : NULL;
	if (!at)
		return NULL;
	lid = at;
	lid_len = strspn(lid, "0123456789");
	port = strstr(at, " port ");
	port = port ? port + strlen(" port ") : NULL;
	port_len = port ? strspn(port, "0123456789") : 0;
	if (!lid_len || !port_len)
		return NULL;
	device = option_of(arena, command, "perfquery -C ");
	if (device && port_len == 1 && *port == '1')
		return device;
	return device ? arena_printf(arena, "%s:%.*s", device, (int)port_len, port) :
			arena_printf(arena, "LID %.*s port %.*s", (int)lid_len, lid, (int)port_len, port);
}

/* Errors for "node7 mlx5_0", Errors for 0x2c903006e29b0 "MF0;leaf1:SX6036/U1" */
static const char *ibqueryerrors_node(struct arena *arena, const char *text)
{
	const char *at = scan_behind(text, "Errors for "), *end;

	if (!at)
		return NULL;
	if (text_begins(at, "0x"))
		at = past_blanks(at + strcspn(at, " "));
	end = *at == '"' ? strchr(at + 1, '"') : NULL;
	return end && end > at + 1 && scan_end(end + 1) ? arena_strndup(arena, at + 1, (size_t)(end - at - 1)) : NULL;
}

static const char *ethtool_interface(struct arena *arena, const char *command)
{
	const char *ret = option_of(arena, command, "ethtool -S ");

	return ret ? ret : option_of(arena, command, "ethtool --statistics ");
}

/* Without a command whose output it is nobody names it. */
static const char *statistics_key(struct arena *arena, const struct port_counter *port, const struct dump_line *line)
{
	const char *ret = ethtool_interface(arena, port->about);

	return ret ? ret : arena_printf(arena, "a network interface (line %u)", line->number);
}

/* ---- lines */

/* A line of ibqueryerrors: "GUID 0x… port 17: [NAME == N] [NAME == N (25.000)]". "port ALL" sums up the others. */
static bool take_errors(struct reading *reading, struct port_counter *port, struct dump_line *line)
{
	const char *at = scan_behind(line->text, "GUID 0x"), *number = at ? strstr(at, " port ") : NULL;
	struct network_interface *interface;
	size_t len;

	if (!port->node || !number)
		return false;
	number += strlen(" port ");
	len = strspn(number, "0123456789");
	line->is_taken = true;
	if (!len)
		return true;
	interface = network_port(reading, arena_printf(reading->arena, "%s port %.*s", port->node, (int)len, number));
	if (!interface)
		return true;
	for (at = number; (at = strchr(at, '[')); ) {
		const char *name = ++at, *sign = strstr(name, " == ");
		bool fits = true;
		uint64_t value;

		if (!sign)
			break;
		at = sign + strlen(" == ");
		if (scan_u64(&at, 10, &value, &fits) && fits)
			put_counter(reading, interface, line, counter_of(name, sign), value);
	}
	return true;
}

/* "SymbolErrorCounter:..............12", "     rx_crc_errors_phy: 0", "symbol_error:12" */
static enum counter counter_in(const char *text, uint64_t *ret)
{
	const char *name = past_blanks(text), *sign = strchr(name, ':'), *value;

	if (!sign)
		return NR_COUNTERS;
	value = sign + 1;
	value = past_blanks(value + strspn(value, "."));
	return take_value(value, ret) ? counter_of(name, sign) : NR_COUNTERS;
}

bool port_counter_put_file(struct reading *reading, struct network_interface *interface, struct dump_line *line,
			   const char *text)
{
	uint64_t value;
	enum counter counter = counter_in(text, &value);

	if (counter == NR_COUNTERS)
		return false;
	put_counter(reading, interface, line, counter, value);
	return true;
}

/* What was searched out of ethtool's has no line before it. */
static bool is_of_ethtool(const char *text)
{
	static const char *const names[] = { "rx_crc_err", "rx_symbol_err_phy", "link_down_events_phy" };
	const char *name = past_blanks(text);
	uint64_t value;

	return text_begins_any(name, names, ARRAY_SIZE(names)) && counter_in(text, &value) != NR_COUNTERS;
}

static bool is_statistics(const char *text)
{
	const char *end = scan_behind(text, "NIC statistics:");

	return end && scan_end(end);
}

bool port_counter_begins(const char *text)
{
	struct arena arena = { .blocks = NULL };
	bool ret = is_statistics(text) || is_of_ethtool(text) || perfquery_port(&arena, text, NULL) ||
		   ibqueryerrors_node(&arena, text);

	arena_release(&arena);
	return ret;
}

static bool take_head(struct reading *reading, struct port_counter *port, const struct dump_line *line)
{
	const char *text = line->text;
	const char *node = ibqueryerrors_node(reading->arena, text),
		   *key = perfquery_port(reading->arena, text, port->about);
	bool is_ethtool = is_statistics(text);

	if (!node && !key && !is_ethtool)
		return false;
	port->node = node;
	port->key = is_ethtool ? statistics_key(reading->arena, port, line) : key;
	return true;
}

bool port_counter_take(struct reading *reading, struct port_counter *port, struct dump_line *line)
{
	struct network_interface *interface;
	enum counter counter;
	uint64_t value;

	if (take_head(reading, port, line)) {
		line->is_taken = true;
		port->seconds = 0;
		if (port->key)
			begin_again(reading, port, line);
		return true;
	}
	if (take_errors(reading, port, line))
		return true;
	if (!port->key && is_of_ethtool(line->text))
		port->key = ethtool_interface(reading->arena, port->about);
	counter = counter_in(line->text, &value);
	interface = port->key && counter != NR_COUNTERS ? network_port(reading, port->key) : NULL;
	if (!interface)
		return false;
	put_counter(reading, interface, line, counter, grown(port, counter, value));
	return true;
}
