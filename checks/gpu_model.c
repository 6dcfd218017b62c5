// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/strbuf.h"
#include "checks/playbook.h"
#include "eval/judge/subject.h"
#include "snapshot/node.h"

/* A dump may have NVIDIA's name for it and not that of pci.ids. */
static const char *need_model(struct judgement *j)
{
	if (is_imported(j->snapshot) && !is_known(j->gpu->pci.model) && is_known(j->gpu->nvml.name))
		return derive_str(j, "model", need(j, nvml_gpu, &j->gpu->nvml, name), "NVIDIA's library");
	return need(j, pci_function, &j->gpu->pci, model);
}

static void judge_request(struct judgement *j)
{
	const char *expected = need(j, request, &j->snapshot->request, expect_model);
	const char *model = need_model(j);

	expect_str(j, "model", expected);
	derive_str(j, "name", gpu_model(j->arena, j->gpu), "pci.ids");
	if (!strcasestr(model, expected))
		finding_add(j, GPU_MODEL_OTHER);
}

static void judge_inventory(struct judgement *j)
{
	const struct strs *models = &j->policy->inventory_model;
	STRBUF_AUTO expected = STRBUF_INIT;
	bool is_one = false;
	const char *name;

	need_model(j);
	name = derive_str(j, "name", gpu_model(j->arena, j->gpu), "pci.ids");
	for (size_t i = 0; i < models->nr; i++) {
		is_one |= policy_matches(models->v[i], name);
		strbuf_addf(&expected, "%s%s", i ? " or " : "", models->v[i]);
	}
	expect_str(j, "model", arena_strdup(j->arena, expected.buf));
	derive_str(j, "expected_by", policy_origin(j->arena, j->policy, POLICY_ROW_inventory_model),
		   "the policy in force");
	if (!is_one)
		finding_add(j, GPU_MODEL_OTHER);
}

static void eval(struct judgement *j)
{
	if (is_known(j->snapshot->request.expect_model))
		judge_request(j);
	else if (j->policy->inventory_model.nr)
		judge_inventory(j);
	else
		skip_check(j, "no expected model set (--expect-gpus N:MODEL)");
}

const struct check check_gpu_model = {
	.name = "gpu-model",
	.title = "GPU model",
	.doc = "Is each GPU of the model that --expect-gpus N:MODEL names, otherwise of one in the policy's "
	       "inventory.model? MODEL is any part of the name in pci.ids, in either case: H100, \"Arc A770\"; a "
	       "pattern of the policy is compared with the name shown in reports.",
	.per = SUBJECT_GPU,
	.says = "{name}",
	.may_emit = IDS(GPU_MODEL_OTHER),
	.eval = eval,
};
