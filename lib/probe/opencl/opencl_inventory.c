// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opencl_inventory.c - what one OpenCL driver shows: platforms, devices and
 * their properties. No context is created, so no device is put to work.
 *
 * A worker for each .icd file: any driver may crash, hang or end the process,
 * and in one process with the others it would take their devices along.
 */
#include "base/compat.h"
#include "probe/opencl/opencl.h"
#include "probe/probe_table.h"
#include "sys/surroundings.h"

/* Properties of extensions, which CL/cl.h does not know. */
#define CL_DEVICE_UUID_KHR 0x106a
#define CL_DEVICE_PCI_BUS_INFO_KHR 0x410f
#define CL_DEVICE_TOPOLOGY_AMD 0x4037
#define CL_DEVICE_PCI_BUS_ID_NV 0x4008
#define CL_DEVICE_PCI_SLOT_ID_NV 0x4009
#define CL_DEVICE_PCI_DOMAIN_ID_NV 0x400a

static struct val_str pci_value(const struct opencl_asked *asked, uint64_t domain, uint64_t bus, uint64_t device,
				uint64_t function)
{
	struct arena *arena = &asked->sink->facts.arena;

	if (domain > UINT32_MAX || bus > 0xff || device > 0x1f || function > 7)
		return no_str(VAL_ERROR, arena_printf(arena, "reads domain %llu, bus %llu, device %llu, function %llu",
						      (unsigned long long)domain, (unsigned long long)bus,
						      (unsigned long long)device, (unsigned long long)function));
	return val_str(arena_printf(arena, "%04x:%02x:%02x.%x", (unsigned)domain, (unsigned)bus, (unsigned)device,
				    (unsigned)function));
}

static struct val_str pci_by_khr(const struct opencl_asked *asked)
{
	struct { cl_uint domain, bus, device, function; } info;
	struct val_head no;

	if (opencl_bytes(asked, CL_DEVICE_PCI_BUS_INFO_KHR, "CL_DEVICE_PCI_BUS_INFO_KHR", &info, sizeof(info), &no))
		return no_str(no.state, no.why);
	return pci_value(asked, info.domain, info.bus, info.device, info.function);
}

/* A union of 24 bytes: its type, 1 for PCIe, and in the last three bytes bus, device and function. No domain. */
static struct val_str pci_by_amd(const struct opencl_asked *asked)
{
	union { cl_uint type; unsigned char bytes[24]; } topology;
	struct val_head no;

	if (opencl_bytes(asked, CL_DEVICE_TOPOLOGY_AMD, "CL_DEVICE_TOPOLOGY_AMD", &topology, sizeof(topology), &no))
		return no_str(no.state, no.why);
	if (topology.type != 1)
		return no_str(VAL_ABSENT, "not on PCIe (CL_DEVICE_TOPOLOGY_AMD)");
	return pci_value(asked, 0, topology.bytes[21], topology.bytes[22], topology.bytes[23]);
}

/* The slot holds device and function, as in a PCI devfn. Drivers before CUDA 10.2 do not tell the domain. */
static struct val_str pci_by_nvidia(const struct opencl_asked *asked)
{
	struct val_u64 bus = opencl_u64(asked, CL_DEVICE_PCI_BUS_ID_NV);
	struct val_u64 slot, domain;

	if (!is_known(bus))
		return no_str(bus.state, bus.why);
	slot = opencl_u64(asked, CL_DEVICE_PCI_SLOT_ID_NV);
	if (!is_known(slot))
		return no_str(slot.state, slot.why);
	domain = opencl_u64(asked, CL_DEVICE_PCI_DOMAIN_ID_NV);
	return pci_value(asked, u64_or(domain, 0), u64_or(bus, 0) & 0xff, u64_or(slot, 0) >> 3, u64_or(slot, 0) & 7);
}

/* The neutral way first, then the vendors' own: a driver need not list an extension to answer it. */
static struct val_str pci_address_of(const struct opencl_asked *asked, struct val_str kind)
{
	static struct val_str (*const ways[])(const struct opencl_asked *) = { pci_by_khr, pci_by_amd, pci_by_nvidia };
	struct val_str told = no_str(VAL_UNSET, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct val_str value = ways[i](asked);

		if (is_known(value))
			return value;
		/* What went wrong says more than what is not supported. */
		if (told.state == VAL_UNSET || told.state == VAL_UNSUPPORTED)
			told = value;
	}
	if (told.state == VAL_UNSUPPORTED && str_is(kind, "cpu"))
		return no_str(VAL_ABSENT, "a CPU has none");
	return told;
}

static struct val_str uuid_of(const struct opencl_asked *asked)
{
	static const unsigned char zeros[16];
	unsigned char bytes[16];
	struct strbuf text = STRBUF_INIT;
	struct val_str value;
	struct val_head no;

	if (opencl_bytes(asked, CL_DEVICE_UUID_KHR, "CL_DEVICE_UUID_KHR", bytes, sizeof(bytes), &no))
		return no_str(no.state, no.why);
	if (!memcmp(bytes, zeros, sizeof(bytes)))
		return no_str(VAL_ABSENT, "all zeros");
	for (size_t i = 0; i < sizeof(bytes); i++)
		strbuf_addf(&text, "%02x", bytes[i]);
	value = val_str(arena_strdup(&asked->sink->facts.arena, text.buf));
	strbuf_release(&text);
	return value;
}

static struct val_str kind_of(const struct opencl_asked *asked)
{
	struct val_u64 type = opencl_u64(asked, CL_DEVICE_TYPE);

	if (!is_known(type))
		return no_str(type.state, type.why);
	if (u64_or(type, 0) & CL_DEVICE_TYPE_GPU)
		return val_str("gpu");
	if (u64_or(type, 0) & CL_DEVICE_TYPE_CPU)
		return val_str("cpu");
	if (u64_or(type, 0) & CL_DEVICE_TYPE_ACCELERATOR)
		return val_str("accelerator");
	return val_str("other");
}

static struct val_bool as_bool(struct val_u64 value)
{
	return is_known(value) ? val_bool(u64_or(value, 0) != 0) : no_bool(value.state, value.why);
}

static void ask_device(struct sink *sink, const char *icd, size_t place, const struct opencl_place *at)
{
	struct arena *arena = &sink->facts.arena;
	const char *label = arena_printf(arena, "device %zu", place);
	const struct opencl_asked platform = { .sink = sink, .platform = at->platform, .label = label };
	const struct opencl_asked asked = { .sink = sink, .device = at->device, .label = label };
	struct ocl_device *device = list_element(arena, &sink->facts, ocl_devices, ocl_device,
						 arena_printf(arena, "opencl:%s:%zu", icd, place));

	device->icd = val_str(icd);
	device->place = val_u64(place);
	device->platform = opencl_str(&platform, CL_PLATFORM_NAME);
	device->name = opencl_str(&asked, CL_DEVICE_NAME);
	device->vendor = opencl_str(&asked, CL_DEVICE_VENDOR);
	device->kind = kind_of(&asked);
	device->version = opencl_str(&asked, CL_DEVICE_VERSION);
	device->driver_version = opencl_str(&asked, CL_DRIVER_VERSION);
	device->available = as_bool(opencl_u64(&asked, CL_DEVICE_AVAILABLE));
	device->compiler_available = as_bool(opencl_u64(&asked, CL_DEVICE_COMPILER_AVAILABLE));
	device->compute_units = opencl_u64(&asked, CL_DEVICE_MAX_COMPUTE_UNITS);
	device->clock_mhz = opencl_u64(&asked, CL_DEVICE_MAX_CLOCK_FREQUENCY);
	device->global_memory_bytes = opencl_u64(&asked, CL_DEVICE_GLOBAL_MEM_SIZE);
	device->largest_buffer_bytes = opencl_u64(&asked, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
	device->timer_resolution_ns = opencl_u64(&asked, CL_DEVICE_PROFILING_TIMER_RESOLUTION);
	device->pci_address = pci_address_of(&asked, device->kind);
	device->uuid = uuid_of(&asked);
}

/* How many of the driver's platforms or devices there are, or what came in place of an answer. */
static struct val_u64 count(struct sink *sink, enum probe_outcome outcome, cl_uint nr, const char *why)
{
	unsigned long long files = surroundings_open_files();

	/* A driver that may not open its files shows none, as one without a GPU does. */
	if (outcome == PROBE_OK && !nr && files < LEAST_OPEN_FILES)
		return no_u64(VAL_SKIPPED, arena_printf(&sink->facts.arena,
							"only %llu files may be open at once (EMFILE)", files));
	if (outcome == PROBE_OK)
		return val_u64(nr);
	return no_u64(VAL_ERROR, arena_strdup(&sink->facts.arena, why));
}

static struct icd *icd_facts(struct sink *sink, const char *target)
{
	return list_element(&sink->facts.arena, &sink->facts, icds, icd, target);
}

static int run(struct probe_env *env, struct sink *sink)
{
	struct opencl_list list;
	enum probe_outcome outcome;
	char why[OPENCL_WHY_BYTES];

	if (opencl_load(sink, why))
		return sink_end(sink, PROBE_UNAVAILABLE, why);

	outcome = opencl_list_platforms(sink, &list, why);
	icd_facts(sink, env->target)->platforms = count(sink, outcome, list.nr_platforms, why);
	if (outcome != PROBE_OK)
		return sink_end(sink, outcome, why);
	sink_flush(sink);

	outcome = opencl_list_devices(sink, &list, why);
	icd_facts(sink, env->target)->devices = count(sink, outcome, list.nr_devices, why);
	if (outcome == PROBE_GARBLED)
		return sink_end(sink, outcome, why);
	sink_flush(sink);

	/* One at a time, so that a device whose properties crash the driver takes none of those before it along. */
	for (cl_uint i = 0; i < list.nr_devices; i++) {
		ask_device(sink, env->target, i, &list.devices[i]);
		sink_flush(sink);
	}
	return sink_end(sink, outcome, outcome == PROBE_OK ? NULL : why);
}

static void targets(const struct snapshot *snapshot, struct arena *arena, struct strs *ret)
{
	const bool is_recorded = str_is(snapshot->run.source, "tree");

	for (size_t i = 0; i < snapshot->nr_icds; i++)
		if (!is_recorded || opencl_is_of_driver_root(snapshot, &snapshot->icds[i]))
			strs_add(arena, ret, str_or(snapshot->icds[i].key, ""));
}

/* Not ocl_devices as a whole: what probe "ocl-run" says of a device is not ours to fill in when this one fails. */
static const char *const provides[] = {
	"icds.platforms", "icds.devices",
	"ocl_devices.icd", "ocl_devices.place", "ocl_devices.platform", "ocl_devices.name", "ocl_devices.vendor",
	"ocl_devices.kind", "ocl_devices.version", "ocl_devices.driver_version", "ocl_devices.available",
	"ocl_devices.compiler_available", "ocl_devices.compute_units", "ocl_devices.clock_mhz",
	"ocl_devices.global_memory_bytes", "ocl_devices.largest_buffer_bytes", "ocl_devices.timer_resolution_ns",
	"ocl_devices.pci_address", "ocl_devices.uuid",
	NULL
};

const struct probe probe_opencl = {
	.name = "opencl",
	.help = "OpenCL drivers: platforms, devices and their properties",
	.phase = PHASE_LIBRARY,
	.touches = TOUCHES_LIBRARY,
	.live_only = true,
	.takes_driver_root = true,
	.target_is_prefix = true,
	.deadline_ms = 15000,
	.provides = provides,
	.targets = targets,
	.environment = opencl_environment,
	.run = run,
};
