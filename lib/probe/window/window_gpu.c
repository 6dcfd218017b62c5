// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * window_gpu.c - GPUs over the window, by what files tell: their use, link and throttling by a file sampler each, and
 * the errors on the links above. NVIDIA's driver has no such files: of its GPUs only errors are counted here, the
 * rest is read by nvml-gpu.
 */
#include "base/compat.h"
#include "probe/window/window_internal.h"

#include <errno.h>

#include "base/text.h"
#include "probe/gpu/file_sampler.h"
#include "probe/pci/aer.h"
#include "probe/pci/pci_function.h"
#include "probe/read.h"

enum {
	MAX_STEPS = 4096,
	MAX_CLIENTS = 512,		/* of all GPUs: a process may have 1024 files open */
	MAX_CHAIN = 32,			/* a GPU and the bridges above it */
};
#define TOO_MANY "more clients than can be watched"

struct watched_gpu {
	const char *chain[MAX_CHAIN];	/* the GPU's address and its bridges', nearest first */
	size_t nr_chain, slot;		/* chain[slot] is the lower end of the slot's link; nr_chain: not known */
	const char *driver;
	const char *missed;		/* why not all clients are watched; NULL: all are */
	bool kfd_held;

	struct file_sampler sampler;
	struct gpu_fold fold;
	size_t samples, asleep;		/* taken or not; not, as the GPU slept */
	struct val_head asleep_as;	/* the last time it was found asleep */
	struct aer_sums aer_start;	/* of the whole chain */
};

/* ---- setting up */

static const char *take_part(struct arena *arena, const char **at)
{
	size_t len = strcspn(*at, "/");
	char *part = arena_strndup(arena, *at, len);

	*at += len + ((*at)[len] == '/');
	return part;
}

static bool plan_gpu(struct arena *arena, const char *word, struct watched_gpu *ret)
{
	struct pci_address address;
	uint64_t slot;

	*ret = (struct watched_gpu){ .nr_chain = 1, .fold = GPU_FOLD_INIT };
	ret->chain[0] = take_part(arena, &word);
	ret->driver = take_part(arena, &word);
	if (parse_pci_address(ret->chain[0], &address) || parse_u64(take_part(arena, &word), &slot))
		return false;
	while (*word && ret->nr_chain < MAX_CHAIN)
		ret->chain[ret->nr_chain++] = take_part(arena, &word);
	ret->slot = slot < ret->nr_chain ? (size_t)slot : ret->nr_chain;
	return true;
}

void gpu_watch_begin(struct gpu_watch *watch, struct probe_env *env, struct sink *sink, const char *plan,
		     bool sees_all)
{
	*watch = (struct gpu_watch){ .env = env, .sink = sink, .sees_all = sees_all };
	while (*plan) {
		size_t len = strcspn(plan, " ");
		struct watched_gpu gpu;

		if (plan_gpu(&watch->arena, arena_strndup(&watch->arena, plan, len), &gpu)) {
			file_sampler_open(&gpu.sampler, &watch->arena, watch->env->root, gpu.chain[0], gpu.driver,
					  gpu.slot < gpu.nr_chain ? gpu.chain[gpu.slot] : NULL, false);
			watch->gpus = arena_grow(&watch->arena, watch->gpus, watch->nr, sizeof(gpu));
			watch->gpus[watch->nr++] = gpu;
		}
		plan += len + strspn(plan + len, " ");
	}
}

static struct watched_gpu *gpu_at(struct gpu_watch *watch, const char *address)
{
	for (size_t i = 0; i < watch->nr; i++)
		if (!strcmp(watch->gpus[i].chain[0], address))
			return &watch->gpus[i];
	return NULL;
}

void gpu_watch_client(struct gpu_watch *watch, const char *node, const char *pid, const char *fd)
{
	const struct gpu_node *known = gpu_nodes_find(&watch->nodes, watch->env, node);
	struct watched_gpu *gpu = known ? gpu_at(watch, str_or(known->gpu, "")) : NULL;
	int added;

	if (!gpu || gpu->sampler.source != USE_BY_CLIENTS)
		return;
	if (file_sampler_is_asleep(&gpu->sampler, &gpu->asleep_as)) {
		gpu->missed = "it slept when the window began: its clients are not known";
		return;
	}
	added = watch->nr_clients == MAX_CLIENTS ? -EMFILE : drm_clients_add(&gpu->sampler.clients, &watch->arena,
			watch->env->root, gpu->chain[0], pid, fd);
	if (added < 0)
		gpu->missed = TOO_MANY;
	else
		watch->nr_clients += (size_t)added;
}

void gpu_watch_kfd(struct gpu_watch *watch)
{
	for (size_t i = 0; i < watch->nr; i++)
		watch->gpus[i].kfd_held = true;
}

void gpu_watch_missed(struct gpu_watch *watch)
{
	for (size_t i = 0; i < watch->nr; i++)
		watch->gpus[i].missed = TOO_MANY;
}

/* ---- watching */

/* The driver is asked: so that a hang has a name, as long as the pipe's budget lasts. */
static void step(struct gpu_watch *watch, const struct watched_gpu *gpu)
{
	char call[96];

	if (watch->steps > MAX_STEPS)
		return;
	snprintf(call, sizeof(call), "read the use of %.32s", gpu->chain[0]);
	sink_step(watch->sink, watch->steps++ < MAX_STEPS ? call : "read the use of the GPUs");
}

/* A GPU without users is left alone, so that it can suspend. */
static bool may_work(const struct gpu_watch *watch, const struct watched_gpu *gpu)
{
	return gpu->sampler.source == USE_BY_DRIVER ||
	       (gpu->sampler.source == USE_BY_CLIENTS && (gpu->sampler.clients.nr || gpu->missed || !watch->sees_all));
}

static void read_gpu(struct gpu_watch *watch, struct watched_gpu *gpu)
{
	struct gpu_sample sample;

	step(watch, gpu);
	file_sampler_read(&gpu->sampler, &sample);
	fold_add(&gpu->fold, &sample, sample_is_at_work(&sample));
}

static void sample_gpu(struct gpu_watch *watch, struct watched_gpu *gpu)
{
	gpu->samples++;
	if (!may_work(watch, gpu))
		return;
	if (file_sampler_is_asleep(&gpu->sampler, &gpu->asleep_as))
		gpu->asleep++;
	else
		read_gpu(watch, gpu);
}

/* The driver's own figure is of this moment; what clients used needs two readings, of which this is the first. */
static void start_gpu(struct gpu_watch *watch, struct watched_gpu *gpu)
{
	if (gpu->sampler.source == USE_BY_DRIVER)
		sample_gpu(watch, gpu);
	else if (may_work(watch, gpu) && !file_sampler_is_asleep(&gpu->sampler, &gpu->asleep_as))
		read_gpu(watch, gpu);
}

void gpu_watch_start(struct gpu_watch *watch)
{
	for (size_t i = 0; i < watch->nr; i++) {
		struct watched_gpu *gpu = &watch->gpus[i];

		aer_total(watch->env, gpu->chain, gpu->nr_chain, &gpu->aer_start);
		drm_clients_start(&gpu->sampler.clients);
		start_gpu(watch, gpu);
	}
}

void gpu_watch_sample(struct gpu_watch *watch)
{
	for (size_t i = 0; i < watch->nr; i++)
		sample_gpu(watch, &watch->gpus[i]);
}

/* ---- what came of it */

static const char *why_no_source(const char *driver)
{
	if (!*driver)
		return "no driver";
	return strcmp(driver, "vfio-pci") ? "not reported by its driver in files" : "a virtual machine has it";
}

/* Why there is no figure of how busy it was. */
static void why_no_use(const struct gpu_watch *watch, const struct watched_gpu *gpu, const struct gpu_use *seen,
		       enum val_state *state, const char **why)
{
	*state = VAL_UNSUPPORTED;
	if (gpu->sampler.source == USE_BY_NOBODY) {
		*why = why_no_source(gpu->driver);
	} else if (gpu->samples && gpu->asleep == gpu->samples) {
		*state = gpu->asleep_as.state;
		*why = gpu->asleep_as.why;
	} else if (gpu->sampler.source == USE_BY_DRIVER) {
		*state = seen->busy_percent.state;
		*why = seen->busy_percent.why;
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
	return !gpu->sampler.clients.nr || gpu->sampler.clients.engines_told || !strcmp(gpu->driver, "amdgpu");
}

static void fill_use(const struct gpu_watch *watch, const struct watched_gpu *gpu, struct gpu_use *ret)
{
	struct gpu_use seen = *ret;
	enum val_state state;
	const char *why;

	fold_fill_use(&gpu->fold, &seen);
	why_no_use(watch, gpu, &seen, &state, &why);
	ret->busy_percent = ret->busy_max_percent = ret->busy_p5_percent = ret->busy_p95_percent = no_f64(state, why);
	ret->samples_busy = no_u64(state, why);
	if (gpu->sampler.source == USE_BY_DRIVER && gpu->fold.busy.nr) {
		ret->busy_percent = seen.busy_percent;
		ret->busy_max_percent = seen.busy_max_percent;
		ret->busy_p5_percent = seen.busy_p5_percent;
		ret->busy_p95_percent = seen.busy_p95_percent;
		ret->samples_busy = seen.samples_busy;
	} else if (gpu->sampler.source == USE_BY_CLIENTS && clients_tell_all(watch, gpu) &&
		   gpu->asleep < gpu->samples) {
		ret->busy_percent = val_f64(drm_clients_use_since_start(&gpu->sampler.clients));
		ret->busy_max_percent = val_f64(gpu->fold.busy.max);
		ret->busy_p5_percent = fold_use_percentile(&gpu->fold, 5.0);
		ret->busy_p95_percent = fold_use_percentile(&gpu->fold, 95.0);
		ret->samples_busy = val_u64(gpu->fold.at_work);
	} else if (gpu->fold.at_work) {
		/* Of those seen alone it was busy: that much is known. */
		ret->samples_busy = val_u64(gpu->fold.at_work);
	}
	ret->memory_busy_percent = column_mean(&gpu->fold.memory_busy, (struct val_head){
		.state = VAL_UNSUPPORTED, .why = "not reported by its driver in files" });
}

/* What counts at work alone, of the GPU whose samples at work are filled in. */
static void fill_at_work(const struct watched_gpu *gpu, struct gpu_use *ret)
{
	struct val_head resting = { .state = VAL_ABSENT, .why = NOT_AT_WORK };

	if (!is_known(ret->samples_busy))
		resting = (struct val_head){ .state = ret->samples_busy.state, .why = ret->samples_busy.why };
	ret->link_speed_busy_mtps = val_whole(column_highest(&gpu->fold.speed, resting));
	ret->link_width_busy = val_whole(column_highest(&gpu->fold.width, resting));
	if (file_sampler_has_sensors(&gpu->sampler))
		ret->clock_busy_mhz = val_whole(column_mean(&gpu->fold.clock, resting));
}

/* By probe nvml-gpu: what both say would be said twice. */
static bool is_told_by_library(const struct watched_gpu *gpu)
{
	return !strcmp(gpu->driver, "nvidia");
}

/* A GPU that is gone from the bus by now has no figures, whatever was read before. */
static void fill_lost(const struct watched_gpu *gpu, struct gpu_use *ret)
{
	static const char why[] = "it left the bus during the window";

	ret->aer_correctable = ret->aer_uncorrectable = no_u64(VAL_LOST, why);
	if (is_told_by_library(gpu))
		return;
	ret->busy_percent = ret->busy_max_percent = ret->busy_p5_percent = ret->busy_p95_percent =
		no_f64(VAL_LOST, why);
	ret->memory_busy_percent = no_f64(VAL_LOST, why);
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
		fill_at_work(gpu, use);
	}
	use->aer_correctable = growth_of(gpu->aer_start.correctable, aer.correctable);
	use->aer_uncorrectable = growth_of(gpu->aer_start.uncorrectable, aer.uncorrectable);
}

/* After its use was filled in. */
static void tell_sensors(struct gpu_watch *watch, struct watched_gpu *gpu)
{
	const struct val_head no_sample = { .state = VAL_ABSENT, .why = "no sample" };
	struct snapshot *facts = &watch->sink->facts;
	struct gpu *told = list_element(&facts->arena, facts, gpus, gpu, gpu->chain[0]);

	if (!file_sampler_has_sensors(&gpu->sampler))
		return;
	if (told->use.samples_busy.state == VAL_LOST) {
		file_sampler_fill_none((struct val_head){ .state = VAL_LOST, .why = told->use.samples_busy.why }, told);
	} else if (gpu->samples && gpu->asleep == gpu->samples) {
		file_sampler_fill_none(gpu->asleep_as, told);
	} else if (!gpu->fold.nr) {
		file_sampler_fill_none((struct val_head){ .state = VAL_ABSENT, .why = "not in use" }, told);
	} else {
		told->use.power_mw = val_whole(column_mean(&gpu->fold.power, no_sample));
		told->use.temperature_max_c = column_highest(&gpu->fold.temperature, no_sample);
		file_sampler_fill(&gpu->sampler, &gpu->fold, &facts->arena, told);
	}
}

void gpu_watch_end(struct gpu_watch *watch)
{
	for (size_t i = 0; i < watch->nr; i++) {
		tell_use(watch, &watch->gpus[i]);
		tell_sensors(watch, &watch->gpus[i]);
		file_sampler_close(&watch->gpus[i].sampler);
		fold_release(&watch->gpus[i].fold);
	}
	sink_flush(watch->sink);
	gpu_nodes_release(&watch->nodes);
	arena_release(&watch->arena);
}
