// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * upgrade_initramfs.c - the initramfs of each kernel, and whether NVIDIA's module is put into it.
 *
 * What is in one is not read: it is an archive of some 100 MB, compressed behind
 * one that is not. Its time and the files that decide what goes into the next
 * tell enough. Places: update-initramfs(8), dracut(8), mkinitrd(8), and those of
 * the boot loader specification and of unified kernel images (kernel-install(8)).
 */
#include "base/compat.h"
#include "probe/upgrade/upgrade_internal.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/text_scan.h"
#include "probe/read.h"

/* The file of that release, else what became of the search: one that could not be looked for may be it. */
static int find_initramfs(struct probe_env *env, struct arena *arena, const char *release, const char *machine,
			  struct stat *ret)
{
	const char *const places[] = {
		arena_printf(arena, "/boot/initrd.img-%s", release),
		arena_printf(arena, "/boot/initramfs-%s.img", release),
		arena_printf(arena, "/boot/initrd-%s", release),
		arena_printf(arena, "/boot/initramfs-%s", release),
		arena_printf(arena, "/boot/%s/%s/initrd", machine, release),
		arena_printf(arena, "/efi/%s/%s/initrd", machine, release),
		arena_printf(arena, "/boot/efi/%s/%s/initrd", machine, release),
		arena_printf(arena, "/boot/EFI/Linux/%s-%s.efi", machine, release),
		arena_printf(arena, "/efi/EFI/Linux/%s-%s.efi", machine, release),
		arena_printf(arena, "/boot/efi/EFI/Linux/%s-%s.efi", machine, release),
	};
	int found = -ENOENT;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		int error = root_stat(env->root, ret, "%s", places[i]);

		if (!error)
			return 0;
		if (state_of_errno(error) != VAL_ABSENT)
			found = error;
	}
	return found;
}

uint64_t seconds_behind(const struct stat *initramfs, const struct stat *module)
{
	return module->st_mtime > initramfs->st_mtime ? (uint64_t)(module->st_mtime - initramfs->st_mtime) : 0;
}

void upgrade_initramfs_read(struct probe_env *env, struct arena *arena, const char *machine,
			    struct installed_kernel *kernel, const char *module_path)
{
	struct stat initramfs, module;
	int error = find_initramfs(env, arena, str_or(kernel->key, ""), machine, &initramfs);

	if (error) {
		bool is_absent = state_of_errno(error) == VAL_ABSENT;
		enum val_state state = state_of_errno(error);
		const char *why = is_absent ? "none is where distributions put it" : name_of_errno(error);

		kernel->has_initramfs = is_absent ? val_bool(false) : no_bool(state, why);
		kernel->initramfs_bytes = kernel->initramfs_behind_s = no_u64(state, why);
		return;
	}
	kernel->has_initramfs = val_bool(true);
	kernel->initramfs_bytes = val_u64((uint64_t)initramfs.st_size);
	if (!root_is_live(env->root)) {
		kernel->initramfs_behind_s = no_u64(VAL_UNSUPPORTED, "not possible on a recording");
		return;
	}
	error = module_path ? root_stat(env->root, &module, "%s", module_path) : -ENOENT;
	if (!error)
		kernel->initramfs_behind_s = val_u64(seconds_behind(&initramfs, &module));
	else if (state_of_errno(error) == VAL_ABSENT)
		kernel->initramfs_behind_s = no_u64(VAL_ABSENT, "there is no file of NVIDIA's module");
	else
		kernel->initramfs_behind_s = no_u64(state_of_errno(error), name_of_errno(error));
}

static bool is_of_nvidia(const char *word, size_t len)
{
	static const char *const names[] = { "nvidia", "nvidia_drm", "nvidia_modeset", "nvidia_uvm", "nvidia-drm",
					     "nvidia-modeset", "nvidia-uvm", "nvidia-current" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (len == strlen(names[i]) && !memcmp(word, names[i], len))
			return true;
	return false;
}

/* A module's name and its parameters a line, "#" begins a comment: initramfs-tools(7). */
bool modules_file_has_nvidia(const char *text)
{
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *at = line;
		size_t len;
		const char *word = scan_word(&at, &len);

		if (is_of_nvidia(word, len))
			return true;
	}
	return false;
}

/* add_drivers+=" nvidia nvidia_drm ", force_drivers+=, drivers+=: dracut.conf(5). omit_drivers keeps it out. */
bool dracut_file_has_nvidia(const char *text)
{
	static const char *const keys[] = { "add_drivers+=", "force_drivers+=", "drivers+=", "force_drivers=",
					    "add_drivers=", "drivers=" };

	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *at = line + strspn(line, " \t");
		size_t len, key = 0;

		while (key < ARRAY_SIZE(keys) && strncmp(at, keys[key], strlen(keys[key])) != 0)
			key++;
		if (key == ARRAY_SIZE(keys))
			continue;
		at += strlen(keys[key]);
		for (at += strspn(at, "\"' \t"); *at && !strchr("\"'#\n", *at); at += len, at += strspn(at, " \t")) {
			len = strcspn(at, " \t\"'#\n");
			if (is_of_nvidia(at, len))
				return true;
		}
	}
	return false;
}

/* Where NVIDIA's module is looked for, and the first that could not be looked into: it may be the one. */
struct search {
	struct probe_env *env;
	struct arena *arena;
	const char *found;
	int error;
};

static void keep_error(struct search *search, int error)
{
	if (error && !search->error && state_of_errno(error) != VAL_ABSENT)
		search->error = error;
}

static void look_into(struct search *search, const char *path, bool (*has_nvidia)(const char *text))
{
	STRBUF_AUTO text = STRBUF_INIT;
	int error;

	if (search->found)
		return;
	error = root_read(search->env->root, &text, "%s", path);
	keep_error(search, error);
	if (!error && has_nvidia(text.buf))
		search->found = str_or(text_value(search->arena, path, strlen(path)), NULL);
}

/* The first file of a folder; ending: of those that count, or NULL. */
static void look_into_all(struct search *search, const char *folder, const char *ending,
			  bool (*has_nvidia)(const char *text))
{
	struct name_list names = { 0 };

	if (search->found)
		return;
	keep_error(search, root_list(search->env->root, &names, "%s", folder));
	for (size_t i = 0; i < names.nr; i++) {
		const char *dot = strrchr(names.names[i], '.');

		if (!ending || (dot && !strcmp(dot, ending)))
			look_into(search, arena_printf(search->arena, "%s/%s", folder, names.names[i]), has_nvidia);
	}
	name_list_release(&names);
}

void upgrade_initramfs_modules_read(struct probe_env *env, struct arena *arena, struct upgrade *ret)
{
	struct search search = { .env = env, .arena = arena };

	look_into(&search, "/etc/initramfs-tools/modules", modules_file_has_nvidia);
	look_into_all(&search, "/usr/share/initramfs-tools/modules.d", NULL, modules_file_has_nvidia);
	look_into(&search, "/etc/dracut.conf", dracut_file_has_nvidia);
	look_into_all(&search, "/etc/dracut.conf.d", ".conf", dracut_file_has_nvidia);
	look_into_all(&search, "/usr/lib/dracut/dracut.conf.d", ".conf", dracut_file_has_nvidia);
	ret->nvidia_in_initramfs_by = search.found ? val_str(search.found) : search.error ?
		no_str(state_of_errno(search.error), name_of_errno(search.error)) :
		no_str(VAL_ABSENT, "not configured in any file");
}
