// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * net_link.c - links of network interfaces:
 *
 *	Settings for ens1f0np0:
 *		Advertised link modes:  25000baseCR/Full
 *		                        100000baseCR4/Full
 *		Link partner advertised link modes:  100000baseCR4/Full
 *		Speed: 100000Mb/s
 *		Link detected: no (Bad signal integrity)
 *
 *	3: ens1f1np1: <NO-CARRIER,BROADCAST,MULTICAST,SLAVE,UP> mtu 9000 qdisc mq master bond0 state DOWN …
 *
 * An interface that was not set up tells nothing of its link, and one of software has none.
 */
#include "base/compat.h"
#include "import/host/net_link.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/host/network_port.h"

enum { LINES_OF_ETHTOOL = 100, MOST_MEMBERS = 256 };

static size_t name_len(const char *text)
{
	size_t len = 0;

	while (is_letter_or_digit(text[len]) || (text[len] && strchr("_-.", text[len])))
		len++;
	return len;
}

/* By their names, as systemd, the kernel and clouds give them: others are bridges, tunnels and the like. */
static bool is_of_card(const char *name)
{
	static const char *const beginnings[] = { "eth", "ib", "rdma", "hsn", "rail", "gpu", "wl", "ww" };

	if (strpbrk(name, ".@"))
		return false;
	if (text_begins_any(name, beginnings, ARRAY_SIZE(beginnings)))
		return true;
	return (text_begins(name, "en") && name[2] && strchr("oPpsx", name[2])) ||
	       ((text_begins(name, "em") || *name == 'p') && is_digit(name[*name == 'p' ? 1 : 2]));
}

/* ---- ethtool */

static const char *settings_of(struct arena *arena, const char *text)
{
	const char *name = scan_behind(text, "Settings for ");
	size_t len = name ? name_len(name) : 0;

	return len && name[len] == ':' && scan_end(name + len + 1) ? arena_strndup(arena, name, len) : NULL;
}

static bool is_settings(const struct dump_line *lines, size_t nr)
{
	struct arena arena = { .blocks = NULL };
	bool is_head = settings_of(&arena, lines->text), ret = false;

	arena_release(&arena);
	for (size_t i = 1; is_head && !ret && i < nr && i < LINES_OF_ETHTOOL; i++)
		ret = scan_behind(lines[i].text, "Link detected:") || scan_behind(lines[i].text, "Speed:");
	return ret;
}

/* "100000baseCR4/Full": each is of one speed. */
static void take_modes(struct net_link *link, const char *at)
{
	for (at = past_blanks(at); is_digit(*at); at = past_blanks(at + strcspn(at, " "))) {
		bool fits = true, is_own = false;
		uint64_t mbps;

		scan_u64(&at, 10, &mbps, &fits);
		if (!fits || !text_begins(at, "base"))
			return;
		for (size_t i = 0; i < link->nr_own; i++)
			is_own = is_own || link->own_mbps[i] == mbps;
		if (link->modes == OWN_MODES && !is_own && link->nr_own < MOST_LINK_SPEEDS)
			link->own_mbps[link->nr_own++] = mbps;
		else if (link->modes == OTHER_MODES && is_own && mbps > link->able_mbps)
			link->able_mbps = mbps;
	}
}

/* "Speed: 25000Mb/s" or "Link detected: no (No cable)" alone, as they are searched out. */
static bool is_picked(const char *text)
{
	const char *at = scan_behind(text, "Speed: ");
	size_t digits = at ? strspn(at, "0123456789") : 0;

	if (at)
		return !strcmp(at, "Unknown!") || (digits && !strcmp(at + digits, "Mb/s"));
	at = scan_behind(text, "Link detected: ");
	at = at ? at + (text_begins(at, "yes") ? 3 : text_begins(at, "no") ? 2 : 0) : NULL;
	return at && is_letter_or_digit(at[-1]) &&
	       (scan_end(at) || (text_begins(at, " (") && at[strlen(at) - 1] == ')'));
}

/* "ethtool ens1f0 | grep Link" */
static const char *interface_in(struct arena *arena, const char *command)
{
	const char *at = command ? strstr(command, "ethtool ") : NULL;
	size_t len;

	if (!at)
		return NULL;
	at = past_blanks(at + strlen("ethtool "));
	len = name_len(at);
	return len && *at != '-' && (!at[len] || strchr(" |;&", at[len])) ? arena_strndup(arena, at, len) : NULL;
}

static void put_speed(struct reading *reading, struct net_link *link, struct dump_line *line, const char *value)
{
	struct network_interface *interface = network_port(reading, link->key);
	bool fits = true;
	uint64_t mbps;

	if (!interface || !scan_u64(&value, 10, &mbps, &fits) || !fits || !text_begins(value, "Mb/s"))
		return;
	put(reading, line, interface->speed_mbps, val_u64(mbps));
	if (link->able_mbps)
		put(reading, line, interface->speed_able_mbps, val_u64(link->able_mbps));
}

/* "yes", or "no (Autoneg, No partner detected)" */
static void put_link(struct reading *reading, struct net_link *link, struct dump_line *line, const char *value)
{
	struct network_interface *interface = is_of_card(link->key) ? network_port(reading, link->key) : NULL;
	const char *why = strchr(value, '('), *end = why ? strrchr(why, ')') : NULL;
	bool is_up = text_begins(value, "yes");

	/* It is the last of its lines. */
	link->key = NULL;
	if (!interface || (!is_up && !text_begins(value, "no")))
		return;
	put(reading, line, interface->state, val_str(is_up ? "up" : "down"));
	if (!is_up && end && end > why + 1)
		put(reading, line, interface->link_trouble,
		    val_str(arena_strndup(reading->arena, why + 1, (size_t)(end - why - 1))));
}

static size_t indent_of(const char *text)
{
	return strspn(text, " ");
}

/* Its lines are indented; where a paste lost that, they are known by their names. */
static bool is_setting(const struct net_link *link, const char *text)
{
	static const char *const names[] = {
		"Supported ", "Supports ", "Advertised ", "Link partner ", "Link detected:", "Speed:", "Lanes:",
		"Duplex:", "Port:", "PHYAD:", "Transceiver:", "Auto-negotiation:", "MDI-X:", "Wake-on:",
		"Current message level:", "drv ", "probe ", "master-slave ", "SQI", "Cannot get ", "netlink error:",
	};
	const char *at = past_blanks(text);

	return !*at || indent_of(text) > link->indent || (is_digit(*at) && strstr(at, "base")) ||
	       text_begins_any(at, names, ARRAY_SIZE(names));
}

static void take_setting(struct reading *reading, struct net_link *link, struct dump_line *line)
{
	const char *text = line->text, *value;

	if ((value = scan_behind(text, "Advertised link modes:")))
		link->modes = OWN_MODES;
	else if ((value = scan_behind(text, "Link partner advertised link modes:")))
		link->modes = OTHER_MODES;
	else if (strchr(text, ':'))
		link->modes = NO_MODES;
	if (link->modes != NO_MODES)
		take_modes(link, value ? value : text);
	else if ((value = scan_behind(text, "Speed:")))
		put_speed(reading, link, line, value);
	else if ((value = scan_behind(text, "Link detected:")))
		put_link(reading, link, line, value);
}

/* ---- ip link */

struct ip_line {
	const char *name, *master;
	bool is_up, has_no_carrier, is_member;
};

/* The word behind another one, " master bond0 ". */
static const char *word_behind(struct arena *arena, const char *text, const char *word)
{
	const char *at = strstr(text, word);

	return at ? arena_strndup(arena, at + strlen(word), strcspn(at + strlen(word), " ")) : NULL;
}

static bool has_flag(const char *flags, const char *flag)
{
	size_t len = strlen(flag);

	for (; *flags && *flags != '>'; flags += strcspn(flags + 1, ",>") + 1)
		if (!strncmp(flags + 1, flag, len) && strchr(",>", flags[len + 1]))
			return true;
	return false;
}

/* "ens2f0           DOWN           02:00:00:00:00:02 <NO-CARRIER,BROADCAST,MULTICAST,UP>" of ip -br. */
static bool ip_brief_read(struct arena *arena, const char *text, struct ip_line *ret)
{
	static const char *const states[] = { "UP ", "DOWN ", "UNKNOWN ", "LOWERLAYERDOWN ", "DORMANT " };
	const char *at = past_blanks(text), *flags = strrchr(text, '<');
	size_t len = strcspn(at, " ");

	if (!flags || !len || text[strlen(text) - 1] != '>' || !has_flag(flags, "MULTICAST") ||
	    !text_begins_any(past_blanks(at + len), states, ARRAY_SIZE(states)))
		return false;
	*ret = (struct ip_line){
		.name = arena_strndup(arena, at, len), .is_up = has_flag(flags, "LOWER_UP") && has_flag(flags, "UP"),
		.has_no_carrier = has_flag(flags, "NO-CARRIER"),
	};
	return true;
}

static bool ip_line_read(struct arena *arena, const char *text, struct ip_line *ret)
{
	const char *at = past_blanks(text), *flags;
	size_t digits = strspn(at, "0123456789"), len;

	if (!digits)
		return ip_brief_read(arena, text, ret);
	if (!text_begins(at + digits, ": "))
		return false;
	at = past_blanks(at + digits + 1);
	len = strcspn(at, ": ");
	flags = at + len;
	if (!len || len > 64 || !text_begins(flags, ": <") || !strstr(flags, "> mtu "))
		return false;
	flags += strlen(": ");
	*ret = (struct ip_line){
		.name = arena_strndup(arena, at, len), .master = word_behind(arena, flags, " master "),
		.is_up = has_flag(flags, "LOWER_UP") && has_flag(flags, "UP"),
		.has_no_carrier = has_flag(flags, "NO-CARRIER"), .is_member = has_flag(flags, "SLAVE"),
	};
	return true;
}

static void drop(struct strs *series, const char *text)
{
	size_t nr = 0;

	for (size_t i = 0; i < series->nr; i++)
		if (strcmp(series->v[i], text) != 0)
			series->v[nr++] = series->v[i];
	series->nr = nr;
}

/* Listed again, as it was before and after a repair, a member is as it is there. */
static void put_member(struct reading *reading, struct net_link *link, struct dump_line *line,
		       const struct ip_line *said)
{
	bool is_new = !strs_has(&link->members, said->name);
	struct bond *bond;

	if (is_new && link->members.nr >= MOST_MEMBERS)
		return;
	bond = list_element(reading->arena, reading->snapshot, bonds, bond, said->master);
	if (is_new) {
		strs_add(reading->arena, &link->members, said->name);
		put(reading, line, bond->members, val_u64(u64_or(bond->members, 0) + 1));
	}
	drop(&bond->members_down, said->name);
	if (said->has_no_carrier)
		strs_add(reading->arena, &bond->members_down, said->name);
}

static bool take_ip_line(struct reading *reading, struct net_link *link, struct dump_line *line)
{
	struct network_interface *interface;
	struct ip_line said;

	if (!ip_line_read(reading->arena, line->text, &said))
		return false;
	line->is_taken = true;
	interface = is_of_card(said.name) ? network_port(reading, said.name) : NULL;
	if (interface && (said.is_up || said.has_no_carrier))
		put(reading, line, interface->state, val_str(said.has_no_carrier ? "down" : "up"));
	if (said.is_member && said.master)
		put_member(reading, link, line, &said);
	return true;
}

/* ---- both */

bool net_link_begins(const struct dump_line *lines, size_t nr)
{
	struct arena arena = { .blocks = NULL };
	struct ip_line said;
	bool ret = ip_line_read(&arena, lines->text, &said) || is_settings(lines, nr) || is_picked(lines->text);

	arena_release(&arena);
	return ret;
}

bool net_link_take(struct reading *reading, struct net_link *link, struct dump_line *line)
{
	const char *key = settings_of(reading->arena, line->text);

	if (key) {
		link->key = key;
		link->nr_own = 0;
		link->nr_lines = 0;
		link->able_mbps = 0;
		link->modes = NO_MODES;
		link->indent = indent_of(line->text);
		line->is_taken = true;
		return true;
	}
	if (take_ip_line(reading, link, line)) {
		link->key = NULL;
		return true;
	}
	if (link->key && !is_setting(link, line->text))
		link->key = NULL;
	if (!link->key && is_picked(line->text))
		link->key = interface_in(reading->arena, reading->part->about);
	if (!link->key)
		return false;
	take_setting(reading, link, line);
	if (++link->nr_lines == LINES_OF_ETHTOOL)
		link->key = NULL;
	return true;
}
