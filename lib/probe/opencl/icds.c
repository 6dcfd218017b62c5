// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * icds.c - probe "icds": the OpenCL drivers that the loader would load.
 *
 * The rules are those of ocl-icd 2.3 (seen by strace): OCL_ICD_VENDORS names
 * a folder, an .icd file (a bare name is looked for in the vendors folder
 * first) or a driver library; it has no lists. OPENCL_VENDOR_PATH moves the
 * vendors folder. A recorded tree has no environment: its folder alone counts.
 *
 * A driver's container (--driver-root) registers its OpenCL driver in a folder
 * of its own, which no loader looks into. That folder counts where the usual
 * one has no driver; of a recorded tree always, since a driver of the tree
 * could not be loaded here. Libraries that are there below the root are meant.
 */
#include "base/compat.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "probe/library.h"
#include "probe/probe_table.h"
#include "probe/read.h"

#define DEFAULT_FOLDER "/etc/OpenCL/vendors"

static const char *variable(struct probe_env *env, const char *name)
{
	const char *value = root_is_live(env->root) ? getenv(name) : NULL;

	return value && *value ? value : NULL;
}

static bool has_icd_suffix(const char *name)
{
	size_t len = strlen(name), suffix = strlen(".icd");

	return len > suffix && !strcmp(name + len - suffix, ".icd");
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* The workers that load these drivers need not share our working folder. */
static const char *absolute(struct arena *arena, const char *path)
{
	char folder[PATH_MAX];

	if (path[0] == '/' || !getcwd(folder, sizeof(folder)))
		return path;
	return arena_printf(arena, "%s/%s", folder, path);
}

/* The first line as the loader takes it: it strips the line feed and nothing else, so spaces and CR are kept. */
static struct val_str read_library(struct probe_env *env, struct arena *arena, const char *path)
{
	STRBUF_AUTO text = STRBUF_INIT;
	int error = root_read(env->root, &text, "%s", path);
	size_t len;

	if (error)
		return no_str(state_of_errno(error), name_of_errno(error));
	len = strcspn(text.buf, "\n");
	if (!len)
		return no_str(VAL_ABSENT, "empty");
	return text_value(arena, text.buf, len);
}

static void add_file(struct probe_env *env, struct sink *sink, const char *path)
{
	struct arena *arena = &sink->facts.arena;
	struct icd *icd = list_element(arena, &sink->facts, icds, icd, base_name(path));

	icd->path = val_str(arena_strdup(arena, path));
	icd->library = read_library(env, arena, path);
}

static void add_library(struct sink *sink, const char *library)
{
	struct arena *arena = &sink->facts.arena;
	struct icd *icd = list_element(arena, &sink->facts, icds, icd, base_name(library));

	icd->path = icd->library = val_str(arena_strdup(arena, library));
}

static void add_folder(struct probe_env *env, struct sink *sink, const char *folder, const struct name_list *names)
{
	for (size_t i = 0; i < names->nr; i++) {
		if (has_icd_suffix(names->names[i]))
			add_file(env, sink, arena_printf(&sink->facts.arena, "%s/%s", folder, names->names[i]));
	}
}

/* Not a folder: a file, by path or by name, or a library. */
static void add_single(struct probe_env *env, struct sink *sink, const char *vendors, const char *folder)
{
	struct arena *arena = &sink->facts.arena;

	if (!has_icd_suffix(vendors))
		add_library(sink, vendors);
	else if (!strchr(vendors, '/') && !root_exists(env->root, "%s/%s", folder, vendors))
		add_file(env, sink, arena_printf(arena, "%s/%s", folder, vendors));
	else
		add_file(env, sink, absolute(arena, vendors));
}

/* ---- below the driver's root */

/* The library as it is to be loaded: below the root where it is there, with its folder or without. */
static struct val_str below(struct arena *arena, const struct root *driver, const char *root, struct val_str library)
{
	const char *name = str_or(library, NULL);

	if (name && name[0] == '/' && !root_exists(driver, "%s", name))
		return val_str(arena_printf(arena, "%s%s", root, name));
	for (const char *const *folder = library_folders; name && !strchr(name, '/') && *folder; folder++)
		if (!root_exists(driver, "%s/%s", *folder, name))
			return val_str(arena_printf(arena, "%s%s/%s", root, *folder, name));
	return library;
}

static void add_drivers_own(struct sink *sink, const char *path)
{
	struct arena *arena = &sink->facts.arena;
	const char *root_path = absolute(arena, path);
	struct name_list names = { 0 };
	struct root root;
	struct probe_env env = { .root = &root, .lock_fd = -1 };

	sink_step(sink, "list the OpenCL vendors folder below the driver's root");
	if (root_open(&root, path))
		return;
	if (!root_list(&root, &names, DEFAULT_FOLDER)) {
		sink->facts.opencl.vendors = val_str(arena_printf(arena, "%s" DEFAULT_FOLDER, root_path));
		sink->facts.nr_icds = 0;
	}
	for (size_t i = 0; i < names.nr; i++) {
		struct icd *icd;

		if (!has_icd_suffix(names.names[i]))
			continue;
		add_file(&env, sink, arena_printf(arena, DEFAULT_FOLDER "/%s", names.names[i]));
		icd = list_element(arena, &sink->facts, icds, icd, names.names[i]);
		icd->path = val_str(arena_printf(arena, "%s%s", root_path, str_or(icd->path, "")));
		icd->library = below(arena, &root, root_path, icd->library);
	}
	name_list_release(&names);
	root_close(&root);
}

static int run(struct probe_env *env, struct sink *sink)
{
	struct arena *arena = &sink->facts.arena;
	struct opencl *opencl = &sink->facts.opencl;
	const char *folder = variable(env, "OPENCL_VENDOR_PATH");
	const char *vendors = variable(env, "OCL_ICD_VENDORS");
	struct name_list names = { 0 };
	const char *place;
	int error;

	folder = absolute(arena, folder ? folder : DEFAULT_FOLDER);
	place = vendors ? absolute(arena, vendors) : folder;
	sink_step(sink, "list the OpenCL vendors folder");
	error = root_list(env->root, &names, "%s", place);
	opencl->vendors = val_str(arena_strdup(arena, vendors && error ? vendors : place));
	if (!error)
		add_folder(env, sink, place, &names);
	else if (vendors && (error == -ENOTDIR || error == -ENOENT))
		add_single(env, sink, vendors, folder);
	name_list_release(&names);
	if (library_driver_root() && (!sink->facts.nr_icds || !root_is_live(env->root)))
		add_drivers_own(sink, library_driver_root());
	opencl->icds = val_u64(sink->facts.nr_icds);
	/* No folder is no driver registered; a folder that may not be read is another matter. */
	if (!sink->facts.nr_icds && error && error != -ENOENT) {
		opencl->icds = no_u64(state_of_errno(error), name_of_errno(error));
		return sink_end(sink, state_of_errno(error) == VAL_DENIED ? PROBE_DENIED : PROBE_PARTIAL,
				name_of_errno(error));
	}
	return sink_end(sink, PROBE_OK, NULL);
}

static void environment(const struct snapshot *snapshot, const char *target, struct arena *arena, struct strs *ret)
{
	(void)target;
	strs_add(arena, ret, arena_printf(arena, LIBRARY_DRIVER_ROOT "=%s", str_or(snapshot->request.driver_root, "")));
}

const struct probe probe_icds = {
	.name = "icds",
	.help = "OpenCL drivers as registered with the loader",
	.phase = PHASE_NODE,
	.touches = TOUCHES_FILES,
	.takes_driver_root = true,
	.deadline_ms = 2000,
	.provides = (const char *const[]){ "opencl", "icds.path", "icds.library", NULL },
	.environment = environment,
	.run = run,
};
