// SPDX-License-Identifier: GPL-2.0-or-later
/* diff_timings.c - figures of both sides that were measured alike, and OpenCL devices, which change their numbers. */
#include "base/compat.h"
#include "eval/diff/diff_internal.h"

#include <math.h>

#include "eval/facts/twin_stats.h"
#include "snapshot/gpus.h"

enum { MIN_SAMPLES = 3 };	/* fewer have no spread worth the name */

/* A median absolute deviation in standard deviations, where samples are spread normally. */
#define MAD_TO_SIGMA 1.4826
/* Beyond three standard deviations of both together it is no noise of the samples. */
#define BEYOND_NOISE 3.0
/*
 * Nor is a smaller one worth a word: medians of runs differ by more than the
 * samples of each. Bandwidth and compute as twins are judged; latencies jump.
 */
#define LEAST_SHARE 0.05
#define LEAST_SHARE_LATENCY 0.15

/* ---- figures */

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool are_alike(const struct diff_figure *a, const struct diff_figure *b)
{
	return a->unit == b->unit && a->size_bytes == b->size_bytes && a->node == b->node &&
	       is_same_text(a->clock, b->clock) && is_same_text(a->method, b->method);
}

static bool is_sound(const struct diff_figure *figure)
{
	return figure->n >= MIN_SAMPLES && !figure->disturbed && isfinite(figure->median) && figure->median > 0.0 &&
	       isfinite(figure->mad);
}

static const char *figure_text(struct differ *d, const struct diff_figure *figure)
{
	STRBUF_AUTO text = STRBUF_INIT;

	unit_format(&text, figure->unit, figure->median);
	return arena_strdup(d->arena, text.buf);
}

static void compare_figures(struct differ *d, const struct diff_figure *a, const struct diff_figure *b)
{
	bool is_latency = a->unit == UNIT_NS;
	double noise = MAD_TO_SIGMA * sqrt(a->mad * a->mad + b->mad * b->mad);
	double least = (is_latency ? LEAST_SHARE_LATENCY : LEAST_SHARE) * a->median;
	double change = fabs(b->median - a->median), ratio = b->median / a->median;

	d->diff->nr_compared++;
	if (change <= BEYOND_NOISE * noise || change <= least)
		return;
	diff_begin_place(d, b->place, false);
	diff_add(d, &(struct difference){
		.group = DIFF_TIMING, .weight = (b->median > a->median) == is_latency ? DIFF_WORSE : DIFF_BETTER,
		.what = b->key, .before = figure_text(d, a), .after = figure_text(d, b),
		.why = arena_printf(d->arena, "%.2f ×, noise %.1f %%", ratio, 100.0 * noise / a->median),
	});
}

static struct diff_named *names_of_figures(struct differ *d, const struct diff_side *side, bool is_before)
{
	struct diff_named *ret = arena_alloc(d->arena, side->nr_figures * sizeof(*ret));

	for (size_t i = 0; i < side->nr_figures; i++)
		ret[i] = (struct diff_named){
			.place = is_before ? diff_place_after(d, side->figures[i].place) : side->figures[i].place,
			.name = side->figures[i].key, .at = i,
		};
	return ret;
}

void diff_figures(struct differ *d, const struct diff_side *before, const struct diff_side *after)
{
	struct diff_named *a = names_of_figures(d, before, true), *b = names_of_figures(d, after, false);
	ptrdiff_t *after_of = diff_unpaired(d->arena, before->nr_figures);
	ptrdiff_t *before_of = diff_unpaired(d->arena, after->nr_figures);
	size_t nr_other_way = 0;

	diff_pair_names(a, before->nr_figures, b, after->nr_figures, after_of, before_of);
	for (size_t i = 0; i < after->nr_figures; i++) {
		const struct diff_figure *is = &after->figures[i];
		const struct diff_figure *was = before_of[i] >= 0 ? &before->figures[before_of[i]] : NULL;

		if (!was || !is_sound(was) || !is_sound(is))
			continue;
		if (are_alike(was, is))
			compare_figures(d, was, is);
		else
			nr_other_way++;
	}
	if (nr_other_way)
		diff_say(d,
			 arena_printf(d->arena,
				      "%zu timing%s measured differently (clock, size, method or node), not compared",
				      nr_other_way, nr_other_way == 1 ? " was" : "s were"));
	diff_begin_thing(d, NULL, NULL, 0);
}

/* ---- OpenCL devices */

static struct diff_named *names_of_devices(struct differ *d, const struct snapshot *snapshot, bool is_before)
{
	struct diff_named *ret = arena_alloc(d->arena, snapshot->nr_ocl_devices * sizeof(*ret));

	for (size_t i = 0; i < snapshot->nr_ocl_devices; i++) {
		const struct ocl_device *device = &snapshot->ocl_devices[i];
		const struct gpu *gpu = ocl_device_gpu(snapshot, device);
		const char *place = gpu ? str_or(gpu->key, "?") : str_or(device->key, "?");

		ret[i] = (struct diff_named){
			.place = is_before ? diff_place_after(d, place) : place, .name = str_or(device->icd, ""),
			.at = i,
		};
	}
	return ret;
}

static void begin_device(struct differ *d, const struct ocl_device *device, const struct snapshot *snapshot,
			 bool is_before)
{
	const struct gpu *gpu = ocl_device_gpu(snapshot, device);
	const char *name = str_or(device->key, "?");

	diff_begin_place(d, gpu ? str_or(gpu->key, "?") : name, is_before);
	d->thing = gpu ? arena_printf(d->arena, "%s, OpenCL %s", d->thing, str_or(device->icd, "")) :
		   arena_printf(d->arena, "OpenCL device %s", name);
}

/* Were the devices of its driver listed at all? */
static bool is_listed(const struct snapshot *snapshot, const struct ocl_device *device)
{
	const struct icd *icd = list_find(snapshot, icds, icd, str_or(device->icd, ""));

	return icd && is_known(icd->devices);
}

static void tell_lonely(struct differ *d, const struct ocl_device *device, bool is_before)
{
	const struct snapshot *other = is_before ? d->after : d->before;

	if (!is_listed(other, device))
		return;
	begin_device(d, device, is_before ? d->before : d->after, is_before);
	diff_add(d, &(struct difference){
		.group = DIFF_DRIVER, .weight = is_before ? DIFF_WORSE : DIFF_BETTER, .what = "device",
		.before = is_before ? str_or(device->name, "present") : NULL,
		.after = is_before ? NULL : str_or(device->name, "present"),
	});
}

void diff_ocl_devices(struct differ *d)
{
	const struct snapshot *before = d->before, *after = d->after;
	struct diff_named *a = names_of_devices(d, before, true), *b = names_of_devices(d, after, false);
	ptrdiff_t *after_of = diff_unpaired(d->arena, before->nr_ocl_devices);
	ptrdiff_t *before_of = diff_unpaired(d->arena, after->nr_ocl_devices);

	diff_pair_names(a, before->nr_ocl_devices, b, after->nr_ocl_devices, after_of, before_of);
	for (size_t i = 0; i < after->nr_ocl_devices; i++) {
		if (before_of[i] < 0) {
			tell_lonely(d, &after->ocl_devices[i], false);
			continue;
		}
		begin_device(d, &after->ocl_devices[i], after, false);
		diff_records(d, &record_ocl_device, &before->ocl_devices[before_of[i]], &after->ocl_devices[i]);
	}
	for (size_t i = 0; i < before->nr_ocl_devices; i++)
		if (after_of[i] < 0)
			tell_lonely(d, &before->ocl_devices[i], true);
	diff_begin_thing(d, NULL, NULL, 0);
}
