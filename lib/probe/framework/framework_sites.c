// SPDX-License-Identifier: GPL-2.0-or-later
/* framework_sites.c - where Python's packages are: by an interpreter, an environment, and at usual places. */
#include "base/compat.h"
#include "probe/framework/framework_internal.h"

#include <stdlib.h>

#include "base/text.h"

static bool exists(struct sites *sites, const char *path)
{
	return !root_exists(sites->env->root, "%s", path);
}

void sites_add(struct sites *sites, const struct site *site)
{
	struct stat own, other;

	if (sites->nr == MAX_SITES || !utf8_valid(site->folder, strlen(site->folder)) ||
	    root_stat(sites->env->root, &own, "%s%s", site->root, site->folder) || !S_ISDIR(own.st_mode))
		return;
	for (size_t i = 0; i < sites->nr; i++)
		if (!root_stat(sites->env->root, &other, "%s%s", sites->items[i].root, sites->items[i].folder) &&
		    own.st_dev == other.st_dev && own.st_ino == other.st_ino) {
			if (site->named_by && !sites->items[i].named_by) {
				sites->items[i].found_by = site->found_by;
				sites->items[i].named_by = site->named_by;
				sites->items[i].interpreter = site->interpreter;
			}
			return;
		}
	sites->items[sites->nr++] = *site;
}

/* The folder a path is in. */
static const char *above(struct arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/');

	return !slash || slash == path ? "/" : arena_strndup(arena, path, (size_t)(slash - path));
}

static const char *below(struct arena *arena, const char *prefix, const char *name)
{
	return arena_printf(arena, "%s/%s", strcmp(prefix, "/") ? prefix : "", name);
}

const char *site_interpreter(struct sites *sites, const char *root, const char *folder)
{
	struct arena *arena = sites->arena;
	const char *python = above(arena, folder), *prefix = above(arena, above(arena, python));
	const char *name = strrchr(python, '/') + 1;
	const char *const prefixes[] = { prefix, above(arena, prefix), "/usr" };

	/* Debian's /usr/local/lib/python3.11/dist-packages is of /usr/bin/python3.11. */
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		const char *own = below(arena, prefixes[i], arena_printf(arena, "bin/%s", name));
		const char *any = below(arena, prefixes[i], "bin/python3");

		if (exists(sites, arena_printf(arena, "%s%s", root, own)))
			return own;
		if (exists(sites, arena_printf(arena, "%s%s", root, any)))
			return any;
	}
	return NULL;
}

/* Whose packages: interpreter is NULL where it is whoever is beside the folder; version "3.11", or NULL: any. */
struct owner {
	const char *interpreter, *version, *named_by;
};

static void add_prefix(struct sites *sites, const char *prefix, const struct owner *owner)
{
	static const char *const libs[] = { "lib", "lib64", "local/lib" };
	static const char *const kinds[] = { "site-packages", "dist-packages" };
	struct arena *arena = sites->arena;

	for (size_t i = 0; i < ARRAY_SIZE(libs); i++) {
		const char *lib = below(arena, prefix, libs[i]);
		struct name_list names = { 0 };

		if (root_list(sites->env->root, &names, "%s", lib))
			continue;
		for (size_t k = 0; k < names.nr; k++) {
			const char *number = names.names[k] + strlen("python");

			if (strncmp(names.names[k], "python3", strlen("python3")) ||
			    (owner->version && strcmp(number, "3") && strcmp(number, owner->version)))
				continue;
			for (size_t m = 0; m < ARRAY_SIZE(kinds); m++) {
				struct site site = {
					.root = "", .found_by = owner->named_by ? "python" : "search",
					.named_by = owner->named_by,
				};

				site.folder = arena_printf(arena, "%s/%s/%s", lib, names.names[k], kinds[m]);
				site.interpreter = owner->interpreter ? owner->interpreter :
									site_interpreter(sites, "", site.folder);
				sites_add(sites, &site);
			}
		}
		name_list_release(&names);
	}
}

/* Where a chain of links ends; the path itself where it is none. */
static const char *resolved(struct sites *sites, const char *path)
{
	enum { MAX_LINKS = 40 };

	for (int i = 0; i < MAX_LINKS; i++) {
		STRBUF_AUTO link = STRBUF_INIT;

		if (root_readlink(sites->env->root, &link, "%s", path))
			break;
		path = *link.buf == '/' ? arena_strdup(sites->arena, link.buf) :
					  below(sites->arena, above(sites->arena, path), link.buf);
	}
	return path;
}

/*
 * An environment has a file that names the folder of the interpreter it was made with, and whether it sees its
 * packages.
 */
static const char *home_of_environment(struct sites *sites, const char *prefix, bool *ret_is_environment)
{
	STRBUF_AUTO text = STRBUF_INIT;
	const char *home = NULL;
	bool sees_system = false;

	*ret_is_environment = !root_read(sites->env->root, &text, "%s", below(sites->arena, prefix, "pyvenv.cfg"));
	for (const char *line = text.buf; *ret_is_environment && *line;
	     line += strcspn(line, "\n"), line += *line == '\n') {
		const char *value = memchr(line, '=', strcspn(line, "\n"));

		if (!value)
			continue;
		value += 1 + strspn(value + 1, " \t");
		if (!strncmp(line, "home", strlen("home")))
			home = arena_strndup(sites->arena, value, strcspn(value, "\r\n"));
		else if (!strncmp(line, "include-system-site-packages", strlen("include-system-site-packages")))
			sees_system = !strncasecmp(value, "true", strlen("true"));
	}
	return sees_system ? home : NULL;
}

/* "3.11" of "/usr/bin/python3.11"; NULL: its name does not tell. */
static const char *version_of(const char *interpreter)
{
	const char *name = strrchr(interpreter, '/');
	static const char prefix[] = "python";

	name = name ? name + 1 : interpreter;
	return strncmp(name, prefix, strlen(prefix)) || !strchr(name, '.') ? NULL : name + strlen(prefix);
}

bool sites_of_python(struct sites *sites, const char *path)
{
	struct owner owner = { .named_by = path };
	const char *prefix, *target, *home;
	bool is_environment;
	struct stat st;

	if (root_stat(sites->env->root, &st, "%s", path))
		return false;
	prefix = S_ISDIR(st.st_mode) ? path : above(sites->arena, above(sites->arena, path));
	owner.interpreter = S_ISDIR(st.st_mode) ? below(sites->arena, path, "bin/python3") : path;
	if (!exists(sites, owner.interpreter))
		return false;
	target = resolved(sites, owner.interpreter);
	owner.version = version_of(target);
	home = home_of_environment(sites, prefix, &is_environment);
	add_prefix(sites, prefix, &owner);
	if (!is_environment)
		home = above(sites->arena, target);
	if (home)
		add_prefix(sites, above(sites->arena, home), &owner);
	return true;
}

void sites_search(struct sites *sites)
{
	static const char *const variables[] = { "VIRTUAL_ENV", "CONDA_PREFIX" };
	static const char *const places[] = { "/usr", "/usr/local", "/opt/conda", "/opt/miniconda3", "/opt/venv" };
	static const struct owner any = { .interpreter = NULL };
	const char *home = getenv("HOME");

	for (size_t i = 0; root_is_live(sites->env->root) && i < ARRAY_SIZE(variables); i++) {
		const char *prefix = getenv(variables[i]);

		if (prefix && *prefix == '/')
			add_prefix(sites, prefix, &any);
	}
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		add_prefix(sites, places[i], &any);
	if (root_is_live(sites->env->root) && home && *home == '/')
		add_prefix(sites, below(sites->arena, home, ".local"), &any);
}
