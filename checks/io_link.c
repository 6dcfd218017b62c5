// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/baseline/baseline_lookup.h"
#include "eval/facts/link.h"
#include "eval/facts/link_evidence.h"
#include "snapshot/node.h"

/* A link as one number and in words: "x16, 32 GT/s". */
struct lanes {
	uint64_t width, speed_mtps;
};

static uint64_t smaller(uint64_t a, struct val_u64 b)
{
	uint64_t other = u64_or(b, 0);

	return other && other < a ? other : a;
}

/* What both ends can do; of a port above that does not tell, what the device can. */
static struct lanes lanes_able(const struct io_device *device)
{
	struct lanes able = { u64_or(device->pci.link_width_able, 0), u64_or(device->pci.link_speed_able_mtps, 0) };

	if (device->nr_hops) {
		able.width = smaller(able.width, device->hops[0].pci.link_width_able);
		able.speed_mtps = smaller(able.speed_mtps, device->hops[0].pci.link_speed_able_mtps);
	}
	return able;
}

static struct lanes lanes_now(const struct io_device *device)
{
	return (struct lanes){ u64_or(device->pci.link_width, 0), u64_or(device->pci.link_speed_mtps, 0) };
}

static double rate(struct lanes lanes)
{
	return link_bytes_per_s(lanes.speed_mtps, lanes.width);
}

static const char *lane_words(struct judgement *j, struct lanes lanes)
{
	STRBUF_AUTO text = STRBUF_INIT;

	strbuf_addf(&text, "x%llu, ", (unsigned long long)lanes.width);
	unit_format_u64(&text, UNIT_MTPS, lanes.speed_mtps);
	return arena_strdup(j->arena, text.buf);
}

static bool is_twin(const struct io_device *a, const struct io_device *b)
{
	return a != b && str_is(a->pci.vendor_id, str_or(b->pci.vendor_id, "?")) &&
	       str_is(a->pci.device_id, str_or(b->pci.device_id, "?")) &&
	       str_is(a->pci.subsystem_id, str_or(b->pci.subsystem_id, ""));
}

static const struct io_device *faster_twin(const struct judgement *j, const struct io_device *device)
{
	for (size_t i = 0; i < j->snapshot->nr_io_devices; i++)
		if (is_twin(device, &j->snapshot->io_devices[i]) &&
		    rate(lanes_now(&j->snapshot->io_devices[i])) > rate(lanes_now(device)))
			return &j->snapshot->io_devices[i];
	return NULL;
}

static void judge_speed(struct judgement *j, const struct io_device *device, struct lanes now, struct lanes able)
{
	const struct io_device *twin = faster_twin(j, device), *then = baseline_io_device(j, str_or(device->key, ""));

	phrase(j, "link", lane_words(j, now));
	phrase(j, "link_able", lane_words(j, able));
	if (then && rate(lanes_now(then)) > rate(now)) {
		phrase(j, "link_then", lane_words(j, lanes_now(then)));
		finding_add_of(j, IO_LINK_BELOW_BASELINE, str_or(device->key, "?"));
	} else if (twin && !then) {
		derive_str(j, "twin", str_or(twin->names, str_or(twin->key, "?")), "another device of this model");
		phrase(j, "twin_link", lane_words(j, lanes_now(twin)));
		finding_add_of(j, IO_LINK_BELOW_TWINS, str_or(device->key, "?"));
	} else {
		finding_add_of(j, IO_LINK_BELOW_ABLE, str_or(device->key, "?"));
	}
}

/* A port of a card with several has its own line; the fastest of them is what its link must carry at least. */
static double network_bytes_per_s(const struct judgement *j, const struct io_device *device)
{
	uint64_t mbps = 0;

	for (size_t i = 0; i < j->snapshot->nr_network_interfaces; i++) {
		const struct network_interface *interface = &j->snapshot->network_interfaces[i];

		if (str_is(interface->address, str_or(device->key, "?")) && u64_or(interface->speed_mbps, 0) > mbps)
			mbps = u64_or(interface->speed_mbps, 0);
	}
	return (double)mbps * 1e6 / 8.0;
}

static void judge_device(struct judgement *j, const struct io_device *device)
{
	const char *name = str_or(device->names, str_or(device->key, "?"));
	struct lanes now = lanes_now(device), able = lanes_able(device);
	double wanted;

	/* Part of the chipset: it has no link. Or asleep, or gone: said by state. */
	if (device->pci.link_width.state == VAL_ABSENT || device->pci.link_width.state == VAL_UNSUPPORTED ||
	    device->pci.link_width.state == VAL_ASLEEP)
		return;
	question(j);
	about(j, str_or(device->key, "?"));
	derive_str(j, "device", name, "its folders in /sys");
	derive_str(j, "device_address", str_or(device->key, "?"), "/sys/bus/pci/devices");
	need(j, pci_function, &device->pci, link_width);
	need(j, pci_function, &device->pci, link_speed_mtps);
	want(j, pci_function, &device->pci, link_width_able);
	want(j, pci_function, &device->pci, link_speed_able_mtps);
	phrase(j, "what", str_is(device->kind, "nvme") ? "NVMe disk" : "Network card");
	if (!all_known(j))
		return;
	if (now.width < able.width || now.speed_mtps < able.speed_mtps) {
		judge_speed(j, device, now, able);
		return;
	}
	wanted = network_bytes_per_s(j, device);
	if (wanted <= rate(now))
		return;
	phrase(j, "link", lane_words(j, now));
	derive(j, "link_rate", UNIT_BYTES_PER_S, rate(now), "link_width × link_speed_mtps");
	derive(j, "network_rate", UNIT_BYTES_PER_S, wanted, "speed of its interface");
	finding_add_of(j, IO_LINK_TOO_NARROW, str_or(device->key, "?"));
}

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;

	if (is_virtual_machine(snapshot)) {
		skip_check(j, "a virtual machine: links are the host's");
	} else if (snapshot->listed.io_devices.state == VAL_UNSET && !snapshot->nr_io_devices) {
		skip_check(j, "not collected");
	} else if (!snapshot->nr_io_devices && is_known(snapshot->listed.io_devices)) {
		skip_check(j, "no network card or NVMe disk on the PCI bus");
	} else {
		if (snapshot->listed.io_devices.state != VAL_ABSENT)
			need(j, listed, &snapshot->listed, io_devices);
		for (size_t i = 0; i < snapshot->nr_io_devices; i++)
			judge_device(j, &snapshot->io_devices[i]);
	}
}

const struct check check_io_link = {
	.name = "io-link",
	.title = "PCIe links of network cards and NVMe disks",
	.doc = "Does each network card and NVMe disk run its PCIe link as wide and as fast as both ends allow? Below "
	       "the baseline is a warning, as is below another of its model if the baseline does not have it so; else a "
	       "note. A link that carries less than the card's network is a note. Skipped in a virtual machine.",
	.per = SUBJECT_NODE,
	.needs = NEEDS_LINKS,
	.says = "network and NVMe links full",
	.may_emit = IDS(IO_LINK_BELOW_TWINS, IO_LINK_BELOW_BASELINE, IO_LINK_BELOW_ABLE, IO_LINK_TOO_NARROW),
	.eval = eval,
};
