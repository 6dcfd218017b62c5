// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/opencl/opencl.h"

#include <errno.h>

#include "base/alloc.h"
#include "base/text.h"
#include "probe/library.h"

enum { MAX_TEXT_BYTES = 64 << 10 };	/* of one property; the extensions of real devices take 2 KiB */
#define CL_PLATFORM_NOT_FOUND -1001	/* ..._KHR of CL/cl_ext.h: the loader knows no driver that works */

struct opencl_calls cl;

int opencl_load(struct sink *sink, char why[OPENCL_WHY_BYTES])
{
	static const char *const names[] = { "libOpenCL.so.1", NULL };
#define OPENCL_SYMBOL(call) { .name = #call, .fallback = NULL, .required = true, .to = LIBRARY_TO(cl.call) },
	static const struct library_symbol symbols[] = {
		OPENCL_CALLS(OPENCL_SYMBOL)
		{ .name = NULL },
	};
#undef OPENCL_SYMBOL
	_Static_assert(OPENCL_WHY_BYTES == LIBRARY_WHY_BYTES, "why is handed on as it is");

	sink_step(sink, "dlopen libOpenCL.so.1");
	return library_open(names, symbols, NULL, why);
}

static enum probe_outcome failed(char why[OPENCL_WHY_BYTES], const char *call, cl_int error)
{
	char buf[OPENCL_ERROR_BYTES];

	snprintf(why, OPENCL_WHY_BYTES, "%s: %s", call, opencl_error_name(error, buf));
	return PROBE_PARTIAL;
}

enum probe_outcome opencl_list_platforms(struct sink *sink, struct opencl_list *ret, char why[OPENCL_WHY_BYTES])
{
	cl_uint nr = 0;
	cl_int error;

	memset(ret, 0, sizeof(*ret));
	why[0] = '\0';
	sink_step(sink, "clGetPlatformIDs");
	error = cl.clGetPlatformIDs(OPENCL_MAX_PLATFORMS, ret->platforms, &nr);
	if (error == CL_PLATFORM_NOT_FOUND)
		return PROBE_OK;
	if (error)
		return failed(why, "clGetPlatformIDs", error);
	if (nr > OPENCL_MAX_PLATFORMS) {
		snprintf(why, OPENCL_WHY_BYTES, "clGetPlatformIDs counts %u platforms", nr);
		return PROBE_GARBLED;
	}
	for (cl_uint i = 0; i < nr; i++) {
		if (!ret->platforms[i]) {
			snprintf(why, OPENCL_WHY_BYTES, "clGetPlatformIDs: platform %u of %u is a null pointer", i, nr);
			return PROBE_GARBLED;
		}
	}
	ret->nr_platforms = nr;
	return PROBE_OK;
}

static enum probe_outcome list_devices_of(struct sink *sink, struct opencl_list *list, cl_uint platform, char *why)
{
	cl_device_id devices[OPENCL_MAX_DEVICES];
	char step[64];
	cl_uint nr = 0;
	cl_int error;

	snprintf(step, sizeof(step), "clGetDeviceIDs, platform %u", platform);
	sink_step(sink, step);
	memset(devices, 0, sizeof(devices));
	error = cl.clGetDeviceIDs(list->platforms[platform], CL_DEVICE_TYPE_ALL, OPENCL_MAX_DEVICES, devices, &nr);
	if (error == CL_DEVICE_NOT_FOUND)
		return PROBE_OK;
	if (error)
		return failed(why, step, error);
	if (nr > OPENCL_MAX_DEVICES - list->nr_devices) {
		snprintf(why, OPENCL_WHY_BYTES, "%s counts %u devices", step, nr);
		return PROBE_GARBLED;
	}
	for (cl_uint i = 0; i < nr; i++) {
		if (!devices[i]) {
			snprintf(why, OPENCL_WHY_BYTES, "%s: device %u of %u is a null pointer", step, i, nr);
			return PROBE_GARBLED;
		}
		list->devices[list->nr_devices++] = (struct opencl_place){
			.platform = list->platforms[platform], .device = devices[i],
		};
	}
	return PROBE_OK;
}

enum probe_outcome opencl_list_devices(struct sink *sink, struct opencl_list *list, char why[OPENCL_WHY_BYTES])
{
	enum probe_outcome worst = PROBE_OK;

	why[0] = '\0';
	for (cl_uint i = 0; i < list->nr_platforms; i++) {
		enum probe_outcome outcome = list_devices_of(sink, list, i, why);

		if (outcome == PROBE_GARBLED)
			return outcome;
		if (outcome != PROBE_OK)
			worst = outcome;
	}
	return worst;
}

int opencl_parse_key(struct arena *arena, const char *key, const char **ret_icd, uint64_t *ret_place)
{
	static const char prefix[] = "opencl:";
	const char *icd = key + strlen(prefix), *colon = strrchr(key, ':');

	if (strncmp(key, prefix, strlen(prefix)) || colon <= icd || parse_u64(colon + 1, ret_place))
		return -EINVAL;
	*ret_icd = arena_strndup(arena, icd, (size_t)(colon - icd));
	return 0;
}

/* ---- properties */

static void say_property(const struct opencl_asked *asked, const char *name)
{
	char step[96];

	snprintf(step, sizeof(step), "%s %s, %s", asked->device ? "clGetDeviceInfo" : "clGetPlatformInfo", name,
		 asked->label);
	sink_step(asked->sink, step);
}

static cl_int get_info(const struct opencl_asked *asked, cl_uint property, size_t size, void *value, size_t *ret_size)
{
	*ret_size = 0;
	if (!asked->device)
		return cl.clGetPlatformInfo(asked->platform, property, size, value, ret_size);
	return cl.clGetDeviceInfo(asked->device, property, size, value, ret_size);
}

static struct val_head no_value(const struct opencl_asked *asked, cl_int error)
{
	struct val_head no = { .state = error == CL_INVALID_VALUE ? VAL_UNSUPPORTED : VAL_ERROR };
	char buf[OPENCL_ERROR_BYTES];

	no.why = arena_strdup(&asked->sink->facts.arena, opencl_error_name(error, buf));
	return no;
}

static struct val_head wrong_size(const struct opencl_asked *asked, size_t size)
{
	return (struct val_head){
		.state = VAL_ERROR, .why = arena_printf(&asked->sink->facts.arena, "an answer of %zu bytes", size),
	};
}

int opencl_bytes(const struct opencl_asked *asked, cl_uint property, const char *name, void *buf, size_t len,
		 struct val_head *ret_no)
{
	cl_int error;
	size_t size;

	say_property(asked, name);
	error = get_info(asked, property, len, buf, &size);
	if (!error && size == len)
		return 0;
	*ret_no = error ? no_value(asked, error) : wrong_size(asked, size);
	return -1;
}

struct val_u64 opencl_u64_(const struct opencl_asked *asked, cl_uint property, const char *name)
{
	union { uint32_t narrow; uint64_t wide; } value = { .wide = 0 };
	struct val_head no;
	cl_int error;
	size_t size;

	say_property(asked, name);
	error = get_info(asked, property, sizeof(value), &value, &size);
	if (!error && size == sizeof(value.narrow))
		return val_u64(value.narrow);
	if (!error && size == sizeof(value.wide))
		return val_u64(value.wide);
	no = error ? no_value(asked, error) : wrong_size(asked, size);
	return no_u64(no.state, no.why);
}

/* Without the white space at both ends: some drivers pad a processor's name. */
static struct val_str as_value(struct arena *arena, const char *text)
{
	struct strbuf clean = STRBUF_INIT;
	struct val_str value;

	text += strspn(text, " \t\r\n");
	utf8_clean(&clean, text, strlen(text));
	strbuf_rtrim(&clean);
	if (clean.len)
		value = val_str(arena_strdup(arena, clean.buf));
	else
		value = no_str(VAL_ABSENT, "empty");
	strbuf_release(&clean);
	return value;
}

struct val_str opencl_str_(const struct opencl_asked *asked, cl_uint property, const char *name)
{
	struct val_head no = { .state = VAL_UNSET };
	struct val_str value;
	size_t size, size_again;
	char *text;
	cl_int error;

	say_property(asked, name);
	error = get_info(asked, property, 0, NULL, &size);
	if (error)
		no = no_value(asked, error);
	else if (size > MAX_TEXT_BYTES)
		no = wrong_size(asked, size);
	if (no.state != VAL_UNSET)
		return no_str(no.state, no.why);

	text = xcalloc(size + 1, 1);
	error = get_info(asked, property, size, text, &size_again);
	if (error) {
		no = no_value(asked, error);
		value = no_str(no.state, no.why);
	} else {
		value = as_value(&asked->sink->facts.arena, text);
	}
	free(text);
	return value;
}

/* ---- environment */

static bool ends_with(const char *text, const char *tail)
{
	const size_t len = strlen(text), tail_len = strlen(tail);

	return len >= tail_len && !strcmp(text + len - tail_len, tail);
}

bool opencl_is_of_driver_root(const struct snapshot *snapshot, const struct icd *icd)
{
	const char *root = str_or(snapshot->request.driver_root, NULL), *path = str_or(icd->path, "");
	STRBUF_AUTO there = STRBUF_INIT;

	if (!root)
		return false;
	/* The folder may be relative to our working folder. */
	strbuf_addf(&there, "%s/etc/OpenCL/vendors/%s", root, str_or(icd->key, ""));
	return ends_with(path, there.buf);
}

/*
 * ocl-icd takes the path of an .icd file for OCL_ICD_VENDORS. The Khronos
 * loader, which vendors ship, takes a folder there and so finds no driver by
 * that; its OCL_ICD_FILENAMES, which ocl-icd ignores, names the library. A
 * library below the driver's root stands nowhere in the .icd file, so ocl-icd
 * gets its path as well, which it takes where the name does not end in .icd.
 */
void opencl_environment(const struct snapshot *snapshot, const char *icd_key, struct arena *arena, struct strs *ret)
{
	const struct icd *icd = list_find(snapshot, icds, icd, icd_key);
	const char *path = icd ? str_or(icd->path, NULL) : NULL;
	const char *library = icd ? str_or(icd->library, NULL) : NULL;

	if (library && library[0] == '/' && opencl_is_of_driver_root(snapshot, icd))
		path = library;
	/* Without its path the loader would be left to load every driver: then better none. */
	strs_add(arena, ret, arena_printf(arena, "OCL_ICD_VENDORS=%s", path ? path : "/nonexistent"));
	if (library && !strchr(library, ':'))
		strs_add(arena, ret, arena_printf(arena, "OCL_ICD_FILENAMES=%s", library));
	strs_add(arena, ret, "LC_ALL=C");
	/* Else PoCL's threads share a processor now and then, and all times are a factor of two apart. */
	strs_add(arena, ret, "POCL_AFFINITY=1");
}
