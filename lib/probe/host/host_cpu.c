// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * host_cpu.c - the processors: how many packages, their clocks, and how often
 * heat slowed them.
 *
 * A machine can have 512 CPUs and each file costs an open. So what one CPU does
 * not have is not asked of the others, and a clock's files are read once for
 * each group of CPUs that share it (cpufreq/policyN, Linux 4.3).
 */
#include "base/compat.h"

#include "base/text.h"
#include "probe/host/host_internal.h"
#include "probe/read.h"

#define CPUS "/sys/devices/system/cpu"

enum { KHZ_PER_MHZ = 1000 };

/* x86 and most others say "model name", POWER says "cpu", 64-bit Arm says nothing. */
static struct val_str cpu_model(const struct proc_text *cpuinfo, struct arena *arena)
{
	struct val_str model = proc_text_str(cpuinfo, arena, "model name");

	if (model.state == VAL_ABSENT) {
		struct val_str older = proc_text_str(cpuinfo, arena, "cpu");

		if (is_known(older))
			return older;
	}
	return model;
}

/* "cpu12" with the prefix "cpu". */
static bool is_numbered(const char *name, const char *prefix)
{
	uint64_t number;

	return !strncmp(name, prefix, strlen(prefix)) && !parse_u64(name + strlen(prefix), &number);
}

/* A machine may call its packages 0 and 36. */
struct package {
	uint64_t number;
	struct val_u64 throttles;	/* of its first CPU: each of them counts the same events */
};

struct packages {
	struct package *v;
	size_t nr;
};

/* Known already? Else its heat is asked of this CPU. */
static void add_package(struct probe_env *env, struct arena *arena, struct packages *packages, const char *cpu,
			uint64_t number)
{
	for (size_t i = 0; i < packages->nr; i++) {
		if (packages->v[i].number == number)
			return;
	}
	packages->v = arena_grow(arena, packages->v, packages->nr, sizeof(*packages->v));
	packages->v[packages->nr++] = (struct package){
		.number = number,
		.throttles = read_u64(env, arena, CPUS "/%s/thermal_throttle/package_throttle_count", cpu),
	};
}

static struct val_u64 sum_of_packages(const struct packages *packages)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < packages->nr; i++) {
		if (!is_known(packages->v[i].throttles))
			return packages->v[i].throttles;
		sum += u64_or(packages->v[i].throttles, 0);
	}
	return val_u64(sum);
}

/* The first counter that cannot be read ends the counting, as a sum of some CPUs is no sum. */
static void add_core_throttles(struct probe_env *env, struct arena *arena, const char *cpu, struct val_u64 *sum)
{
	struct val_u64 count;

	if (!is_known(*sum))
		return;
	count = read_u64(env, arena, CPUS "/%s/thermal_throttle/core_throttle_count", cpu);
	*sum = is_known(count) ? val_u64(u64_or(*sum, 0) + u64_or(count, 0)) : count;
}

/* Offline CPUs have no topology folder, and none of heat. */
static void read_packages(struct probe_env *env, struct arena *arena, const struct name_list *names, struct cpu *ret)
{
	struct packages packages = { 0 };
	struct val_u64 core_throttles = val_u64(0);

	for (size_t i = 0; i < names->nr; i++) {
		const char *cpu = names->names[i];
		struct val_u64 number;

		if (!is_numbered(cpu, "cpu"))
			continue;
		number = read_u64(env, arena, CPUS "/%s/topology/physical_package_id", cpu);
		if (!is_known(number))
			continue;
		add_core_throttles(env, arena, cpu, &core_throttles);
		add_package(env, arena, &packages, cpu, u64_or(number, 0));
	}
	ret->package_count = packages.nr ? val_u64(packages.nr) : no_u64(VAL_ABSENT, "no CPU names its package");
	ret->core_throttle_count = packages.nr ? core_throttles : ret->package_count;
	ret->package_throttle_count = packages.nr ? sum_of_packages(&packages) : ret->package_count;
}

static struct val_u64 read_mhz(struct probe_env *env, struct arena *arena, const char *folder, const char *file)
{
	struct val_u64 khz = read_u64(env, arena, CPUS "/%s/%s", folder, file);

	return is_known(khz) ? val_u64(u64_or(khz, 0) / KHZ_PER_MHZ) : khz;
}

/* The first says why none is known; from then on one that is known counts. */
static void keep(struct val_u64 *best, struct val_u64 value, bool is_better)
{
	if (best->state == VAL_UNSET || (is_known(value) && (!is_known(*best) || is_better)))
		*best = value;
}

static void read_clock(struct probe_env *env, struct arena *arena, const char *folder, struct cpu *ret)
{
	struct val_u64 able = read_mhz(env, arena, folder, "cpuinfo_max_freq");
	struct val_u64 limit = read_mhz(env, arena, folder, "scaling_max_freq");
	struct val_str governor = read_str(env, arena, CPUS "/%s/scaling_governor", folder);

	keep(&ret->clock_able_mhz, able, u64_or(able, 0) > u64_or(ret->clock_able_mhz, 0));
	keep(&ret->clock_limit_mhz, limit, u64_or(limit, 0) < u64_or(ret->clock_limit_mhz, 0));
	if (!is_known(ret->scaling_driver))
		ret->scaling_driver = read_str(env, arena, CPUS "/%s/scaling_driver", folder);
	if (!is_known(ret->governor))
		ret->governor = governor;
	else if (is_known(governor) && !str_is(governor, str_or(ret->governor, "")))
		ret->governor = val_str("mixed");
}

static void read_clocks(struct probe_env *env, struct arena *arena, const struct name_list *cpus, struct cpu *ret)
{
	struct name_list policies = { 0 };
	bool has_policies = !root_list(env->root, &policies, CPUS "/cpufreq");

	for (size_t i = 0; has_policies && i < policies.nr; i++) {
		if (is_numbered(policies.names[i], "policy"))
			read_clock(env, arena, arena_printf(arena, "cpufreq/%s", policies.names[i]), ret);
	}
	name_list_release(&policies);
	/* Before Linux 4.3 each CPU had its own folder. */
	for (size_t i = 0; ret->governor.state == VAL_UNSET && i < cpus->nr; i++) {
		if (!is_numbered(cpus->names[i], "cpu"))
			continue;
		if (root_exists(env->root, CPUS "/%s/cpufreq", cpus->names[i]))
			break;
		read_clock(env, arena, arena_printf(arena, "%s/cpufreq", cpus->names[i]), ret);
	}
	if (ret->scaling_driver.state != VAL_UNSET)
		return;
	ret->scaling_driver = ret->governor = no_str(VAL_ABSENT, "nothing scales the clocks");
	ret->clock_able_mhz = ret->clock_limit_mhz = no_u64(VAL_ABSENT, "nothing scales the clocks");
}

/* No CPU is isolated where the file is empty. */
static struct val_str read_isolated(struct probe_env *env, struct arena *arena)
{
	struct val_str list = checked_cpulist(arena, read_str(env, arena, CPUS "/isolated"));

	if (list.state == VAL_ABSENT && !strcmp(list.why, "empty"))
		return val_str("");
	return list;
}

void host_cpu_read(struct probe_env *env, struct arena *arena, const struct proc_text *cpuinfo, struct cpu *ret)
{
	struct name_list names = { 0 };
	int error;

	ret->model = cpu_model(cpuinfo, arena);
	ret->online = checked_cpulist(arena, read_str(env, arena, CPUS "/online"));
	ret->isolated = read_isolated(env, arena);
	error = root_list(env->root, &names, CPUS);
	if (error) {
		ret->package_count = ret->core_throttle_count = ret->package_throttle_count = ret->clock_able_mhz =
			ret->clock_limit_mhz = no_u64(state_of_errno(error), name_of_errno(error));
		ret->scaling_driver = ret->governor = no_str(state_of_errno(error), name_of_errno(error));
		return;
	}
	read_packages(env, arena, &names, ret);
	read_clocks(env, arena, &names, ret);
	name_list_release(&names);
}
