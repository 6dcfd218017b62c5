// SPDX-License-Identifier: GPL-2.0-or-later
/* system_bonds.c - bonds of network interfaces (Documentation/networking/bonding.rst). */
#include "base/compat.h"
#include "probe/system/system_internal.h"

#include "base/text_scan.h"
#include "probe/read.h"

#define BONDING "/proc/net/bonding"

/*
 * A member as its section tells it. Without CAP_NET_ADMIN the kernel leaves out the aggregator in use and what the
 * switch said: then nothing is known of them.
 */
struct member {
	const char *name;
	bool is_up, lacks_partner;
	uint64_t aggregator;		/* 0: not told */
};

/* "MII Status: up": what stands behind a name; NULL: the line is of another. */
static const char *value_of(struct arena *arena, const char *line, const char *name)
{
	size_t len = strlen(name);

	line += strspn(line, " \t");
	if (strncmp(line, name, len) != 0 || line[len] != ':')
		return NULL;
	line += len + 1;
	line += strspn(line, " \t");
	return arena_strndup(arena, line, strcspn(line, "\n"));
}

static void take_member(struct arena *arena, struct bond *bond, const struct member *member, bool is_lacp,
			uint64_t aggregator)
{
	if (!member->name)
		return;
	if (!member->is_up)
		strs_add(arena, &bond->members_down, member->name);
	else if (is_lacp && (member->lacks_partner ||
			     (aggregator && member->aggregator && member->aggregator != aggregator)))
		strs_add(arena, &bond->members_apart, member->name);
}

/* The bond's own lines come first: its mode, its state, and of LACP the active aggregator. Then a section a member. */
void bond_parse(struct arena *arena, const char *text, struct bond *ret)
{
	struct member member = { .name = NULL };
	uint64_t members = 0, aggregator = 0, number;
	bool is_lacp = false, fits = true;

	ret->mode = no_str(VAL_ABSENT, "not told");
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *value, *digits;

		if ((value = value_of(arena, line, "Bonding Mode"))) {
			ret->mode = val_str(value);
			is_lacp = strstr(value, "802.3ad");
		} else if ((value = value_of(arena, line, "Slave Interface"))) {
			take_member(arena, ret, &member, is_lacp, aggregator);
			member = (struct member){ .name = value };
			members++;
		} else if ((value = value_of(arena, line, "MII Status"))) {
			member.is_up = !strcmp(value, "up");
		} else if ((value = value_of(arena, line, "Aggregator ID"))) {
			digits = value;
			if (!scan_u64(&digits, 10, &number, &fits))
				continue;
			if (member.name)
				member.aggregator = number;
			else
				aggregator = number;
		} else if ((value = value_of(arena, line, "system mac address")) && member.name) {
			/* The actor's stands first, the partner's behind it. */
			member.lacks_partner = !strcmp(value, "00:00:00:00:00:00");
		}
	}
	take_member(arena, ret, &member, is_lacp, aggregator);
	ret->members = val_u64(members);
}

void system_bonds_read(struct probe_env *env, struct snapshot *facts)
{
	struct arena *arena = &facts->arena;
	struct name_list names = { 0 };

	/* Without the bonding module there is no such folder, and no bond. */
	if (root_list(env->root, &names, BONDING))
		return;
	for (size_t i = 0; i < names.nr; i++) {
		struct bond *bond = list_element(arena, facts, bonds, bond, names.names[i]);
		STRBUF_AUTO text = STRBUF_INIT;
		int error = root_read(env->root, &text, BONDING "/%s", names.names[i]);

		if (error) {
			bond->mode = no_str(state_of_errno(error), name_of_errno(error));
			bond->members = no_u64(state_of_errno(error), name_of_errno(error));
			continue;
		}
		bond_parse(arena, text.buf, bond);
	}
	name_list_release(&names);
}
