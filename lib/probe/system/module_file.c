// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * module_file.c - files of kernel modules.
 *
 * modules.dep names them. The section .modinfo of one holds NAME=value with a NUL after
 * each (include/linux/module.h): what "modinfo -F version" prints. Of a file
 * that is compressed DKMS tells, where it built it.
 */
#include "base/compat.h"
#include "probe/system/module_file.h"

#include <elf.h>
#include <errno.h>

#include "probe/read.h"

enum {
	MAX_SECTIONS = 4096,
	MAX_MODINFO_BYTES = 256 * 1024,		/* nvidia's has some 4 KiB, amdgpu's 30 */
	MAX_NAMES_BYTES = 1024 * 1024,		/* of sections; a module's functions may have one each */
};

/* All len bytes at that place, or -errno. */
static int read_exactly(struct probe_env *env, const char *path, void *buf, size_t len, uint64_t offset)
{
	size_t got = 0;
	int error = root_read_at(env->root, buf, len, &got, (size_t)offset, "%s", path);

	return error ? error : got == len ? 0 : -ENOEXEC;
}

const char *modinfo_value(struct arena *arena, const char *text, size_t len, const char *name)
{
	size_t key = strlen(name);

	for (size_t at = 0; at < len; at += strnlen(text + at, len - at) + 1) {
		size_t left = strnlen(text + at, len - at);

		if (left > key + 1 && !strncmp(text + at, name, key) && text[at + key] == '=')
			return arena_strndup(arena, text + at + key + 1, left - key - 1);
	}
	return NULL;
}

/* Finds a section by name. 0 or -errno. */
static int find_section(struct probe_env *env, struct arena *arena, const char *path, const char *name, Elf64_Shdr *ret)
{
	Elf64_Ehdr header;
	Elf64_Shdr *sections, *names;
	char *texts;
	int error = read_exactly(env, path, &header, sizeof(header), 0);

	if (error)
		return error;
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_shentsize != sizeof(*sections) || header.e_shnum > MAX_SECTIONS ||
	    header.e_shstrndx >= header.e_shnum)
		return -ENOEXEC;
	sections = arena_alloc(arena, header.e_shnum * sizeof(*sections));
	error = read_exactly(env, path, sections, header.e_shnum * sizeof(*sections), header.e_shoff);
	if (error)
		return error;
	names = &sections[header.e_shstrndx];
	if (names->sh_size > MAX_NAMES_BYTES)
		return -ENOEXEC;
	texts = arena_alloc(arena, names->sh_size + 1);
	error = read_exactly(env, path, texts, names->sh_size, names->sh_offset);
	if (error)
		return error;
	texts[names->sh_size] = '\0';
	for (size_t i = 0; i < header.e_shnum; i++) {
		if (sections[i].sh_name < names->sh_size && !strcmp(texts + sections[i].sh_name, name)) {
			*ret = sections[i];
			return 0;
		}
	}
	return -ENOEXEC;
}

struct val_str module_file_value(struct probe_env *env, struct arena *arena, const char *path, const char *name)
{
	struct arena scratch = { 0 };
	struct val_str value = no_str(VAL_ABSENT, "none in the module file");
	Elf64_Shdr section;
	const char *found;
	char *text;
	int error = find_section(env, &scratch, path, ".modinfo", &section);

	if (!error && section.sh_size > MAX_MODINFO_BYTES)
		error = -ENOEXEC;
	if (!error) {
		text = arena_alloc(&scratch, section.sh_size + 1);
		error = read_exactly(env, path, text, section.sh_size, section.sh_offset);
		found = error ? NULL : modinfo_value(&scratch, text, section.sh_size, name);
		if (found)
			value = text_value(arena, found, strlen(found));
	}
	arena_release(&scratch);
	return error ? no_str(state_of_errno(error), name_of_errno(error)) : value;
}

/* Is that file NAME.ko, also as distributions call it ("nvidia-current.ko"), or compressed? */
static bool is_module_file(const char *file, size_t len, const char *name)
{
	static const char *const endings[] = { ".ko", "-current.ko" };

	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		size_t stem = strlen(name) + strlen(endings[i]);

		if (len >= stem && !strncmp(file, name, strlen(name)) &&
		    !strncmp(file + strlen(name), endings[i], strlen(endings[i])) && (len == stem || file[stem] == '.'))
			return true;
	}
	return false;
}

/* A line is "updates/dkms/nvidia.ko: …". */
const char *module_file_in(struct arena *arena, const char *dep, const char *name)
{
	for (const char *line = dep; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		size_t len = strcspn(line, ":\n");
		size_t base = len;

		while (base && line[base - 1] != '/')
			base--;
		if (line[len] == ':' && is_module_file(line + base, len - base, name))
			return arena_strndup(arena, line, len);
	}
	return NULL;
}

/* DKMS keeps a link /var/lib/dkms/NAME/kernel-RELEASE-ARCH to "VERSION/RELEASE/ARCH" of what it installed (dkms(8)). */
struct val_str module_version_by_dkms(struct probe_env *env, struct arena *arena, const char *name,
				      const char *release)
{
	const char *prefix = arena_printf(arena, "kernel-%s-", release);
	struct val_str version = no_str(VAL_UNSUPPORTED, "the module's file is compressed");
	struct name_list names = { 0 };

	if (root_list(env->root, &names, "/var/lib/dkms/%s", name))
		return version;
	for (size_t i = 0; i < names.nr; i++) {
		STRBUF_AUTO target = STRBUF_INIT;

		if (!strncmp(names.names[i], prefix, strlen(prefix)) &&
		    !root_readlink(env->root, &target, "/var/lib/dkms/%s/%s", name, names.names[i]))
			version = text_value(arena, target.buf, strcspn(target.buf, "/"));
	}
	name_list_release(&names);
	return version;
}

bool module_file_is_compressed(const char *file)
{
	size_t len = strlen(file);

	return len < strlen(".ko") || strcmp(file + len - strlen(".ko"), ".ko") != 0;
}

struct val_str module_disk_version(struct probe_env *env, struct arena *arena, const char *name)
{
	struct val_str release = read_str(env, arena, "/proc/sys/kernel/osrelease");
	const char *folder = arena_printf(arena, "/lib/modules/%s", str_or(release, ""));
	STRBUF_AUTO dep = STRBUF_INIT;
	const char *file;
	int error;

	if (!is_known(release))
		return no_str(release.state, release.why);
	error = root_read(env->root, &dep, "%s/modules.dep", folder);
	if (error)
		return no_str(state_of_errno(error), name_of_errno(error));
	file = module_file_in(arena, dep.buf, name);
	if (!file)
		return no_str(VAL_ABSENT, "this kernel has no such file");
	if (module_file_is_compressed(file))
		return module_version_by_dkms(env, arena, name, str_or(release, ""));
	return module_file_value(env, arena, *file == '/' ? file : arena_printf(arena, "%s/%s", folder, file),
				 "version");
}
