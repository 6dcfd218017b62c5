// SPDX-License-Identifier: GPL-2.0-or-later
/* maintenance.c - who works on a GPU driver right now: names, working directories, dpkg's journal, modules' states. */
#include "base/compat.h"
#include "probe/process/maintenance.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "probe/process/gpu_reset.h"
#include "probe/process/open_files.h"
#include "probe/read.h"

#define AKMODS "/var/cache/akmods/"
#define DKMS "/var/lib/dkms/"
#define DPKG_UPDATES "/var/lib/dpkg/updates"

enum {
	COMM_CHARS = 15,		/* where the kernel cuts a program's name */
	MAX_FOUND = 32,
	MAX_DPKGS = 8,
	UPDATE_BYTES = 4096,		/* of a paragraph: package and status are its first lines */
	MAX_UPDATES = 512,		/* dpkg merges them after 250 (lib/dpkg/dbmodify.c) */
};

static bool is_comm(const char *comm, const char *program)
{
	return strlen(comm) <= COMM_CHARS && !strncmp(program, comm, COMM_CHARS);
}

/* What bears one of these names comes beside NVIDIA's driver and is no part of it. */
static bool is_beside_driver(const char *name)
{
	static const char *const beside[] = { "nvidia-fs", "nvidia-peermem", "nvidia-gdrcopy" };

	return text_is_any(name, beside, ARRAY_SIZE(beside));
}

const char *driver_of_module(const char *name)
{
	static const char *const drivers[] = { "nvidia", "amdgpu", "i915", "xe" };

	if (!strncmp(name, "intel-i915", strlen("intel-i915")))
		return "i915";
	for (size_t i = 0; i < ARRAY_SIZE(drivers) && !is_beside_driver(name); i++) {
		const size_t len = strlen(drivers[i]);

		if (!strncmp(name, drivers[i], len) && (!name[len] || name[len] == '-' || name[len] == '_'))
			return drivers[i];
	}
	return NULL;
}

const char *driver_of_package(const char *package)
{
	/* Beginnings: a branch, "-open" or "-server" may follow. Debian's, Ubuntu's, NVIDIA's and AMD's names. */
	static const struct {
		const char *begins, *driver;
	} packages[] = {
		{ "nvidia-dkms", "nvidia" },	      { "nvidia-kernel-", "nvidia" },
		{ "nvidia-driver", "nvidia" },	      { "nvidia-open", "nvidia" },
		{ "nvidia-headless", "nvidia" },      { "nvidia-utils-", "nvidia" },
		{ "nvidia-firmware", "nvidia" },      { "nvidia-compute-utils", "nvidia" },
		{ "libnvidia-compute", "nvidia" },    { "libnvidia-ml", "nvidia" },
		{ "libcuda1", "nvidia" },	      { "cuda-drivers", "nvidia" },
		{ "linux-modules-nvidia", "nvidia" }, { "linux-objects-nvidia", "nvidia" },
		{ "amdgpu-dkms", "amdgpu" },	      { "intel-i915-dkms", "i915" },
	};
	const size_t len = strlen(package);

	for (size_t i = 0; i < ARRAY_SIZE(packages); i++) {
		const size_t begin_len = strlen(packages[i].begins);

		/* A program's name is cut, which may leave less than the beginning. */
		if (!strncmp(package, packages[i].begins, len == COMM_CHARS && len < begin_len ? len : begin_len))
			return packages[i].driver;
	}
	return NULL;
}

const char *dkms_work(struct arena *arena, const char *folder, const char **ret_driver)
{
	const char *name, *version;

	if (strncmp(folder, DKMS, strlen(DKMS)) != 0)
		return NULL;
	name = arena_strndup(arena, folder + strlen(DKMS), strcspn(folder + strlen(DKMS), "/"));
	*ret_driver = driver_of_module(name);
	version = folder + strlen(DKMS) + strlen(name);
	if (!*ret_driver || *version != '/' || !is_digit(version[1]))
		return NULL;
	return arena_printf(arena, "%s %.*s", name, (int)strcspn(version + 1, "/"), version + 1);
}

const char *akmods_work(struct arena *arena, const char *file, const char **ret_driver)
{
	const char *name;

	if (!text_begins(file, AKMODS))
		return NULL;
	file += strlen(AKMODS);
	name = arena_strndup(arena, file, strcspn(file, "/"));
	*ret_driver = file[strlen(name)] == '/' ? driver_of_module(name) : NULL;
	return *ret_driver ? name : NULL;
}

const char *driver_of_rpm(const char *path)
{
	/* Beginnings again: NVIDIA's, RPM Fusion's, SUSE's and AMD's names. */
	static const struct {
		const char *begins, *driver;
	} packages[] = {
		{ "nvidia-driver-", "nvidia" },	   { "nvidia-open", "nvidia" },
		{ "nvidia-kmod-", "nvidia" },	   { "kmod-nvidia-", "nvidia" },
		{ "akmod-nvidia-", "nvidia" },	   { "dkms-nvidia-", "nvidia" },
		{ "nvidia-compute-G", "nvidia" },  { "nvidia-compute-utils-G", "nvidia" },
		{ "nvidia-gl-G", "nvidia" },	   { "nvidia-video-G", "nvidia" },
		{ "nvidia-common-G", "nvidia" },   { "xorg-x11-drv-nvidia-", "nvidia" },
		{ "cuda-drivers-", "nvidia" },	   { "libnvidia-ml-", "nvidia" },
		{ "libnvidia-cfg-", "nvidia" },	   { "amdgpu-dkms-", "amdgpu" },
		{ "intel-i915-dkms-", "i915" },	   { "xe-dkms-", "xe" },
	};
	static const char *const beside[] = { "kmod-nvidia-fs-", "kmod-nvidia-peermem-" };
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const size_t len = strlen(name), end_len = strlen(".rpm");

	if (len < end_len || strcmp(name + len - end_len, ".rpm") != 0)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(beside); i++)
		if (text_begins(name, beside[i]))
			return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(packages); i++)
		if (text_begins(name, packages[i].begins))
			return packages[i].driver;
	return NULL;
}

/* "1: POSIX  ADVISORY  WRITE 1234 08:01:393229 0 EOF" (proc(5)); "-> " before what waits for a lock. */
bool has_write_lock(const char *locks, uint64_t pid)
{
	for (const char *line = locks; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		unsigned long long holder;
		char kind[16];

		if (sscanf(line, "%*u: %*15s %*15s %15s %llu ", kind, &holder) == 2 && holder == pid &&
		    !strcmp(kind, "WRITE"))
			return true;
	}
	return false;
}

/* The value of the line that begins so, up to its end; NULL: there is none. */
static const char *line_value(struct arena *arena, const char *text, const char *field)
{
	for (const char *line = text; *line && *line != '\n'; line += strcspn(line, "\n"), line += *line == '\n') {
		if (strncmp(line, field, strlen(field)) != 0)
			continue;
		line += strlen(field);
		line += strspn(line, " ");
		return arena_strndup(arena, line, strcspn(line, "\n"));
	}
	return NULL;
}

/* "Status: install ok half-configured" (deb-status of dpkg). */
void dpkg_paragraph(struct arena *arena, const char *text, const char **ret_package, const char **ret_status)
{
	const char *status = line_value(arena, text, "Status:"), *last;

	*ret_package = line_value(arena, text, "Package:");
	*ret_status = NULL;
	last = status ? strrchr(status, ' ') : NULL;
	if (*ret_package && last)
		*ret_status = last + 1;
	else
		*ret_package = NULL;
}

/* ---- the walk */

/* driver and about: of the arena, or static. Of several processes of one piece of work the oldest is recorded. */
static struct maintenance *add(struct maintenance_watch *watch, const char *kind, const char *driver, const char *about,
			       const struct maintenance_program *program)
{
	struct arena *arena = &watch->arena;
	const char *key = arena_printf(arena, "%s:%s", kind, about);
	struct maintenance *found;

	if (watch->nr == MAX_FOUND)
		return NULL;
	for (size_t i = 0; i < watch->nr; i++)
		if (str_is(watch->found[i].key, key))
			return NULL;
	watch->found = arena_grow(arena, watch->found, watch->nr, sizeof(*watch->found));
	found = &watch->found[watch->nr++];
	*found = (struct maintenance){
		.key = val_str(key), .kind = val_str(kind), .about = val_str(about), .driver = val_str(driver),
		.state = no_str(VAL_ABSENT, "it has none"), .pid = val_u64(program->pid),
		.comm = val_str(arena_strdup(arena, program->comm)),
	};
	return found;
}

static void look_at_folder(struct maintenance_watch *watch, struct probe_env *env,
			   const struct maintenance_program *program)
{
	STRBUF_AUTO folder = STRBUF_INIT;
	const char *driver, *about;

	/* The link is read, not followed: neither the folder nor the process's memory is touched. */
	if (root_readlink(env->root, &folder, "/proc/%llu/cwd", (unsigned long long)program->pid))
		return;
	about = dkms_work(&watch->arena, folder.buf, &driver);
	if (about)
		add(watch, "module-build", driver, about, program);
}

/* akmods has its words, and those of the akmodsbuild that it starts, go to the log of the module that is built. */
static void look_at_akmodsbuild(struct maintenance_watch *watch, struct probe_env *env,
				const struct maintenance_program *program)
{
	STRBUF_AUTO log = STRBUF_INIT;
	const char *driver, *about;

	if (root_readlink(env->root, &log, "/proc/%llu/fd/1", (unsigned long long)program->pid))
		return;
	about = akmods_work(&watch->arena, log.buf, &driver);
	if (about)
		add(watch, "module-build", driver, about, program);
}

static bool is_child_of(struct probe_env *env, const struct proc_stat *stat, const char *comm)
{
	struct proc_stat parent;

	return !proc_stat_read(env->root, &parent, "/proc/%llu/stat", (unsigned long long)stat->parent) &&
	       !strcmp(parent.comm, comm);
}

/* Programs that load a module or take one away; "(udev-worker)" since systemd 251. */
static bool loads_modules(const char *comm)
{
	static const char *const loaders[] = {
		"modprobe", "insmod", "rmmod", "kmod", "nvidia-modprobe", "nvidia-installer", "(udev-worker)",
	};

	for (size_t i = 0; i < ARRAY_SIZE(loaders); i++)
		if (is_comm(comm, loaders[i]))
			return true;
	return false;
}

/* Scripts go by their own names, whatever interprets them. */
static bool installs_rpms(const char *comm)
{
	static const char *const programs[] = {
		"rpm", "dnf", "dnf-3", "dnf5", "dnf5daemon-server", "dnf-automatic", "microdnf", "tdnf", "yum",
		"zypper", "zypp-rpm", "packagekitd",
	};

	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		if (is_comm(comm, programs[i]))
			return true;
	return false;
}

void maintenance_look_at(struct maintenance_watch *watch, struct probe_env *env, const char *pid,
			 const struct proc_stat *stat)
{
	struct maintenance_program program = { .pid = 0 };
	const char *comm = stat->comm, *driver;

	if (parse_u64(pid, &program.pid))
		return;
	snprintf(program.comm, sizeof(program.comm), "%s", comm);
	if (loads_modules(comm) && !watch->loader.pid)
		watch->loader = program;
	if (is_comm(comm, "nvidia-installer"))
		add(watch, "driver-install", "nvidia", "NVIDIA's installer", &program);
	/*
	 * Not nvidia-mig-manager: a daemon of the GPU Operator that waits most of the time, and starts this one to
	 * work.
	 */
	else if (is_comm(comm, "nvidia-mig-parted") || is_comm(comm, "reconfigure-mig.sh"))
		add(watch, "mig-reconfigure", "nvidia", "MIG", &program);
	/*
	 * dkms builds in /var/lib/dkms/NAME/VERSION/build, and so does the make that it starts (its prepare_build()).
	 */
	else if (!strcmp(comm, "dkms") || !strcmp(comm, "make"))
		look_at_folder(watch, env, &program);
	else if (!strcmp(comm, "akmodsbuild"))
		look_at_akmodsbuild(watch, env, &program);
	else if ((installs_rpms(comm) || gpu_reset_is_program(comm)) && watch->nr_asked < MAX_ASKED)
		watch->asked[watch->nr_asked++] = program;
	else if (!strcmp(comm, "dpkg") && watch->dpkgs.nr < MAX_DPKGS)
		strs_add(&watch->arena, &watch->dpkgs, pid);
	/* dpkg runs /var/lib/dpkg/info/PACKAGE.postinst, by which name the kernel calls the script. */
	else if ((driver = driver_of_package(comm)) && is_child_of(env, stat, "dpkg"))
		add(watch, "driver-install", driver, arena_strdup(&watch->arena, comm), &program);
}

static void add_reset(struct maintenance_watch *watch, struct gpu_reset reset,
		      const struct maintenance_program *program)
{
	if (reset.driver)
		add(watch, "gpu-reset", reset.driver, reset.about, program);
}

void maintenance_look_at_file(struct maintenance_watch *watch, struct probe_env *env, const char *pid,
			      const struct proc_stat *stat, const char *name)
{
	struct gpu_reset reset = gpu_reset_by_file(env, &watch->arena, name);
	struct maintenance_program program;

	if (!reset.driver || parse_u64(pid, &program.pid))
		return;
	snprintf(program.comm, sizeof(program.comm), "%s", stat->comm);
	add_reset(watch, reset, &program);
}

/* ---- second signs */

static void look_at_modules(struct maintenance_watch *watch, struct probe_env *env)
{
	static const char *const modules[] = {
		"nvidia", "nvidia_uvm", "nvidia_drm", "nvidia_modeset", "amdgpu", "i915", "xe",
	};

	for (size_t i = 0; i < ARRAY_SIZE(modules) && watch->loader.pid; i++) {
		/* live, coming or going (kernel/module/main.c, show_initstate). */
		struct val_str state = read_str(env, &watch->arena, "/sys/module/%s/initstate", modules[i]);
		struct maintenance *found;

		if (!str_is(state, "coming") && !str_is(state, "going"))
			continue;
		found = add(watch, "module-load", driver_of_module(modules[i]), modules[i], &watch->loader);
		if (found)
			found->state = state;
	}
}

/* A package of a GPU driver that dpkg began with and has not done, by the last word on it in dpkg's journal. */
struct half_done {
	const char *package, *status, *driver;
};

static void read_update(struct maintenance_watch *watch, struct probe_env *env, const char *name,
			struct half_done *half)
{
	char text[UPDATE_BYTES + 1];
	const char *package, *status;
	size_t len;

	if (root_read_bytes(env->root, text, UPDATE_BYTES, &len, DPKG_UPDATES "/%s", name))
		return;
	text[len] = '\0';
	dpkg_paragraph(&watch->arena, text, &package, &status);
	if (!package || !driver_of_package(package))
		return;
	if (!strncmp(status, "half-", strlen("half-")) || !strcmp(status, "unpacked"))
		*half = (struct half_done){ package, status, driver_of_package(package) };
	else if (half->package && !strcmp(half->package, package))
		*half = (struct half_done){ NULL, NULL, NULL };
}

/*
 * What dpkg changes is written to a journal of numbered files, and merged into
 * its list when it ends (dpkg(1), FILES). A package that an earlier dpkg left
 * half done stands in the list, and not here.
 */
static void look_at_packages(struct maintenance_watch *watch, struct probe_env *env, const char *pid)
{
	struct maintenance_program program = { .comm = "dpkg" };
	struct half_done half = { NULL, NULL, NULL };
	struct name_list names = { 0 };
	STRBUF_AUTO locks = STRBUF_INIT;
	struct maintenance *found;

	/* One that lists packages takes no lock. */
	if (parse_u64(pid, &program.pid) || root_read(env->root, &locks, "/proc/locks") ||
	    !has_write_lock(locks.buf, program.pid) || root_list(env->root, &names, DPKG_UPDATES))
		return;
	for (size_t i = 0; i < names.nr && i < MAX_UPDATES; i++)
		if (is_digit(names.names[i][0]))
			read_update(watch, env, names.names[i], &half);
	name_list_release(&names);
	found = half.package ? add(watch, "driver-install", half.driver, half.package, &program) : NULL;
	if (found)
		found->state = val_str(half.status);
}

/* A driver's package among the files that a program has open. */
struct open_package {
	const char *name, *driver;
	struct arena *arena;
};

static void look_at_package_file(void *data, const char *descriptor, const char *name)
{
	struct open_package *package = data;
	const char *driver = package->driver ? NULL : driver_of_rpm(name), *slash = strrchr(name, '/');

	(void)descriptor;
	if (!driver)
		return;
	package->driver = driver;
	package->name = arena_strdup(package->arena, slash ? slash + 1 : name);
}

/* rpm locks its list of packages while it changes anything (rpmtsRun()), and reads each package from its file. */
static void look_at_rpm(struct maintenance_watch *watch, struct probe_env *env, const char *locks,
			const struct maintenance_program *program)
{
	struct open_package package = { NULL, NULL, &watch->arena };
	char pid[24];

	snprintf(pid, sizeof(pid), "%llu", (unsigned long long)program->pid);
	if (has_write_lock(locks, program->pid) && !open_files_each(env, pid, look_at_package_file, &package) &&
	    package.driver)
		add(watch, "driver-install", package.driver, package.name, program);
}

static void look_at_asked(struct maintenance_watch *watch, struct probe_env *env)
{
	STRBUF_AUTO locks = STRBUF_INIT;

	if (!watch->nr_asked)
		return;
	if (root_read(env->root, &locks, "/proc/locks"))
		strbuf_reset(&locks);
	for (size_t i = 0; i < watch->nr_asked; i++) {
		const struct maintenance_program *program = &watch->asked[i];

		if (gpu_reset_is_program(program->comm))
			add_reset(watch, gpu_reset_by_program(env, program->pid, program->comm), program);
		else
			look_at_rpm(watch, env, locks.buf, program);
	}
}

void maintenance_send(struct maintenance_watch *watch, struct probe_env *env, struct sink *sink)
{
	struct snapshot *facts = &sink->facts;

	sink_step(sink, "read /sys/module and " DPKG_UPDATES);
	look_at_modules(watch, env);
	for (size_t i = 0; i < watch->dpkgs.nr; i++)
		look_at_packages(watch, env, watch->dpkgs.v[i]);
	look_at_asked(watch, env);
	for (size_t i = 0; i < watch->nr; i++) {
		const char *key = str_or(watch->found[i].key, "?");
		struct maintenance *found = list_element(&facts->arena, facts, maintenance, maintenance,
							 arena_strdup(&facts->arena, key));
		struct val_str name = found->key;

		*found = watch->found[i];
		found->key = name;
	}
	/* Before the arena that the values lie in is released. */
	sink_flush(sink);
}

void maintenance_release(struct maintenance_watch *watch)
{
	arena_release(&watch->arena);
}
