// SPDX-License-Identifier: GPL-2.0-or-later
/* host.c - probe "host": the machine, its system, processors, memory and what steers the run. */
#include "base/compat.h"

#include <sys/utsname.h>

#include "base/text.h"
#include "probe/host_parts.h"
#include "probe/probe_table.h"
#include "probe/read.h"

#define CPUS "/sys/devices/system/cpu"

/* What board makers leave where a name or a number belongs. Two machines with such a serial are not one. */
static const char *const placeholders[] = {
	"0", "00000000", "0123456789", "1234567890", "Default string", "INVALID", "N/A", "None", "Not Applicable",
	"Not Specified", "O.E.M.", "OEM", "System Product Name", "System Serial Number", "To Be Filled By O.E.M.",
	"To be filled by O.E.M.", "XXXXXXXX", "empty",
};

static struct val_str read_firmware_text(struct probe_env *env, struct arena *arena, const char *file)
{
	struct val_str text = read_str(env, arena, "/sys/class/dmi/id/%s", file);

	for (size_t i = 0; i < ARRAY_SIZE(placeholders); i++) {
		if (str_is(text, placeholders[i]))
			return no_str(VAL_ABSENT, arena_printf(arena, "firmware says \"%s\"", placeholders[i]));
	}
	return text;
}

/* PRETTY_NAME, without the quotes it may stand in. */
static struct val_str read_os(struct probe_env *env, struct arena *arena)
{
	PROC_FILE_AUTO release = PROC_FILE_INIT;
	struct val_str name;
	const char *text;
	size_t len;

	proc_file_read(env, &release, 0, "/etc/os-release");
	if (release.state == VAL_ABSENT)
		proc_file_read(env, &release, 0, "/usr/lib/os-release");
	name = proc_file_str(&release, arena, "PRETTY_NAME");
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

static void read_host(struct probe_env *env, struct arena *arena, const struct proc_file *cpuinfo, struct host *ret)
{
	ret->name = read_str(env, arena, "/proc/sys/kernel/hostname");
	ret->product = read_firmware_text(env, arena, "product_name");
	ret->machine_serial = read_firmware_text(env, arena, "product_serial");
	ret->boot_id = read_str(env, arena, "/proc/sys/kernel/random/boot_id");
	ret->kernel = read_str(env, arena, "/proc/sys/kernel/osrelease");
	ret->os = read_os(env, arena);
	ret->architecture = read_architecture(env, arena);
	ret->kernel_command_line = read_str(env, arena, "/proc/cmdline");
	ret->uptime_s = read_uptime(env, arena);
	ret->virtualisation = host_virtualisation(env, arena, cpuinfo);
	ret->container = host_container(env, arena);
}

/* x86 and most others say "model name", POWER says "cpu", 64-bit Arm says nothing. */
static struct val_str cpu_model(const struct proc_file *cpuinfo, struct arena *arena)
{
	struct val_str model = proc_file_str(cpuinfo, arena, "model name");

	if (model.state == VAL_ABSENT) {
		struct val_str older = proc_file_str(cpuinfo, arena, "cpu");

		if (is_known(older))
			return older;
	}
	return model;
}

static bool is_cpu_folder(const char *name)
{
	uint64_t number;

	return !strncmp(name, "cpu", strlen("cpu")) && !parse_u64(name + strlen("cpu"), &number);
}

/* The numbers seen: a machine may call its packages 0 and 36. */
struct packages {
	uint64_t *numbers;
	size_t nr;
};

static void packages_add(struct packages *packages, struct arena *arena, uint64_t number)
{
	for (size_t i = 0; i < packages->nr; i++) {
		if (packages->numbers[i] == number)
			return;
	}
	packages->numbers = arena_grow(arena, packages->numbers, packages->nr, sizeof(number));
	packages->numbers[packages->nr++] = number;
}

/* Offline CPUs have no topology folder. */
static struct val_u64 count_packages(struct probe_env *env, struct arena *arena)
{
	struct name_list names = { 0 };
	struct packages packages = { 0 };
	int error = root_list(env->root, &names, CPUS);

	if (error)
		return no_u64(state_of_errno(error), name_of_errno(error));
	for (size_t i = 0; i < names.nr; i++) {
		struct val_u64 package;

		if (!is_cpu_folder(names.names[i]))
			continue;
		package = read_u64(env, arena, CPUS "/%s/topology/physical_package_id", names.names[i]);
		if (is_known(package))
			packages_add(&packages, arena, u64_or(package, 0));
	}
	name_list_release(&names);
	return packages.nr ? val_u64(packages.nr) : no_u64(VAL_ABSENT, "no CPU names its package");
}

static int run(struct probe_env *env, struct sink *sink)
{
	struct snapshot *facts = &sink->facts;
	PROC_FILE_AUTO cpuinfo = PROC_FILE_INIT;

	sink_step(sink, "read /proc/cpuinfo");
	proc_file_read(env, &cpuinfo, CPUINFO_BYTES, "/proc/cpuinfo");
	sink_step(sink, "read /sys/class/dmi/id and /proc/sys/kernel");
	read_host(env, &facts->arena, &cpuinfo, &facts->host);
	host_view_read(env, &facts->arena, &facts->host, &facts->cpu);
	sink_step(sink, "read " CPUS);
	facts->cpu.model = cpu_model(&cpuinfo, &facts->arena);
	facts->cpu.online = checked_cpulist(&facts->arena, read_str(env, &facts->arena, CPUS "/online"));
	facts->cpu.package_count = count_packages(env, &facts->arena);
	sink_flush(sink);
	sink_step(sink, "read /proc/meminfo, vmstat, pressure and swaps");
	host_memory_read(env, &facts->arena, &facts->memory);
	host_pressure_read(env, &facts->arena, &facts->pressure);
	host_swaps_read(env, facts);
	sink_flush(sink);
	sink_step(sink, "read /sys/devices/system/node");
	host_numa_nodes_read(env, facts);
	return sink_end(sink, PROBE_OK, NULL);
}

const struct probe probe_host = {
	.name = "host",
	.help = "machine, system, processors, memory, pressure, NUMA nodes and swap",
	.phase = PHASE_NODE,
	.touches = TOUCHES_FILES,
	.live_only = false,
	.target_is_prefix = false,
	.deadline_ms = 5000,
	.provides = (const char *const[]){ "host", "cpu", "memory", "pressure", "numa_nodes", "swaps", NULL },
	.targets = NULL,
	.environment = NULL,
	.run = run,
};
