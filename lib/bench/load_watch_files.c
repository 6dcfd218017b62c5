// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * load_watch_files.c - a GPU of amdgpu, i915 or xe under our load, by its files. One that sleeps, as before the load
 * has opened it, is left alone: reading would wake it.
 */
#include "base/compat.h"
#include "bench/load_watch.h"

#include "base/alloc.h"
#include "base/text.h"
#include "probe/gpu/window_throttle.h"
#include "probe/pci/pci_function.h"
#include "probe/read.h"
#include "snapshot/load_throttle.h"

enum { ATTRIBUTE_BYTES = 4096, MOST_LANES = 32 };
#define HELD_FOR_MOST 0.5		/* a share of the time since the last sample that makes it one of that kind */

struct files_source {
	struct sink *sink;
	struct throttle_watch *throttle;
	struct cached_fd status, busy, speed, width;
	struct val_head no_link;	/* why its slot's link is not to be read; VAL_UNSET: it is */
	struct arena arena;		/* the throttle watch's own */
};

static struct cached_fd keep(const struct probe_env *env, const char *address, const char *file)
{
	return (struct cached_fd){ .fd = root_open_file(env->root, PCI_DEVICES "/%s/%s", address, file) };
}

static bool sleeps(void *own)
{
	const struct files_source *source = own;
	STRBUF_AUTO text = STRBUF_INIT;

	/* Old kernels have no such file, and put nothing to sleep. */
	if (source->status.fd == -ENOENT)
		return false;
	if (cached_fd_read(&source->status, &text, ATTRIBUTE_BYTES))
		return true;
	strbuf_rtrim(&text);
	return strcmp(text.buf, "active") != 0 && strcmp(text.buf, "unsupported") != 0;
}

/* ---- one figure each */

static struct val_f64 use(const struct files_source *source)
{
	STRBUF_AUTO text = STRBUF_INIT;
	int error = cached_fd_read(&source->busy, &text, ATTRIBUTE_BYTES);
	uint64_t percent;

	if (source->busy.fd == -ENOENT)
		return no_f64(VAL_UNSUPPORTED, "not reported by its driver in a file");
	if (error)
		return no_f64(state_of_errno(error), name_of_errno(error));
	if (parse_u64(text.buf, &percent) || percent > 100)
		return no_f64(VAL_ERROR, "reads no share");
	return val_f64((double)percent);
}

typedef int (*parser)(const char *text, uint64_t *ret);

static struct val_u64 of_link(const struct files_source *source, const struct cached_fd *file, parser parse,
			      uint64_t most)
{
	STRBUF_AUTO text = STRBUF_INIT;
	uint64_t number;
	int error;

	if (source->no_link.state != VAL_UNSET)
		return no_u64(source->no_link.state, source->no_link.why);
	error = cached_fd_read(file, &text, ATTRIBUTE_BYTES);
	if (error)
		return no_u64(state_of_errno(error), name_of_errno(error));
	/* 0, 63 and 255 are what a link that is down, or a device that does not answer, reads as. */
	if (parse(text.buf, &number) || !number || number > most)
		return no_u64(VAL_ERROR, "reads no link");
	return val_u64(number);
}

static struct val_str reasons(struct files_source *source, const struct throttle_now *now)
{
	static const enum load_throttle kinds[NR_THROTTLE_KINDS] = {
		[THROTTLE_POWER_CAP] = LOAD_POWER_CAP, [THROTTLE_CURRENT] = LOAD_CURRENT,
		[THROTTLE_THERMAL] = LOAD_THERMAL, [THROTTLE_BRAKE] = LOAD_BRAKE,
	};
	char text[LOAD_THROTTLES_BYTES];
	unsigned told = 0;

	if (now->missing.state != VAL_UNSET)
		return no_str(now->missing.state, now->missing.why);
	for (unsigned kind = 0; kind < NR_THROTTLE_KINDS; kind++)
		told |= now->look.share[kind] >= HELD_FOR_MOST ? 1u << kinds[kind] : 0;
	load_throttles_write(told, text);
	return val_str(arena_strdup(&source->sink->facts.arena, text));
}

/* ---- */

static bool sample(void *own, struct load_sample *ret, const char **why)
{
	struct files_source *source = own;
	const struct throttle_now *now = throttle_watch_now(source->throttle);

	*why = NULL;
	sink_step(source->sink, "read its use, clocks and sensors");
	ret->busy_percent = use(source);
	ret->link_speed_mtps = of_link(source, &source->speed, parse_link_speed, UINT64_MAX);
	ret->link_width = of_link(source, &source->width, parse_u64, MOST_LANES);
	throttle_watch_look(source->throttle, true);
	ret->clock_mhz = now->clock_mhz;
	ret->memory_clock_mhz = now->memory_clock_mhz;
	ret->power_mw = now->power_mw;
	ret->temperature_c = now->temperature_c;
	ret->throttle_reasons = reasons(source, now);
	return true;
}

static void close_source(void *own)
{
	struct files_source *source = own;

	cached_fd_close(&source->status);
	cached_fd_close(&source->busy);
	cached_fd_close(&source->speed);
	cached_fd_close(&source->width);
	throttle_watch_close(source->throttle);
	arena_release(&source->arena);
	free(source);
}

enum probe_outcome load_watch_files(struct probe_env *env, struct sink *sink, const struct load_watch_plan *plan,
				    const char *driver, struct load_source *ret, char why[LOAD_WATCH_WHY_BYTES])
{
	struct files_source *source = xcalloc(1, sizeof(*source));

	*ret = (struct load_source){ .own = source, .sample = sample, .sleeps = sleeps, .close = close_source };
	source->sink = sink;
	source->busy = source->speed = source->width = (struct cached_fd)CACHED_FD_NONE;
	source->status = keep(env, plan->address, "power/runtime_status");
	source->throttle = throttle_watch_open(&source->arena, env->root, plan->address, driver);
	if (!source->throttle) {
		snprintf(why, LOAD_WATCH_WHY_BYTES, "driver \"%s\" has no readable GPU files", driver);
		return PROBE_UNAVAILABLE;
	}
	source->busy = keep(env, plan->address, "gpu_busy_percent");
	if (!plan->slot) {
		source->no_link = (struct val_head){ .state = VAL_UNSUPPORTED,
						     .why = "the bridges above it are incomplete" };
		return PROBE_OK;
	}
	source->speed = keep(env, plan->slot, "current_link_speed");
	source->width = keep(env, plan->slot, "current_link_width");
	return PROBE_OK;
}
