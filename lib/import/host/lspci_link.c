// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lspci_link.c - the lines of a PCI Express capability. What versions say of a figure in words, "(ok)" and
 * "(downgraded)", is for GPUs whose maximum is not shown: some have it of ports without a device, others of no port at
 * all.
 */
#include "base/compat.h"
#include "import/host/lspci.h"

#include "import/dump/error_put.h"

#include "base/text_scan.h"

/*
 * Where a terminal's width broke a line, the next begins with the rest of a number, so that "Width x1" is no figure. In
 * the last line of a paste the rest may be missing: of x1 and x3 there may be one.
 */
static bool is_whole(const char *end, const char *next, uint64_t lanes)
{
	if (*end)
		return *end == ',' || *end == ' ';
	if (!next)
		return lanes != 1 && lanes != 3;
	next += strspn(next, " ");
	/* "17:00.0", of the next function, is no rest of a number. */
	return !is_digit(*next) || !strchr(", ", next[strspn(next, "0123456789")]);
}

/* "Speed 16GT/s", "Speed 2.5GT/s (downgraded)"; 0: "unknown", or none. */
static uint64_t speed_in(struct arena *arena, const char *text)
{
	static const char words[] = "Speed ";
	const char *at = strstr(text, words);
	uint64_t speed;
	size_t len;

	if (!at)
		return 0;
	at += strlen(words);
	len = strspn(at, "0123456789.");
	if (!len || strncmp(at + len, "GT/s", 4) != 0)
		return 0;
	return parse_link_speed(arena_printf(arena, "%.*s GT/s", (int)len, at), &speed) ? 0 : speed;
}

/* "Width x16"; false: it is not told, or not to its end. */
static bool width_in(const char *text, const char *next, uint64_t *ret)
{
	static const char words[] = "Width x";
	const char *at = strstr(text, words);
	bool fits = true;

	if (!at)
		return false;
	at += strlen(words);
	return scan_u64(&at, 10, ret, &fits) && fits && is_whole(at, next, *ret);
}

/* "LnkSta: Speed 8GT/s (ok), Width x4 (downgraded)" */
static bool is_narrowed(const char *text)
{
	const char *at = strstr(text, "Width x");

	if (!at)
		return false;
	at += strlen("Width x");
	at += strspn(at, "0123456789");
	return text_begins(at, " (downgraded)");
}

static void take_pair(struct reading *reading, struct lspci_device *device, struct dump_line *line, const char *next,
		      struct val_u64 *width, struct val_u64 *speed)
{
	uint64_t lanes, mtps = speed_in(reading->arena, line->text);

	if (is_known(*width) || is_known(*speed)) {
		device->is_mixed = true;
		return;
	}
	if (!width_in(line->text, next, &lanes))
		return;
	put(reading, line, *width, pci_width(reading->arena, lanes));
	if (is_known(*width) && mtps)
		put(reading, line, *speed, val_u64(mtps));
}

/*
 * Graphics of Intel's processors have no link: where lines were searched for, those below its name are another
 * function's.
 */
static bool has_no_link(const struct lspci_device *device)
{
	return !device->address.bus && lspci_is_gpu(device) && str_is(device->pci.vendor_id, "0x8086");
}

/* Its figures are of no GPU, and nothing else tells of a disk's link. */
static bool is_disk(const struct lspci_device *device)
{
	enum { NVME_CLASS = 0x0108 };

	return lspci_class(device) >> 8 == NVME_CLASS;
}

static void take_disk(struct reading *reading, const struct lspci_device *device, struct dump_line *line)
{
	program_error_put(reading, line, "disk-link",
			  arena_printf(reading->arena, "%s %s", device->key, past_blanks(line->text)), NULL);
}

static void take_state(struct reading *reading, struct lspci_device *device, struct dump_line *line, const char *next)
{
	struct pci_function *pci = &device->pci;

	if (has_no_link(device) && !is_known(pci->port_type)) {
		device->is_mixed = true;
		return;
	}
	if (is_disk(device) && !device->is_mixed && !is_known(pci->link_width) && is_narrowed(line->text))
		take_disk(reading, device, line);
	if (!is_known(pci->link_width) && is_narrowed(line->text))
		put(reading, line, pci->link_is_narrowed, val_bool(true));
	take_pair(reading, device, line, next, &pci->link_width, &pci->link_speed_mtps);
}

/* "MaxPayload 256 bytes" */
static void take_bytes(struct reading *reading, struct dump_line *line, const char *text, const char *words,
		       struct val_u64 *ret)
{
	const char *at = strstr(text, words);
	bool fits = true;
	uint64_t bytes;

	if (!at || is_known(*ret))
		return;
	at += strlen(words);
	if (scan_u64(&at, 10, &bytes, &fits) && fits && bytes >= 128 && bytes <= 4096 && !strncmp(at, " bytes", 6))
		put(reading, line, *ret, val_u64(bytes));
}

/* "ASPM Disabled; …", "ASPM L1 Enabled; …", "ASPM L0s L1 Enabled; …" */
static void take_control(struct reading *reading, struct lspci_device *device, struct dump_line *line, const char *rest)
{
	static const struct { const char *words, *aspm; } settings[] = {
		{ "ASPM Disabled", "off" }, { "ASPM L0s L1 Enabled", "L0s+L1" }, { "ASPM L0s Enabled", "L0s" },
		{ "ASPM L1 Enabled", "L1" },
	};

	line->is_taken = true;
	for (size_t i = 0; i < ARRAY_SIZE(settings) && !is_known(device->pci.aspm); i++)
		if (!strncmp(rest, settings[i].words, strlen(settings[i].words)))
			put(reading, line, device->pci.aspm, val_str(settings[i].aspm));
}

static void take_acs(struct reading *reading, struct lspci_device *device, struct dump_line *line, const char *rest)
{
	const char *redirects = strstr(rest, "ReqRedir");
	bool is_port = str_is(device->pci.port_type, "root-port") || str_is(device->pci.port_type, "downstream-port");

	line->is_taken = true;
	if (!redirects || !is_port || is_known(device->pci.acs_redirects))
		return;
	redirects += strlen("ReqRedir");
	if (*redirects == '+' || *redirects == '-')
		put(reading, line, device->pci.acs_redirects, val_bool(*redirects == '+'));
}

bool lspci_take_link(struct reading *reading, struct lspci_device *device, struct dump_line *line, const char *next)
{
	struct pci_function *pci = &device->pci;
	const char *text = line->text, *rest;

	if (scan_behind(text, "LnkCap:")) {
		take_pair(reading, device, line, next, &pci->link_width_able, &pci->link_speed_able_mtps);
	} else if (scan_behind(text, "LnkSta:")) {
		take_state(reading, device, line, next);
	} else if ((rest = scan_behind(text, "LnkCtl:"))) {
		take_control(reading, device, line, rest);
	} else if ((rest = scan_behind(text, "DevCap:"))) {
		take_bytes(reading, line, rest, "MaxPayload ", &pci->max_payload_able_bytes);
	} else if (scan_behind(text, "DevCtl:")) {
		device->below = LSPCI_CONTROL;
	} else if (device->below == LSPCI_CONTROL && scan_behind(text, "MaxPayload ")) {
		take_bytes(reading, line, text, "MaxPayload ", &pci->max_payload_bytes);
		take_bytes(reading, line, text, "MaxReadReq ", &pci->max_read_request_bytes);
	} else if ((rest = scan_behind(text, "ACSCtl:"))) {
		take_acs(reading, device, line, rest);
	} else {
		return false;
	}
	device->has_body = true;
	line->is_taken = true;
	return true;
}
