// SPDX-License-Identifier: GPL-2.0-or-later
/* framework_site.c - which frameworks a folder of packages has, and what they were built for. */
#include "base/compat.h"
#include "probe/framework/framework_internal.h"

#include "base/text.h"
#include "format/python_text.h"
#include "probe/read.h"

enum { MAX_PACKAGES = 200 };	/* recorded of all folders */

struct reading {
	struct probe_env *env;
	struct sink *sink;
	struct arena *arena;		/* of the facts */
	const struct site *site;
	struct name_list names;
};

static const char *path_of(struct reading *r, const char *name)
{
	return arena_printf(r->arena, "%s%s/%s", r->site->root, r->site->folder, name);
}

/* The version of an installed package, and its folder of metadata; NULL: it is not installed. */
static const char *installed(struct reading *r, const char *package, const char **ret_folder)
{
	for (size_t i = 0; i < r->names.nr; i++) {
		const char *name, *version;

		if (!python_distribution(r->arena, r->names.names[i], &name, &version) || strcmp(name, package))
			continue;
		*ret_folder = r->names.names[i];
		return version;
	}
	return NULL;
}

static const char *version_of(struct reading *r, const char *package)
{
	const char *folder;

	return installed(r, package, &folder);
}

/* The first package whose name begins and ends so: "jax-cuda", "-plugin". */
static const char *package_like(struct reading *r, const char *begin, const char *end)
{
	for (size_t i = 0; i < r->names.nr; i++) {
		const char *name, *version;
		size_t len;

		if (!python_distribution(r->arena, r->names.names[i], &name, &version))
			continue;
		len = strlen(name);
		if (!strncmp(name, begin, strlen(begin)) && len > strlen(end) && !strcmp(name + len - strlen(end), end))
			return name;
	}
	return NULL;
}

static struct framework *add(struct reading *r, const char *folder, const char *name)
{
	const struct site *site = r->site;
	struct framework *framework = list_element(r->arena, &r->sink->facts, frameworks, framework,
						   arena_printf(r->arena, "%s%s/%s", site->root, site->folder, folder));

	framework->name = val_str(name);
	framework->found_by = val_str(site->found_by);
	framework->named_by = site->named_by ? val_str(arena_strdup(r->arena, site->named_by)) :
					       no_str(VAL_ABSENT, "not named");
	framework->pid = site->pid ? val_u64(site->pid) : no_u64(VAL_ABSENT, "not loaded by a process on the GPUs");
	framework->interpreter = site->interpreter ? val_str(arena_strdup(r->arena, site->interpreter)) :
						     no_str(VAL_ABSENT, "no interpreter beside it");
	return framework;
}

static struct val_str version_value(struct reading *r, const char *text)
{
	return text ? text_value(r->arena, text, strlen(text)) : no_str(VAL_ERROR, "not told by its files");
}

static void built_for(struct reading *r, struct framework *framework, const char *kind, const char *version)
{
	framework->built_for = val_str(kind);
	framework->toolkit_version = version ? version_value(r, version) :
				     strcmp(kind, "cpu") ? no_str(VAL_ERROR, "not told by its files") :
							   no_str(VAL_ABSENT, "no GPU support");
}

static void built_unknown(struct framework *framework, enum val_state state, const char *why)
{
	framework->built_for = no_str(state, why);
	framework->toolkit_version = no_str(state, why);
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = text ? strlen(text) : 0;

	return len >= strlen(end) && !strcmp(text + len - strlen(end), end);
}

/*
 * Intel's XPUs: since 2.5 version.py has the version of the SYCL compiler (tools/generate_torch_version.py); before,
 * the build's version says so, or Intel's extension brought them.
 */
static void read_torch_without_cuda(struct reading *r, struct framework *framework, const char *text,
				    const char *version)
{
	bool ignored;
	const char *xpu = python_assigned(r->arena, text, "xpu", &ignored);

	if (xpu || ends_with(version, "+xpu") || ends_with(version_of(r, "intel-extension-for-pytorch"), "+xpu"))
		built_for(r, framework, "xpu", xpu);
	else
		built_for(r, framework, "cpu", NULL);
}

/* torch/version.py is made by its build: five assignments or more. */
static void read_torch(struct reading *r)
{
	static const char *const libraries[] = {
		"lib/libtorch_cuda.so", "lib/libtorch_cuda_cu.so", "lib/libtorch_cuda_cpp.so", "lib/libtorch_hip.so",
		NULL,
	};
	STRBUF_AUTO text = STRBUF_INIT;
	struct framework *framework;
	const char *cuda, *hip, *version;
	bool no_cuda = false, ignored;
	int error;

	sink_step(r->sink, path_of(r, "torch/version.py"));
	framework = add(r, "torch", "torch");
	error = root_read(r->env->root, &text, "%s", path_of(r, "torch/version.py"));
	framework->gpu_code = gpu_code_read(r->env, r->sink, path_of(r, "torch"), libraries);
	if (error) {
		framework->version = version_value(r, version_of(r, "torch"));
		built_unknown(framework, state_of_errno(error), name_of_errno(error));
		return;
	}
	version = python_assigned(r->arena, text.buf, "__version__", &ignored);
	cuda = python_assigned(r->arena, text.buf, "cuda", &no_cuda);
	hip = python_assigned(r->arena, text.buf, "hip", &ignored);
	framework->version = version_value(r, version ? version : version_of(r, "torch"));
	if (cuda)
		built_for(r, framework, "cuda", cuda);
	else if (hip)
		built_for(r, framework, "rocm", hip);
	else if (no_cuda)
		read_torch_without_cuda(r, framework, text.buf, version);
	else
		built_unknown(framework, VAL_ERROR, "not told by torch/version.py");
}

/* "12" of "jax-cuda12-plugin"; ROCm's is "60" of 6.0. */
static const char *number_in(struct arena *arena, const char *name, const char *begin)
{
	size_t len = strspn(name + strlen(begin), "0123456789");

	return len ? arena_strndup(arena, name + strlen(begin), len) : NULL;
}

/* What runs on GPUs comes as a plugin, and before 0.4.30 in jaxlib itself, whose version then ends so. */
static void read_jax(struct reading *r)
{
	struct framework *framework = add(r, "jaxlib", "jax");
	const char *version = version_of(r, "jaxlib"), *cuda = package_like(r, "jax-cuda", "-plugin");
	const char *rocm = package_like(r, "jax-rocm", "-plugin"), *local = version ? strstr(version, "+cuda") : NULL;

	framework->version = version_value(r, version);
	framework->gpu_code = no_str(VAL_ABSENT, "it compiles its code at start");
	if (cuda)
		built_for(r, framework, "cuda", number_in(r->arena, cuda, "jax-cuda"));
	else if (rocm)
		built_for(r, framework, "rocm", number_in(r->arena, rocm, "jax-rocm"));
	else if (local)
		built_for(r, framework, "cuda", number_in(r->arena, local, "+cuda"));
	else if (version)
		built_for(r, framework, "cpu", NULL);
	else
		built_unknown(framework, VAL_ERROR, "not told by its files");
}

static const char *tensorflow_version(struct reading *r)
{
	static const char *const names[] = { "tensorflow", "tensorflow-cpu", "tensorflow-rocm" };
	const char *version = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(names) && !version; i++)
		version = version_of(r, names[i]);
	return version;
}

static void read_tensorflow(struct reading *r)
{
	static const char *const libraries[] = {
		"libtensorflow_cc.so.2", "python/_pywrap_tensorflow_internal.so", NULL,
	};
	static const char file[] = "tensorflow/python/platform/build_info.py";
	struct framework *framework;
	STRBUF_AUTO text = STRBUF_INIT;
	const char *is_cuda, *is_rocm;
	int error;

	sink_step(r->sink, path_of(r, file));
	framework = add(r, "tensorflow", "tensorflow");
	error = root_read(r->env->root, &text, "%s", path_of(r, file));
	framework->version = version_value(r, tensorflow_version(r));
	framework->gpu_code = gpu_code_read(r->env, r->sink, path_of(r, "tensorflow"), libraries);
	if (error) {
		built_unknown(framework, state_of_errno(error), name_of_errno(error));
		return;
	}
	is_cuda = python_entry(r->arena, text.buf, "is_cuda_build");
	is_rocm = python_entry(r->arena, text.buf, "is_rocm_build");
	if (is_cuda && !strcmp(is_cuda, "True"))
		built_for(r, framework, "cuda", python_entry(r->arena, text.buf, "cuda_version"));
	else if (is_rocm && !strcmp(is_rocm, "True"))
		built_for(r, framework, "rocm", python_entry(r->arena, text.buf, "rocm_version"));
	else if (is_cuda && version_of(r, "intel-extension-for-tensorflow"))
		built_unknown(framework, VAL_UNSUPPORTED,
			      "its files do not tell whether Intel's extension has GPU support");
	else if (is_cuda)
		built_for(r, framework, "cpu", NULL);
	else
		built_unknown(framework, VAL_ERROR, "not told by build_info.py");
}

/* What brings a part of CUDA or ROCm, or must fit a part of JAX. */
static bool is_of_interest(const char *name)
{
	static const char *const begins[] = { "nvidia-", "jax", "torch", "tensorflow", "triton", "cupy-",
					       "pytorch-triton" };

	return text_begins_any(name, begins, ARRAY_SIZE(begins));
}

/* Into text, which is empty where torch or its metadata is missing. */
static void read_torch_metadata(struct reading *r, struct strbuf *text)
{
	const char *folder;

	if (installed(r, "torch", &folder) &&
	    root_read(r->env->root, text, "%s", path_of(r, arena_printf(r->arena, "%s/METADATA", folder))))
		strbuf_reset(text);
}

static void read_packages(struct reading *r)
{
	STRBUF_AUTO metadata = STRBUF_INIT;

	read_torch_metadata(r, &metadata);
	for (size_t i = 0; i < r->names.nr && r->sink->facts.nr_python_packages < MAX_PACKAGES; i++) {
		const char *name, *version, *required;
		struct python_package *package;

		if (!python_distribution(r->arena, r->names.names[i], &name, &version) || !is_of_interest(name) ||
		    !version_valid(version) || !utf8_valid(name, strlen(name)))
			continue;
		package = list_element(r->arena, &r->sink->facts, python_packages, python_package,
				       path_of(r, r->names.names[i]));
		package->folder = val_str(arena_printf(r->arena, "%s%s", r->site->root, r->site->folder));
		package->name = val_str(name);
		package->version = val_str(version);
		required = python_required(r->arena, metadata.buf, name);
		package->required_version = required && version_valid(required) ? val_str(required) :
								no_str(VAL_ABSENT, "torch requires no one version");
	}
}

static bool has(struct reading *r, const char *name)
{
	for (size_t i = 0; i < r->names.nr; i++)
		if (!strcmp(r->names.names[i], name))
			return true;
	return false;
}

void site_read(struct probe_env *env, struct sink *sink, const struct site *site)
{
	struct reading r = { .env = env, .sink = sink, .arena = &sink->facts.arena, .site = site };

	sink_step(sink, site->folder);
	if (root_list(env->root, &r.names, "%s%s", site->root, site->folder))
		return;
	if (has(&r, "torch"))
		read_torch(&r);
	if (has(&r, "jaxlib"))
		read_jax(&r);
	if (has(&r, "tensorflow"))
		read_tensorflow(&r);
	if (sink->facts.nr_frameworks)
		read_packages(&r);
	name_list_release(&r.names);
}
