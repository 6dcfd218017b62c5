// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nvml.c - probe "nvml": NVIDIA's management library itself, and what it tells
 * of the node. No GPU is opened, but where no bus shows them: one that hangs takes
 * nothing of this along.
 */
#include "base/compat.h"
#include "probe/nvidia/nvml.h"
#include "probe/probe_table.h"
#include "probe/read.h"
#include "snapshot/under_test.h"

enum { MOST_EXCLUDED = 64, MOST_MODELS = 64 };

#define DXG "/dev/dxg"

#define TEXT(session, call) nvml_text((session), nvml_call((session), call, text, sizeof(text)), text, sizeof(text))

/* 12040 is 12.4. */
static struct val_str cuda_version(struct nvml_session *session)
{
	int version = 0, error = nvml_call(session, nvmlSystemGetCudaDriverVersion_v2, &version);
	struct val_head no = nvml_missing_value(error);

	if (error)
		return no_str(no.state, no.why);
	if (version < 1000)
		return no_str(VAL_ERROR, arena_printf(&session->sink->facts.arena, "reads %d", version));
	return val_str(arena_printf(&session->sink->facts.arena, "%d.%d", version / 1000, version % 1000 / 10));
}

static void read_excluded(struct nvml_session *session)
{
	struct snapshot *facts = &session->sink->facts;
	unsigned nr = 0;

	if (nvml_call(session, nvmlGetExcludedDeviceCount, &nr))
		return;
	for (unsigned i = 0; i < nr && i < MOST_EXCLUDED; i++) {
		struct nvml_excluded_device device = { .uuid = "" };
		struct val_str address;

		address = nvml_address(session, nvml_call(session, nvmlGetExcludedDeviceInfoByIndex, i, &device),
				       &device.pci);
		if (is_known(address))
			strs_add(&facts->arena, &facts->nvml.excluded, str_or(address, ""));
	}
}

/* Windows' GPUs are on no bus of ours: by number, and by name only. */
static void read_models(struct nvml_session *session, uint64_t nr)
{
	struct snapshot *facts = &session->sink->facts;
	char text[NVML_TEXT_BYTES] = "";

	for (unsigned i = 0; i < nr && i < MOST_MODELS; i++) {
		nvml_device device = NULL;
		struct val_str name;
		int error;

		if (nvml_call(session, nvmlDeviceGetHandleByIndex_v2, i, &device))
			continue;
		error = nvml_call(session, nvmlDeviceGetName, device, text, sizeof(text));
		name = nvml_text(session, error, text, sizeof(text));
		if (is_known(name))
			strs_add(&facts->arena, &facts->nvml.models, str_or(name, ""));
	}
}

static void read_node(struct nvml_session *session)
{
	struct arena *arena = &session->sink->facts.arena;
	struct nvml *ret = &session->sink->facts.nvml;
	struct nvml_branch branch = { .version = NVML_VERSION_WORD(branch, 1) };
	struct nvml_confidential confidential = { .cc_feature = 0 };
	char text[NVML_TEXT_BYTES] = "";
	unsigned number = 0;
	int error;

	ret->library_version = checked_driver_version(arena, TEXT(session, nvmlSystemGetNVMLVersion));
	ret->driver_version = checked_driver_version(arena, TEXT(session, nvmlSystemGetDriverVersion));
	error = nvml_call(session, nvmlSystemGetDriverBranch, &branch, sizeof(branch.text));
	ret->driver_branch = nvml_text(session, error, branch.text, sizeof(branch.text));
	ret->cuda_version = cuda_version(session);
	error = nvml_call(session, nvmlDeviceGetCount_v2, &number);
	ret->gpus = nvml_u64(session, error, number);
	error = nvml_call(session, nvmlSystemGetConfComputeState, &confidential);
	ret->confidential_computing = nvml_bool(session, error, confidential.cc_feature);
	read_excluded(session);
}

/* It did not start: then all of the node's values have the same reason. */
static void fill_not_started(struct sink *sink, const char *why)
{
	static const char *const paths[] = { "nvml", NULL };
	const struct merge_scope scope = { .paths = paths };

	snapshot_fill_unset(&sink->facts, &scope, VAL_ERROR, why);
}

static int run(struct probe_env *env, struct sink *sink)
{
	struct nvml_library library;
	struct nvml_session session = { .nvml = &library, .sink = sink };
	struct val_str file = no_str(VAL_UNSET, NULL);
	char why[NVML_WHY_BYTES];
	enum probe_outcome outcome = nvml_open(env, sink, &library, &file, why);

	sink->facts.nvml.library = file;
	if (outcome == PROBE_PARTIAL)
		fill_not_started(sink, why);
	if (outcome != PROBE_OK)
		return sink_end(sink, outcome, why);
	sink->facts.nvml.init = val_str("ok");
	sink_flush(sink);
	read_node(&session);
	if (!root_exists(env->root, DXG))
		read_models(&session, u64_or(sink->facts.nvml.gpus, 0));
	return sink_end(sink, PROBE_OK, NULL);
}

static bool applies(const struct snapshot *snapshot)
{
	const struct device_node *dxg;

	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		if (nvml_knows(snapshot, &snapshot->gpus[i]))
			return true;
	/* WSL: they are on no bus. */
	dxg = list_find(snapshot, device_nodes, device_node, DXG);
	return dxg && node_is_there(dxg);
}

static const char *const provides[] = { "nvml", NULL };

const struct probe probe_nvml = {
	.name = "nvml",
	.help = "NVIDIA's management library: versions, GPUs it counts, confidential computing",
	.phase = PHASE_MANAGEMENT,
	.touches = TOUCHES_LIBRARY,
	.live_only = true,
	.takes_driver_root = true,
	.deadline_ms = 15000,
	.kept_awake_deadline_ms = 15000,
	.provides = provides,
	.applies = applies,
	.environment = nvml_environment,
	.run = run,
};
