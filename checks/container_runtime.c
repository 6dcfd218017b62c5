// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"
#include "checks/playbook.h"
#include "eval/judge/vendor.h"
#include "snapshot/node.h"
#include "snapshot/under_test.h"

static const char *const runtimes[] = { "containerd", "crio", "dockerd", "k3s-agent", "k3s-server", "kubelet", "rke2",
					NULL };

/* Google's nodes give containers the driver by a folder and a device plugin of their own. */
static bool has_own_way(const struct snapshot *snapshot)
{
	static const char folder[] = "/home/kubernetes/";

	for (size_t i = 0; i < snapshot->nr_user_libraries; i++)
		if (!strncmp(str_or(snapshot->user_libraries[i].key, ""), folder, strlen(folder)))
			return true;
	return false;
}

/* A CDI file of NVIDIA's driver comes from the toolkit, wherever that is. */
static bool names_driver(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nr_cdi_specs; i++)
		if (is_known(snapshot->cdi_specs[i].driver_version))
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
	if (snapshot->listed.software.state == VAL_UNSET || names_driver(snapshot) || has_own_way(snapshot))
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

static void judge_version(struct judgement *j, const struct daemon *runtime, const struct cdi_spec *spec,
			  const char *version)
{
	ask(j, runtime);
	about(j, str_or(spec->key, "?"));
	need(j, cdi_spec, spec, driver_version);
	about(j, NULL);
	derive_str(j, "spec", str_or(spec->key, "?"), "the file");
	derive_str(j, "module_version", version, "/sys/module/nvidia/version, /proc/driver/nvidia/version");
	finding_add_of(j, CONTAINER_RUNTIME_STALE_CDI, str_or(spec->key, "?"));
}

static bool is_stale(const struct snapshot *snapshot, const struct cdi_spec *spec, const char *version)
{
	return version_compare(str_or(spec->driver_version, ""), version) &&
	       !is_overruled(snapshot, spec, version) && !fits_the_libraries(snapshot, spec);
}

/* A file of those devices in the folder that comes first, all of whose paths exist. */
static bool is_replaced(const struct snapshot *snapshot, const struct cdi_spec *spec)
{
	for (size_t i = 0; i < snapshot->nr_cdi_specs; i++) {
		const struct cdi_spec *other = &snapshot->cdi_specs[i];

		if (!strncmp(str_or(spec->key, ""), "/etc/", strlen("/etc/")) &&
		    !strncmp(str_or(other->key, ""), "/var/", strlen("/var/")) && is_known(spec->kind) &&
		    str_is(other->kind, str_or(spec->kind, "")) && is_known(other->paths) && !other->paths_gone.nr)
			return true;
	}
	return false;
}

static void judge_paths(struct judgement *j, const struct daemon *runtime, const struct cdi_spec *spec)
{
	const char *first, *generator = strstr(str_or(spec->kind, ""), "amd.com/") ? "amd-ctk" : "nvidia-ctk";

	ask(j, runtime);
	about(j, str_or(spec->key, "?"));
	need(j, cdi_spec, spec, paths);
	about(j, NULL);
	if (!all_known(j) || !spec->paths_gone.nr || is_replaced(j->snapshot, spec))
		return;
	first = spec->paths_gone.v[0];
	derive_str(j, "spec", str_or(spec->key, "?"), "the file");
	derive_str(j, "gone", spec->paths_gone.nr == 1 ? first :
		   arena_printf(j->arena, "%s and %zu more", first, spec->paths_gone.nr - 1), "paths_gone");
	derive_str(j, "first_gone", first, "paths_gone");
	phrase(j, "generator", generator);
	finding_add_of(j, CONTAINER_RUNTIME_CDI_FILES_GONE, str_or(spec->key, "?"));
}

static void judge_form(struct judgement *j, const struct daemon *runtime, const struct cdi_spec *spec)
{
	ask(j, runtime);
	about(j, str_or(spec->key, "?"));
	want(j, cdi_spec, spec, broken);
	want(j, cdi_spec, spec, broken_line);
	about(j, NULL);
	derive_str(j, "file", str_or(spec->key, "?"), "the file");
	finding_add_of(j, CONTAINER_RUNTIME_CONFIG_BROKEN, str_or(spec->key, "?"));
}

/* Each of them once: what is told of one that is stale or broken explains the rest. */
static void judge_specs(struct judgement *j, const struct daemon *runtime)
{
	const struct snapshot *snapshot = j->snapshot;
	const struct module *nvidia = nvidia_module(snapshot);
	const char *version = nvidia ? str_or(nvidia->version, NULL) : NULL;

	for (size_t i = 0; i < snapshot->nr_cdi_specs; i++) {
		const struct cdi_spec *spec = &snapshot->cdi_specs[i];

		if (is_known(spec->broken))
			judge_form(j, runtime, spec);
		else if (version && is_known(spec->driver_version) && is_stale(snapshot, spec, version))
			judge_version(j, runtime, spec, version);
		/* Older snapshots did not look for the paths. */
		else if (spec->paths.state != VAL_UNSET)
			judge_paths(j, runtime, spec);
	}
}

/* "/etc/cdi/" of "/etc/cdi/nvidia.yaml": of two folders the later one is taken, in one folder neither is. */
static bool is_in_folder_of(const struct cdi_spec *a, const struct cdi_spec *b)
{
	const char *path = str_or(a->key, ""), *slash = strrchr(path, '/');

	return slash && !strncmp(path, str_or(b->key, ""), (size_t)(slash - path + 1));
}

static const char *device_of_both(const struct cdi_spec *a, const struct cdi_spec *b)
{
	for (size_t i = 0; i < a->devices.nr; i++)
		if (strs_has(&b->devices, a->devices.v[i]))
			return a->devices.v[i];
	return NULL;
}

/* Files of one kind, which stand together in no order: each with those after it. */
static void judge_conflicts(struct judgement *j, const struct daemon *runtime)
{
	const struct snapshot *snapshot = j->snapshot;

	for (size_t i = 0; i < snapshot->nr_cdi_specs; i++) {
		const struct cdi_spec *spec = &snapshot->cdi_specs[i];
		const char *kind = str_or(spec->kind, NULL), *device = NULL;

		for (size_t k = i + 1; k < snapshot->nr_cdi_specs && kind && !device; k++) {
			const struct cdi_spec *other = &snapshot->cdi_specs[k];

			if (!str_is(other->kind, kind) || !is_in_folder_of(spec, other))
				continue;
			device = device_of_both(spec, other);
			if (!device)
				continue;
			ask(j, runtime);
			derive_str(j, "spec", str_or(spec->key, "?"), "the file");
			derive_str(j, "other", str_or(other->key, "?"), "the file");
			derive_str(j, "device", arena_printf(j->arena, "%s=%s", kind, device), "kind, devices name");
			finding_add_of(j, CONTAINER_RUNTIME_CDI_CONFLICT, str_or(spec->key, "?"));
		}
	}
}

/* ---- configuration files */

/*
 * Does its owner run here, or should it? A broken file keeps it from starting. The containerd of k3s and rke2 has a
 * file of its own.
 */
static bool is_in_use(const struct snapshot *snapshot, const struct container_config *config)
{
	const bool has_containerd = find_daemon(snapshot, "containerd"), has_crio = find_daemon(snapshot, "crio");
	const bool has_kubelet = find_daemon(snapshot, "kubelet");
	const bool has_k3s = find_daemon(snapshot, "k3s-agent") || find_daemon(snapshot, "k3s-server");

	const bool has_rke2 = find_daemon(snapshot, "rke2");

	if (str_is(config->owner, "k3s"))
		return has_k3s && has_containerd;
	if (str_is(config->owner, "rke2"))
		return has_rke2 && has_containerd;
	if (str_is(config->owner, "containerd"))
		return !has_k3s && !has_rke2 && (has_containerd || (has_kubelet && !has_crio));
	if (str_is(config->owner, "cri-o"))
		return has_crio || (has_kubelet && !has_containerd);
	if (str_is(config->owner, "nvidia-container-runtime"))
		return nvidia_drives_any(snapshot);
	return true;
}

/* Begins a question about it, with the file as {file}. */
static void ask_of(struct judgement *j, const struct daemon *runtime, const struct container_config *config)
{
	ask(j, runtime);
	derive_str(j, "file", str_or(config->key, "?"), "the file");
	about(j, str_or(config->key, "?"));
	if (!is_known(config->template))
		return;
	want(j, container_config, config, template);
	want(j, container_config, config, owner);
}

static void add_of(struct judgement *j, enum finding_id id, const struct container_config *config)
{
	about(j, NULL);
	finding_add_of(j, id, str_or(config->key, "?"));
}

static void judge_named(struct judgement *j, const struct daemon *runtime, const struct container_config *config)
{
	const struct val_bool exists[] = { config->nvidia_runtime_exists, config->ldcache_exists };
	const struct val_str named[] = { config->nvidia_runtime, config->ldcache };

	for (size_t i = 0; i < ARRAY_SIZE(named); i++) {
		if (bool_or(exists[i], true))
			continue;
		ask_of(j, runtime, config);
		derive_str(j, "named", str_or(named[i], "?"), "the file");
		add_of(j, CONTAINER_RUNTIME_NAMES_MISSING, config);
	}
}

/* NVIDIA's runtime may be defined in another of the owner's files; one that could not be read may define it. */
static bool is_defined(const struct snapshot *snapshot, const struct container_config *config)
{
	for (size_t i = 0; i < snapshot->nr_container_configs; i++) {
		const struct container_config *other = &snapshot->container_configs[i];

		if (str_is(other->owner, str_or(config->owner, "?")) && bool_or(other->is_imported, true) &&
		    bool_or(other->defines_nvidia, true))
			return true;
	}
	return !is_known(snapshot->listed.container_configs);
}

static void judge_definition(struct judgement *j, const struct daemon *runtime, const struct container_config *config)
{
	if (str_is(config->default_runtime, "nvidia") && bool_or(config->is_imported, true) &&
	    !is_defined(j->snapshot, config)) {
		ask_of(j, runtime, config);
		need(j, container_config, config, default_runtime);
		add_of(j, CONTAINER_RUNTIME_DEFAULT_UNDEFINED, config);
	}
	if (!bool_or(config->is_imported, true) && bool_or(config->defines_nvidia, false) &&
	    !is_defined(j->snapshot, config)) {
		ask_of(j, runtime, config);
		want(j, container_config, config, is_imported);
		add_of(j, CONTAINER_RUNTIME_NOT_IMPORTED, config);
	}
	if (bool_or(config->no_cgroups, false)) {
		ask_of(j, runtime, config);
		want(j, container_config, config, no_cgroups);
		add_of(j, CONTAINER_RUNTIME_NO_CGROUPS, config);
	}
}

/* ---- the mode of NVIDIA's runtime */

/* Does a runtime that is in use start containers by it? */
static bool is_asked(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nr_container_configs; i++) {
		const struct container_config *config = &snapshot->container_configs[i];

		if (bool_or(config->defines_nvidia, false) && bool_or(config->is_imported, true) &&
		    is_in_use(snapshot, config))
			return true;
	}
	return false;
}

static bool is_usual_folder(const char *folder)
{
	return !strcmp(folder, "/etc/cdi") || !strcmp(folder, "/var/run/cdi") || !strcmp(folder, "/run/cdi");
}

/*
 * Mode cdi requests devices of CDI files that are there before, and makes none, unless the kind is the one that it
 * makes itself. The device plugin's and the operator's files have kinds of their own, which containers then name.
 */
static bool lacks_cdi_file(const struct snapshot *snapshot, const struct container_config *config)
{
	if (!is_known(snapshot->listed.cdi_specs) || str_is(config->cdi_kind, "runtime.nvidia.com/gpu"))
		return false;
	for (size_t i = 0; i < config->cdi_folders.nr; i++)
		if (!is_usual_folder(config->cdi_folders.v[i]))
			return false;
	for (size_t i = 0; i < snapshot->nr_cdi_specs; i++)
		if (!is_known(snapshot->cdi_specs[i].kind) ||
		    strstr(str_or(snapshot->cdi_specs[i].kind, ""), "nvidia.com/"))
			return false;
	return true;
}

/* Files of mode csv are those of Tegra's system software: processors of that kind are no x86. */
static const char *why_mode_fails(const struct snapshot *snapshot, const struct container_config *config)
{
	if (str_is(config->mode, "cdi") && lacks_cdi_file(snapshot, config))
		return "no CDI file of NVIDIA's devices exists";
	if (str_is(config->mode, "csv") && str_is(snapshot->host.architecture, "x86_64"))
		return "it is for Tegra only";
	return NULL;
}

static void judge_mode(struct judgement *j, const struct daemon *runtime, const struct container_config *config)
{
	const char *why = is_known(config->mode) && is_asked(j->snapshot) ? why_mode_fails(j->snapshot, config) : NULL;

	if (!why)
		return;
	ask_of(j, runtime, config);
	want(j, container_config, config, mode);
	derive_str(j, "misfit", why, "/etc/cdi, /var/run/cdi, the processor");
	add_of(j, CONTAINER_RUNTIME_MODE_FAILS, config);
}

static void judge_configs(struct judgement *j, const struct daemon *runtime)
{
	const struct snapshot *snapshot = j->snapshot;

	for (size_t i = 0; i < snapshot->nr_container_configs; i++) {
		const struct container_config *config = &snapshot->container_configs[i];

		if (!is_in_use(snapshot, config))
			continue;
		if (is_known(config->broken)) {
			ask_of(j, runtime, config);
			want(j, container_config, config, broken);
			want(j, container_config, config, broken_line);
			add_of(j, CONTAINER_RUNTIME_CONFIG_BROKEN, config);
			continue;
		}
		judge_named(j, runtime, config);
		judge_definition(j, runtime, config);
		judge_mode(j, runtime, config);
	}
}

/* ---- */

/* Containers get AMD's GPUs by their nodes; what stands in files may be wrong all the same. */
static bool has_files_of_amd(const struct snapshot *snapshot)
{
	return gpus_bound_to(snapshot, "amdgpu") && (snapshot->nr_cdi_specs || snapshot->nr_container_configs);
}

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	const struct daemon *runtime = find_daemon_of(snapshot, runtimes);

	if (is_in_container(snapshot)) {
		skip_check(j, "checked on the host only, this is a container");
	} else if (!nvidia_drives_any(snapshot) && !has_files_of_amd(snapshot)) {
		skip_check(j, "no NVIDIA GPU: others need only their device nodes");
	} else if (!runtime) {
		if (!is_known(snapshot->processes.seen))
			skip_check(j, "the process list is incomplete");
		else
			skip_check(j, "no container runtime is running");
	} else {
		if (nvidia_drives_any(snapshot))
			judge_toolkit(j, runtime);
		judge_specs(j, runtime);
		judge_conflicts(j, runtime);
		judge_configs(j, runtime);
		ask(j, runtime);
	}
}

const struct check check_container_runtime = {
	.name = "container-runtime",
	.title = "Container runtime",
	.doc = "On a node with a container runtime and NVIDIA's driver: is NVIDIA's container toolkit installed, and "
	       "do the CDI files match the loaded driver? A stale CDI file is a warning: containers started with it "
	       "fail, or lack libraries. So is one, of AMD's GPUs too, that names files or device nodes which do not "
	       "exist, that is broken, or that defines a device of another file in its folder. Of YAML, the form is "
	       "read that nvidia-ctk writes; a file of another form is not judged. The configuration of docker, containerd, "
	       "k3s, rke2, CRI-O and NVIDIA's runtime is a warning if it is broken, names a program that does not exist, makes "
	       "an undefined runtime the default, or sets a mode of NVIDIA's runtime that gives no GPUs here. A missing toolkit is a note. A running container that lost its GPUs is reported by gpu-visible.",
	.per = SUBJECT_NODE,
	.says = "{runtime} can start containers with GPUs",
	.may_emit = IDS(CONTAINER_RUNTIME_NO_TOOLKIT, CONTAINER_RUNTIME_STALE_CDI, CONTAINER_RUNTIME_CDI_FILES_GONE,
			CONTAINER_RUNTIME_CDI_CONFLICT, CONTAINER_RUNTIME_CONFIG_BROKEN,
			CONTAINER_RUNTIME_NAMES_MISSING, CONTAINER_RUNTIME_DEFAULT_UNDEFINED,
			CONTAINER_RUNTIME_NOT_IMPORTED, CONTAINER_RUNTIME_NO_CGROUPS, CONTAINER_RUNTIME_MODE_FAILS),
	.eval = eval,
};
