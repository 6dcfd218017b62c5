// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * window_gpu.c - GPUs over the window, by what files tell.
 *
 * amdgpu says in a file of /sys how busy a GPU is; for i915 and xe, the time
 * that each client used its engines adds up to it. NVIDIA's driver tells
 * neither: of its GPUs only the errors on the links above are counted here,
 * the rest is nvml-gpu's. Reading amdgpu's file wakes a GPU that sleeps, and so does reading of
 * xe's clients (K7.2 xe_drm_client.c): its power state is asked first, which
 * wakes nothing. A slot's link is read only while the GPU works, as at rest it
 * may be slower and narrower than it can be: a GPU at work keeps all above it
 * awake.
 */
#include "base/compat.h"
#include "probe/window_parts.h"

#include <errno.h>

#include "base/text.h"
#include "probe/aer.h"
#include "probe/pci_function.h"
#include "probe/read.h"
#include "probe/window_throttle.h"
#include "sys/clock.h"

enum {
	MAX_CHAIN = 32,			/* a GPU and the bridges above it */
	MAX_STEPS = 4096,
	MAX_CLIENTS = 512,		/* of all GPUs: a process may have 1024 files open */
	ATTRIBUTE_BYTES = 4096,
	FDINFO_BYTES = 16384,
	MIN_INTERVAL_NS = 20 * 1000 * 1000,
};
#define TOO_MANY "more clients than can be watched"
#define GPU_WORKS_PERCENT 50.0		/* a sample in which the link counts */

/* How its use is told. */
enum use_source { USE_BY_NOBODY, USE_BY_DRIVER, USE_BY_CLIENTS };

struct client {
	struct kept_file fdinfo;
	uint64_t id;
	bool gone;
	struct engines start, last;
};

struct watched_gpu {
	const char *chain[MAX_CHAIN];	/* the GPU's address and its bridges', nearest first */
	size_t nr_chain, slot;		/* chain[slot] is the lower end of the slot's link; nr_chain: not known */
	const char *driver;
	enum use_source source;
	struct kept_file status, busy_file, memory_file, speed_file, width_file;
	struct client *clients;
	size_t nr_clients;
	bool engines_told;		/* a client's fdinfo has named an engine */
	const char *missed;		/* why not all clients are watched; NULL: all are */
	bool kfd_held;

	uint64_t start_ns, last_ns;
	struct tally busy, memory;
	struct throttle_watch *throttle;	/* NULL: its driver's files tell nothing of it */
	size_t samples, asleep, works;
	struct val_head asleep_as;	/* the last time it was found asleep */
	int busy_error, memory_error;	/* of the last reading that failed */
	uint64_t speed_mtps, width;	/* highest seen while it worked; 0: none */
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

	*ret = (struct watched_gpu){ .nr_chain = 1 };
	ret->chain[0] = take_part(arena, &word);
	ret->driver = take_part(arena, &word);
	if (parse_pci_address(ret->chain[0], &address) || parse_u64(take_part(arena, &word), &slot))
		return false;
	while (*word && ret->nr_chain < MAX_CHAIN)
		ret->chain[ret->nr_chain++] = take_part(arena, &word);
	ret->slot = slot < ret->nr_chain ? (size_t)slot : ret->nr_chain;
	return true;
}

static struct kept_file keep(const struct gpu_watch *watch, const char *address, const char *file)
{
	return (struct kept_file){
		.fd = root_open_file(watch->env->root, PCI_DEVICES "/%s/%s", address, file),
	};
}

static void open_gpu(struct gpu_watch *watch, struct watched_gpu *gpu)
{
	gpu->throttle = throttle_watch_open(&watch->arena, watch->env->root, gpu->chain[0], gpu->driver);
	gpu->status = keep(watch, gpu->chain[0], "power/runtime_status");
	gpu->busy_file = keep(watch, gpu->chain[0], "gpu_busy_percent");
	gpu->memory_file = keep(watch, gpu->chain[0], "mem_busy_percent");
	gpu->speed_file = gpu->width_file = (struct kept_file)KEPT_FILE_NONE;
	if (gpu->slot < gpu->nr_chain) {
		gpu->speed_file = keep(watch, gpu->chain[gpu->slot], "current_link_speed");
		gpu->width_file = keep(watch, gpu->chain[gpu->slot], "current_link_width");
	}
	if (gpu->busy_file.fd >= 0)
		gpu->source = USE_BY_DRIVER;
	else if (!strcmp(gpu->driver, "i915") || !strcmp(gpu->driver, "xe") || !strcmp(gpu->driver, "amdgpu"))
		gpu->source = USE_BY_CLIENTS;
}

void gpu_watch_begin(struct gpu_watch *watch, struct probe_env *env, struct sink *sink, const char *plan,
		     bool sees_all)
{
	*watch = (struct gpu_watch){ .env = env, .sink = sink, .sees_all = sees_all };
	while (*plan) {
		size_t len = strcspn(plan, " ");
		struct watched_gpu gpu;

		if (plan_gpu(&watch->arena, arena_strndup(&watch->arena, plan, len), &gpu)) {
			watch->gpus = arena_grow(&watch->arena, watch->gpus, watch->nr, sizeof(gpu));
			open_gpu(watch, &gpu);
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

/* Many descriptors may belong to one client: it is counted once. */
static bool has_client(const struct watched_gpu *gpu, uint64_t id)
{
	for (size_t i = 0; i < gpu->nr_clients; i++)
		if (gpu->clients[i].id == id)
			return true;
	return false;
}

static bool read_client(const struct kept_file *file, struct drm_client *ret)
{
	STRBUF_AUTO text = STRBUF_INIT;

	return !kept_file_read(file, &text, FDINFO_BYTES) && drm_client_parse(text.buf, ret) && ret->has_id;
}

/* Why it must not be touched, in *ret; only one that says it is awake may be: what could not be read might sleep. */
static bool is_asleep(struct watched_gpu *gpu, struct val_head *ret)
{
	STRBUF_AUTO text = STRBUF_INIT;
	int error = kept_file_read(&gpu->status, &text, ATTRIBUTE_BYTES);

	/* Old kernels have no such file, and put nothing to sleep. */
	if (gpu->status.fd == -ENOENT)
		return false;
	*ret = (struct val_head){ .state = state_of_errno(error), .why = "whether it sleeps is not known" };
	if (error)
		return true;
	strbuf_rtrim(&text);
	*ret = (struct val_head){ .state = VAL_ASLEEP, .why = "runtime_status suspended" };
	if (!strcmp(text.buf, "error"))
		*ret = (struct val_head){ .state = VAL_ERROR, .why = "runtime_status error" };
	return strcmp(text.buf, "active") && strcmp(text.buf, "unsupported");
}

void gpu_watch_client(struct gpu_watch *watch, const char *node, const char *pid, const char *fd)
{
	const struct gpu_node *known = gpu_nodes_find(&watch->nodes, watch->env, node);
	struct watched_gpu *gpu = known ? gpu_at(watch, str_or(known->gpu, "")) : NULL;
	struct client client;
	struct drm_client now;

	if (!gpu || gpu->source != USE_BY_CLIENTS)
		return;
	if (is_asleep(gpu, &gpu->asleep_as)) {
		gpu->missed = "it slept when the window began: its clients are not known";
		return;
	}
	if (watch->nr_clients == MAX_CLIENTS) {
		gpu->missed = TOO_MANY;
		return;
	}
	client = (struct client){
		.fdinfo = { .fd = root_open_file(watch->env->root, "/proc/%s/fdinfo/%s", pid, fd) },
	};
	if (!read_client(&client.fdinfo, &now) || strcmp(now.address, gpu->chain[0]) || has_client(gpu, now.id)) {
		if (client.fdinfo.fd == -EMFILE)
			gpu->missed = TOO_MANY;
		kept_file_close(&client.fdinfo);
		return;
	}
	client.id = now.id;
	client.start = client.last = now.engines;
	gpu->engines_told |= now.engines.nr > 0;
	gpu->clients = arena_grow(&watch->arena, gpu->clients, gpu->nr_clients, sizeof(client));
	gpu->clients[gpu->nr_clients++] = client;
	watch->nr_clients++;
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

/* 0 and a share, or -errno. */
static int read_percent(const struct kept_file *file, double *ret)
{
	STRBUF_AUTO text = STRBUF_INIT;
	uint64_t percent;
	int error = kept_file_read(file, &text, ATTRIBUTE_BYTES);

	if (error)
		return error;
	error = parse_u64(text.buf, &percent);
	if (error || percent > 100)
		return error ? error : -ERANGE;
	*ret = (double)percent;
	return 0;
}

/* A number that closed and is open again leads to another file: then it is another client's, or none's. */
static void read_clients(struct watched_gpu *gpu, struct engines *grown)
{
	for (size_t i = 0; i < gpu->nr_clients; i++) {
		struct client *client = &gpu->clients[i];
		struct drm_client now;

		if (client->gone)
			continue;
		if (!read_client(&client->fdinfo, &now) || now.id != client->id ||
		    strcmp(now.address, gpu->chain[0])) {
			client->gone = true;
			continue;
		}
		gpu->engines_told |= now.engines.nr > 0;
		engines_add_growth(grown, &client->last, &now.engines);
		engines_update(&client->last, &now.engines);
	}
}

static void look_at_link(struct watched_gpu *gpu)
{
	STRBUF_AUTO text = STRBUF_INIT;
	uint64_t number;

	if (!kept_file_read(&gpu->speed_file, &text, ATTRIBUTE_BYTES) && !parse_link_speed(text.buf, &number) &&
	    number > gpu->speed_mtps)
		gpu->speed_mtps = number;
	/* 63 and 255 are what a device that does not answer reads as. */
	if (!kept_file_read(&gpu->width_file, &text, ATTRIBUTE_BYTES) && !parse_u64(text.buf, &number) &&
	    number <= 32 && number > gpu->width)
		gpu->width = number;
}

static bool read_use(struct watched_gpu *gpu, double *ret)
{
	struct engines grown = { .nr = 0 };
	uint64_t now_ns, elapsed_ns;
	double memory;
	int error;

	if (gpu->source == USE_BY_DRIVER) {
		error = read_percent(&gpu->busy_file, ret);
		gpu->busy_error = error ? error : gpu->busy_error;
		if (error)
			return false;
		error = read_percent(&gpu->memory_file, &memory);
		gpu->memory_error = error ? error : gpu->memory_error;
		if (!error)
			tally_add(&gpu->memory, memory);
		return true;
	}
	now_ns = clock_now_ns();
	elapsed_ns = now_ns - gpu->last_ns;
	read_clients(gpu, &grown);
	*ret = engines_busiest(&grown, elapsed_ns);
	gpu->last_ns = now_ns;
	/* The last one may come right after another: a share of so little time says nothing. */
	return gpu->nr_clients > 0 && elapsed_ns >= MIN_INTERVAL_NS;
}

/* The driver is asked: so that a hang has a name, as long as the pipe's budget lasts. */
static void step(struct gpu_watch *watch, const struct watched_gpu *gpu)
{
	char call[96];

	if (watch->steps > MAX_STEPS)
		return;
	snprintf(call, sizeof(call), "read the use of %.32s", gpu->chain[0]);
	sink_step(watch->sink, watch->steps++ < MAX_STEPS ? call : "read the use of the GPUs");
}

/* One that nobody has open is left alone, so that it may fall asleep. */
static bool may_work(const struct gpu_watch *watch, const struct watched_gpu *gpu)
{
	return gpu->source == USE_BY_DRIVER ||
	       (gpu->source == USE_BY_CLIENTS && (gpu->nr_clients || gpu->missed || !watch->sees_all));
}

static void sample_gpu(struct gpu_watch *watch, struct watched_gpu *gpu)
{
	bool told, works;
	double busy;

	gpu->samples++;
	if (!may_work(watch, gpu))
		return;
	if (is_asleep(gpu, &gpu->asleep_as)) {
		gpu->asleep++;
		return;
	}
	step(watch, gpu);
	told = read_use(gpu, &busy);
	works = told && busy >= GPU_WORKS_PERCENT;
	throttle_watch_look(gpu->throttle, works);
	if (told)
		tally_add(&gpu->busy, busy);
	if (!works)
		return;
	gpu->works++;
	look_at_link(gpu);
}

/* The driver's own figure is of this moment; what clients used needs two. */
static void start_gpu(struct gpu_watch *watch, struct watched_gpu *gpu)
{
	if (gpu->source == USE_BY_DRIVER) {
		sample_gpu(watch, gpu);
	} else if (may_work(watch, gpu) && !is_asleep(gpu, &gpu->asleep_as)) {
		step(watch, gpu);
		throttle_watch_look(gpu->throttle, false);
	}
}

void gpu_watch_start(struct gpu_watch *watch)
{
	for (size_t i = 0; i < watch->nr; i++) {
		struct watched_gpu *gpu = &watch->gpus[i];

		aer_add_up(watch->env, gpu->chain, gpu->nr_chain, &gpu->aer_start);
		gpu->start_ns = gpu->last_ns = clock_now_ns();
		start_gpu(watch, gpu);
	}
}

void gpu_watch_sample(struct gpu_watch *watch)
{
	for (size_t i = 0; i < watch->nr; i++)
		sample_gpu(watch, &watch->gpus[i]);
}

/* ---- the end */

static const char *why_no_source(const char *driver)
{
	if (!*driver)
		return "no driver to tell it";
	return strcmp(driver, "vfio-pci") ? "its driver does not tell in files" : "a virtual machine has it";
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
		*why = "compute queues are not in what its clients tell";
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
		ret->memory_busy_percent = no_f64(VAL_UNSUPPORTED, "its driver does not tell in files");
}

static void fill_link(const struct watched_gpu *gpu, struct gpu_use *ret)
{
	const char *why = gpu->works ? "no link file told it" : "it was not seen at work";
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

static void end_gpu(struct gpu_watch *watch, struct watched_gpu *gpu)
{
	struct snapshot *facts = &watch->sink->facts;
	struct gpu_use *use = &list_element(&facts->arena, facts, gpus, gpu, gpu->chain[0])->use;
	struct aer_sums aer;

	if (root_exists(watch->env->root, PCI_DEVICES "/%s", gpu->chain[0])) {
		fill_lost(gpu, use);
		return;
	}
	aer_add_up(watch->env, gpu->chain, gpu->nr_chain, &aer);
	if (!is_told_by_library(gpu)) {
		fill_use(watch, gpu, use);
		fill_link(gpu, use);
	}
	use->aer_correctable = growth_of(gpu->aer_start.correctable, aer.correctable);
	use->aer_uncorrectable = growth_of(gpu->aer_start.uncorrectable, aer.uncorrectable);
}

/* After its use was filled in. */
static void end_throttle(struct gpu_watch *watch, struct watched_gpu *gpu)
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

static void close_gpu(struct watched_gpu *gpu)
{
	throttle_watch_close(gpu->throttle);
	kept_file_close(&gpu->status);
	kept_file_close(&gpu->busy_file);
	kept_file_close(&gpu->memory_file);
	kept_file_close(&gpu->speed_file);
	kept_file_close(&gpu->width_file);
	for (size_t i = 0; i < gpu->nr_clients; i++)
		kept_file_close(&gpu->clients[i].fdinfo);
}

void gpu_watch_end(struct gpu_watch *watch)
{
	for (size_t i = 0; i < watch->nr; i++) {
		end_gpu(watch, &watch->gpus[i]);
		end_throttle(watch, &watch->gpus[i]);
		close_gpu(&watch->gpus[i]);
	}
	sink_flush(watch->sink);
	gpu_nodes_release(&watch->nodes);
	arena_release(&watch->arena);
}
