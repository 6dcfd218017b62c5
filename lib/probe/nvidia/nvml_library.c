// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nvml_library.c - where libnvidia-ml.so.1 is, which of its calls it has, and
 * how it is started.
 *
 * Containers of operators, of Google's nodes and of WSL keep it where no
 * loader looks; it is loaded from there where those places are root's. A
 * recorded tree has no library: only one that was put beside it (--driver-root)
 * speaks for that machine.
 */
#include "base/compat.h"
#include "probe/nvidia/nvml.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>

#include "probe/library.h"
#include "probe/read.h"
#include "snapshot/under_test.h"
#include "sys/own_path.h"

#define FILE_NAME "libnvidia-ml.so.1"

/* Driver containers (NVIDIA's operator), Google's nodes, the older device plugin, WSL. */
static const char *const elsewhere[] = {
	("/run/nvidia/driver/usr/lib/" LIBRARY_MULTIARCH "/" FILE_NAME),
	("/run/nvidia/driver/usr/lib64/" FILE_NAME),
	("/home/kubernetes/bin/nvidia/lib64/" FILE_NAME),
	("/usr/local/nvidia/lib64/" FILE_NAME),
	("/usr/lib/wsl/lib/" FILE_NAME),
};

enum { MOST_PLACES = LIBRARY_FOLDERS + 1 + ARRAY_SIZE(elsewhere) + 1 };

/* Returns one that is passed over, as others may put a library there: /home/kubernetes is a user's elsewhere. */
static const char *list_places(struct probe_env *env, struct arena *arena, const char *driver_root,
			       const char *places[MOST_PLACES])
{
	const char *unsafe = NULL;
	size_t nr = 0;

	for (size_t i = 0; driver_root && i < LIBRARY_FOLDERS; i++)
		places[nr++] = arena_printf(arena, "%s%s/%s", driver_root, library_folders[i], FILE_NAME);
	if (root_is_live(env->root)) {
		places[nr++] = FILE_NAME;
		for (size_t i = 0; i < ARRAY_SIZE(elsewhere); i++) {
			if (root_exists(env->root, "%s", elsewhere[i]) == -EREMOTE)
				continue;
			if (path_is_own(elsewhere[i]))
				places[nr++] = elsewhere[i];
			else
				unsafe = elsewhere[i];
		}
	}
	places[nr] = NULL;
	return unsafe;
}

static struct val_str loaded_from(struct arena *arena, void *handle)
{
	const struct link_map *map;

	if (dlinfo(handle, RTLD_DI_LINKMAP, &map) || !*map->l_name)
		return no_str(VAL_ABSENT, "not reported by the loader");
	return text_value(arena, map->l_name, strlen(map->l_name));
}

static int load(struct probe_env *env, struct sink *sink, struct nvml_library *ret, struct val_str *ret_file,
		char why[NVML_WHY_BYTES])
{
#define NVML_SYMBOL(call, older, parameters)                                                                           \
	{ .name = #call, .fallback = (older), .required = false, .to = LIBRARY_TO(ret->call) },
	const struct library_symbol symbols[] = {
		NVML_CALLS(NVML_SYMBOL)
		{ .name = NULL },
	};
#undef NVML_SYMBOL
	struct arena *arena = &sink->facts.arena;
	const char *places[MOST_PLACES], *driver_root = library_driver_root(), *unsafe;
	void *handle;
	int error;

	_Static_assert(NVML_WHY_BYTES == LIBRARY_WHY_BYTES, "why is handed on as it is");
	unsafe = list_places(env, arena, driver_root, places);
	sink_step(sink, "dlopen " FILE_NAME);
	error = library_open(places, symbols, &handle, why);
	/* It was looked for in many places: the first of them is none to name. */
	if (error == -ENOENT)
		snprintf(why, NVML_WHY_BYTES, FILE_NAME ": not installed%s%.200s",
			 !driver_root ? "" : root_is_live(env->root) ? ", nor below " : " below ",
			 driver_root ? driver_root : "");
	if (error == -ENOENT && unsafe) {
		snprintf(why, NVML_WHY_BYTES, "%s: not loaded: others than root may write there", unsafe);
		return -EPERM;
	}
	if (!error && ret_file)
		*ret_file = loaded_from(arena, handle);
	return error;
}

/* The newest way of starting it that it has: the oldest also opens every GPU, and fails where one is broken. */
static enum probe_outcome start(struct nvml_session *session, char why[NVML_WHY_BYTES])
{
	const struct nvml_library *nvml = session->nvml;
	const char *call = "nvmlInit", *name;
	int error;

	if (nvml->nvmlInit_v2) {
		call = "nvmlInit_v2";
		error = nvml_call(session, nvmlInit_v2);
	} else if (nvml->nvmlInitWithFlags) {
		call = "nvmlInitWithFlags";
		error = nvml_call(session, nvmlInitWithFlags, 0);
	} else {
		error = nvml_call(session, nvmlInit);
	}
	if (!error)
		return PROBE_OK;
	name = nvml_error_name(error);
	if (name)
		snprintf(why, NVML_WHY_BYTES, "%s: %s", call, name);
	else
		snprintf(why, NVML_WHY_BYTES, "%s: NVML error %d", call, error);
	return error == NVML_ERROR_NO_PERMISSION ? PROBE_DENIED : PROBE_PARTIAL;
}

enum probe_outcome nvml_open(struct probe_env *env, struct sink *sink, struct nvml_library *ret,
			     struct val_str *ret_file, char why[NVML_WHY_BYTES])
{
	struct nvml_session session = { .nvml = ret, .sink = sink };
	int error;

	memset(ret, 0, sizeof(*ret));
	error = load(env, sink, ret, ret_file, why);
	if (error)
		return error == -ENOENT ? PROBE_UNAVAILABLE : error == -EPERM ? PROBE_DENIED : PROBE_PARTIAL;
	return start(&session, why);
}

bool nvml_knows(const struct snapshot *snapshot, const struct gpu *gpu)
{
	return str_is(gpu->pci.driver, "nvidia") && gpu_is_under_test(snapshot, gpu);
}

void nvml_environment(const struct snapshot *snapshot, const char *target, struct arena *arena, struct strs *ret)
{
	(void)target;
	strs_add(arena, ret, arena_printf(arena, LIBRARY_DRIVER_ROOT "=%s", str_or(snapshot->request.driver_root, "")));
}
