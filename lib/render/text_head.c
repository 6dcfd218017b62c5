// SPDX-License-Identifier: GPL-2.0-or-later
/* text_head.c - the first line: who looked, at which machine, when, and what is in it. */
#include "base/compat.h"
#include "eval/facts/sources.h"
#include "render/phrases.h"
#include "render/screen.h"

#include "snapshot/under_test.h"

enum { HANG = 2 };

/* How many there are of each kind, in the order first seen. */
struct tally {
	const char *what;
	size_t nr;
};

struct tallies {
	size_t nr;
	struct tally *items;
};

static void count(struct arena *arena, struct tallies *tallies, const char *what)
{
	for (size_t i = 0; i < tallies->nr; i++) {
		if (!strcmp(tallies->items[i].what, what)) {
			tallies->items[i].nr++;
			return;
		}
	}
	tallies->items = arena_grow(arena, tallies->items, tallies->nr, sizeof(*tallies->items));
	tallies->items[tallies->nr++] = (struct tally){ .what = what, .nr = 1 };
}

/* "8 × NVIDIA H100 80GB HBM3", one fact for each kind. */
static void put_counted(struct term_writer *term, const struct tallies *tallies)
{
	STRBUF_AUTO fact = STRBUF_INIT;

	for (size_t i = 0; i < tallies->nr; i++) {
		strbuf_reset(&fact);
		strbuf_addf(&fact, "%zu × %s", tallies->items[i].nr, tallies->items[i].what);
		term_fact(term, HANG, fact.buf);
	}
}

/* "nvidia 550.54.14"; of a module of the kernel's own tree the kernel's release is its version. */
static const char *driver_words(struct screen *screen, const struct gpu *gpu)
{
	const struct snapshot *snapshot = screen->report->snapshot;
	const char *driver = str_or(gpu->pci.driver, NULL), *version = NULL;
	const struct module *module = driver ? list_find(snapshot, modules, module, driver) : NULL;

	if (module)
		version = str_or(module->version, NULL);
	if (!version && driver && !strcmp(driver, "nvidia"))
		version = str_or(snapshot->nvml.driver_version, NULL);
	return version ? arena_printf(&screen->arena, "%s %s", driver, version) : driver;
}

/* "driver nvidia 550.54.14", "drivers amdgpu, nvidia". */
static void put_named(struct term_writer *term, const char *one, const char *several, const struct tallies *tallies)
{
	STRBUF_AUTO fact = STRBUF_INIT;

	if (!tallies->nr)
		return;
	strbuf_addstr(&fact, tallies->nr == 1 ? one : several);
	for (size_t i = 0; i < tallies->nr; i++)
		strbuf_addf(&fact, "%s%s", i ? ", " : " ", tallies->items[i].what);
	term_fact(term, HANG, fact.buf);
}

/* What there is where no GPU is under test. A management controller's display is no GPU anybody looks for. */
static void put_no_gpu(struct term_writer *term, const struct report *report)
{
	const size_t not_ours = gpus_of_role(report->snapshot, GPU_ROLE_NOT_OURS);
	const size_t others = report->nr_gpus - not_ours - gpus_of_role(report->snapshot, GPU_ROLE_DISPLAY);
	STRBUF_AUTO fact = STRBUF_INIT;

	if (str_is(report->snapshot->host.virtualisation, "wsl"))
		strbuf_addstr(&fact, "GPUs not on the bus (WSL)");
	else if (not_ours)
		strbuf_addf(&fact, "no GPU under test, %zu of the node not given to this %s", not_ours,
			    is_in_container(report->snapshot) ? "container" : "control group");
	else if (others)
		strbuf_addf(&fact, "no GPU under test, %zu found", others);
	else
		strbuf_addstr(&fact, is_known(report->snapshot->bus.gpus) ? "no GPU" : "GPUs not known");
	term_fact(term, HANG, fact.buf);
}

static void put_gpus(struct screen *screen)
{
	const struct report *report = screen->report;
	struct tallies models = { 0 }, drivers = { 0 };

	for (size_t i = 0; i < report->nr_gpus; i++) {
		const char *driver = driver_words(screen, report->gpus[i].gpu);

		if (!report->gpus[i].under_test)
			continue;
		count(&screen->arena, &models, report->gpus[i].model);
		if (driver)
			count(&screen->arena, &drivers, driver);
	}
	if (models.nr)
		put_counted(&screen->term, &models);
	else
		put_no_gpu(&screen->term, report);
	put_named(&screen->term, "driver", "drivers", &drivers);
}

static void put_ocl_devices(struct screen *screen)
{
	const struct snapshot *snapshot = screen->report->snapshot;
	struct tallies devices = { 0 }, versions = { 0 };

	for (size_t i = 0; i < snapshot->nr_ocl_devices; i++) {
		const struct ocl_device *device = &snapshot->ocl_devices[i];
		const char *name = str_or(device->name, "unnamed device");
		const char *version = str_or(device->driver_version, NULL);

		if (!ocl_device_is_under_test(snapshot, device))
			continue;
		if (!is_known(device->pci_address))
			count(&screen->arena, &devices,
			      arena_printf(&screen->arena, "%s (OpenCL %s)", name, str_or(device->kind, "device")));
		if (version)
			count(&screen->arena, &versions, version);
	}
	put_counted(&screen->term, &devices);
	put_named(&screen->term, "OpenCL driver", "OpenCL drivers", &versions);
}

/* "nvidia-smi -q (q.txt)", each kind and file once; of a bug report that lacks its end where that is. */
static void put_sources(struct screen *screen)
{
	const struct snapshot *snapshot = screen->report->snapshot;
	const char *before = "";

	for (size_t i = 0; i < snapshot->nr_sources; i++) {
		const struct import_source *source = &snapshot->sources[i];
		const char *end = str_is(source->kind, "bug-report") && bool_or(source->is_cut, false) ?
			arena_printf(&screen->arena, ", %s", str_or(source->about, "cut off")) : "";
		const char *fact = arena_printf(&screen->arena, "%s (%s%s)", str_or(source->title, "?"),
						str_or(source->file, "?"), end);

		/* Lines beside an error are cited where it is told. */
		if (!source_is_section(snapshot, source) && !str_is(source->kind, "error-beside") &&
		    strcmp(fact, before) != 0)
			term_fact(&screen->term, HANG, fact);
		before = fact;
	}
}

void screen_head(struct screen *screen)
{
	const struct run *run = &screen->report->snapshot->run;
	struct term_writer *term = &screen->term;

	term_fact(term, HANG, str_or(run->tool, "gpudiag"));
	term_fact(term, HANG, str_or(screen->report->snapshot->host.name, ""));
	term_fact(term, HANG, phrase_taken_at(&screen->arena, run));
	if (str_is(run->source, "tree"))
		term_fact(term, HANG, "a recorded tree");
	put_sources(screen);
	if (is_known(run->interrupted))
		term_fact(term, HANG,
			  arena_printf(&screen->arena, "partial: interrupted by %s", str_or(run->interrupted, "")));
	put_gpus(screen);
	put_ocl_devices(screen);
	term_end_line(term);
}
