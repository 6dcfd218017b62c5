// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/strbuf.h"
#include "checks/playbook.h"
#include "eval/fabric.h"
#include "eval/nvidia_targets.h"
#include "snapshot/daemons.h"
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
} parts[] = {
	{ "fabric-manager", "fabric manager", TARGET_FABRIC_OTHER },
	{ "nscq", "NSCQ", TARGET_FABRIC_MONITOR_OTHER },
	{ "nvsdm", "NVSDM", TARGET_FABRIC_MONITOR_OTHER },
	{ "imex", "IMEX", TARGET_FABRIC_IMEX_OTHER },
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
	look(j, bus, &j->snapshot->bus, nvswitches);
	about(j, str_or(package->key, "?"));
	derive_str(j, "part_version", look(j, software, package, version), "its package");
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

static void judge(struct judgement *j, const char *target)
{
	const struct snapshot *snapshot = j->snapshot;
	struct packages packages = find_packages(snapshot, target);

	if (packages.nr) {
		say_what_there_is(j, &packages);
		for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
			if (packages.of[i])
				judge_part(j, &parts[i], packages.of[i], target);
		return;
	}
	/* A list that was read and has none: they come with the driver's container, or are missing (daemons). */
	if (is_known(snapshot->listed.software))
		skip_check(j, "no package of the fabric manager, of NSCQ, NVSDM or IMEX is installed here");
	else
		unknown(j, "which fabric manager is installed nobody told; it has to be {to_driver} too");
}

static void eval(struct judgement *j)
{
	const struct request *request = &j->snapshot->request;

	if (!is_known(request->to_driver))
		skip_check(j, "no other driver is asked about (--to-driver)");
	else if (!has_fabric_manager(j->snapshot) && !is_in_domain(j->snapshot))
		skip_check(j, "no NVSwitches that a fabric manager would serve, and no NVLink between nodes");
	else if (is_in_container(j->snapshot))
		skip_check(j, "the fabric manager is the host's affair");
	else
		judge(j, need(j, request, request, to_driver));
}

const struct check check_target_fabric = {
	.name = "target-fabric",
	.title = "NVLink's software and the driver to go to",
	.doc = "Is NVLink's software of the version that gpudiag gate was asked about (--to-driver)? On a board with "
	       "NVSwitches the fabric manager serves no driver of another version, and without it no GPU of the board "
	       "starts any work: a warning, for both have to be changed together. NSCQ (NVSDM of fourth-generation "
	       "switches) of another version costs what DCGM tells of the switches, which is a note. Where NVLink "
	       "joins several nodes, nvidia-imex may not start with another driver: a warning. The subnet manager of "
	       "fourth-generation switches, nvlsm, has versions of its own and is not judged by them.",
	.per = SUBJECT_NODE,
	.says = "{parts}: of {to_driver}",
	.may_emit = IDS(TARGET_FABRIC_OTHER, TARGET_FABRIC_MONITOR_OTHER, TARGET_FABRIC_IMEX_OTHER),
	.eval = eval,
};
