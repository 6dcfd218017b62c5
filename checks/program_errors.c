// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"
#include "base/text_scan.h"
#include "checks/playbook.h"
#include "eval/facts/models.h"
#include "eval/facts/sources.h"
#include "eval/log/kernel_log.h"
#include "eval/log/log_blame.h"

/* The keys of program_error.c; what a program does to itself is told in a note. */
static const struct {
	const char *key;
	enum finding_id finding;
} findings[] = {
	{ "ecc", PROGRAM_ERRORS_ECC },
	{ "nvlink", PROGRAM_ERRORS_NVLINK },
	{ "fabric", PROGRAM_ERRORS_FABRIC_MANAGER },
	{ "fabric-unit", PROGRAM_ERRORS_FABRIC_MANAGER },
	{ "multicast", PROGRAM_ERRORS_MULTICAST },
	{ "shm", PROGRAM_ERRORS_SHARED_MEMORY },
	{ "bus-error", PROGRAM_ERRORS_BUS_ERROR },
	{ "persistenced", PROGRAM_ERRORS_PERSISTENCED },
	{ "persistenced-ended", PROGRAM_ERRORS_PERSISTENCED_ENDED },
	{ "vgpu", PROGRAM_ERRORS_VGPU },
	{ "passthrough", PROGRAM_ERRORS_PASSTHROUGH },
	{ "dcgm", PROGRAM_ERRORS_DCGM },
	{ "exporter", PROGRAM_ERRORS_EXPORTER },
	{ "xpum", PROGRAM_ERRORS_XPU_MANAGER },
	{ "xpum-daemon", PROGRAM_ERRORS_XPU_DAEMON },
	{ "said", PROGRAM_ERRORS_FAULT_SAID },
	{ "unlisted", PROGRAM_ERRORS_UNLISTED },
	{ "ended", PROGRAM_ERRORS_ENDED },
	{ "quoted", PROGRAM_ERRORS_QUOTED },
	{ "likely", PROGRAM_ERRORS_LIKELY },
	{ "hung-tool", PROGRAM_ERRORS_TOOL_HANGS },
	{ "waiting-tool", PROGRAM_ERRORS_TOOL_WAITS },
	{ "tool-crashed", PROGRAM_ERRORS_TOOL_CRASHED },
	{ "not-read", PROGRAM_ERRORS_NOT_READ },
	{ "aborted", PROGRAM_ERRORS_RUNTIME_ABORTED },
	{ "video", PROGRAM_ERRORS_VIDEO },
	{ "on-cpu", PROGRAM_ERRORS_ON_CPU },
	{ "not-a-number", PROGRAM_ERRORS_NOT_A_NUMBER },
	{ "not-installed", PROGRAM_ERRORS_NOT_INSTALLED },
	{ "build", PROGRAM_ERRORS_MODULE_BUILD },
	{ "module-extra", PROGRAM_ERRORS_MODULE_EXTRA },
	{ "other-gpu", PROGRAM_ERRORS_OTHER_GPU },
	{ "package", PROGRAM_ERRORS_NO_LIBRARY },
	{ "symbol", PROGRAM_ERRORS_NO_LIBRARY },
	{ "imex", PROGRAM_ERRORS_IMEX },
	{ "allocatable", PROGRAM_ERRORS_NOT_ALLOCATABLE },
	{ "none-allocatable", PROGRAM_ERRORS_NONE_ALLOCATABLE },
	{ "unhealthy", PROGRAM_ERRORS_MARKED_UNHEALTHY },
	{ "too-few", PROGRAM_ERRORS_TOO_FEW },
	{ "toolkit", PROGRAM_ERRORS_NO_TOOLKIT },
	{ "plugin", PROGRAM_ERRORS_NO_TOOLKIT },
	{ "plugin-unregistered", PROGRAM_ERRORS_PLUGIN_UNREGISTERED },
	{ "denied", PROGRAM_ERRORS_DENIED },
	{ "license", PROGRAM_ERRORS_UNLICENSED },
	{ "bmc-limit", PROGRAM_ERRORS_BMC_LIMIT },
	{ "bmc-fault", PROGRAM_ERRORS_BMC_FAULT },
	{ "bmc-power", PROGRAM_ERRORS_BMC_POWER },
	{ "bmc-host-limit", PROGRAM_ERRORS_BMC_HOST_LIMIT },
	{ "host-hot", PROGRAM_ERRORS_HOST_HOT },
	{ "bmc-memory", PROGRAM_ERRORS_BMC_MEMORY },
	{ "bmc-host", PROGRAM_ERRORS_BMC_HOST },
	{ "bmc-noted", PROGRAM_ERRORS_BMC_NOTED },
	{ "container", PROGRAM_ERRORS_CONTAINER },
	{ "container-driver", PROGRAM_ERRORS_CONTAINER_DRIVER },
	{ "mig", PROGRAM_ERRORS_MIG_CONFIG },
	{ "not-reset", PROGRAM_ERRORS_NOT_RESET },
	{ "gres", PROGRAM_ERRORS_GRES_FEWER },
	{ "gres-file", PROGRAM_ERRORS_GRES_NO_DEVICE },
	{ "gres-config", PROGRAM_ERRORS_GRES_CONFIG },
	{ "node-not-ready", PROGRAM_ERRORS_NODE_NOT_READY },
	{ "slurm-out", PROGRAM_ERRORS_SLURM_OUT },
	{ "slurm-config", PROGRAM_ERRORS_SLURM_CONFIG },
	{ "slurm-refused", PROGRAM_ERRORS_SLURM_REFUSED },
	{ "pyxis", PROGRAM_ERRORS_PYXIS },
	{ "file-server", PROGRAM_ERRORS_FILE_SERVER },
	{ "file-stale", PROGRAM_ERRORS_FILE_STALE },
	{ "node-fault", PROGRAM_ERRORS_NODE_FAULT },
	{ "node-trouble", PROGRAM_ERRORS_NODE_TROUBLE },
	{ "gpu-pod", PROGRAM_ERRORS_GPU_POD },
	{ "gpu-pod-of-some", PROGRAM_ERRORS_GPU_POD_OF_SOME },
	{ "pod-killed", PROGRAM_ERRORS_POD_KILLED },
	{ "node-service", PROGRAM_ERRORS_NODE_SERVICE },
	{ "disk-link", PROGRAM_ERRORS_DISK_LINK_NARROW },
	{ "clock", PROGRAM_ERRORS_CLOCK_NOT_SET },
	{ "storage-cluster", PROGRAM_ERRORS_STORAGE_CLUSTER },
	{ "unit", PROGRAM_ERRORS_UNIT_FAILED },
	{ "job-node", PROGRAM_ERRORS_JOB_NODE_FAILED },
	{ "job-ended", PROGRAM_ERRORS_JOB_ENDED },
	{ "job-script", PROGRAM_ERRORS_JOB_SCRIPT },
	{ "slurm-hardware", PROGRAM_ERRORS_SLURM_HARDWARE },
	{ "slurm-file", PROGRAM_ERRORS_SLURM_FILE },
	{ "rdma-device", PROGRAM_ERRORS_RDMA_DEVICE },
	{ "container-service", PROGRAM_ERRORS_CONTAINER_SERVICE },
	{ "drained", PROGRAM_ERRORS_DRAINED },
	{ "not-ready", PROGRAM_ERRORS_NOT_READY },
	{ "old-driver", PROGRAM_ERRORS_OLD_DRIVER },
	{ "mismatch", PROGRAM_ERRORS_MISMATCH },
	{ "library", PROGRAM_ERRORS_MISMATCH },
	{ "device-lost", PROGRAM_ERRORS_DEVICE_LOST },
	{ "gpu-hang", PROGRAM_ERRORS_DEVICE_LOST },
	{ "unknown", PROGRAM_ERRORS_UNKNOWN_ERROR },
	{ "xserver", PROGRAM_ERRORS_X_SERVER },
	{ "xserver-display", PROGRAM_ERRORS_X_DISPLAY },
	{ "xserver-glx", PROGRAM_ERRORS_X_GLX },
	{ "hpl", PROGRAM_ERRORS_HPL_WARNED },
	{ "hpl-wrong", PROGRAM_ERRORS_HPL_WRONG },
	{ "wrong-result", PROGRAM_ERRORS_WRONG_RESULT },
	{ "copied-wrong", PROGRAM_ERRORS_COPIED_WRONG },
	{ "tests", PROGRAM_ERRORS_TESTS_FAILED },
	{ "gpu-hot", PROGRAM_ERRORS_GPU_HOT },
	{ "rdma-memory", PROGRAM_ERRORS_RDMA_MEMORY },
	{ "transport", PROGRAM_ERRORS_TRANSPORT },
	{ "network-path", PROGRAM_ERRORS_NETWORK_PATH },
	{ "network", PROGRAM_ERRORS_NETWORK },
	{ "collective", PROGRAM_ERRORS_COLLECTIVE },
	{ "nccl", PROGRAM_ERRORS_NCCL },
	{ "access", PROGRAM_ERRORS_APPLICATION },
	{ "launch", PROGRAM_ERRORS_APPLICATION },
	{ "memory", PROGRAM_ERRORS_OUT_OF_MEMORY },
	{ "busy", PROGRAM_ERRORS_NO_DEVICE },
	{ "none", PROGRAM_ERRORS_NO_DEVICE },
};

/*
 * So the fabric manager ends on every machine without NVSwitches, where cards are all there is, and nothing misses it.
 */
static bool finds_no_switch(const struct snapshot *snapshot, const char *words)
{
	if ((!strstr(words, "NVSwitch device information") && !strstr(words, "nvidia-fabricmanager.service") &&
	     !strstr(words, "NVIDIA fabric manager service")) || !snapshot->nr_gpus)
		return false;
	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		if (!is_known(snapshot->gpus[i].nvml.name) || gpu_is_module_by_name(&snapshot->gpus[i]))
			return false;
	return true;
}

/* The service for licenses comes with the driver, and ends on a machine that is no guest of a vGPU. */
static bool needs_no_license(const struct snapshot *snapshot, const char *words)
{
	if (!text_begins(words, "nvidia-gridd.service: failed"))
		return false;
	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		if (str_is(snapshot->gpus[i].nvml.virtualization, "vgpu"))
			return false;
	return true;
}

/* "… (7 < 8)", and eight GPUs that answer now: Slurm was right once. */
static bool are_all_back(const struct snapshot *snapshot, const char *words)
{
	const char *at = strstr(words, "< ");
	uint64_t configured = 0, nr = 0;
	bool fits = true;

	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		nr += is_known(snapshot->gpus[i].nvml.handle);
	at = at ? at + 2 : "";
	return scan_u64(&at, 10, &configured, &fits) && fits && nr >= configured;
}

/* What Slurm misses other dumps may show to be there. */
static bool has_ended(const struct snapshot *snapshot, const struct program_error *error)
{
	/* A license that was got after the failure: of none that stands below it. */
	if (!u64_or(error->lines, 1))
		return true;
	if (str_is(error->key, "gres"))
		return are_all_back(snapshot, str_or(error->words, ""));
	if (str_is(error->key, "gres-file"))
		for (size_t i = 0; i < snapshot->nr_gpus; i++)
			if (is_known(snapshot->gpus[i].nvml.handle))
				return true;
	return false;
}

/* What a text tells in words it also shows. */
static bool shows_fault(const struct judgement *j)
{
	for (size_t i = 0; i < j->log->nr; i++)
		if (j->log->incidents[i].outcome > OUTCOME_NOTE)
			return true;
	for (size_t i = 0; i < j->snapshot->nr_gpus; i++)
		if (j->snapshot->gpus[i].nvml.handle.state == VAL_LOST ||
		    j->snapshot->gpus[i].nvml.handle.state == VAL_ERROR)
			return true;
	/* A service that has nothing to do with it is none, nor is the count of tests, which says not why. */
	return j->snapshot->nr_program_errors >
	       1u + (list_find(j->snapshot, program_errors, program_error, "unit") != NULL) +
		       (list_find(j->snapshot, program_errors, program_error, "tests") != NULL);
}

static bool has_any_key(const struct snapshot *snapshot, const char *const *keys, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (list_find(snapshot, program_errors, program_error, keys[i]))
			return true;
	return false;
}

/*
 * systemd says that it ended, and it said itself why; NCCL that a call failed, and the call's own words say why. So
 * does what pyxis started, and slurmctld when it drains a node.
 */
static bool is_told_better(const struct judgement *j, const struct program_error *error)
{
	const struct snapshot *snapshot = j->snapshot;
	static const char *const reasons[] = { "ecc", "nvlink", "multicast", "shm", "not-ready", "old-driver",
					       "mismatch", "library", "unknown", "memory", "access", "launch",
					       "other-gpu", "busy", "none", "rdma-memory" };

	static const char *const runtimes[] = { "container", "container-driver", "toolkit" };
	static const char *const drains[] = { "gres", "gres-config", "slurm-config", "drained" };

	if (str_is(error->key, "nccl") && has_any_key(snapshot, reasons, ARRAY_SIZE(reasons)))
		return true;
	if (str_is(error->key, "said") || str_is(error->key, "unlisted") || str_is(error->key, "ended") ||
	    str_is(error->key, "quoted") || str_is(error->key, "likely"))
		return shows_fault(j);
	if (str_is(error->key, "pyxis"))
		return has_any_key(snapshot, runtimes, ARRAY_SIZE(runtimes));
	if (str_is(error->key, "slurm-out") && strstr(str_or(error->words, ""), "state set to"))
		return has_any_key(snapshot, drains, ARRAY_SIZE(drains));
	if (str_is(error->key, "plugin") && !snapshot->nr_gpus)
		return list_find(snapshot, program_errors, program_error, "none");
	return str_is(error->key, "fabric-unit") && list_find(snapshot, program_errors, program_error, "fabric");
}

/* Why the plugin gave the GPU up is a fault of its own in the same log. Redacted, the line names no GPU any more. */
static bool has_its_fault(const struct judgement *j, const struct program_error *error)
{
	bool is_redacted = bool_or(j->snapshot->run.redacted, false);

	if (!str_is(error->key, "unhealthy"))
		return false;
	for (size_t i = 0; i < j->log->nr; i++) {
		const struct log_incident *incident = &j->log->incidents[i];

		if (incident->outcome > OUTCOME_NOTE && *incident->worst->unit &&
		    (is_redacted || strstr(str_or(error->line, ""), incident->worst->unit)))
			return true;
	}
	return false;
}

/* An Xid that programs cause, of the GPU that the plugin gave up; a card that it does not know how to watch. */
static void point_for_plugin(struct judgement *j, const struct program_error *error)
{
	const char *line = str_or(error->line, "");

	if (strstr(line, "too old to support healt"))
		question_blames(j, BLAME_CONFIG, "The plugin cannot watch a GPU of this age, and can be told not to.");
	for (size_t i = 0; i < j->log->nr; i++) {
		const struct log_incident *incident = &j->log->incidents[i];

		if (*incident->worst->unit && strstr(line, incident->worst->unit) &&
		    finding_defs[log_finding(incident->worst->row)].blame == BLAME_APPLICATION)
			question_blames(j, BLAME_APPLICATION,
					"The Xid that it names is one that programs cause, as a rule.");
	}
}

/* One less than there should be may be lost or never was; that all are missing is what they have in common. */
static void point_for_count(struct judgement *j, const struct program_error *error)
{
	if (strstr(str_or(error->words, ""), "(0 < "))
		question_blames(
			j, BLAME_CONFIG,
			"None is there: the driver is not loaded, or Slurm's files name GPUs that this node does not have.");
}

/* Who drained the node, or the health check that did, wrote why. */
static void point_for_drain(struct judgement *j, const struct program_error *error)
{
	static const struct { const char *word; enum blame blame; } reasons[] = {
		{ "ecc error", BLAME_HARDWARE }, { "uncorrectable", BLAME_HARDWARE }, { "remap", BLAME_HARDWARE },
		{ "double bit", BLAME_HARDWARE }, { "fallen off", BLAME_HARDWARE }, { "fell off", BLAME_HARDWARE },
		{ "gpu lost", BLAME_HARDWARE }, { "gpu is lost", BLAME_HARDWARE }, { "nvlink", BLAME_LINK },
		{ "pcie", BLAME_LINK },
		{ "thermal", BLAME_THERMAL_POWER }, { "overheat", BLAME_THERMAL_POWER },
		{ "power", BLAME_THERMAL_POWER },
		{ "driver", BLAME_DRIVER }, { "nvml", BLAME_DRIVER },
	};
	size_t row;

	if (text_find_row(str_or(error->line, ""), &reasons[0].word, sizeof(*reasons), ARRAY_SIZE(reasons), true, &row))
		question_blames(j, reasons[row].blame, "Whom to blame is as that reason has it.");
}

/* What else the toolkit's log says of it. */
static void point_for_toolkit(struct judgement *j)
{
	const struct program_error *none = list_find(j->snapshot, program_errors, program_error, "none");

	if (none && text_begins(str_or(none->words, ""), "libcuda.so.1: cannot open"))
		question_blames(j, BLAME_CONFIG, "The driver's library is not where the toolkit looks for it.");
}

/* Of a line that no rule is for: who speaks in it, or what its words are about. The first that it has decides. */
static void point_by_subject(struct judgement *j, const struct program_error *error)
{
	static const struct { const char *word; enum blame blame; } subjects[] = {
		{ " ECC", BLAME_HARDWARE }, { "ncorrectable", BLAME_HARDWARE }, { "ERR!", BLAME_HARDWARE },
		{ "NVRM", BLAME_DRIVER }, { "NVIDIA(", BLAME_DRIVER }, { "amdgpu:", BLAME_DRIVER }, { "amdkfd", BLAME_DRIVER },
		{ "AMDSMI_STATUS", BLAME_DRIVER }, { "RSMI_STATUS", BLAME_DRIVER }, { "habanalabs", BLAME_DRIVER },
		{ "IpcGetMemHandle failed", BLAME_DRIVER }, { "zeInit", BLAME_DRIVER }, { "HSA_STATUS", BLAME_DRIVER },
		{ "o space left", BLAME_HOST }, { "mount.nfs", BLAME_CONFIG }, { "NVLink", BLAME_LINK },
		{ "ermission", BLAME_CONFIG }, { "enied", BLAME_CONFIG }, { "not permitted", BLAME_CONFIG },
		{ "kmods", BLAME_CONFIG }, { "DKMS", BLAME_CONFIG }, { "dkms", BLAME_CONFIG }, { "nmet ", BLAME_CONFIG },
		{ "OCI runtime", BLAME_CONFIG }, { "sandbox", BLAME_CONFIG }, { "mount hook", BLAME_CONFIG },
		{ "ailed loading ", BLAME_CONFIG }, { "shared object", BLAME_CONFIG }, { "ncompatible", BLAME_CONFIG },
		{ "not compatible", BLAME_CONFIG }, { "nvalid value", BLAME_CONFIG }, { "onfig", BLAME_CONFIG },
		{ "/dev/dri", BLAME_CONFIG }, { "/dev/kfd", BLAME_CONFIG }, { "renderD1", BLAME_CONFIG }, { "vfio", BLAME_CONFIG },
		{ "PCI device", BLAME_CONFIG }, { "/sys/bus/pci", BLAME_CONFIG },
		{ "NVML", BLAME_DRIVER }, { "nvml", BLAME_DRIVER }, { "river", BLAME_DRIVER }, { "irmware", BLAME_DRIVER },
		{ "ernel module", BLAME_DRIVER }, { "evice open", BLAME_DRIVER }, { "(EE)", BLAME_DRIVER }, { "i915", BLAME_DRIVER },
		{ "nouveau", BLAME_DRIVER }, { "amdgpu", BLAME_DRIVER },
	};
	const char *line = str_or(error->line, "");

	for (size_t i = 0; i < ARRAY_SIZE(subjects); i++)
		if (strstr(line, subjects[i].word)) {
			question_blames(j, subjects[i].blame, "Whom to blame is a guess by what the line speaks of.");
			return;
		}
}

/* What a service says of the files that it was given; a node that runs out of RAM, and not the job of its limit. */
static void point_by_words(struct judgement *j, const struct program_error *error)
{
	static const struct { const char *key, *word; enum blame blame; const char *why; } rows[] = {
		{ "fabric", "interface version", BLAME_DRIVER, "Its package and the driver are of different versions." },
		{ "node-service", "configuration file", BLAME_CONFIG, "It is its configuration that it refuses." },
		{ "node-service", "expired", BLAME_CONFIG, "A certificate is to be renewed." },
		{ "pod-killed", "node running low on memory", BLAME_HOST, "It is the node that ran out of RAM." },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (str_is(error->key, rows[i].key) &&
		    (strstr(str_or(error->words, ""), rows[i].word) || strstr(str_or(error->line, ""), rows[i].word)))
			question_blames(j, rows[i].blame, rows[i].why);
}

static void point(struct judgement *j, const struct program_error *error)
{
	point_by_words(j, error);
	if (str_is(error->key, "unlisted") || str_is(error->key, "likely") || str_is(error->key, "quoted") ||
	    str_is(error->key, "nccl"))
		point_by_subject(j, error);
	if (str_is(error->key, "launch") && strstr(str_or(error->words, ""), "Native API returns"))
		question_blames(j, BLAME_DRIVER, "The runtime passes on a number of the driver below it, without a reason.");
	if (str_is(error->key, "tool-crashed") && strstr(str_or(error->line, ""), "[Errno "))
		question_blames(j, BLAME_DRIVER, "A file of the driver could not be read.");
	if (str_is(error->key, "container-driver"))
		point_for_toolkit(j);
	if (str_is(error->key, "library"))
		question_blames(j, BLAME_CONFIG,
				"In an image the file is empty until the container's runtime puts the host's there.");
	if (str_is(error->key, "gpu-pod") && strstr(str_or(error->words, ""), "driver"))
		question_blames(j, BLAME_DRIVER, "It is the pod that builds and loads the driver.");
	if (str_is(error->key, "rdma-memory") && strstr(str_or(error->line, ""), "Cannot allocate memory"))
		question_blames(j, BLAME_CONFIG, "The limit of locked memory is what refuses it so, as a rule.");
	if (str_is(error->key, "unhealthy"))
		point_for_plugin(j, error);
	else if (str_is(error->key, "gres"))
		point_for_count(j, error);
	else if (str_is(error->key, "drained"))
		point_for_drain(j, error);
}

/* "-u munge -u slurmd" of "munge.service, slurmd.service: failed"; of words without a unit those that it may be. */
static const char *units_of(struct judgement *j, const char *words)
{
	static const char service[] = ".service";
	STRBUF_AUTO units = STRBUF_INIT;

	for (const char *end = words; (end = strstr(end, service)); end += strlen(service)) {
		const char *at = end;

		while (at > words && (is_letter_or_digit(at[-1]) || at[-1] == '-'))
			at--;
		if (at < end)
			strbuf_addf(&units, "%s-u %.*s", units.len ? " " : "", (int)(end - at), at);
	}
	return units.len ? arena_strdup(j->arena, units.buf) : "-u slurmd -u kubelet -u munge -u containerd -u docker";
}

/* The device plugin says the same on a node that has no GPU, and nobody need act on it there. */
static enum finding_id finding_of(const struct judgement *j, const struct program_error *error, enum finding_id found)
{
	return str_is(error->key, "plugin") && !j->snapshot->nr_gpus ? PROGRAM_ERRORS_NO_DEVICE : found;
}

/* What failed there says nothing good of the node: of such words alone no pass follows. */
static void leave_open(struct judgement *j, enum finding_id finding)
{
	static const struct { enum finding_id finding; const char *why; } reasons[] = {
		{ PROGRAM_ERRORS_DENIED, "permission denied for a program" },
		{ PROGRAM_ERRORS_BMC_NOTED, "a log of the management controller without a present fault" },
		{ PROGRAM_ERRORS_NODE_NOT_READY, "a node that gets no jobs, for a reason that only the node shows" },
		{ PROGRAM_ERRORS_NODE_TROUBLE, "a node that gets no jobs, for a reason that only the node shows" },
		{ PROGRAM_ERRORS_SLURM_OUT, "a node that gets no jobs, for a reason that only the node shows" },
		{ PROGRAM_ERRORS_FAULT_SAID, "a fault in words, without the line of a tool or of the kernel" },
		{ PROGRAM_ERRORS_UNLISTED, "an error of a program that no rule is for" },
		{ PROGRAM_ERRORS_ENDED, "a program that ended by an error that no rule is for" },
		{ PROGRAM_ERRORS_QUOTED, "an error that the text quotes" },
		{ PROGRAM_ERRORS_LIKELY, "a line that reads like an error, and that no rule is for" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
		if (reasons[i].finding == finding) {
			unknown(j, reasons[i].why);
			return;
		}
	if (finding_defs[finding].outcome == OUTCOME_NOTE)
		unknown(j, "a program or service failed, which does not show whether the node is well");
}

/* Errors of a GPU, and not of the node, of a service or of a network. */
static bool is_of_gpu(const struct program_error *error)
{
	static const char *const keys[] = {
		"ecc", "device-lost", "gpu-hang", "unknown", "none", "other-gpu", "old-driver", "memory", "access", "launch",
		"busy", "not-read", "video", "vgpu", "passthrough", "wrong-result", "copied-wrong", "aborted", "gpu-hot", "likely",
		"unlisted",
	};

	return text_is_any(str_or(error->key, ""), keys, ARRAY_SIZE(keys));
}

/* The one that a tool of its driver lists, in the file in which the error is, and lists no other. */
static const struct gpu *only_listed(const struct judgement *j, const struct program_error *error)
{
	const struct gpu *gpu = j->snapshot->gpus;
	const struct import_source *of, *listed;

	if (j->snapshot->nr_gpus != 1 || !is_known(gpu->nvml.name))
		return NULL;
	of = source_of(j->snapshot, error->words.from);
	listed = source_of(j->snapshot, gpu->nvml.name.from);
	return of && listed && str_is(listed->file, str_or(of->file, "")) ? gpu : NULL;
}

/*
 * By its address or UUID, which its line has, or else the rest of its text. NULL: it names none of several, or counts
 * GPUs itself, or the error is no GPU's.
 */
static const struct gpu *gpu_named_by(const struct judgement *j, const struct program_error *error)
{
	const char *named = str_or(error->gpu, str_or(error->only_gpu, ""));

	if (!is_of_gpu(error))
		return NULL;
	for (size_t i = 0; i < j->snapshot->nr_gpus; i++)
		if (str_is(j->snapshot->gpus[i].key, named) || str_is(j->snapshot->gpus[i].nvml.uuid, named))
			return &j->snapshot->gpus[i];
	return *named ? NULL : only_listed(j, error);
}

/*
 * " (0000:3b:00.0)", " (GPU 3, as the program numbers them)": which one, where its line says so, or the text names or
 * lists no other; else "". gpu: of the dumps, NULL: none of them.
 */
static const char *place_named_by(struct judgement *j, const struct program_error *error, const struct gpu *gpu)
{
	const bool is_only = !is_known(error->gpu) && is_known(error->only_gpu);
	const char *named = str_or(is_only ? error->only_gpu : error->gpu, "");
	const char *only = is_only ? ", the only one named" : "";
	uint64_t number;

	if (!is_of_gpu(error))
		return "";
	if (!*named)
		return gpu ? arena_printf(j->arena, " (%s, the only one listed)", str_or(gpu->key, "?")) : "";
	if (!parse_u64(named, &number))
		return arena_printf(j->arena, " (GPU %s, as the program numbers them%s)", named, only);
	return arena_printf(j->arena, " (%s%s)", named, only);
}

/* Which of a text's lines say most of what went wrong, a person sees better than words can tell. */
static void add_beside(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	STRBUF_AUTO said = STRBUF_INIT;

	for (size_t i = 0; i < snapshot->nr_error_lines; i++) {
		want(j, error_line, &snapshot->error_lines[i], text);
		strbuf_addf(&said, "%s\"%s\"", i ? ", " : "", str_or(snapshot->error_lines[i].text, ""));
	}
	if (said.len)
		question_adds(j, arena_printf(j->arena, "Other lines that read like errors: %s.", said.buf));
}

/* are_told: the lines beside errors, which the first note has. */
static void judge_error(struct judgement *j, const struct program_error *error, bool *are_told)
{
	const char *words = str_or(error->words, "an error");
	const struct gpu *gpu = gpu_named_by(j, error);

	words += strspn(words, ")->: ");
	if (finds_no_switch(j->snapshot, words) || needs_no_license(j->snapshot, words) ||
	    has_ended(j->snapshot, error) || is_told_better(j, error) || has_its_fault(j, error))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(findings); i++) {
		if (!str_is(error->key, findings[i].key))
			continue;
		question(j);
		want(j, program_error, error, words);
		want(j, program_error, error, lines);
		want(j, program_error, error, gpu);
		if (is_of_gpu(error))
			want(j, program_error, error, only_gpu);
		if (finding_defs[findings[i].finding].outcome == OUTCOME_NOTE && !*are_told) {
			add_beside(j);
			*are_told = true;
		}
		phrase(j, "at", place_named_by(j, error, gpu));
		phrase(j, "said", str_or(error->line, words));
		phrase(j, "units", units_of(j, words));
		point(j, error);
		finding_add_at(j, finding_of(j, error, findings[i].finding), findings[i].key,
			       gpu ? str_or(gpu->key, NULL) : NULL);
		leave_open(j, findings[i].finding);
	}
}

/* ---- Xids that somebody wrote of */

/* "48 (GPU_ECC_DBE)", with the GPU where one is named beside it: "79 (GPU_HAS_FALLEN_OFF_THE_BUS) of 0000:09:00.0". */
static void add_claim(struct strbuf *out, const struct xid_claim *claim, uint64_t number)
{
	strbuf_addf(out, "%s%s (%s)", out->len ? ", " : "", str_or(claim->key, ""), log_xid_name(number));
	if (is_known(claim->gpu))
		strbuf_addf(out, " of %s", str_or(claim->gpu, ""));
}

static void judge_claims(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	STRBUF_AUTO said = STRBUF_INIT;
	enum blame blame = BLAME_NONE;

	question(j);
	for (size_t i = 0; i < snapshot->nr_xid_claims; i++) {
		const struct xid_claim *claim = &snapshot->xid_claims[i];
		uint64_t number;

		if (parse_u64(str_or(claim->key, ""), &number) || node_log_has_xid(j->log, number))
			continue;
		want(j, xid_claim, claim, lines);
		add_claim(&said, claim, number);
		blame = blame == BLAME_NONE ? log_xid_blame(number) : blame;
	}
	if (!said.len && !snapshot->nr_program_errors)
		skip_check(j, "Xids that the text names are in the log");
	if (!said.len)
		return;
	phrase(j, "said", arena_strdup(j->arena, said.buf));
	question_blames(j, blame, "Whom to blame is what such an Xid points to.");
	finding_add(j, PROGRAM_ERRORS_XID_SAID);
	unknown(j, "Xid {said} in words, without the kernel log");
}

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	bool are_told = false;

	if (!snapshot->nr_program_errors && !snapshot->nr_xid_claims) {
		skip_check(j, "no error of a program among imported dumps");
		return;
	}
	judge_claims(j);
	for (size_t i = 0; i < snapshot->nr_program_errors; i++)
		judge_error(j, &snapshot->program_errors[i], &are_told);
}

const struct check check_program_errors = {
	.name = "program-errors",
	.title = "Errors of programs",
	.doc = "What did programs of CUDA, HIP or Level Zero, and services of the node, say when the driver refused them or "
	       "their work failed, if what they printed was imported? An uncorrectable memory error and a fabric that is not ready are faults of the node, "
	       "a driver too old for the program, a GPU that was lost under it, and what schedulers wrote of a GPU "
	       "warnings; what programs do themselves is a note, and so is an Xid or a fault that only a ticket's own words name.",
	.per = SUBJECT_NODE,
	.says = NULL,
	.may_emit = IDS(
		PROGRAM_ERRORS_ECC, PROGRAM_ERRORS_NVLINK, PROGRAM_ERRORS_FABRIC_MANAGER, PROGRAM_ERRORS_MULTICAST,
		PROGRAM_ERRORS_SHARED_MEMORY, PROGRAM_ERRORS_GRES_CONFIG, PROGRAM_ERRORS_SLURM_OUT,
		PROGRAM_ERRORS_SLURM_CONFIG, PROGRAM_ERRORS_PYXIS, PROGRAM_ERRORS_FILE_SERVER,
		PROGRAM_ERRORS_NODE_NOT_READY,
		PROGRAM_ERRORS_NODE_SERVICE, PROGRAM_ERRORS_CONTAINER_SERVICE, PROGRAM_ERRORS_NODE_FAULT,
		PROGRAM_ERRORS_NODE_TROUBLE,
		PROGRAM_ERRORS_GPU_POD, PROGRAM_ERRORS_POD_KILLED, PROGRAM_ERRORS_MODULE_EXTRA,
		PROGRAM_ERRORS_OTHER_GPU, PROGRAM_ERRORS_IMEX, PROGRAM_ERRORS_EXPORTER, PROGRAM_ERRORS_NOT_ALLOCATABLE,
		PROGRAM_ERRORS_NO_TOOLKIT, PROGRAM_ERRORS_CONTAINER, PROGRAM_ERRORS_CONTAINER_DRIVER,
		PROGRAM_ERRORS_MIG_CONFIG, PROGRAM_ERRORS_NOT_RESET, PROGRAM_ERRORS_DENIED, PROGRAM_ERRORS_UNLICENSED,
		PROGRAM_ERRORS_BMC_LIMIT, PROGRAM_ERRORS_BMC_FAULT, PROGRAM_ERRORS_BMC_POWER,
		PROGRAM_ERRORS_BMC_HOST_LIMIT, PROGRAM_ERRORS_BMC_MEMORY, PROGRAM_ERRORS_BMC_HOST,
		PROGRAM_ERRORS_BMC_NOTED, PROGRAM_ERRORS_GRES_FEWER, PROGRAM_ERRORS_GRES_NO_DEVICE,
		PROGRAM_ERRORS_NOT_READY, PROGRAM_ERRORS_OLD_DRIVER, PROGRAM_ERRORS_MISMATCH,
		PROGRAM_ERRORS_DEVICE_LOST, PROGRAM_ERRORS_APPLICATION, PROGRAM_ERRORS_OUT_OF_MEMORY,
		PROGRAM_ERRORS_NO_DEVICE, PROGRAM_ERRORS_PERSISTENCED, PROGRAM_ERRORS_VGPU, PROGRAM_ERRORS_PASSTHROUGH,
		PROGRAM_ERRORS_DCGM, PROGRAM_ERRORS_XPU_MANAGER, PROGRAM_ERRORS_XPU_DAEMON, PROGRAM_ERRORS_TOOL_HANGS,
		PROGRAM_ERRORS_TOOL_WAITS, PROGRAM_ERRORS_MODULE_BUILD, PROGRAM_ERRORS_MARKED_UNHEALTHY,
		PROGRAM_ERRORS_TOO_FEW, PROGRAM_ERRORS_DRAINED, PROGRAM_ERRORS_UNKNOWN_ERROR, PROGRAM_ERRORS_X_SERVER,
		PROGRAM_ERRORS_X_DISPLAY, PROGRAM_ERRORS_X_GLX, PROGRAM_ERRORS_RDMA_MEMORY,
		PROGRAM_ERRORS_TRANSPORT, PROGRAM_ERRORS_HPL_WARNED, PROGRAM_ERRORS_HPL_WRONG,
		PROGRAM_ERRORS_NETWORK, PROGRAM_ERRORS_NETWORK_PATH,
		PROGRAM_ERRORS_COLLECTIVE, PROGRAM_ERRORS_NCCL, PROGRAM_ERRORS_XID_SAID, PROGRAM_ERRORS_FAULT_SAID,
		PROGRAM_ERRORS_NO_LIBRARY, PROGRAM_ERRORS_SLURM_REFUSED, PROGRAM_ERRORS_UNLISTED,
		PROGRAM_ERRORS_ENDED, PROGRAM_ERRORS_QUOTED, PROGRAM_ERRORS_LIKELY, PROGRAM_ERRORS_TOOL_CRASHED,
		PROGRAM_ERRORS_SLURM_FILE, PROGRAM_ERRORS_RDMA_DEVICE,
		PROGRAM_ERRORS_SLURM_HARDWARE, PROGRAM_ERRORS_JOB_ENDED, PROGRAM_ERRORS_JOB_NODE_FAILED,
		PROGRAM_ERRORS_UNIT_FAILED, PROGRAM_ERRORS_STORAGE_CLUSTER, PROGRAM_ERRORS_CLOCK_NOT_SET,
		PROGRAM_ERRORS_DISK_LINK_NARROW, PROGRAM_ERRORS_HOST_HOT, PROGRAM_ERRORS_NONE_ALLOCATABLE,
		PROGRAM_ERRORS_BUS_ERROR, PROGRAM_ERRORS_WRONG_RESULT, PROGRAM_ERRORS_NOT_READ,
		PROGRAM_ERRORS_RUNTIME_ABORTED, PROGRAM_ERRORS_VIDEO, PROGRAM_ERRORS_NOT_INSTALLED,
		PROGRAM_ERRORS_ON_CPU, PROGRAM_ERRORS_NOT_A_NUMBER,
		PROGRAM_ERRORS_PLUGIN_UNREGISTERED, PROGRAM_ERRORS_PERSISTENCED_ENDED,
		PROGRAM_ERRORS_JOB_SCRIPT, PROGRAM_ERRORS_COPIED_WRONG, PROGRAM_ERRORS_TESTS_FAILED,
		PROGRAM_ERRORS_GPU_HOT, PROGRAM_ERRORS_FILE_STALE, PROGRAM_ERRORS_GPU_POD_OF_SOME),
	.eval = eval,
};
