// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * upgrade_builds.c - GPU drivers that DKMS builds on this node.
 *
 * Below /var/lib/dkms/NAME, by dkms(8) and its script: VERSION/source leads to
 * the sources; VERSION/RELEASE/ARCH/module holds what was built; a link
 * kernel-RELEASE-ARCH leads to what of it is installed; VERSION/build is the
 * folder of a build under way, and stays, with its make.log, where it failed.
 */
#include "base/compat.h"
#include "base/text.h"
#include "probe/upgrade/upgrade_internal.h"

#include "probe/read.h"

#define DKMS "/var/lib/dkms"

enum {
	MAX_BUILDS = 1024,		/* recorded at most */
	MAX_LOG_BYTES = 1 << 20,	/* of make.log: its first error is wanted */
	MAX_ERROR_CHARS = 200,
};

/* GPU drivers, as distributions and vendors name them: each begins so. */
static bool is_wanted(const char *name)
{
	static const char *const begins[] = { "nvidia", "amdgpu", "i915", "intel-i915", "xe-" };

	return text_begins_any(name, begins, ARRAY_SIZE(begins)) || !strcmp(name, "xe");
}

const char *make_log_kernel(struct arena *arena, const char *text)
{
	static const char words[] = " for kernel ";
	const char *line = arena_strndup(arena, text, strcspn(text, "\r\n"));
	const char *at = strstr(line, words);
	size_t len;

	if (strncmp(line, "DKMS", strlen("DKMS")) != 0 || !at)
		return NULL;
	at += strlen(words);
	len = strcspn(at, " ");
	return len ? arena_strndup(arena, at, len) : NULL;
}

/* What the compiler, the linker and make say; "Error 2" of a make that called another comes last. */
const char *make_log_error(struct arena *arena, const char *text)
{
	static const char *const signs[] = { "error:", "ERROR:", "undefined!", "*** " };

	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		size_t len = strcspn(line, "\r\n");
		const char *copy = arena_strndup(arena, line, len < MAX_ERROR_CHARS ? len : MAX_ERROR_CHARS);

		if (text_has_any(copy, signs, ARRAY_SIZE(signs)))
			return copy;
	}
	return NULL;
}

/* One of them; NULL: there are too many to tell. */
static struct module_build *add_build(struct snapshot *facts, const char *name, const char *version, const char *kernel)
{
	struct arena *arena = &facts->arena;
	const char *key = arena_printf(arena, "%s/%s%s%s", name, version, kernel ? "/" : "", kernel ? kernel : "");
	struct module_build *build;

	if (facts->nr_module_builds >= MAX_BUILDS)
		return NULL;
	key = str_or(text_value(arena, key, strlen(key)), "?");
	build = list_element(arena, facts, module_builds, module_build, key);
	build->name = text_value(arena, name, strlen(name));
	build->version = text_value(arena, version, strlen(version));
	build->kernel = kernel ? text_value(arena, kernel, strlen(kernel)) :
				 no_str(VAL_ABSENT, "none was tried");
	build->error = no_str(VAL_ABSENT, "none");
	return build;
}

/* Is a link of that module's folder, "kernel-RELEASE-ARCH", to this version and kernel? */
static bool is_installed(struct probe_env *env, const struct name_list *links, const char *name, const char *target)
{
	for (size_t i = 0; i < links->nr; i++) {
		STRBUF_AUTO text = STRBUF_INIT;

		if (!strncmp(links->names[i], "kernel-", strlen("kernel-")) &&
		    !root_readlink(env->root, &text, DKMS "/%s/%s", name, links->names[i]) &&
		    !strncmp(text.buf, target, strlen(target)) && text.buf[strlen(target)] == '/')
			return true;
	}
	return false;
}

/* Is there anything in VERSION/RELEASE/ARCH/module? */
static bool is_built(struct probe_env *env, const char *folder)
{
	struct name_list arches = { 0 };
	bool any = false;

	if (root_list(env->root, &arches, "%s", folder))
		return false;
	for (size_t i = 0; i < arches.nr && !any; i++) {
		struct name_list files = { 0 };

		any = !root_list(env->root, &files, "%s/%s/module", folder, arches.names[i]) && files.nr;
		name_list_release(&files);
	}
	name_list_release(&arches);
	return any;
}

/* A build that is under way, or that failed: then its log has an error. */
static void read_log(struct probe_env *env, struct snapshot *facts, const char *name, const char *version)
{
	struct arena *arena = &facts->arena, scratch = { 0 };
	char *text = arena_alloc(&scratch, MAX_LOG_BYTES + 1);
	struct module_build *build = NULL;
	const char *kernel, *error;
	size_t len = 0;

	if (!root_read_bytes(env->root, text, MAX_LOG_BYTES, &len, DKMS "/%s/%s/build/make.log", name, version)) {
		text[len] = '\0';
		kernel = make_log_kernel(&scratch, text);
		build = kernel ? add_build(facts, name, version, kernel) : NULL;
	}
	if (build && !is_known(build->state)) {
		error = make_log_error(&scratch, text);
		build->state = val_str(error ? "failed" : "unfinished");
		if (error)
			build->error = text_value(arena, error, strlen(error));
	}
	arena_release(&scratch);
}

static void read_version(struct probe_env *env, struct snapshot *facts, const struct name_list *links,
			 const char *name, const char *version)
{
	struct arena *arena = &facts->arena;
	size_t before = facts->nr_module_builds;
	struct name_list names = { 0 };
	struct module_build *build;

	if (root_list(env->root, &names, DKMS "/%s/%s", name, version))
		return;
	for (size_t i = 0; i < names.nr; i++) {
		const char *kernel = names.names[i];
		bool installed = is_installed(env, links, name, arena_printf(arena, "%s/%s", version, kernel));

		if (!strcmp(kernel, "source") || !strcmp(kernel, "build") ||
		    !(installed || is_built(env, arena_printf(arena, DKMS "/%s/%s/%s", name, version, kernel))))
			continue;
		build = add_build(facts, name, version, kernel);
		if (build)
			build->state = val_str(installed ? "installed" : "built");
	}
	read_log(env, facts, name, version);
	build = facts->nr_module_builds == before ? add_build(facts, name, version, NULL) : NULL;
	if (build)
		build->state = val_str("added");
	name_list_release(&names);
}

/* Versions have a link to their sources; original_module and the links to what is installed have none. */
static void read_module(struct probe_env *env, struct snapshot *facts, const char *name)
{
	struct name_list names = { 0 };

	if (root_list(env->root, &names, DKMS "/%s", name))
		return;
	for (size_t i = 0; i < names.nr; i++)
		if (strncmp(names.names[i], "kernel-", strlen("kernel-")) != 0 &&
		    strcmp(names.names[i], "original_module") != 0)
			read_version(env, facts, &names, name, names.names[i]);
	name_list_release(&names);
}

void upgrade_builds_read(struct probe_env *env, struct snapshot *facts)
{
	struct name_list names = { 0 };
	int error = root_list(env->root, &names, DKMS);

	for (size_t i = 0; i < names.nr; i++)
		if (is_wanted(names.names[i]))
			read_module(env, facts, names.names[i]);
	name_list_release(&names);
	/* A machine without DKMS has no such folder, recorded or not. */
	facts->listed.module_builds = error && state_of_errno(error) != VAL_ABSENT ?
		no_u64(state_of_errno(error), name_of_errno(error)) : val_u64(facts->nr_module_builds);
}
