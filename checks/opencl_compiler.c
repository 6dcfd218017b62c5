// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/timing/timing_precondition.h"

static void eval(struct judgement *j)
{
	if (!load_is_permitted(j))
		return;
	need(j, ocl_device, j->device, build_ns);
	if (!need(j, ocl_device, j->device, builds_kernels)) {
		need(j, ocl_device, j->device, build_log);
		finding_add_of(j, OPENCL_COMPILER_FAILS, str_or(j->device->icd, "?"));
	}
}

const struct check check_opencl_compiler = {
	.name = "opencl-compiler",
	.title = "OpenCL compiler",
	.doc = "Does the driver build gpudiag's kernels, which are plain OpenCL 1.2?",
	.per = SUBJECT_OCL_DEVICE,
	.needs = NEEDS_LOAD,
	.says = "kernels built in {build_ns}",
	.may_emit = IDS(OPENCL_COMPILER_FAILS),
	.eval = eval,
};
