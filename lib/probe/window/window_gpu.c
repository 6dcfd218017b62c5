// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * window_gpu.c - GPUs over the window, by what files tell.
 *
 * amdgpu says in a file of /sys how busy a GPU is; for i915 and xe, the time
 * that each client used its engines adds up to it. NVIDIA's driver tells
 * neither: of its GPUs only the errors on the links above are counted here,
 * the rest is nvml-gpu's. Reading amdgpu's file wakes a GPU that sleeps, and so
 * does reading of xe's clients (K7.2 xe_drm_client.c): its power state is asked
 * first, which wakes nothing. A slot's link is read only while the GPU works, as
 * at rest it may be slower and narrower than it can be: a GPU at work keeps all
 * above it awake.
 */
#include "base/compat.h"
#include "probe/window/window_gpu.h"

#include <errno.h>

#include "base/text.h"
#include "probe/pci/pci_function.h"
#include "probe/read.h"
#include "sys/clock.h"

enum {
	MAX_STEPS = 4096,
	MAX_CLIENTS = 512,		/* of all GPUs: a process may have 1024 files open */
	ATTRIBUTE_BYTES = 4096,
	FDINFO_BYTES = 16384,
	MIN_INTERVAL_NS = 20 * 1000 * 1000,
};
#define TOO_MANY "more clients than can be watched"
#define GPU_WORKS_PERCENT 50.0		/* a sample in which the link counts */

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
	while (*word && ret->nr_chain < WINDOW_MAX_CHAIN)
		ret->chain[ret->nr_chain++] = take_part(arena, &word);
	ret->slot = slot < ret->nr_chain ? (size_t)slot : ret->nr_chain;
	return true;
}

static struct cached_fd keep(const struct gpu_watch *watch, const char *address, const char *file)
{
	return (struct cached_fd){
		.fd = root_open_file(watch->env->root, PCI_DEVICES "/%s/%s", address, file),
	};
}

static void open_gpu(struct gpu_watch *watch, struct watched_gpu *gpu)
{
	gpu->throttle = throttle_watch_open(&watch->arena, watch->env->root, gpu->chain[0], gpu->driver);
	gpu->status = keep(watch, gpu->chain[0], "power/runtime_status");
	gpu->busy_file = keep(watch, gpu->chain[0], "gpu_busy_percent");
	gpu->memory_file = keep(watch, gpu->chain[0], "mem_busy_percent");
	gpu->speed_file = gpu->width_file = (struct cached_fd)CACHED_FD_NONE;
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

static bool read_client(const struct cached_fd *file, struct drm_client *ret)
{
	STRBUF_AUTO text = STRBUF_INIT;

	return !cached_fd_read(file, &text, FDINFO_BYTES) && drm_client_parse(text.buf, ret) && ret->has_id;
}

/* Why it must not be touched, in *ret; only one that says it is awake may be: what could not be read might sleep. */
static bool is_asleep(struct watched_gpu *gpu, struct val_head *ret)
{
	STRBUF_AUTO text = STRBUF_INIT;
	int error = cached_fd_read(&gpu->status, &text, ATTRIBUTE_BYTES);

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
	struct watched_client client;
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
	client = (struct watched_client){
		.fdinfo = { .fd = root_open_file(watch->env->root, "/proc/%s/fdinfo/%s", pid, fd) },
	};
	if (!read_client(&client.fdinfo, &now) || strcmp(now.address, gpu->chain[0]) || has_client(gpu, now.id)) {
		if (client.fdinfo.fd == -EMFILE)
			gpu->missed = TOO_MANY;
		cached_fd_close(&client.fdinfo);
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
static int read_percent(const struct cached_fd *file, double *ret)
{
	STRBUF_AUTO text = STRBUF_INIT;
	uint64_t percent;
	int error = cached_fd_read(file, &text, ATTRIBUTE_BYTES);

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
		struct watched_client *client = &gpu->clients[i];
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

	if (!cached_fd_read(&gpu->speed_file, &text, ATTRIBUTE_BYTES) && !parse_link_speed(text.buf, &number) &&
	    number > gpu->speed_mtps)
		gpu->speed_mtps = number;
	/* 63 and 255 are what a device that does not answer reads as. */
	if (!cached_fd_read(&gpu->width_file, &text, ATTRIBUTE_BYTES) && !parse_u64(text.buf, &number) &&
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

		aer_total(watch->env, gpu->chain, gpu->nr_chain, &gpu->aer_start);
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

static void close_gpu(struct watched_gpu *gpu)
{
	throttle_watch_close(gpu->throttle);
	cached_fd_close(&gpu->status);
	cached_fd_close(&gpu->busy_file);
	cached_fd_close(&gpu->memory_file);
	cached_fd_close(&gpu->speed_file);
	cached_fd_close(&gpu->width_file);
	for (size_t i = 0; i < gpu->nr_clients; i++)
		cached_fd_close(&gpu->clients[i].fdinfo);
}

void gpu_watch_end(struct gpu_watch *watch)
{
	for (size_t i = 0; i < watch->nr; i++) {
		watched_gpu_tell(watch, &watch->gpus[i]);
		close_gpu(&watch->gpus[i]);
	}
	sink_flush(watch->sink);
	gpu_nodes_release(&watch->nodes);
	arena_release(&watch->arena);
}
