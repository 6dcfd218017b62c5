// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mlxlink.c - a port as mlxlink prints it, in sections of names and values:
 *
 *	Operational Info				Physical Counters and BER Info
 *	----------------				------------------------------
 *	State                    : Active		Time Since Last Clear [Min]        : 2074.8
 *	Physical state           : LinkUp		Effective Physical Errors          : 0
 *	Speed                    : IB-NDR		Link Down Counter                  : 0
 *	Width                    : 4x			Link Error Recovery Counter        : 0
 *
 * Which device it is tells only the command. Raw errors are those that the link's error correction deals with.
 */
#include "base/compat.h"
#include "import/host/mlxlink.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/host/network_port.h"

enum { MBPS_PER_GBPS = 1000, SECONDS_PER_MINUTE = 60 };

static bool is_section(const struct dump_line *lines, size_t nr)
{
	static const struct { const char *title, *name; } sections[] = {
		{ "Operational Info", "State" }, { "Troubleshooting Info", "Status Opcode" },
		{ "Troubleshooting Info", "Recommendation" },
		{ "Physical Counters and BER Info", "Time Since Last Clear [Min]" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		const char *end = scan_behind(lines->text, sections[i].title);

		for (size_t k = 1; end && scan_end(end) && k < nr && k <= 3; k++)
			if (scan_value(lines[k].text, sections[i].name))
				return true;
	}
	return false;
}

/* What was searched out of it has no section; the names have a column of their own. */
static bool is_picked(const char *text, const char *name)
{
	enum { FEWEST_BLANKS = 10 };
	const char *at = past_blanks(text), *end = at + strlen(name);

	return text_begins(at, name) && strspn(end, " ") >= FEWEST_BLANKS && text_begins(past_blanks(end), ": ");
}

static const char *const states[] = { "Active", "Polling", "Disable", "Close port", "Port PLL Down",
				     "Rx disable", "Sleep" };

static bool is_picked_state(const char *text)
{
	const char *value = scan_value(text, "State");

	return value && is_picked(text, "State") && text_begins_any(value, states, ARRAY_SIZE(states));
}

bool mlxlink_begins(const struct dump_line *lines, size_t nr)
{
	return is_section(lines, nr) || is_picked_state(lines->text) || is_picked(lines->text, "Recommendation");
}

/* ---- which port */

/* "mlx5_0", "5d:00.0", "/dev/mst/mt4129_pciconf0" behind -d */
static const char *device_in(struct arena *arena, const char *command)
{
	const char *tool = strstr(command, "mlxlink"), *at = tool ? tool : strstr(command, "mstlink"), *name;
	size_t len;

	at = at ? strstr(at, " -d ") : NULL;
	if (!at)
		return NULL;
	at = past_blanks(at + strlen(" -d "));
	len = strcspn(at, " |;&'\"");
	/* A variable of a loop's. */
	if (memchr(at, '$', len))
		return NULL;
	name = memrchr(at, '/', len);
	name = name ? name + 1 : at;
	return at + len > name ? arena_strndup(arena, name, (size_t)(at + len - name)) : NULL;
}

static uint64_t port_in(const char *command)
{
	const char *at = strstr(command, " -p ");
	bool fits = true;
	uint64_t ret = 0;

	if (at)
		at = past_blanks(at + strlen(" -p "));
	return at && scan_u64(&at, 10, &ret, &fits) && fits && ret > 0 && ret < UINT8_MAX ? ret : 1;
}

static bool is_rdma(const char *device)
{
	size_t letters = strcspn(device, "_");

	return text_begins(device, "mlx") && device[letters] && is_digit(device[strlen(device) - 1]);
}

static struct network_interface *port_at(struct reading *reading, struct mlxlink *port)
{
	return network_port(reading, port->key);
}

static void open_port(struct reading *reading, struct mlxlink *port, struct dump_line *line)
{
	const char *device = port->about ? device_in(reading->arena, port->about) : NULL;
	uint64_t number = port->about ? port_in(port->about) : 1;
	struct network_interface *interface;

	port->key = device;
	port->device = device && is_rdma(device) ? device : NULL;
	port->lane_gbps = 0;
	port->is_active = port->has_symbols = port->has_state = false;
	if (!device)
		port->key = ++port->nr_unnamed == 1 ? "mlxlink's port" :
			    arena_printf(reading->arena, "mlxlink's port %zu", port->nr_unnamed);
	else if (number > 1)
		port->key = arena_printf(reading->arena, "%s:%llu", device, (unsigned long long)number);
	port->is_lone = true;
	for (size_t i = 0; port->device && i < port->nr_named; i++)
		if (!strcmp(port->named[i].device, device) && port->named[i].port == number) {
			port->key = port->named[i].netdev;
			port->is_lone = false;
		}
	interface = port_at(reading, port);
	line->is_taken = true;
	if (!interface)
		port->key = NULL;
	if (!interface || !port->device)
		return;
	put(reading, line, interface->rdma_device, val_str(device));
	put(reading, line, interface->rdma_port, val_u64(number));
}

/* ---- its values */

static bool read_figure(const char *text, double *ret)
{
	char figure[24];

	snprintf(figure, sizeof(figure), "%.*s", (int)strspn(text, "0123456789."), text);
	return !parse_f64(figure, ret) && *ret >= 0 && *ret <= 1e15;
}

/* What it calls "Active" has a link; the other states are on the way to one, or off. */
static void put_state(struct reading *reading, struct mlxlink *port, struct dump_line *line, const char *value)
{
	struct network_interface *interface = port_at(reading, port);

	port->has_state = true;
	port->is_active = text_begins(value, "Active");
	if (!text_begins_any(value, states, ARRAY_SIZE(states)))
		return;
	put(reading, line, interface->rdma_state, val_str(port->is_active ? "active" : "down"));
	if (port->is_lone)
		put(reading, line, interface->state, val_str(port->is_active ? "active" : "down"));
	put(reading, line, interface->rdma_physical_state,
	    val_str(port->is_active ? "linkup" : text_begins(value, "Polling") ? "polling" : "disabled"));
}

static double lane_gbps_of(const char *value)
{
	static const struct { const char *name; double gbps; } names[] = {
		{ "IB-SDR", 2.5 }, { "IB-DDR", 5 }, { "IB-QDR", 10 }, { "IB-FDR10", 10 }, { "IB-FDR", 14 },
		{ "IB-EDR", 25 }, { "IB-HDR", 50 }, { "IB-NDR", 100 }, { "IB-XDR", 200 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (text_begins(value, names[i].name))
			return names[i].gbps;
	return 0;
}

static void put_rate(struct reading *reading, struct mlxlink *port, struct dump_line *line, double gbps)
{
	if (port->is_active && gbps > 0)
		put(reading, line, port_at(reading, port)->rdma_rate_mbps, val_u64((uint64_t)(gbps * MBPS_PER_GBPS)));
}

/* "IB-NDR", of which each lane has its rate, or "200G", "25GbE" of all. */
static void take_speed(struct reading *reading, struct mlxlink *port, struct dump_line *line, const char *value)
{
	struct network_interface *interface = port_at(reading, port);
	double gbps;

	line->is_taken = true;
	port->lane_gbps = lane_gbps_of(value);
	if (port->lane_gbps > 0) {
		put(reading, line, interface->rdma_link_layer, val_str("InfiniBand"));
	} else if (is_digit(*value) && read_figure(value, &gbps) && value[strspn(value, "0123456789.")] == 'G') {
		put(reading, line, interface->rdma_link_layer, val_str("Ethernet"));
		put_rate(reading, port, line, gbps);
	}
}

static void take_width(struct reading *reading, struct mlxlink *port, struct dump_line *line, const char *value)
{
	double lanes;

	line->is_taken = true;
	if (read_figure(value, &lanes) && value[strspn(value, "0123456789")] == 'x')
		put_rate(reading, port, line, lanes * port->lane_gbps);
}

static void put_trouble(struct reading *reading, struct mlxlink *port, struct dump_line *line, const char *value)
{
	line->is_taken = true;
	/* How it came to be that a link is up is over. */
	if (!port->is_active && *value && !text_begins(value, "No issue") && !text_begins(value, "N/A"))
		put(reading, line, port_at(reading, port)->link_trouble, val_str(value));
}

/* Behind what corrects errors: symbol errors where a link sends again what was wrong, else effective ones. */
static bool take_counter(struct reading *reading, struct mlxlink *port, struct dump_line *line)
{
	struct network_interface *interface = port_at(reading, port);
	const char *text = line->text, *value;
	double figure;

	if ((value = scan_value(text, "Time Since Last Clear [Min]")) && read_figure(value, &figure)) {
		put(reading, line, interface->counted_s, val_u64((uint64_t)(figure * SECONDS_PER_MINUTE)));
	} else if ((value = scan_value(text, "Symbol Errors")) && read_figure(value, &figure)) {
		port->has_symbols = true;
		put(reading, line, interface->symbol_errors, val_u64((uint64_t)figure));
	} else if ((value = scan_value(text, "Effective Physical Errors")) && read_figure(value, &figure)) {
		if (!port->has_symbols)
			put(reading, line, interface->symbol_errors, val_u64((uint64_t)figure));
	} else if ((value = scan_value(text, "Link Down Counter")) && read_figure(value, &figure)) {
		put(reading, line, interface->link_downed, val_u64((uint64_t)figure));
	} else if ((value = scan_value(text, "Link Error Recovery Counter")) && read_figure(value, &figure)) {
		put(reading, line, interface->link_recoveries, val_u64((uint64_t)figure));
	}
	return value != NULL;
}

/* Names of sections and of values that say nothing here, and what they are underlined with. */
static bool is_other(const char *text)
{
	const char *title = strstr(text, " Info");

	text = past_blanks(text);
	return !text[strspn(text, "-")] || strstr(text, " :") || (title && scan_end(title + strlen(" Info")));
}

bool mlxlink_take(struct reading *reading, struct mlxlink *port, struct dump_line *line, size_t nr)
{
	const char *text = line->text, *value = scan_behind(text, "Operational Info");
	const bool is_operational = value && scan_end(value), is_any = is_operational || is_section(line, nr);

	if (is_operational || (is_any && !port->key) || (is_picked_state(text) && (!port->key || port->has_state)) ||
	    (!port->key && is_picked(text, "Recommendation")))
		open_port(reading, port, line);
	if (!port->key || is_any)
		return is_any;
	if ((value = scan_value(text, "State")))
		put_state(reading, port, line, value);
	else if ((value = scan_value(text, "Speed")))
		take_speed(reading, port, line, value);
	else if ((value = scan_value(text, "Width")))
		take_width(reading, port, line, value);
	else if ((value = scan_value(text, "Recommendation")))
		put_trouble(reading, port, line, value);
	else if (!take_counter(reading, port, line) && !is_other(text))
		port->key = NULL;
	return port->key != NULL;
}
