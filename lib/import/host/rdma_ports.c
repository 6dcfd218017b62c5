// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rdma_ports.c - ports of RDMA devices, as ibstat, ibstatus, ibv_devinfo, rdma link, ibdev2netdev and files of
 * /sys/class/infiniband tell of them, and links as mlxlink, ethtool and ip link do: those of one text are one list, as
 * one tool knows what a port's interface is called and another how fast it is. Fields and their words are those of a
 * live node.
 */
#include "base/compat.h"
#include "import/dump/readers.h"
#include "import/host/iblinkinfo.h"
#include "import/host/mlxlink.h"
#include "import/host/net_link.h"
#include "import/host/network_port.h"
#include "import/host/port_counter.h"
#include "import/host/rdma_line.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { MBPS_PER_GBPS = 1000 };

struct ports {
	struct reading reading;		/* of the part at hand */
	struct rdma_line *named;	/* ports with interfaces, in the arena */
	size_t nr_named;
	struct mlxlink mlxlink;
	struct net_link link;
	struct port_counter counters;

	/* The device that lines stand below. */
	const char *device;		/* NULL: none */
	const char *type;
	struct dump_line *type_line;
	bool is_mellanox;

	/* The port. */
	const char *key;		/* NULL: none */
	bool is_lone;			/* it has no interface whose own state would be told */
	bool is_software;
	bool has_state, has_rate;
	uint64_t lanes;
};

/* Lines of whole files are asked about, of which nothing is kept. */
static bool is_of_ports(const char *text)
{
	struct arena arena = { .blocks = NULL };
	struct rdma_line line;
	const char *field;
	bool ret = rdma_head_read(&arena, text, &line) || rdma_line_read(&arena, text, &line) ||
		   rdma_file_read(&arena, text, &line, &field);

	arena_release(&arena);
	return ret;
}

enum dump_begins rdma_ports_begins(const struct dump_line *lines, size_t nr)
{
	return is_of_ports(lines->text) || mlxlink_begins(lines, nr) || net_link_begins(lines, nr) ||
	       port_counter_begins(lines->text) || iblinkinfo_is_link(lines->text) ? BEGINS_MORE : BEGINS_NOT;
}

/* ---- which port is which interface */

static const char *netdev_of(const struct ports *ports, const char *device, uint64_t port)
{
	for (size_t i = 0; i < ports->nr_named; i++)
		if (!strcmp(ports->named[i].device, device) && ports->named[i].port == port)
			return ports->named[i].netdev;
	return NULL;
}

static void note_names(struct ports *ports, const struct dump_part *part)
{
	struct arena *arena = ports->reading.arena;
	struct rdma_line line;

	for (size_t i = 0; i < part->nr_lines && ports->nr_named < MOST_PORTS; i++) {
		if (!rdma_line_read(arena, part->lines[i].text, &line) || !line.netdev ||
		    netdev_of(ports, line.device, line.port))
			continue;
		ports->named = arena_grow(arena, ports->named, ports->nr_named, sizeof(*ports->named));
		ports->named[ports->nr_named++] = line;
	}
}

/* ---- ports */

static struct network_interface *interface_at(struct ports *ports)
{
	return network_port(&ports->reading, ports->key);
}

/* By their names: that is how those are called who make them. NULL: it is a card. */
static const char *software_of(struct ports *ports, const char *device, const char *netdev)
{
	if (text_begins(device, "siw"))
		return "soft-iWARP (siw)";
	if (!text_begins(device, "rxe"))
		return NULL;
	return netdev ? arena_printf(ports->reading.arena, "soft-RoCE (rxe) over %s", netdev) : "soft-RoCE (rxe)";
}

/* Those without an interface have keys of their own, as on a live node. */
static void open_port(struct ports *ports, struct dump_line *line, const char *device, uint64_t port)
{
	const char *netdev = netdev_of(ports, device, port), *software = software_of(ports, device, netdev);
	struct network_interface *interface;

	line->is_taken = true;
	ports->key = netdev && !software ? netdev : port == 1 || software ? device :
		     arena_printf(ports->reading.arena, "%s:%llu", device, (unsigned long long)port);
	ports->is_software = software != NULL;
	ports->is_lone = !netdev || software;
	ports->has_state = ports->has_rate = false;
	ports->lanes = 0;
	interface = interface_at(ports);
	if (!interface) {
		ports->key = NULL;
		return;
	}
	if (software) {
		put(&ports->reading, line, interface->rdma_software, val_str(software));
		return;
	}
	put(&ports->reading, line, interface->rdma_device, val_str(device));
	put(&ports->reading, line, interface->rdma_port, val_u64(port));
	if (ports->type)
		put(&ports->reading, ports->type_line, interface->rdma_type, val_str(ports->type));
}

static void put_state(struct ports *ports, struct dump_line *line, const char *state)
{
	struct network_interface *interface = interface_at(ports);

	ports->has_state = true;
	if (ports->is_lone)
		put(&ports->reading, line, interface->state, val_str(state));
	if (!ports->is_software)
		put(&ports->reading, line, interface->rdma_state, val_str(state));
}

static void put_rate(struct ports *ports, struct dump_line *line, double gbps)
{
	struct network_interface *interface = interface_at(ports);
	const struct val_u64 rate = val_u64((uint64_t)(gbps * MBPS_PER_GBPS));

	ports->has_rate = true;
	if (ports->is_software)
		return;
	if (ports->is_lone)
		put(&ports->reading, line, interface->speed_mbps, rate);
	put(&ports->reading, line, interface->rdma_rate_mbps, rate);
}

/* ---- lines with all of a port */

static void take_line(struct ports *ports, struct dump_line *line, const struct rdma_line *said)
{
	struct network_interface *interface;

	ports->device = ports->type = NULL;
	open_port(ports, line, said->device, said->port);
	if (!ports->key)
		return;
	if (said->state)
		put_state(ports, line, said->state);
	interface = interface_at(ports);
	if (!ports->is_software) {
		if (said->physical_state)
			put(&ports->reading, line, interface->rdma_physical_state, val_str(said->physical_state));
		if (said->is_infiniband)
			put(&ports->reading, line, interface->rdma_link_layer, val_str("InfiniBand"));
		if (said->type)
			put(&ports->reading, line, interface->rdma_type, val_str(said->type));
		if (said->address)
			put(&ports->reading, line, interface->address, val_str(said->address));
		/* Of several interfaces of one port only the first is kept. */
		if (said->netdev_state && said->netdev && !strcmp(said->netdev, ports->key))
			put(&ports->reading, line, interface->state, val_str(said->netdev_state));
	}
	ports->key = NULL;
}

/* ---- lines with a value each */

/* The value, where a line begins with the name, whose letters are of either case; NULL: it is another line. */
static const char *value_of(const char *text, const char *name)
{
	size_t len = strlen(name);

	text = past_blanks(text);
	return strncasecmp(text, name, len) || text[len] != ':' ? NULL : past_blanks(text + len + 1);
}

static const char *value_of_any(const char *text, const char *const *names, size_t nr)
{
	const char *ret = NULL;

	for (size_t i = 0; i < nr && !ret; i++)
		ret = value_of(text, names[i]);
	return ret;
}

static bool read_figure(const char *text, double *ret)
{
	char figure[16];

	snprintf(figure, sizeof(figure), "%.*s", (int)strspn(text, "0123456789."), text);
	return !parse_f64(figure, ret) && *ret >= 0 && *ret <= 1e6;
}

static uint64_t number_of(const char *text)
{
	uint64_t ret;
	bool fits = true;

	return scan_u64(&text, 10, &ret, &fits) && fits && ret < UINT16_MAX ? ret : 0;
}

/* "CA type: MT4129" of ibstat; the numbers of ibv_devinfo say the same: 0x02c9 is Mellanox. */
static void take_type(struct ports *ports, struct dump_line *line)
{
	const char *type = value_of(line->text, "CA type"), *vendor = value_of(line->text, "vendor_id"),
		   *part = value_of(line->text, "vendor_part_id");
	struct arena *arena = ports->reading.arena;

	if (vendor)
		ports->is_mellanox = !strcmp(vendor, "0x02c9");
	if (part && ports->is_mellanox && number_of(part))
		type = arena_printf(arena, "MT%llu", (unsigned long long)number_of(part));
	if (!type || !*type)
		return;
	ports->type = arena_strdup(arena, type);
	ports->type_line = line;
	line->is_taken = true;
}

static void take_rate(struct ports *ports, struct dump_line *line, const char *text)
{
	const char *rate = value_of(text, "rate"), *width = value_of(text, "active_width"),
		   *speed = value_of(text, "active_speed");
	double gbps;

	/* "4X (2)" */
	if (width && width[strspn(width, "0123456789")] == 'X')
		ports->lanes = number_of(width);
	if (rate && read_figure(rate, &gbps))
		put_rate(ports, line, gbps);
	else if (speed && ports->lanes && read_figure(speed, &gbps))
		put_rate(ports, line, gbps * (double)ports->lanes);
}

static void take_manager(struct ports *ports, struct dump_line *line, const char *text)
{
	static const char *const names[] = { "SM lid", "sm_lid" };
	const char *value = value_of_any(text, names, ARRAY_SIZE(names));

	if (value && !ports->is_software)
		put(&ports->reading, line, interface_at(ports)->rdma_manager_lid, val_u64(number_of(value)));
}

static void take_layer(struct ports *ports, struct dump_line *line, const char *text)
{
	static const char *const names[] = { "link layer", "link_layer" },
				 *const layers[] = { "InfiniBand", "Ethernet" };
	const char *value = value_of_any(text, names, ARRAY_SIZE(names));

	for (size_t i = 0; value && i < ARRAY_SIZE(layers) && !ports->is_software; i++)
		if (!strcasecmp(value, layers[i]))
			put(&ports->reading, line, interface_at(ports)->rdma_link_layer, val_str(layers[i]));
	/* It is the last of ibstat and ibstatus, below which people's words may be. */
	if (value && ports->has_rate)
		ports->key = NULL;
}

/* "Port 1:" of ibstat, "port: 1" of ibv_devinfo; 0: it is none. */
static uint64_t port_of(const char *text)
{
	const char *at = past_blanks(text);
	uint64_t ret;
	size_t len;

	if (strncasecmp(at, "port", 4) != 0)
		return 0;
	at += 4;
	at = past_blanks(at + (*at == ':'));
	len = strspn(at, "0123456789");
	ret = number_of(at);
	return len && scan_end(at + len + (at[len] == ':')) ? ret : 0;
}

static bool is_prose(const char *text)
{
	return !strchr(text, ':') && strchr(past_blanks(text), ' ');
}

/* text: the line, or its end. What was picked out of the output may lack the port's own line. */
static void take_value(struct ports *ports, struct dump_line *line, const char *text)
{
	static const char *const physical[] = { "physical state", "phys state", "phys_state" };
	const char *state = value_of(text, "state"),
		   *physical_state = value_of_any(text, physical, ARRAY_SIZE(physical));

	if (state && rdma_state(state)) {
		if (!ports->key && !ports->has_state)
			open_port(ports, line, ports->device, 1);
		else if (ports->has_state)
			ports->key = NULL;
		if (ports->key)
			put_state(ports, line, rdma_state(state));
	}
	if (!ports->key)
		return;
	if (physical_state && rdma_physical_state(physical_state) && !ports->is_software)
		put(&ports->reading, line, interface_at(ports)->rdma_physical_state,
		    val_str(rdma_physical_state(physical_state)));
	take_rate(ports, line, text);
	take_manager(ports, line, text);
	take_layer(ports, line, text);
}

static void read_line(struct ports *ports, struct dump_line *line)
{
	struct rdma_line said;
	const char *field;
	uint64_t port = ports->device ? port_of(line->text) : 0;

	if (rdma_line_read(ports->reading.arena, line->text, &said)) {
		take_line(ports, line, &said);
	} else if (rdma_file_read(ports->reading.arena, line->text, &said, &field)) {
		ports->device = ports->type = NULL;
		open_port(ports, line, said.device, said.port);
		if (ports->key && !ports->is_software)
			port_counter_put_file(&ports->reading, interface_at(ports), line, field);
		take_value(ports, line, field);
		ports->key = NULL;
	} else if (rdma_head_read(ports->reading.arena, line->text, &said)) {
		ports->device = said.device;
		ports->key = ports->type = NULL;
		ports->is_mellanox = ports->has_state = false;
		line->is_taken = true;
		if (said.port)
			open_port(ports, line, said.device, said.port);
	} else if (port) {
		open_port(ports, line, ports->device, port);
	} else if (ports->device && is_prose(line->text)) {
		ports->key = NULL;
	} else if (ports->device) {
		take_type(ports, line);
		take_value(ports, line, line->text);
	}
}

void rdma_ports_read(struct reading *reading)
{
	struct ports ports = { .reading = *reading };

	for (const struct dump_part *part = NULL; (part = reading_next_part(reading, part)); )
		note_names(&ports, part);
	for (const struct dump_part *part = NULL; (part = reading_next_part(reading, part)); ) {
		ports.reading.part = part;
		ports.device = ports.key = ports.mlxlink.key = ports.link.key = ports.counters.key =
			ports.counters.node = NULL;
		ports.mlxlink.about = ports.counters.about = part->about;
		ports.mlxlink.named = ports.named;
		ports.mlxlink.nr_named = ports.nr_named;
		for (size_t i = 0; i < part->nr_lines; i++)
			if (!mlxlink_take(&ports.reading, &ports.mlxlink, &part->lines[i], part->nr_lines - i) &&
			    !net_link_take(&ports.reading, &ports.link, &part->lines[i]) &&
			    !port_counter_take(&ports.reading, &ports.counters, &part->lines[i]) &&
			    !iblinkinfo_take(&ports.reading, &part->lines[i]))
				read_line(&ports, &part->lines[i]);
	}
}
