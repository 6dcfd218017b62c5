// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/line/xid_line.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/dump/dump.h"

/* ---- a condition: XidCriticalError, True, and in its reason {"79":true} */

static const char condition[] = "XidCriticalError ";

static const char *reasons_of(const char *text)
{
	text = past_blanks(text);
	if (!text_begins(text, condition) || !text_begins(past_blanks(text + strlen(condition)), "True "))
		return NULL;
	return strstr(text, "{\"");
}

bool xid_line_is_condition(const char *text)
{
	return reasons_of(text) != NULL;
}

bool xid_line_condition_take(const char **at, struct xid_report *ret)
{
	for (const char *number = *at; (number = strchr(number, '"')); number++) {
		const char *end = number + 1;
		bool fits = true;

		if (!scan_u64(&end, 10, &ret->xid, &fits) || !fits || !text_begins(end, "\":true"))
			continue;
		*at = end;
		return true;
	}
	return false;
}

/* ---- Redfish: "The resource property GPU_SXM_3 Driver Event Message has detected errors of type '[…] XID 79 …'." */

static const char driver_event[] = " Driver Event Message";

/* Where the module's name begins, or NULL. */
static const char *module_in(const char *text, uint64_t *ret)
{
	const char *event = strstr(text, driver_event), *xid = event ? strstr(event, " XID ") : NULL, *name = event;
	bool fits = true;

	if (!xid)
		return NULL;
	while (name > text && name[-1] != ' ' && name[-1] != '"')
		name--;
	xid += strlen(" XID ");
	return text_begins(name, "GPU_") && scan_u64(&xid, 10, ret, &fits) && fits ? name : NULL;
}

static bool take_redfish(struct arena *arena, const char *text, struct xid_report *ret)
{
	const char *name = module_in(text, &ret->xid);

	if (name)
		ret->uuid = arena_strndup(arena, name, (size_t)(strstr(name, driver_event) - name));
	return name != NULL;
}

/*
 * ---- a history: "Mar 10 21:38:13  Xid 79 (PCI:0000:46:00): GPU has fallen off the bus". Without its time it may be a
 * sentence.
 */

/* Is there a time, 21:38:13, at the beginning and nothing else but its date? */
static bool is_time(const char *text, const char *end)
{
	size_t colons = 0;

	for (const char *at = text; at < end; at++)
		colons += *at == ':' && at > text && is_digit(at[-1]) && is_digit(at[1]);
	return colons >= 2 && end - text <= 36;
}

/* Where the address begins, or NULL. */
static const char *listed_xid(const char *text, uint64_t *ret)
{
	const char *at = strstr(text, "Xid "), *number = at ? at + strlen("Xid ") : NULL;
	bool fits = true;

	if (!at || !is_time(text, at) || !scan_u64(&number, 10, ret, &fits) || !fits || !text_begins(number, " (PCI:"))
		return NULL;
	return number + strlen(" (PCI:");
}

static bool take_listed(struct arena *arena, const char *text, struct xid_report *ret)
{
	const char *address = listed_xid(text, &ret->xid);

	if (!address)
		return false;
	ret->address = dump_address(arena, arena_printf(arena, "%.*s.0", (int)strcspn(address, "). "), address));
	return ret->address != NULL;
}

/* ---- those of one Xid */

bool xid_line_is(const char *text)
{
	uint64_t xid;

	return module_in(text, &xid) || listed_xid(text, &xid);
}

bool xid_line_take(struct arena *arena, const char *text, struct xid_report *ret)
{
	return take_redfish(arena, text, ret) || take_listed(arena, text, ret);
}
