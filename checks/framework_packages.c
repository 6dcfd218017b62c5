// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"
#include "checks/playbook.h"
#include "eval/facts/framework.h"

static const struct python_package *package_of(const struct snapshot *snapshot, const char *folder, const char *name)
{
	for (size_t i = 0; i < snapshot->nr_python_packages; i++) {
		const struct python_package *package = &snapshot->python_packages[i];

		if (str_is(package->folder, folder) && str_is(package->name, name))
			return package;
	}
	return NULL;
}

static void raise(struct judgement *j, const struct python_package *package, const char *conflict)
{
	bool is_asked = framework_folder_is_asked(j->snapshot, str_or(package->folder, ""));

	derive_str(j, "folder", str_or(package->folder, "?"), "site-packages");
	derive_str(j, "conflict", conflict, "metadata of both packages");
	finding_add_of(j, is_asked ? FRAMEWORK_PACKAGES_CONFLICT : FRAMEWORK_PACKAGES_CONFLICT_FOUND,
		       str_or(package->key, "?"));
}

/* A newer one is often put in on purpose, and works. */
static void judge_required(struct judgement *j, const struct python_package *package)
{
	if (!is_known(package->required_version) ||
	    version_compare(str_or(package->version, ""), str_or(package->required_version, "")) >= 0)
		return;
	want(j, python_package, package, required_version);
	raise(j, package, arena_printf(j->arena, "%s %s is older than the version that torch requires, %s",
				       str_or(package->name, "?"), str_or(package->version, "?"),
				       str_or(package->required_version, "?")));
}

/* The numbers alone: "0.4.38" of "0.4.38.dev20260317". */
static size_t release_length(const char *version)
{
	size_t len = strspn(version, ".0123456789");

	return len && version[len - 1] == '.' ? len - 1 : len;
}

/* jaxlib leaves a CUDA plugin of another version unused (jaxlib, plugin_support.py); of ROCm's it takes any. */
static void judge_plugin(struct judgement *j, const struct python_package *package)
{
	const char *name = str_or(package->name, ""), *version = str_or(package->version, ""), *its;
	const struct python_package *jaxlib = package_of(j->snapshot, str_or(package->folder, ""), "jaxlib");

	if (!jaxlib || strncmp(name, "jax-cuda", strlen("jax-cuda")) || !strstr(name, "-plugin"))
		return;
	its = str_or(jaxlib->version, "");
	if (release_length(version) == release_length(its) && !strncmp(version, its, release_length(its)))
		return;
	raise(j, package, arena_printf(j->arena, "%s %s does not fit jaxlib %s", name, version, its));
}

/* "nvidia-cudnn" of "nvidia-cudnn-cu12"; 0: it is of no CUDA version. */
static size_t stem_of(const char *name)
{
	const char *at = strstr(name, "-cu1");

	return at && strspn(at + strlen("-cu"), "0123456789") == strlen(at + strlen("-cu")) ? (size_t)(at - name) : 0;
}

/* Both put their files into one folder: of those with the same name one overwrote the other's. */
static void judge_twice(struct judgement *j, const struct python_package *package)
{
	const char *name = str_or(package->name, "");
	size_t stem = stem_of(name);

	for (const struct python_package *other = j->snapshot->python_packages; stem && other < package; other++) {
		const char *its = str_or(other->name, "");

		if (stem_of(its) != stem || strncmp(its, name, stem) || !strcmp(its, name) ||
		    !str_is(other->folder, str_or(package->folder, "?")))
			continue;
		derive_str(j, "folder", str_or(package->folder, "?"), "site-packages");
		derive_str(j, "both", arena_printf(j->arena, "%s and %s", its, name), "metadata of both packages");
		finding_add_of(j, FRAMEWORK_PACKAGES_TWO_MAJORS, str_or(package->key, "?"));
		return;
	}
}

static void judge(struct judgement *j, const struct python_package *package)
{
	question(j);
	about(j, str_or(package->key, "?"));
	need(j, python_package, package, version);
	want(j, python_package, package, name);
	if (!all_known(j))
		return;
	judge_required(j, package);
	judge_plugin(j, package);
	judge_twice(j, package);
}

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;

	for (size_t i = 0; i < snapshot->nr_python_packages; i++)
		judge(j, &snapshot->python_packages[i]);
	if (!snapshot->nr_python_packages)
		skip_check(j, is_known(snapshot->listed.frameworks) ? "no package of CUDA or a framework found" :
								      "not collected");
}

const struct check check_framework_packages = {
	.name = "framework-packages",
	.title = "Framework packages",
	.doc = "Do the packages beside a framework fit it and each other? Read from their metadata: NVIDIA's libraries older "
	       "than the version that torch requires, JAX plugins of another version than jaxlib, one library for two CUDA "
	       "major versions. Packages of --python and --pid are judged; others are a note. Libraries newer than "
	       "required are accepted.",
	.per = SUBJECT_NODE,
	.needs = NEEDS_LINKS,
	.says = NULL,
	.may_emit = IDS(FRAMEWORK_PACKAGES_CONFLICT, FRAMEWORK_PACKAGES_CONFLICT_FOUND, FRAMEWORK_PACKAGES_TWO_MAJORS),
	.eval = eval,
};
