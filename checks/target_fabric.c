// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/strbuf.h"
#include "checks/playbook.h"
#include "eval/facts/fabric.h"
#include "eval/facts/upgrade.h"
#include "eval/nvidia/nvidia_targets.h"
#include "snapshot/node.h"
#include "snapshot/under_test.h"

/*
 * The parts of NVLink's software that NVIDIA publishes with each driver, in its version. NSCQ's has to be the driver's
 * (README of NVIDIA's yum-packaging-libnvidia-nscq); NVSDM, which took its place with the fourth generation of
 * switches, and IMEX are installed so (install.sh of NVIDIA's gpu-driver-container). IMEX looks at the driver that is
 * loaded when it starts, and ends where they do not go together (NVIDIA's IMEX guide, Getting Started). The subnet
 * manager, nvlsm, has versions of its own (2025.10.14), of which no document says which goes with which driver.
 */
static const struct part {
	const char *name;
	const char *words;
	enum finding_id other;
	const char *program;		/* that runs; NULL: a library */
} parts[] = {
	{ "fabric-manager", "fabric manager", TARGET_FABRIC_OTHER, "nv-fabricmanager" },
	{ "nscq", "NSCQ", TARGET_FABRIC_MONITOR_OTHER, NULL },
	{ "nvsdm", "NVSDM", TARGET_FABRIC_MONITOR_OTHER, NULL },
	{ "imex", "IMEX", TARGET_FABRIC_IMEX_OTHER, "nvidia-imex" },
};

static bool is_in_domain(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &snapshot->gpus[i];

		if (gpu_is_under_test(snapshot, gpu) && is_in_nvlink_domain(snapshot, gpu))
			return !find_daemon(snapshot, "nv-fabricmanager");
	}
	return false;
}

/* Their packages, in the order of parts; what is installed and serves nothing here may be of any version: NULL. */
struct packages {
	size_t nr;
	const struct software *of[ARRAY_SIZE(parts)];
};

static struct packages find_packages(const struct snapshot *snapshot, const char *target)
{
	bool has_manager = has_fabric_manager(snapshot), in_domain = is_in_domain(snapshot);
	struct packages ret = { .nr = 0 };

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (parts[i].other == TARGET_FABRIC_IMEX_OTHER ? in_domain : has_manager)
			ret.of[i] = find_fabric_part(snapshot, parts[i].name, target);
		ret.nr += ret.of[i] != NULL;
	}
	return ret;
}

static void judge_part(struct judgement *j, const struct part *part, const struct software *package, const char *target)
{
	question(j);
	need(j, request, &j->snapshot->request, to_driver);
	want(j, bus, &j->snapshot->bus, nvswitches);
	about(j, str_or(package->key, "?"));
	derive_str(j, "part_version", want(j, software, package, version), "its package");
	about(j, NULL);
	derive_str(j, "part", part->words, "its package");
	derive_str(j, "package", str_or(package->key, "?"), "its package");
	if (!nvidia_version_is(str_or(package->version, ""), target))
		finding_add_of(j, part->other, part->name);
}

/* "fabric manager 550.54.14, NSCQ 550.54.14" */
static void say_what_there_is(struct judgement *j, const struct packages *packages)
{
	STRBUF_AUTO words = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (packages->of[i])
			strbuf_addf(&words, "%s%s %s", words.len ? ", " : "", parts[i].words,
				    str_or(packages->of[i]->version, "?"));
	derive_str(j, "parts", arena_strdup(j->arena, words.buf), "their packages");
}

/* What serves the driver that is loaded serves it when it is put on anew. */
static bool is_loaded(const struct snapshot *snapshot, const char *target)
{
	const struct module *nvidia = nvidia_module(snapshot);

	return nvidia && is_known(nvidia->version) && nvidia_version_is(str_or(nvidia->version, ""), target);
}

/*
 * No package tells its version. One that runs serves the loaded driver, and so has to go along; where none runs, nobody
 * knows whether one of the version to come can be had.
 */
static void judge_unpackaged(struct judgement *j, const struct part *part, const char *target)
{
	const struct snapshot *snapshot = j->snapshot;
	const struct daemon *daemon = find_daemon(snapshot, part->program);
	const char *why = is_known(snapshot->upgrade.os_id) ? not_of_packages(j->arena, snapshot) : NULL;

	question(j);
	need(j, request, &snapshot->request, to_driver);
	want(j, bus, &snapshot->bus, nvswitches);
	derive_str(j, "part", part->words, "the driver's release");
	if (why) {
		skip_check(j, why);
	} else if (is_loaded(snapshot, target)) {
		skip_check(j, "{to_driver} is the loaded driver, and the {part} works with it");
	} else if (daemon) {
		about(j, str_or(daemon->key, "?"));
		need(j, daemon, daemon, comm);
		about(j, NULL);
		finding_add_of(j, TARGET_FABRIC_UNPACKAGED, part->name);
	} else if (part->other == TARGET_FABRIC_IMEX_OTHER && !daemon_excuse(snapshot)) {
		skip_check(j, "nvidia-imex is not running in this NVLink domain");
	} else {
		unknown(j, "{part} version unknown (no package, no daemon); it must be {to_driver} too");
	}
}

static void judge(struct judgement *j, const char *target)
{
	const struct snapshot *snapshot = j->snapshot;
	struct packages packages = find_packages(snapshot, target);
	const struct part *manager = &parts[0], *imex = &parts[ARRAY_SIZE(parts) - 1];

	if (packages.nr)
		say_what_there_is(j, &packages);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (packages.of[i])
			judge_part(j, &parts[i], packages.of[i], target);
	if (has_fabric_manager(snapshot) && !packages.of[0])
		judge_unpackaged(j, manager, target);
	if (is_in_domain(snapshot) && !packages.of[ARRAY_SIZE(parts) - 1])
		judge_unpackaged(j, imex, target);
}

static void eval(struct judgement *j)
{
	const struct request *request = &j->snapshot->request;

	if (!is_known(request->to_driver))
		skip_check(j, "no other driver requested (--to-driver)");
	else if (!has_fabric_manager(j->snapshot) && !is_in_domain(j->snapshot))
		skip_check(j, "no NVSwitches and no NVLink between nodes");
	else if (is_in_container(j->snapshot))
		skip_check(j, "the fabric manager runs on the host");
	else
		judge(j, need(j, request, request, to_driver));
}

const struct check check_target_fabric = {
	.name = "target-fabric",
	.title = "NVLink software for the requested driver",
	.doc = "Does NVLink's software match the requested driver (--to-driver)? On a board with NVSwitches the "
	       "fabric manager works only with a driver of its own version, and without it no GPU of the board can "
	       "start work: a warning, as both must be changed together. With another version of NSCQ (NVSDM on "
	       "fourth-generation switches), DCGM cannot monitor the switches: a note. In an NVLink domain of several "
	       "nodes, nvidia-imex may not start with another driver: a warning. If the version is unknown, a running "
	       "daemon is a warning; without one the check is not judged, and the gate cannot decide. The subnet "
	       "manager of fourth-generation switches, nvlsm, has its own versions and is not checked.",
	.per = SUBJECT_NODE,
	.says = "{parts}: match {to_driver}",
	.may_emit = IDS(TARGET_FABRIC_OTHER, TARGET_FABRIC_UNPACKAGED, TARGET_FABRIC_MONITOR_OTHER,
			TARGET_FABRIC_IMEX_OTHER),
	.eval = eval,
};
