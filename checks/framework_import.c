// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/facts/framework.h"
#include "eval/judge/vendor.h"
#include "snapshot/under_test.h"

static const struct framework *framework_of(const struct snapshot *snapshot, const char *key)
{
	return list_find(snapshot, frameworks, framework, key);
}

/* GPUs of the vendor it was built for; 0: it was built for none, or that is not known. */
static size_t gpus_for(const struct snapshot *snapshot, const struct framework *framework)
{
	const char *driver = framework ? framework_driver(framework) : NULL;

	return driver ? gpus_bound_to(snapshot, driver) : 0;
}

static void judge_devices(struct judgement *j, const struct framework_import *import, size_t gpus)
{
	uint64_t seen = need(j, framework_import, import, devices);

	derive(j, "gpus_here", UNIT_COUNT, (double)gpus, "GPUs of the vendor it was built for");
	if (seen >= gpus)
		return;
	finding_add_of(j, seen ? FRAMEWORK_IMPORT_SEES_FEWER : FRAMEWORK_IMPORT_SEES_NONE, str_or(import->key, "?"));
}

static void judge_import(struct judgement *j, const struct framework_import *import)
{
	const struct framework *framework = framework_of(j->snapshot, str_or(import->key, ""));
	size_t gpus = gpus_for(j->snapshot, framework);

	question(j);
	about(j, str_or(import->key, "?"));
	derive_str(j, "framework", framework ? framework_words(j->arena, framework) : str_or(import->name, "?"),
		   "its files");
	derive_str(j, "folder", str_or(import->key, "?"), "site-packages");
	want(j, framework_import, import, name);
	want(j, framework_import, import, interpreter);
	if (import->version.state == VAL_SKIPPED || import->version.state == VAL_DENIED) {
		phrase(j, "why_not", import->version.why ? import->version.why : "no reason");
		unknown_by_failure(j, "{framework} not imported: {why_not}");
		return;
	}
	if (!is_known(import->version)) {
		derive_str(j, "how_it_failed", import->version.why ? import->version.why : "no reason", "its end");
		want(j, framework_import, import, output);
		finding_add_of(j, is_known(import->output) ? FRAMEWORK_IMPORT_FAILS : FRAMEWORK_IMPORT_FAILS_SILENTLY,
			       str_or(import->key, "?"));
		return;
	}
	need(j, framework_import, import, version);
	need(j, framework_import, import, import_ns);
	want(j, framework_import, import, devices);
	phrase(j, "and_sees",
	       is_known(import->devices) && gpus
		       ? arena_printf(j->arena, ", GPUs it sees: %llu", (unsigned long long)u64_or(import->devices, 0))
		       : "");
	finding_add_of(j, FRAMEWORK_IMPORT_FIGURES, str_or(import->key, "?"));
	if (gpus && import->devices.state != VAL_UNSUPPORTED)
		judge_devices(j, import, gpus);
}

/* A worker that did not run, or did not come back, left no import behind. */
static void judge_missing(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;

	for (size_t i = 0; i < snapshot->nr_probes; i++) {
		const struct probe_run *run = &snapshot->probes[i];

		if (!str_is(run->probe, "framework-import") || str_is(run->outcome, "ok") ||
		    list_find(snapshot, framework_imports, framework_import, str_or(run->target, "")))
			continue;
		question(j);
		about(j, str_or(run->target, "?"));
		derive_str(j, "folder", str_or(run->target, "?"), "site-packages");
		phrase(j, "why_not", str_or(run->why, str_or(run->outcome, "?")));
		unknown_by_failure(j, "{folder} not imported: {why_not}");
	}
}

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;

	if (!bool_or(snapshot->request.framework, false)) {
		skip_check(j, "not requested (--framework)");
		return;
	}
	for (size_t i = 0; i < snapshot->nr_framework_imports; i++)
		judge_import(j, &snapshot->framework_imports[i]);
	judge_missing(j);
	if (snapshot->nr_framework_imports)
		return;
	if (!snapshot->nr_frameworks)
		skip_check(j, "no framework found (--python PATH names one)");
	else if (!snapshot_is_live(snapshot))
		skip_check(j, "not possible on a recording");
}

const struct check check_framework_import = {
	.name = "framework-import",
	.title = "Framework import",
	.doc = "Only with --framework: can the frameworks be imported, how long does that take, and how many GPUs do they "
	       "see? Each is imported once by its own interpreter, with the rights of its process or of the owner of its "
	       "files, never as root; files of root are imported as user 65534. No GPU is started: PyTorch counts them by NVML, "
	       "TensorFlow lists them, JAX is not asked. Those of --python and of processes; without any, those found.",
	.per = SUBJECT_NODE,
	.needs = NEEDS_LINKS | NEEDS_VENDOR | NEEDS_IMPORT,
	.says = NULL,
	.may_emit = IDS(FRAMEWORK_IMPORT_FIGURES, FRAMEWORK_IMPORT_FAILS, FRAMEWORK_IMPORT_FAILS_SILENTLY,
			FRAMEWORK_IMPORT_SEES_NONE, FRAMEWORK_IMPORT_SEES_FEWER),
	.eval = eval,
};
