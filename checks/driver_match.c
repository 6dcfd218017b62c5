// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"
#include "checks/playbook.h"
#include "eval/facts/library_start.h"
#include "eval/log/kernel_log.h"
#include "snapshot/node.h"
#include "snapshot/under_test.h"

enum { RESET_TAKES_US = 120000000 };	/* of a hive of eight; one that takes longer has come to no end */

#define MODULE_VERSION "/sys/module/nvidia/version, /proc/driver/nvidia/version"

static bool is_nvidia_bound(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		if (str_is(snapshot->gpus[i].pci.driver, "nvidia"))
			return true;
	}
	return false;
}

/* The GPUs of the host show in every container's /sys. Its own are those it has device nodes of. */
static bool has_no_gpu_here(const struct snapshot *snapshot)
{
	if (!is_in_container(snapshot) || !is_known(snapshot->listed.device_nodes))
		return false;
	for (size_t i = 0; i < snapshot->nr_device_nodes; i++) {
		const struct device_node *node = &snapshot->device_nodes[i];

		/* One that is listed as missing has no permissions. */
		if (node->mode.state != VAL_ABSENT &&
		    !strncmp(str_or(node->key, ""), "/dev/nvidia", strlen("/dev/nvidia")))
			return false;
	}
	return true;
}

/* CUDA's forward compatibility package: a newer libcuda for an older module, on purpose. */
static bool is_forward_compatible(const struct user_library *library)
{
	return strstr(str_or(library->key, ""), "/compat/");
}

/* A driver container's libraries are for containers: programs of the host do not see them. */
static bool is_for_containers(const struct user_library *library)
{
	const char *path = str_or(library->key, "");

	return !strncmp(path, "/run/nvidia/", strlen("/run/nvidia/")) ||
	       !strncmp(path, "/home/kubernetes/", strlen("/home/kubernetes/"));
}

static bool is_of_version(const struct user_library *library, const char *version)
{
	return is_known(library->version) && !version_compare(str_or(library->version, ""), version);
}

/* A library of that name that fits the module, wherever it lies; one that the loader may see rather than another. */
static const struct user_library *find_fitting(const struct snapshot *snapshot, const char *name, const char *version)
{
	const struct user_library *fitting = NULL;

	for (size_t i = 0; i < snapshot->nr_user_libraries; i++) {
		const struct user_library *library = &snapshot->user_libraries[i];

		if (str_is(library->name, name) && is_of_version(library, version) &&
		    (!fitting || is_for_containers(fitting)))
			fitting = library;
	}
	return fitting;
}

/* A device that NVIDIA's OpenCL shows has proved its library against the module: the kernel refuses another. */
static bool is_proved_by_opencl(const struct snapshot *snapshot, const char *version)
{
	for (size_t i = 0; i < snapshot->nr_ocl_devices; i++) {
		const struct ocl_device *device = &snapshot->ocl_devices[i];

		if (str_is(device->platform, "NVIDIA CUDA") && is_known(device->driver_version) &&
		    !version_compare(str_or(device->driver_version, ""), version))
			return true;
	}
	return false;
}

/*
 * So has NVML where it began: of the library that it was loaded from. One of a
 * driver container says nothing of those that the loader finds.
 */
static bool is_proved_by_nvml(const struct snapshot *snapshot)
{
	const char *path = str_or(snapshot->nvml.library, "");

	return is_known(snapshot->nvml.init) && strncmp(path, "/run/nvidia/", strlen("/run/nvidia/")) != 0 &&
	       strncmp(path, "/home/kubernetes/", strlen("/home/kubernetes/")) != 0;
}

static bool is_refused_by_nvml(const struct snapshot *snapshot)
{
	return !is_known(snapshot->nvml.init) && snapshot->nvml.init.why &&
	       strstr(snapshot->nvml.init.why, "LIB_RM_VERSION_MISMATCH");
}

static void raise_finding(struct judgement *j, const struct user_library *library, const char *module_version)
{
	const struct user_library *fitting = find_fitting(j->snapshot, str_or(library->name, ""), module_version);

	derive_str(j, "library", str_or(library->key, "?"), "the file the loader's link leads to");
	derive_str(j, "library_version", str_or(library->version, "?"), "its file's name");
	derive_str(j, "module_version", module_version, MODULE_VERSION);
	if (fitting) {
		derive_str(j, "fitting", str_or(fitting->key, "?"), "library folders");
		finding_add(j, is_for_containers(fitting) ? DRIVER_MATCH_HOST_OTHER : DRIVER_MATCH_HIDDEN);
	} else if (is_in_container(j->snapshot)) {
		finding_add(j, DRIVER_MATCH_CONTAINER);
	} else if (version_compare(str_or(library->version, ""), module_version) > 0) {
		finding_add(j, DRIVER_MATCH_REBOOT);
	} else {
		finding_add(j, DRIVER_MATCH_OLD_LIBRARY);
	}
}

static void raise_refused(struct judgement *j, const char *module_version)
{
	if (module_version)
		derive_str(j, "module_version", module_version, MODULE_VERSION);
	phrase(j, "of_version", module_version ? arena_printf(j->arena, " %s", module_version) : "");
	derive_str(j, "nvml_error", "LIB_RM_VERSION_MISMATCH", "nvmlInit");
	finding_add(j, DRIVER_MATCH_REFUSED);
}

/* By a dump: nvidia-smi's words, under which newer ones name their library's version. */
static bool judge_dump(struct judgement *j, const struct module *nvidia)
{
	const char *library = str_or(j->snapshot->nvml.library_version, NULL);
	const char *module = nvidia ? str_or(nvidia->version, NULL) : NULL;
	/* Its version stands there without the last part: "535.183". */
	int order =
		library && module && strncmp(module, library, strlen(library)) ? version_compare(library, module) : 0;

	if (!is_imported(j->snapshot) || !is_refused_by_nvml(j->snapshot))
		return false;
	if (library_mismatch_is_over(j->snapshot)) {
		skip_check(j, "library and module had two versions before GPUs were listed (gpu-enumerated)");
		return true;
	}
	if (!order) {
		raise_refused(j, module);
		return true;
	}
	derive_str(j, "library", "libnvidia-ml", "nvidia-smi");
	derive_str(j, "library_version", library, "nvidia-smi");
	derive_str(j, "module_version", module, MODULE_VERSION);
	finding_add(j, order > 0 ? DRIVER_MATCH_REBOOT : DRIVER_MATCH_OLD_LIBRARY);
	return true;
}

/* The driver refused a program since it was loaded, and not days ago; NULL: it did not. */
static const struct klog_event *refusal_in_log(const struct node_log *log)
{
	for (size_t i = 0; i < log->nr; i++) {
		const struct klog_incident *incident = log->incidents[i].incident;

		for (size_t k = 0; k < incident->nr && log->incidents[i].is_current; k++)
			if (incident->events[k]->row == KLOG_ROW_NVIDIA_API_MISMATCH &&
			    incident->events[k]->currency == KLOG_CURRENT)
				return incident->events[k];
	}
	return NULL;
}

/* By a kernel log alone: no other output says whether it is so still. */
static bool judge_log(struct judgement *j)
{
	const struct klog_event *event;

	if (!is_imported(j->snapshot) || j->snapshot->nvml.init.state != VAL_UNSET)
		return false;
	event = refusal_in_log(j->log);
	if (!event)
		return false;
	question(j);
	derive_str(j, "line", event->text, str_or(j->snapshot->kernel_log.source, "the kernel's log"));
	cite(j, log_line_from(j->snapshot, event->first_line));
	finding_add(j, DRIVER_MATCH_LOGGED);
	return true;
}

/* One finding says it: libraries of one driver are installed together. How many the loader would take is returned. */
static size_t judge_libraries(struct judgement *j, const char *module_version)
{
	const struct snapshot *snapshot = j->snapshot;
	const struct user_library *wrong = NULL;
	size_t nr = 0;

	for (size_t i = 0; i < snapshot->nr_user_libraries; i++) {
		const struct user_library *library = &snapshot->user_libraries[i];

		if (!bool_or(library->is_loaded_first, false) || !is_known(library->version) ||
		    is_forward_compatible(library))
			continue;
		nr++;
		/* nvidia-smi's library is the one everybody knows the error of. */
		if (!is_of_version(library, module_version) && (!wrong || str_is(library->name, "libnvidia-ml")))
			wrong = library;
	}
	if (wrong && !is_proved_by_opencl(snapshot, module_version) && !is_proved_by_nvml(snapshot)) {
		raise_finding(j, wrong, module_version);
	} else if (is_refused_by_nvml(snapshot)) {
		raise_refused(j, module_version);
		nr++;
	}
	return nr;
}

/* What waits on the disk breaks nothing yet. A container shows the files of its image. */
static void judge_disk(struct judgement *j, const struct module *nvidia)
{
	const char *disk;

	if (!is_known(nvidia->disk_version) || is_in_container(j->snapshot))
		return;
	question(j);
	want(j, module, nvidia, version);
	disk = want(j, module, nvidia, disk_version);
	if (version_compare(disk, str_or(nvidia->version, "")))
		finding_add(j, DRIVER_MATCH_REBOOT_PENDING);
}

/* States of a list that say nothing of the node. */
static bool is_optional(enum val_state state)
{
	return state == VAL_UNSET || state == VAL_DENIED;
}

/* NVIDIA's module is not listed. If a GPU is bound to it, the list is hidden: a recording, or a container. */
static void judge_without_module(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;

	if (is_nvidia_bound(snapshot)) {
		if (snapshot->listed.modules.state == VAL_UNSET)
			skip_check(j, "kernel modules not collected");
		else if (!snapshot_is_live(snapshot) || is_in_container(snapshot))
			skip_check(j, "the version of NVIDIA's kernel module is not visible here");
		else
			unknown(j, "a GPU is bound to nvidia, but its module is neither in /sys nor in /proc");
		return;
	}
	if (!is_known(snapshot->bus.gpus))
		need(j, listed, &snapshot->listed, modules);
	skip_check(j, str_is(snapshot->host.virtualisation, "wsl") ?
			      "under WSL, Windows provides the driver, and no module of this kernel" :
			      "in-tree driver, nothing to match");
}

/* Has that GPU's reset come to an end since? */
static bool has_reset_since(const struct klog_log *log, const struct klog_event *begun)
{
	for (size_t i = 0; i < log->nr_events; i++) {
		const struct klog_event *event = &log->events[i];

		if ((event->row == KLOG_ROW_AMDGPU_RESET || event->row == KLOG_ROW_AMDGPU_RESET_FAILED) &&
		    event->last_line > begun->last_line && !strcmp(event->device, begun->device))
			return true;
	}
	return false;
}

/* A driver that resets a GPU by itself, by the kernel log. Where a paste ends is not the present. */
static void judge_resets(struct judgement *j)
{
	const struct klog_log *log = is_imported(j->snapshot) ? NULL : j->log->log;

	for (size_t i = 0; log && i < log->nr_events; i++) {
		const struct klog_event *event = &log->events[i];
		int64_t age_us;

		if (event->row != KLOG_ROW_AMDGPU_RESET_BEGUN || event->currency != KLOG_CURRENT ||
		    event->boot + 1 != log->boots || has_reset_since(log, event) ||
		    !klog_time_between(event->last, j->log->now, true, &age_us) || age_us > RESET_TAKES_US)
			continue;
		question(j);
		derive_str(j, "driver", "amdgpu", "kernel log");
		derive_str(j, "about", *event->device ? event->device : "?", "kernel log");
		derive_str(j, "line", event->text, str_or(j->snapshot->kernel_log.source, "the kernel's log"));
		cite(j, log_line_from(j->snapshot, event->first_line));
		phrase(j, "when", event_time(j->arena, j->log, &event->last));
		finding_add_of(j, DRIVER_MATCH_DRIVER_RESETS, event->device);
	}
}

/* "unloaded" where the module is going. */
static void judge_work(struct judgement *j, const struct maintenance *work)
{
	static const struct {
		const char *kind;
		enum finding_id id;
	} kinds[] = {
		{ "driver-install", DRIVER_MATCH_INSTALL_UNDER_WAY }, { "module-build", DRIVER_MATCH_BUILD_UNDER_WAY },
		{ "module-load", DRIVER_MATCH_LOAD_UNDER_WAY },	      { "mig-reconfigure", DRIVER_MATCH_MIG_UNDER_WAY },
		{ "gpu-reset", DRIVER_MATCH_RESET_UNDER_WAY },
	};

	question(j);
	want(j, maintenance, work, about);
	want(j, maintenance, work, driver);
	want(j, maintenance, work, state);
	want(j, maintenance, work, comm);
	want(j, maintenance, work, pid);
	phrase(j, "builder", str_is(work->comm, "akmodsbuild") ? "akmods" : "DKMS");
	/* The kernel cuts names after 15 characters. */
	phrase(j, "program", str_is(work->comm, "reconfigure-mig") ? "reconfigure-mig.sh" : "nvidia-mig-parted");
	phrase(j, "done", str_is(work->state, "going") ? "unloaded" : "loaded");
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (str_is(work->kind, kinds[i].kind))
			finding_add_of(j, kinds[i].id, str_or(work->key, NULL));
}

static void judge_versions(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	const struct module *nvidia = nvidia_module(snapshot);
	const char *version;

	if (judge_dump(j, nvidia) || judge_log(j))
		return;
	if (!nvidia) {
		judge_without_module(j);
		return;
	}
	if (nvidia->version.state == VAL_ABSENT && (!snapshot_is_live(snapshot) || is_in_container(snapshot))) {
		skip_check(j, "the version of NVIDIA's kernel module is not visible here");
		return;
	}
	version = need(j, module, nvidia, version);
	if (!all_known(j))
		return;
	/* That we may not look everywhere is common, and older snapshots did not look at all. */
	if (!snapshot->nr_user_libraries && !is_optional(snapshot->listed.user_libraries.state))
		need(j, listed, &snapshot->listed, user_libraries);
	if (!snapshot->nr_user_libraries && snapshot->listed.user_libraries.state == VAL_UNSET)
		skip_check(j, "NVIDIA's libraries not collected");
	else if (has_no_gpu_here(snapshot))
		skip_check(j, "this container has no NVIDIA device node, its libraries are unused");
	else if (all_known(j) && !judge_libraries(j, version))
		skip_check(j, "NVIDIA's libraries are not in the loader's path");
	judge_disk(j, nvidia);
}

static void eval(struct judgement *j)
{
	judge_versions(j);
	for (size_t i = 0; i < j->snapshot->nr_maintenance; i++)
		judge_work(j, &j->snapshot->maintenance[i]);
	judge_resets(j);
}

const struct check check_driver_match = {
	.name = "driver-match",
	.title = "Driver and libraries match",
	.doc = "Do NVIDIA's kernel module and the libraries that programs load have the same version? NVIDIA's driver "
	       "rejects others. The versions are those of the files and of the loaded module; nothing is loaded. "
	       "In-tree drivers work with any library, and a node without the libraries (a head node, or a driver "
	       "container) has nothing to compare. CUDA's forward compatibility package may differ. Driver "
	       "maintenance and GPU resets in progress are reported here; failures they explain are notes meanwhile.",
	.per = SUBJECT_NODE,
	.says = "NVIDIA driver {version}",
	.may_emit = IDS(DRIVER_MATCH_REBOOT, DRIVER_MATCH_OLD_LIBRARY, DRIVER_MATCH_CONTAINER, DRIVER_MATCH_HIDDEN,
			DRIVER_MATCH_HOST_OTHER, DRIVER_MATCH_REFUSED, DRIVER_MATCH_LOGGED, DRIVER_MATCH_REBOOT_PENDING,
			DRIVER_MATCH_INSTALL_UNDER_WAY, DRIVER_MATCH_BUILD_UNDER_WAY, DRIVER_MATCH_LOAD_UNDER_WAY,
			DRIVER_MATCH_MIG_UNDER_WAY, DRIVER_MATCH_RESET_UNDER_WAY, DRIVER_MATCH_DRIVER_RESETS),
	.eval = eval,
};
