// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * iblinkinfo.c - a link a line, of which the other end is named:
 *
 *	4   18[  ] ==( 2X  25.78125 Gbps Active/  LinkUp)==>  13    1[  ] "node8 mlx5_4" ( Could be 4X …)
 *
 * What it could be both ends offer. Of a fabric's thousands of links only such are kept.
 */
#include "base/compat.h"
#include "import/host/iblinkinfo.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/host/network_port.h"

enum { MBPS_PER_GBPS = 1000, MOST_LANES = 12 };

/* "2X  25.78125 Gbps"; what is not there stays. */
static void take_rate(const char *at, const char *end, double *lanes, double *gbps)
{
	for (; at < end; at++) {
		char figure[16];
		double value;
		size_t len = is_digit(*at) && !is_digit(at[-1]) && at[-1] != '.' ? strspn(at, "0123456789.") : 0;

		if (!len || len >= sizeof(figure))
			continue;
		snprintf(figure, sizeof(figure), "%.*s", (int)len, at);
		if (parse_f64(figure, &value))
			continue;
		if (at[len] == 'X' && value <= MOST_LANES)
			*lanes = value;
		else if (text_begins(at + len, " Gbps"))
			*gbps = value;
	}
}

/* Behind "==(", up to ")==>". */
static const char *link_in(const char *text, const char **ret_end)
{
	const char *at = strstr(text, "==("), *end = at ? strstr(at, ")==>") : NULL;

	*ret_end = end;
	return end ? at + strlen("==(") : NULL;
}

bool iblinkinfo_is_link(const char *text)
{
	const char *end;

	return link_in(text, &end) != NULL;
}

/* "node8 mlx5_4 port 1" of "13    1[  ] \"node8 mlx5_4\""; NULL: it is not named. */
static const char *other_end(struct arena *arena, const char *text)
{
	const char *bracket = strchr(text, '['), *name = bracket ? strchr(bracket, '"') : NULL;
	const char *end = name ? strchr(name + 1, '"') : NULL, *number = bracket;

	while (number && number > text && is_digit(number[-1]))
		number--;
	if (!end || end == name + 1 || number == bracket)
		return NULL;
	return arena_printf(arena, "%.*s port %.*s", (int)(end - name - 1), name + 1, (int)(bracket - number), number);
}

static void put_link(struct reading *reading, struct dump_line *line, const char *key, double mbps, double able_mbps)
{
	struct network_interface *interface = network_port(reading, key);

	if (!interface)
		return;
	put(reading, line, interface->state, val_str("up"));
	put(reading, line, interface->speed_mbps, val_u64((uint64_t)mbps));
	put(reading, line, interface->speed_able_mbps, val_u64((uint64_t)able_mbps));
}

bool iblinkinfo_take(struct reading *reading, struct dump_line *line)
{
	double lanes = 0, gbps = 0, able_lanes, able_gbps;
	const char *end, *link = link_in(line->text, &end), *could, *key;

	if (!link)
		return false;
	line->is_taken = true;
	could = strstr(end, "( Could be ");
	key = other_end(reading->arena, end);
	take_rate(link, end, &lanes, &gbps);
	able_lanes = lanes;
	able_gbps = gbps;
	if (could)
		take_rate(could, could + strlen(could), &able_lanes, &able_gbps);
	if (key && lanes > 0 && able_lanes * able_gbps > lanes * gbps)
		put_link(reading, line, key, lanes * gbps * MBPS_PER_GBPS, able_lanes * able_gbps * MBPS_PER_GBPS);
	return true;
}
