// SPDX-License-Identifier: GPL-2.0-or-later
/* window_gpu_use.c - what came of the samples of a GPU: its use, its link and the errors on its path, or why not. */
#include "base/compat.h"
#include "probe/window/window_gpu.h"

#include "probe/pci/pci_function.h"
#include "probe/read.h"

static const char *why_no_source(const char *driver)
{
	if (!*driver)
		return "no driver";
	return strcmp(driver, "vfio-pci") ? "not reported by its driver in files" : "a virtual machine has it";
}

/* Why there is no figure of how busy it was. */
static void why_no_use(const struct gpu_watch *watch, const struct watched_gpu *gpu, enum val_state *state,
		       const char **why)
{
	*state = VAL_UNSUPPORTED;
	if (gpu->source == USE_BY_NOBODY) {
		*why = why_no_source(gpu->driver);
	} else if (gpu->samples && gpu->asleep == gpu->samples) {
		*state = gpu->asleep_as.state;
		*why = gpu->asleep_as.why;
	} else if (gpu->source == USE_BY_DRIVER) {
		*state = state_of_errno(gpu->busy_error);
		*why = gpu->busy_error ? name_of_errno(gpu->busy_error) : "no sample";
	} else if (!watch->sees_all) {
		*state = VAL_DENIED;
		*why = "needs root: it adds up over all processes, and some are hidden";
	} else if (gpu->missed) {
		*why = gpu->missed;
	} else if (gpu->kfd_held) {
		*why = "compute queues not in its client statistics";
	} else {
		*why = "its driver writes no engine times";
	}
}

/* Is the figure of the clients all there is? amdgpu leaves out engines that did nothing. */
static bool clients_tell_all(const struct gpu_watch *watch, const struct watched_gpu *gpu)
{
	if (!watch->sees_all || gpu->kfd_held || gpu->missed)
		return false;
	return !gpu->nr_clients || gpu->engines_told || !strcmp(gpu->driver, "amdgpu");
}

static void fill_client_use(const struct watched_gpu *gpu, struct gpu_use *ret)
{
	struct engines grown = { .nr = 0 };

	for (size_t i = 0; i < gpu->nr_clients; i++)
		engines_add_growth(&grown, &gpu->clients[i].start, &gpu->clients[i].last);
	ret->busy_percent = val_f64(engines_busiest(&grown, gpu->last_ns - gpu->start_ns));
	ret->busy_max_percent = val_f64(gpu->busy.max);
	ret->samples_busy = val_u64(gpu->works);
}

static void fill_use(const struct gpu_watch *watch, const struct watched_gpu *gpu, struct gpu_use *ret)
{
	enum val_state state;
	const char *why;

	why_no_use(watch, gpu, &state, &why);
	ret->busy_percent = ret->busy_max_percent = no_f64(state, why);
	ret->samples_busy = no_u64(state, why);
	if (gpu->source == USE_BY_DRIVER && gpu->busy.nr) {
		ret->busy_percent = val_f64(gpu->busy.sum / (double)gpu->busy.nr);
		ret->busy_max_percent = val_f64(gpu->busy.max);
		ret->samples_busy = val_u64(gpu->works);
	} else if (gpu->source == USE_BY_CLIENTS && clients_tell_all(watch, gpu) && gpu->asleep < gpu->samples) {
		fill_client_use(gpu, ret);
	} else if (gpu->works) {
		/* Of those seen alone it was busy: that much is known. */
		ret->samples_busy = val_u64(gpu->works);
	}
	if (gpu->memory.nr)
		ret->memory_busy_percent = val_f64(gpu->memory.sum / (double)gpu->memory.nr);
	else if (gpu->memory_file.fd >= 0 && gpu->memory_error)
		ret->memory_busy_percent = no_f64(state_of_errno(gpu->memory_error), name_of_errno(gpu->memory_error));
	else
		ret->memory_busy_percent = no_f64(VAL_UNSUPPORTED, "not reported by its driver in files");
}

static void fill_link(const struct watched_gpu *gpu, struct gpu_use *ret)
{
	const char *why = gpu->works ? "not in the link files" : "not busy in the window";
	enum val_state state = is_known(ret->samples_busy) ? VAL_ABSENT : ret->samples_busy.state;

	why = is_known(ret->samples_busy) ? why : ret->samples_busy.why;
	ret->link_speed_busy_mtps = gpu->speed_mtps ? val_u64(gpu->speed_mtps) : no_u64(state, why);
	ret->link_width_busy = gpu->width ? val_u64(gpu->width) : no_u64(state, why);
}

/* By probe nvml-gpu: what both say would be said twice. */
static bool is_told_by_library(const struct watched_gpu *gpu)
{
	return !strcmp(gpu->driver, "nvidia");
}

/* One that is gone from the bus by now has no figures, whatever it told before. */
static void fill_lost(const struct watched_gpu *gpu, struct gpu_use *ret)
{
	static const char why[] = "it left the bus during the window";

	ret->aer_correctable = ret->aer_uncorrectable = no_u64(VAL_LOST, why);
	if (is_told_by_library(gpu))
		return;
	ret->busy_percent = ret->busy_max_percent = ret->memory_busy_percent = no_f64(VAL_LOST, why);
	ret->samples_busy = ret->link_speed_busy_mtps = ret->link_width_busy = no_u64(VAL_LOST, why);
}

static void tell_use(struct gpu_watch *watch, struct watched_gpu *gpu)
{
	struct snapshot *facts = &watch->sink->facts;
	struct gpu_use *use = &list_element(&facts->arena, facts, gpus, gpu, gpu->chain[0])->use;
	struct aer_sums aer;

	if (root_exists(watch->env->root, PCI_DEVICES "/%s", gpu->chain[0])) {
		fill_lost(gpu, use);
		return;
	}
	aer_total(watch->env, gpu->chain, gpu->nr_chain, &aer);
	if (!is_told_by_library(gpu)) {
		fill_use(watch, gpu, use);
		fill_link(gpu, use);
	}
	use->aer_correctable = growth_of(gpu->aer_start.correctable, aer.correctable);
	use->aer_uncorrectable = growth_of(gpu->aer_start.uncorrectable, aer.uncorrectable);
}

/* After its use was filled in. */
static void tell_throttle(struct gpu_watch *watch, struct watched_gpu *gpu)
{
	struct snapshot *facts = &watch->sink->facts;
	struct gpu *told = list_element(&facts->arena, facts, gpus, gpu, gpu->chain[0]);
	struct val_head unseen = { .state = VAL_UNSET };

	if (told->use.samples_busy.state == VAL_LOST)
		unseen = (struct val_head){ .state = VAL_LOST, .why = told->use.samples_busy.why };
	else if (gpu->samples && gpu->asleep == gpu->samples)
		unseen = gpu->asleep_as;
	throttle_watch_end(gpu->throttle, unseen, &facts->arena, told);
}

void watched_gpu_tell(struct gpu_watch *watch, struct watched_gpu *gpu)
{
	tell_use(watch, gpu);
	tell_throttle(watch, gpu);
}
