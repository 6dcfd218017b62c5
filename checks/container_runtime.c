// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"
#include "checks/playbook.h"
#include "eval/judge/vendor.h"
#include "snapshot/node.h"
#include "snapshot/under_test.h"

static const char *const runtimes[] = { "containerd", "crio", "dockerd", "k3s-agent", "k3s-server", "kubelet", NULL };

/* Google's nodes give containers the driver by a folder and a device plugin of their own. */
static bool has_own_way(const struct snapshot *snapshot)
{
	static const char folder[] = "/home/kubernetes/";

	for (size_t i = 0; i < snapshot->nr_user_libraries; i++)
		if (!strncmp(str_or(snapshot->user_libraries[i].key, ""), folder, strlen(folder)))
			return true;
	return false;
}

/* Each question is about it. */
static void ask(struct judgement *j, const struct daemon *runtime)
{
	question(j);
	about(j, str_or(runtime->key, "?"));
	derive_str(j, "runtime", need(j, daemon, runtime, comm), "/proc");
	about(j, NULL);
}

static void judge_toolkit(struct judgement *j, const struct daemon *runtime)
{
	const struct snapshot *snapshot = j->snapshot;

	ask(j, runtime);
	for (size_t i = 0; i < snapshot->nr_software; i++) {
		const struct software *software = &snapshot->software[i];

		if (!str_is(software->name, "container-toolkit"))
			continue;
		about(j, str_or(software->key, "?"));
		want(j, software, software, name);
		want(j, software, software, version);
		about(j, NULL);
		return;
	}
	/* Older snapshots did not look for it. */
	if (snapshot->listed.software.state == VAL_UNSET || snapshot->nr_cdi_specs || has_own_way(snapshot))
		return;
	finding_add(j, CONTAINER_RUNTIME_NO_TOOLKIT);
}

/* Of two files about the same devices the one in /var/run is taken (CDI specification, "Determining the CDI spec"). */
static bool is_overruled(const struct snapshot *snapshot, const struct cdi_spec *spec, const char *module_version)
{
	for (size_t i = 0; i < snapshot->nr_cdi_specs; i++) {
		const struct cdi_spec *other = &snapshot->cdi_specs[i];

		if (!strncmp(str_or(spec->key, ""), "/etc/", strlen("/etc/")) &&
		    !strncmp(str_or(other->key, ""), "/var/", strlen("/var/")) &&
		    str_is(other->kind, str_or(spec->kind, "?")) &&
		    !version_compare(str_or(other->driver_version, ""), module_version))
			return true;
	}
	return false;
}

/* The file is of the driver that is installed, and the module is not: that is driver-match's to say. */
static bool fits_the_libraries(const struct snapshot *snapshot, const struct cdi_spec *spec)
{
	for (size_t i = 0; i < snapshot->nr_user_libraries; i++) {
		const struct user_library *library = &snapshot->user_libraries[i];

		if (bool_or(library->is_loaded_first, false) && is_known(library->version) &&
		    !version_compare(str_or(library->version, ""), str_or(spec->driver_version, "")))
			return true;
	}
	return false;
}

static void judge_specs(struct judgement *j, const struct daemon *runtime)
{
	const struct snapshot *snapshot = j->snapshot;
	const struct module *nvidia = nvidia_module(snapshot);
	const char *version = nvidia ? str_or(nvidia->version, NULL) : NULL;

	for (size_t i = 0; i < snapshot->nr_cdi_specs && version; i++) {
		const struct cdi_spec *spec = &snapshot->cdi_specs[i];

		ask(j, runtime);
		about(j, str_or(spec->key, "?"));
		need(j, cdi_spec, spec, driver_version);
		about(j, NULL);
		if (!version_compare(str_or(spec->driver_version, ""), version) ||
		    is_overruled(snapshot, spec, version) || fits_the_libraries(snapshot, spec))
			continue;
		derive_str(j, "spec", str_or(spec->key, "?"), "the file");
		derive_str(j, "module_version", version, "/sys/module/nvidia/version, /proc/driver/nvidia/version");
		finding_add_of(j, CONTAINER_RUNTIME_STALE_CDI, str_or(spec->key, "?"));
	}
}

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	const struct daemon *runtime = find_daemon_of(snapshot, runtimes);

	if (is_in_container(snapshot)) {
		skip_check(j, "checked on the host only, this is a container");
	} else if (!nvidia_drives_any(snapshot)) {
		skip_check(j, "no NVIDIA GPU: others need only their device nodes");
	} else if (!runtime) {
		if (!is_known(snapshot->processes.seen))
			skip_check(j, "the process list is incomplete");
		else
			skip_check(j, "no container runtime is running");
	} else {
		judge_toolkit(j, runtime);
		judge_specs(j, runtime);
		ask(j, runtime);
	}
}

const struct check check_container_runtime = {
	.name = "container-runtime",
	.title = "Container runtime",
	.doc = "On a node with a container runtime and NVIDIA's driver: is NVIDIA's container toolkit installed, and "
	       "do the CDI files match the loaded driver? A stale CDI file is a warning: containers started with it "
	       "fail, or lack libraries. A missing toolkit is a note. A running container that lost its GPUs is "
	       "reported by gpu-visible.",
	.per = SUBJECT_NODE,
	.says = "{runtime} can start containers with GPUs",
	.may_emit = IDS(CONTAINER_RUNTIME_NO_TOOLKIT, CONTAINER_RUNTIME_STALE_CDI),
	.eval = eval,
};
