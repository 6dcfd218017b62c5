// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/subject.h"

static void eval(struct judgement *j)
{
	const char *expected, *model;

	if (!is_known(j->snapshot->request.expect_model)) {
		skip_check(j, "no model is expected (--expect-gpus N:MODEL)");
		return;
	}
	expected = need(j, request, &j->snapshot->request, expect_model);
	model = need(j, pci_function, &j->gpu->pci, model);
	expect_str(j, "model", expected);
	derive_str(j, "name", gpu_model(j->arena, j->gpu), "pci.ids");
	if (!strcasestr(model, expected))
		finding_add(j, GPU_MODEL_OTHER);
}

const struct check check_gpu_model = {
	.name = "gpu-model",
	.title = "GPU model",
	.doc = "Is each GPU of the model that --expect-gpus N:MODEL names? MODEL is any part of the name in pci.ids, "
	       "in either case: H100, \"Arc A770\".",
	.per = SUBJECT_GPU,
	.says = "{name}",
	.may_emit = IDS(GPU_MODEL_OTHER),
	.eval = eval,
};
