// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * upgrade_kernels.c - the kernels that are installed, and what they have of
 * GPU drivers. A folder of /lib/modules with a modules.dep is one; depmod(8)
 * writes that when a kernel or a module is installed.
 */
#include "base/compat.h"
#include "probe/upgrade/upgrade_internal.h"

#include "probe/read.h"
#include "probe/system/module_file.h"

enum { MAX_KERNELS = 256 };	/* recorded at most; a node has two or three */

/* Linux scripts/sign-file.c, kernel/module/signing.c: the end of a signed module's file. */
static const char signature_mark[] = "~Module signature appended~\n";

static struct val_bool existence(struct probe_env *env, const char *path)
{
	int error = root_exists(env->root, "%s", path);

	if (error && state_of_errno(error) != VAL_ABSENT)
		return no_bool(state_of_errno(error), name_of_errno(error));
	return val_bool(!error);
}

/* Debian, Ubuntu, RHEL and Fedora have an image below /boot, the last two a copy beside the modules. */
static struct val_bool has_image(struct probe_env *env, struct arena *arena, const char *release)
{
	static const char *const places[] = {
		"/lib/modules/%s/vmlinuz", "/boot/vmlinuz-%s", "/boot/vmlinux-%s", "/boot/Image-%s", "/boot/image-%s",
	};
	struct val_bool found = val_bool(false);

	for (size_t i = 0; i < ARRAY_SIZE(places) && !bool_or(found, false); i++) {
		const char *place = strchr(places[i], '%');
		struct val_bool here = existence(env, arena_printf(arena, "%.*s%s%s", (int)(place - places[i]),
								   places[i], release, place + strlen("%s")));

		/* One that is there settles it; else one that could not be looked for. */
		if (bool_or(here, false) || !is_known(here))
			found = here;
	}
	return found;
}

static struct val_bool is_signed(struct probe_env *env, const char *path)
{
	char end[sizeof(signature_mark) - 1];
	size_t got = 0;
	struct stat st;
	int error = root_stat(env->root, &st, "%s", path);

	if (!error && st.st_size < (off_t)sizeof(end))
		return no_bool(VAL_ERROR, "the file is too short for a module");
	if (!error)
		error = root_read_at(env->root, end, sizeof(end), &got, (size_t)st.st_size - sizeof(end), "%s", path);
	if (error)
		return no_bool(state_of_errno(error), name_of_errno(error));
	return val_bool(got == sizeof(end) && !memcmp(end, signature_mark, sizeof(end)));
}

/* MODULE_LICENSE of NVIDIA's modules: "NVIDIA", or "Dual MIT/GPL" of the open ones. */
static struct val_str flavour_of(struct val_str license)
{
	if (!is_known(license))
		return license;
	return val_str(strstr(str_or(license, ""), "GPL") ? "open" : "proprietary");
}

static const char *path_of(struct arena *arena, const char *release, const char *file)
{
	return *file == '/' ? file : arena_printf(arena, "/lib/modules/%s/%s", release, file);
}

static void read_nvidia(struct probe_env *env, struct arena *arena, struct installed_kernel *kernel, const char *dep)
{
	static const char none[] = "this kernel has no such file", compressed[] = "the file is compressed";
	const char *release = str_or(kernel->key, ""), *file = module_file_in(arena, dep, "nvidia"), *path;

	if (!file) {
		kernel->nvidia_file = kernel->nvidia_version = kernel->nvidia_flavour = no_str(VAL_ABSENT, none);
		kernel->nvidia_is_signed = no_bool(VAL_ABSENT, none);
		return;
	}
	kernel->nvidia_file = text_value(arena, file, strlen(file));
	if (module_file_is_compressed(file)) {
		kernel->nvidia_version = checked_version(arena, module_version_by_dkms(env, arena, "nvidia", release));
		kernel->nvidia_flavour = no_str(VAL_UNSUPPORTED, compressed);
		kernel->nvidia_is_signed = no_bool(VAL_UNSUPPORTED, compressed);
		return;
	}
	path = path_of(arena, release, file);
	kernel->nvidia_version = checked_version(arena, module_file_value(env, arena, path, "version"));
	kernel->nvidia_flavour = flavour_of(module_file_value(env, arena, path, "license"));
	kernel->nvidia_is_signed = is_signed(env, path);
}

static void read_kernel(struct probe_env *env, struct snapshot *facts, const char *machine, const char *release)
{
	struct arena *arena = &facts->arena;
	struct val_str key = text_value(arena, release, strlen(release));
	STRBUF_AUTO dep = STRBUF_INIT;
	struct installed_kernel *kernel;
	const char *nvidia;
	int error = root_read(env->root, &dep, "/lib/modules/%s/modules.dep", release);

	/* What a kernel that was removed left behind, as DKMS' modules. */
	if (error && state_of_errno(error) == VAL_ABSENT)
		return;
	kernel = list_element(arena, facts, installed_kernels, installed_kernel, str_or(key, "?"));
	kernel->has_image = has_image(env, arena, release);
	kernel->has_headers = existence(env, arena_printf(arena, "/lib/modules/%s/build/Makefile", release));
	if (error) {
		kernel->nvidia_file = no_str(state_of_errno(error), name_of_errno(error));
		kernel->has_nouveau = no_bool(state_of_errno(error), name_of_errno(error));
		return;
	}
	read_nvidia(env, arena, kernel, dep.buf);
	nvidia = str_or(kernel->nvidia_file, NULL);
	upgrade_initramfs_read(env, arena, machine, kernel, nvidia ? path_of(arena, release, nvidia) : NULL);
	kernel->has_nouveau = val_bool(module_file_in(arena, dep.buf, "nouveau"));
}

void upgrade_kernels_read(struct probe_env *env, struct snapshot *facts)
{
	const char *machine = str_or(read_str(env, &facts->arena, "/etc/machine-id"), "none");
	struct name_list names = { 0 };
	int error = root_list(env->root, &names, "/lib/modules");

	for (size_t i = 0; i < names.nr && facts->nr_installed_kernels < MAX_KERNELS; i++)
		read_kernel(env, facts, machine, names.names[i]);
	facts->listed.installed_kernels = listed_of(env, facts->nr_installed_kernels, error);
	name_list_release(&names);
}
