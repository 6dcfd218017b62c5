// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample_drm.c - clients of DRM nodes by their fdinfo, which is kept open. Going through all of /proc costs more than
 * reading them: it is done every five seconds, in pieces.
 */
#include "base/compat.h"
#include "probe/sample/sample_files.h"

#include "base/alloc.h"
#include "base/text_scan.h"
#include "probe/device/drm_fdinfo.h"
#include "sys/clock.h"

#define WALK_EVERY_NS UINT64_C(5000000000)
#define WALK_NS UINT64_C(2000000)	/* of one tick */
#define SHORTEST_NS UINT64_C(20000000)	/* between two readings: a share of less says nothing */
#define DRI "/dev/dri/"

enum { FDINFO_BYTES = 16384, MOST_CLIENTS = 512, PID_BYTES = 24 };

struct drm_watched {
	char pid[PID_BYTES];
	struct files_gpu *gpu;
	struct cached_fd fdinfo;
	uint64_t id;			/* of the client: many descriptors may have one */
	uint64_t read_ns;
	struct engines last, grown;
	uint64_t elapsed_ns;		/* of grown */
	bool is_read;			/* in this tick */
	struct drm_fdinfo memory;
};

/* ---- finding them */

static struct files_gpu *gpu_of_node(struct sample_files *own, const char *node)
{
	const struct gpu_node *known = gpu_nodes_find(&own->nodes, &own->probe, node);

	for (size_t i = 0; known && i < own->nr_gpus; i++)
		if (str_is(known->gpu, own->gpus[i].address))
			return &own->gpus[i];
	return NULL;
}

static bool read_client(const struct cached_fd *file, struct drm_client *ret, struct drm_fdinfo *ret_memory)
{
	STRBUF_AUTO text = STRBUF_INIT;

	if (cached_fd_read(file, &text, FDINFO_BYTES) || !drm_client_parse(text.buf, ret) || !ret->has_id)
		return false;
	if (drm_fdinfo_parse(text.buf, ret_memory))
		*ret_memory = (struct drm_fdinfo){ .has_client = false };
	return true;
}

static bool is_watched(const struct drm_watch *drm, const struct files_gpu *gpu, uint64_t id)
{
	for (size_t i = 0; i < drm->nr; i++)
		if (drm->list[i].gpu == gpu && drm->list[i].id == id)
			return true;
	return false;
}

static void add_client(struct sample_files *own, struct files_gpu *gpu, const char *pid, const char *fd)
{
	struct drm_watch *drm = &own->drm;
	struct drm_watched client = { .gpu = gpu };
	struct drm_client now;

	if (drm->nr == MOST_CLIENTS) {
		drm->is_full = true;
		return;
	}
	sample_step(own->env, "read fdinfo of its clients", gpu->address);
	client.fdinfo = (struct cached_fd){ .fd = root_open_file(own->env->root, "/proc/%s/fdinfo/%s", pid, fd) };
	if (!read_client(&client.fdinfo, &now, &client.memory) || strcmp(now.address, gpu->address) ||
	    is_watched(drm, gpu, now.id)) {
		drm->is_full |= client.fdinfo.fd == -EMFILE;
		cached_fd_close(&client.fdinfo);
		return;
	}
	snprintf(client.pid, sizeof(client.pid), "%s", pid);
	client.id = now.id;
	client.last = now.engines;
	client.read_ns = clock_now_ns();
	if (drm->nr == drm->room) {
		drm->room = drm->room ? 2 * drm->room : 16;
		drm->list = xrealloc(drm->list, drm->room * sizeof(*drm->list));
	}
	drm->list[drm->nr++] = client;
}

static void look_at_process(struct sample_files *own, const char *pid)
{
	struct name_list names = { 0 };
	STRBUF_AUTO link = STRBUF_INIT;

	if (!is_digit(*pid) || strlen(pid) >= PID_BYTES || root_list(own->env->root, &names, "/proc/%s/fd", pid))
		return;
	for (size_t i = 0; i < names.nr; i++) {
		struct files_gpu *gpu;

		if (root_readlink(own->env->root, &link, "/proc/%s/fd/%s", pid, names.names[i]) ||
		    strncmp(link.buf, DRI, strlen(DRI)))
			continue;
		gpu = gpu_of_node(own, link.buf);
		/* Of one that sleeps reading them may wake it (xe_drm_client.c). */
		if (gpu && gpu->unread.state == VAL_UNSET)
			add_client(own, gpu, pid, names.names[i]);
	}
	name_list_release(&names);
}

static void walk(struct sample_files *own)
{
	struct drm_watch *drm = &own->drm;

	if (drm->at >= drm->pids.nr) {
		if (drm->walk_ns && own->now_ns - drm->walk_ns < WALK_EVERY_NS)
			return;
		name_list_release(&drm->pids);
		drm->at = 0;
		drm->is_full = false;
		if (root_list(own->env->root, &drm->pids, "/proc"))
			return;
		drm->walk_ns = own->now_ns;
	}
	sample_step(own->env, "look for clients of the GPUs in /proc", "");
	while (drm->at < drm->pids.nr && (!drm->has_walked ? clock_now_ns() - own->now_ns < 50 * WALK_NS :
							     clock_now_ns() - own->now_ns < WALK_NS))
		look_at_process(own, drm->pids.names[drm->at++]);
	drm->has_walked |= drm->at >= drm->pids.nr;
}

/* ---- reading them */

/* A number that closed and is open again leads to another file: then it is another client's, or none's. */
static bool read_again(struct sample_files *own, struct drm_watched *client)
{
	struct drm_client now;
	uint64_t now_ns;

	sample_step(own->env, "read fdinfo of its clients", client->gpu->address);
	now_ns = clock_now_ns();
	if (!read_client(&client->fdinfo, &now, &client->memory) || now.id != client->id ||
	    strcmp(now.address, client->gpu->address))
		return false;
	client->grown = (struct engines){ .nr = 0 };
	engines_add_growth(&client->grown, &client->last, &now.engines);
	engines_add_growth(&client->gpu->grown, &client->last, &now.engines);
	engines_update(&client->last, &now.engines);
	client->elapsed_ns = now_ns - client->read_ns;
	client->read_ns = now_ns;
	client->is_read = true;
	return true;
}

static void read_all(struct sample_files *own)
{
	struct drm_watch *drm = &own->drm;

	for (size_t i = 0; i < drm->nr;) {
		struct drm_watched *client = &drm->list[i];

		client->is_read = false;
		if (client->gpu->unread.state != VAL_UNSET || read_again(own, client)) {
			i++;
			continue;
		}
		cached_fd_close(&client->fdinfo);
		*client = drm->list[--drm->nr];
	}
}

/* Nanoseconds of its busiest engine so far; of cycles none are known. */
static struct val_u64 busy_ns(const struct engines *engines)
{
	struct val_u64 most = no_u64(VAL_UNSUPPORTED, "its driver counts cycles");

	for (size_t i = 0; i < engines->nr; i++)
		if (!engines->engine[i].in_cycles && engines->engine[i].busy >= u64_or(most, 0))
			most = val_u64(engines->engine[i].busy);
	return engines->nr ? most : val_u64(0);
}

/* A process may be several clients of a GPU. */
static void fill_client(const struct drm_watched *watched, struct arena *arena, struct tick_gpu *gpu)
{
	struct tick_client *client = list_element(arena, gpu, clients, tick_client, watched->pid);
	uint64_t held = u64_or(client->memory_bytes, 0), kept = watched->memory.memory_bytes;
	struct val_u64 busy = busy_ns(&watched->last);
	double share;

	if (watched->elapsed_ns >= SHORTEST_NS) {
		share = f64_or(client->busy_percent, 0) + engines_busiest(&watched->grown, watched->elapsed_ns);
		client->busy_percent = val_f64(share > 100 ? 100 : share);
	}
	if (client->busy_ns.state == VAL_UNSET || !is_known(busy))
		client->busy_ns = busy;
	else if (is_known(client->busy_ns))
		client->busy_ns = val_u64(u64_or(client->busy_ns, 0) + u64_or(busy, 0));
	/* Of a process that computes KFD has told already, and more than this. */
	if (watched->memory.has_memory && client->evicted_ms.state == VAL_UNSET)
		client->memory_bytes = val_u64(held + kept);
	else if (watched->memory.has_memory && kept > held)
		client->memory_bytes = val_u64(kept);
}

static void fill_counts(const struct sample_files *own, struct tick *ret)
{
	for (size_t i = 0; i < own->nr_gpus; i++) {
		struct tick_gpu *told = list_find(ret, gpus, tick_gpu, own->gpus[i].address);

		if (own->gpus[i].unread.state != VAL_UNSET || told->processes.state != VAL_UNSET)
			continue;
		if (!own->sees_all)
			told->processes = no_u64(VAL_DENIED, "needs root: some processes are hidden");
		else if (!own->drm.has_walked || own->drm.is_full)
			told->processes = no_u64(VAL_SKIPPED, "not all processes were looked at");
		else
			told->processes = val_u64(told->nr_clients);
	}
}

void drm_read(struct sample_files *own, struct tick *ret)
{
	for (size_t i = 0; i < own->nr_gpus; i++)
		own->gpus[i].grown = (struct engines){ .nr = 0 };
	read_all(own);
	for (size_t i = 0; i < own->drm.nr; i++) {
		const struct drm_watched *watched = &own->drm.list[i];

		if (watched->is_read)
			fill_client(watched, &ret->arena, list_find(ret, gpus, tick_gpu, watched->gpu->address));
	}
	walk(own);
	fill_counts(own, ret);
}

struct val_f64 drm_busy(const struct sample_files *own, const struct files_gpu *gpu)
{
	uint64_t elapsed_ns = own->now_ns - own->drm.read_ns;

	if (!own->sees_all)
		return no_f64(VAL_DENIED, "needs root: it adds up over all processes, and some are hidden");
	if (own->drm.is_full || !own->drm.has_walked)
		return no_f64(VAL_SKIPPED, "not all processes were looked at");
	if (!own->drm.read_ns || elapsed_ns < SHORTEST_NS)
		return no_f64(VAL_ABSENT, "only one sample of a counter");
	return val_f64(engines_busiest(&gpu->grown, elapsed_ns));
}

void drm_close(struct sample_files *own)
{
	for (size_t i = 0; i < own->drm.nr; i++)
		cached_fd_close(&own->drm.list[i].fdinfo);
	free(own->drm.list);
	name_list_release(&own->drm.pids);
}
