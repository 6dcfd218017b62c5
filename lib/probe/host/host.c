// SPDX-License-Identifier: GPL-2.0-or-later
/* host.c - probe "host": the machine, its system, processors, memory and what steers the run. */
#include "base/compat.h"

#include <inttypes.h>
#include <sys/utsname.h>

#include "base/siphash.h"
#include "base/text.h"
#include "format/firmware.h"
#include "probe/host/host_internal.h"
#include "probe/probe_table.h"
#include "probe/read.h"

/* Two machines whose firmware has a filler for a serial number are not one. */
static struct val_str read_firmware_text(struct probe_env *env, struct arena *arena, const char *file)
{
	struct val_str text = read_str(env, arena, "/sys/class/dmi/id/%s", file);

	if (is_known(text) && firmware_is_placeholder(str_or(text, "")))
		return no_str(VAL_ABSENT, arena_printf(arena, "firmware says \"%s\"", str_or(text, "")));
	return text;
}

/* PRETTY_NAME, without the quotes it may stand in. */
static struct val_str read_os(struct probe_env *env, struct arena *arena)
{
	PROC_TEXT_AUTO release = PROC_TEXT_INIT;
	struct val_str name;
	const char *text;
	size_t len;

	proc_text_read(env, &release, 0, "/etc/os-release");
	if (release.state == VAL_ABSENT)
		proc_text_read(env, &release, 0, "/usr/lib/os-release");
	name = proc_text_str(&release, arena, "PRETTY_NAME");
	text = str_or(name, "");
	len = strlen(text);
	if (len >= 2 && (text[0] == '"' || text[0] == '\'') && text[len - 1] == text[0])
		return val_str(arena_strndup(arena, text + 1, len - 2));
	return name;
}

/* The kernel says so by file since 6.1 only. */
static struct val_str read_architecture(struct probe_env *env, struct arena *arena)
{
	struct val_str architecture = read_str(env, arena, "/proc/sys/kernel/arch");
	struct utsname names;

	if (architecture.state != VAL_ABSENT || !root_is_live(env->root) || uname(&names))
		return architecture;
	return val_str(arena_strdup(arena, names.machine));
}

/* "1728.18 3417.12": whole seconds are all that is meant. */
static struct val_u64 read_uptime(struct probe_env *env, struct arena *arena)
{
	struct val_str uptime = read_str(env, arena, "/proc/uptime");
	const char *text = str_or(uptime, "");
	uint64_t seconds;

	if (!is_known(uptime))
		return no_u64(uptime.state, uptime.why);
	if (parse_u64(arena_strndup(arena, text, strcspn(text, ". ")), &seconds))
		return no_u64(VAL_ERROR, arena_printf(arena, "reads \"%.40s\"", text));
	return val_u64(seconds);
}

/*
 * machine-id(5) asks programs that show the id to show a hash of it with a key of their own: whoever has the id can
 * tell that a report is this machine's, and nothing else follows from it.
 */
static struct val_str read_machine_id(struct probe_env *env, struct arena *arena)
{
	static const uint8_t ours[SIPHASH_KEY_BYTES] = "gpudiag machine";
	struct val_str id = read_str(env, arena, "/etc/machine-id");
	const char *text = str_or(id, NULL);

	if (!text)
		return id;
	/* An image that gets its id at its first boot. */
	if (!*text || !strcmp(text, "uninitialized"))
		return no_str(VAL_ABSENT, "not set");
	return val_str(arena_printf(arena, "%016" PRIx64, siphash(ours, text, strlen(text))));
}

static void read_host(struct probe_env *env, struct arena *arena, const struct proc_text *cpuinfo, struct host *ret)
{
	ret->name = read_str(env, arena, "/proc/sys/kernel/hostname");
	ret->product = read_firmware_text(env, arena, "product_name");
	ret->machine_serial = read_firmware_text(env, arena, "product_serial");
	ret->bios = read_firmware_text(env, arena, "bios_version");
	ret->machine_id = read_machine_id(env, arena);
	ret->boot_id = read_str(env, arena, "/proc/sys/kernel/random/boot_id");
	ret->kernel = read_str(env, arena, "/proc/sys/kernel/osrelease");
	ret->os = read_os(env, arena);
	ret->architecture = read_architecture(env, arena);
	ret->kernel_command_line = read_str(env, arena, "/proc/cmdline");
	ret->taint = read_u64(env, arena, "/proc/sys/kernel/tainted");
	ret->numa_balancing = read_u64(env, arena, "/proc/sys/kernel/numa_balancing");
	ret->aspm_policy = read_choice(env, arena, "/sys/module/pcie_aspm/parameters/policy");
	ret->uptime_s = read_uptime(env, arena);
	ret->virtualisation = host_virtualisation(env, arena, cpuinfo);
	ret->container = host_container(env, arena);
	ret->sees_all_devices = host_sees_all_devices(env);
}

/* What its programs have to share, and how much of it is in use. */
static void read_resources(struct probe_env *env, struct sink *sink, const struct proc_text *cpuinfo)
{
	struct snapshot *facts = &sink->facts;

	sink_step(sink, "statfs /dev/shm");
	host_shared_memory_read(env, &facts->arena, &facts->host);
	sink_step(sink, "read /sys/devices/system/cpu");
	host_cpu_read(env, &facts->arena, cpuinfo, &facts->cpu);
	sink_flush(sink);
	sink_step(sink, "read /proc/meminfo, vmstat, pressure and swaps");
	host_memory_read(env, &facts->arena, &facts->memory);
	host_pressure_read(env, &facts->arena, &facts->pressure);
	host_swaps_read(env, facts);
	sink_flush(sink);
}

static int run(struct probe_env *env, struct sink *sink)
{
	struct snapshot *facts = &sink->facts;
	PROC_TEXT_AUTO cpuinfo = PROC_TEXT_INIT;

	sink_step(sink, "read /proc/cpuinfo");
	proc_text_read(env, &cpuinfo, CPUINFO_BYTES, "/proc/cpuinfo");
	sink_step(sink, "read /sys/class/dmi/id and /proc/sys/kernel");
	read_host(env, &facts->arena, &cpuinfo, &facts->host);
	host_environment_read(env, &facts->arena, &facts->host, &facts->cpu);
	if (!env->places_only)
		read_resources(env, sink, &cpuinfo);
	sink_step(sink, "read /sys/devices/system/node");
	host_numa_nodes_read(env, facts);
	return sink_end(sink, PROBE_OK, NULL);
}

const struct probe probe_host = {
	.name = "host",
	.help = "machine, system, processors, memory, pressure, NUMA nodes and swap",
	.phase = PHASE_NODE,
	.touches = TOUCHES_FILES,
	.deadline_ms = 5000,
	.provides = (const char *const[]){ "host", "cpu", "memory", "pressure", "numa_nodes", "swaps", NULL },
	.run = run,
};
