// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "checks/playbook.h"
#include "eval/facts/fabric.h"
#include "eval/judge/subject.h"
#include "eval/judge/vendor.h"
#include "snapshot/node.h"

/* The library says they have joined the fabric: so the switches are served, by a visible process or not. */
static bool all_have_joined(const struct snapshot *snapshot)
{
	size_t nr = 0;

	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		nr += str_is(snapshot->gpus[i].nvml.fabric_state, "completed");
	return nr && nr == gpus_bound_to(snapshot, "nvidia");
}

/* Where the whole driver was updated, the next boot brings both together. */
static bool waits_for_reboot(const struct snapshot *snapshot, const struct module *nvidia, const char *version)
{
	if (is_known(nvidia->disk_version) && !version_compare(str_or(nvidia->disk_version, ""), version))
		return true;
	for (size_t i = 0; i < snapshot->nr_user_libraries; i++)
		if (bool_or(snapshot->user_libraries[i].is_loaded_first, false) &&
		    is_known(snapshot->user_libraries[i].version) &&
		    !version_compare(str_or(snapshot->user_libraries[i].version, ""), version))
			return true;
	return false;
}

/*
 * The package of a part of NVLink's software that is of another version than the loaded module, and stays so over the
 * next boot; NULL: none.
 */
static const struct software *find_odd_package(const struct snapshot *snapshot, const char *part)
{
	const struct module *nvidia = nvidia_module(snapshot);
	const char *version = nvidia ? str_or(nvidia->version, NULL) : NULL;
	const struct software *package = version ? find_fabric_part(snapshot, part, version) : NULL;

	if (!package || !version_compare(str_or(package->version, ""), version) ||
	    waits_for_reboot(snapshot, nvidia, str_or(package->version, "")))
		return NULL;
	return package;
}

/* Its version, as evidence of that name, and itself. */
static void say_package(struct judgement *j, const struct software *package, const char *name)
{
	about(j, str_or(package->key, "?"));
	derive_str(j, name, want(j, software, package, version), "dpkg");
	derive_str(j, "package", str_or(package->key, "?"), "/var/lib/dpkg/status");
	about(j, NULL);
}

/* Only where find_odd_package() found one is there a module to tell of. */
static void say_module(struct judgement *j)
{
	const struct module *nvidia = nvidia_module(j->snapshot);

	derive_str(j, "module_version", str_or(nvidia->version, "?"),
		   "/sys/module/nvidia/version, /proc/driver/nvidia/version");
}

/* True where a finding is raised. */
static bool judge_package(struct judgement *j, bool runs)
{
	const struct software *package = find_odd_package(j->snapshot, "fabric-manager");

	if (!package)
		return false;
	say_package(j, package, "fabric_manager");
	say_module(j);
	finding_add(j, runs ? DAEMONS_FABRIC_MANAGER_PENDING : DAEMONS_FABRIC_MANAGER_OTHER);
	return true;
}

static void judge_fabric_manager(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	const struct daemon *daemon = find_daemon(snapshot, "nv-fabricmanager");
	const char *why = daemon_excuse(snapshot);

	if (!has_fabric_manager(snapshot))
		return;
	question(j);
	derive(j, "gpus", UNIT_COUNT, (double)gpus_bound_to(snapshot, "nvidia"), "GPUs under test that nvidia drives");
	need(j, bus, &snapshot->bus, nvswitches);
	if (daemon) {
		about(j, str_or(daemon->key, "?"));
		need(j, daemon, daemon, comm);
		about(j, NULL);
		judge_package(j, true);
		return;
	}
	if (all_have_joined(snapshot))
		return;
	if (why)
		unknown(j, why);
	else if (!judge_package(j, false))
		finding_add(j, DAEMONS_FABRIC_MANAGER_MISSING);
}

/* DCGM's ears for switches: NSCQ, and NVSDM for those of the fourth generation. */
static void judge_switch_monitors(struct judgement *j)
{
	static const char *const monitors[][2] = { { "nscq", "NSCQ" }, { "nvsdm", "NVSDM" } };

	if (!has_fabric_manager(j->snapshot))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(monitors); i++) {
		const struct software *package = find_odd_package(j->snapshot, monitors[i][0]);

		if (!package)
			continue;
		question(j);
		say_package(j, package, "part_version");
		derive_str(j, "part", monitors[i][1], "its package");
		say_module(j);
		finding_add_of(j, DAEMONS_SWITCH_MONITOR_OTHER, monitors[i][0]);
	}
}

/* A display's GPU is kept ready by its display server. */
static bool is_compute_card(const struct gpu *gpu)
{
	return !strncmp(str_or(gpu->pci.class_code, ""), "0x0302", strlen("0x0302"));
}

static void judge_persistence(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	size_t *indexes = NULL, nr = 0;

	question(j);
	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &snapshot->gpus[i];

		if (!is_known(gpu->nvml.persistence) || bool_or(gpu->nvml.persistence, true) || !is_compute_card(gpu))
			continue;
		about(j, str_or(gpu->key, "?"));
		want(j, nvml_gpu, &gpu->nvml, persistence);
		indexes = arena_grow(j->arena, indexes, nr, sizeof(*indexes));
		indexes[nr++] = gpu_number(snapshot, gpu);
	}
	about(j, NULL);
	if (!nr)
		return;
	derive_str(j, "which", gpu_ranges(j->arena, indexes, nr), "GPUs with persistence mode off");
	finding_add(j, DAEMONS_PERSISTENCE_OFF);
}

/* GPUs that belong to an NVLink domain of several nodes. Kubernetes may start the daemon with each job only. */
static void judge_imex(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;

	question(j);
	if (find_daemon(snapshot, "nvidia-imex") || daemon_excuse(snapshot))
		return;
	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &snapshot->gpus[i];

		if (!is_in_nvlink_domain(snapshot, gpu))
			continue;
		about(j, str_or(gpu->key, "?"));
		want(j, nvml_gpu, &gpu->nvml, fabric_state);
		about(j, NULL);
		finding_add(j, DAEMONS_IMEX_ABSENT);
		return;
	}
}

/* "nv-fabricmanager 550.54.14, nvidia-persistenced" */
static void say_what_runs(struct judgement *j)
{
	static const char *const programs[] = { "nv-fabricmanager", "nvidia-persistenced", "nvidia-imex" };
	const struct snapshot *snapshot = j->snapshot;
	const struct module *nvidia = nvidia_module(snapshot);
	STRBUF_AUTO words = STRBUF_INIT;

	question(j);
	need(j, processes, &snapshot->processes, seen);
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		const struct daemon *daemon = find_daemon(snapshot, programs[i]);
		const struct software *package = i || !nvidia ? NULL :
			find_fabric_part(snapshot, "fabric-manager", str_or(nvidia->version, ""));

		if (!daemon)
			continue;
		about(j, str_or(daemon->key, "?"));
		want(j, daemon, daemon, comm);
		strbuf_addf(&words, "%s%s", words.len ? ", " : "", programs[i]);
		if (package)
			strbuf_addf(&words, " %s", str_or(package->version, ""));
	}
	about(j, NULL);
	derive_str(j, "daemons", words.len ? arena_strdup(j->arena, words.buf) : "no NVIDIA daemon", "/proc");
}

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;

	if (!snapshot->nr_gpus && !is_known(snapshot->bus.gpus)) {
		need(j, bus, &snapshot->bus, gpus);
	} else if (!nvidia_drives_any(snapshot)) {
		skip_check(j, "not applicable (no NVIDIA GPU)");
	} else if (is_in_container(snapshot)) {
		skip_check(j, "the host's daemons are not visible in a container");
	} else if (snapshot->processes.seen.state == VAL_UNSET) {
		skip_check(j, "processes not collected");
	} else {
		judge_fabric_manager(j);
		judge_switch_monitors(j);
		judge_persistence(j);
		judge_imex(j);
		say_what_runs(j);
	}
}

const struct check check_daemons = {
	.name = "daemons",
	.title = "GPU daemons",
	.doc = "Are the daemons that NVIDIA's GPUs need running? With NVSwitches on the bus, the fabric manager must "
	       "run, in the driver's version: without it every compute program fails (CUDA error 802). Not checked if "
	       "a module parameter disables NVLink, or in the first minutes after boot; unknown in a container, or "
	       "where processes are hidden. Persistence mode off, a missing nvidia-imex, and NSCQ or NVSDM of another "
	       "version than the driver, through which DCGM monitors the switches, are notes.",
	.per = SUBJECT_NODE,
	.needs = NEEDS_VENDOR,
	.says = "{daemons} running",
	.may_emit = IDS(DAEMONS_FABRIC_MANAGER_MISSING, DAEMONS_FABRIC_MANAGER_OTHER, DAEMONS_FABRIC_MANAGER_PENDING,
			DAEMONS_SWITCH_MONITOR_OTHER, DAEMONS_PERSISTENCE_OFF, DAEMONS_IMEX_ABSENT),
	.eval = eval,
};
