// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "snapshot/node.h"
#include "snapshot/under_test.h"

static bool is_rusticl(const struct icd *icd)
{
	return strstr(str_or(icd->library, ""), "Rusticl") || strstr(str_or(icd->key, ""), "rusticl");
}

static bool is_variable_set(const struct snapshot *snapshot, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < snapshot->host.environment.nr; i++) {
		const char *text = snapshot->host.environment.v[i];

		if (!strncmp(text, name, len) && text[len] == '=' && text[len + 1])
			return true;
	}
	return false;
}

/* Mesa's rusticl drives nothing that the variable does not name (Mesa documentation, environment variables). */
static enum finding_id no_device(const struct judgement *j, const struct icd *icd)
{
	return is_rusticl(icd) && !is_variable_set(j->snapshot, "RUSTICL_ENABLE") ? OPENCL_RUNTIME_RUSTICL_OFF :
										       OPENCL_RUNTIME_NO_DEVICE;
}

/* False where the loader itself is missing: then no driver can be judged. */
static bool judge_icd(struct judgement *j, const struct icd *icd)
{
	const struct probe_run *inventory = find_probe_run(j->snapshot, "opencl", str_or(icd->key, ""));

	question(j);
	if (inventory && str_is(inventory->outcome, "unavailable")) {
		need(j, probe_run, inventory, why);
		finding_add(j, OPENCL_RUNTIME_NO_LOADER);
		return false;
	}
	derive_str(j, "icd", str_or(icd->key, "?"), "the vendors folder");
	need(j, icd, icd, platforms);
	if (!need(j, icd, icd, devices)) {
		want(j, icd, icd, library);
		derive_str(j, "icd_path", str_or(icd->path, "?"), "the vendors folder");
		finding_add_of(j, no_device(j, icd), str_or(icd->key, "?"));
	}
	return true;
}

/* OpenCL is often absent on healthy production nodes: what is missing is a note. */
static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;

	if (!snapshot_asks_opencl(snapshot)) {
		skip_check(j, "not possible on a recording");
		return;
	}
	need(j, opencl, &snapshot->opencl, vendors);
	if (!need(j, opencl, &snapshot->opencl, icds))
		finding_add(j, OPENCL_RUNTIME_NO_DRIVER);
	for (size_t i = 0; i < snapshot->nr_icds; i++)
		if (!judge_icd(j, &snapshot->icds[i]))
			return;
	question(j);
	derive(j, "ocl_devices", UNIT_COUNT, (double)snapshot->nr_ocl_devices, "clGetDeviceIDs, all drivers");
}

const struct check check_opencl_runtime = {
	.name = "opencl-runtime",
	.title = "OpenCL runtime",
	.doc = "Is there an OpenCL loader, a driver registered with it, and does each driver provide a device? "
	       "gpudiag measures through OpenCL; production nodes often have none, so this is a note.",
	.per = SUBJECT_NODE,
	.needs = NEEDS_OPENCL,
	.says = "{ocl_devices} in OpenCL",
	.may_emit = IDS(OPENCL_RUNTIME_NO_LOADER, OPENCL_RUNTIME_NO_DRIVER, OPENCL_RUNTIME_NO_DEVICE,
			OPENCL_RUNTIME_RUSTICL_OFF),
	.eval = eval,
};
