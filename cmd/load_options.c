// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "cmd/acquire.h"

#include "base/text.h"
#include "base/units.h"
#include "cmd/cmd.h"
#include "cmd/progress.h"
#include "eval/engine/bench_report.h"
#include "eval/judge/subject.h"
#include "snapshot/gpus.h"
#include "snapshot/under_test.h"
#include "sys/clock.h"

/* To build the kernels, to search and to warm up, by guess. */
enum { WARM_UP_MS = 1000 };

/* ---- options */

void acquire_take_gpu(void *to, const struct option_parser *parser)
{
	struct snapshot *snapshot = &((struct acquisition *)to)->snapshot;
	const char *rest = parser->argument;

	do {
		size_t len = strcspn(rest, ",");

		if (!len)
			die(EXIT_USAGE, "%s: --gpu: empty name in \"%s\"", parser->command,
			    parser->argument);
		strs_add(&snapshot->arena, &snapshot->request.gpus, arena_strndup(&snapshot->arena, rest, len));
		rest += len;
	} while (*rest++);
}

/* The largest buffer of a device is far below. */
#define MAX_SIZE_BYTES ((uint64_t)64 << 30)

NORETURN static void die_no_sizes(const struct option_parser *parser)
{
	die(EXIT_USAGE, "%s: --%s: invalid sizes \"%s\": use 1 to 64G, e.g. 4K, 4K,1M or 4K..256M", parser->command,
	    parser->row->name, parser->argument);
}

/* "4K", "4KiB", "4096" */
static uint64_t size_of_text(const struct option_parser *parser, const char *text)
{
	static const char prefixes[] = "KMG";
	size_t digits = strspn(text, "0123456789");
	const char *suffix = text + digits, *prefix = NULL;
	char number[24];
	uint64_t size;

	if (!digits || digits >= sizeof(number))
		die_no_sizes(parser);
	snprintf(number, sizeof(number), "%.*s", (int)digits, text);
	if (*suffix)
		prefix = strchr(prefixes, *suffix >= 'a' && *suffix <= 'z' ? *suffix - 'a' + 'A' : *suffix);
	if (*suffix && (!prefix || (suffix[1] && strcmp(suffix + 1, "iB") != 0)))
		die_no_sizes(parser);
	if (parse_u64(number, &size) || !size || size > MAX_SIZE_BYTES)
		die_no_sizes(parser);
	if (prefix)
		size <<= 10 * (prefix - prefixes + 1);
	if (size > MAX_SIZE_BYTES)
		die_no_sizes(parser);
	return size;
}

static void add_size(const struct option_parser *parser, struct arena *arena, struct f64s *ret, uint64_t size)
{
	size_t at = 0;

	while (at < ret->nr && ret->v[at] < (double)size)
		at++;
	if (at < ret->nr && ret->v[at] <= (double)size)
		return;
	if (ret->nr == BENCH_MAX_SIZES)
		die(EXIT_USAGE, "%s: --%s: more than %d sizes", parser->command, parser->row->name, BENCH_MAX_SIZES);
	f64s_add(arena, ret, 0.0);
	memmove(ret->v + at + 1, ret->v + at, (ret->nr - 1 - at) * sizeof(*ret->v));
	ret->v[at] = (double)size;
}

static void add_range(const struct option_parser *parser, struct arena *arena, struct f64s *ret, char *word)
{
	char *dots = strstr(word, "..");
	uint64_t from, to;

	if (!dots) {
		add_size(parser, arena, ret, size_of_text(parser, word));
		return;
	}
	*dots = '\0';
	from = size_of_text(parser, word);
	to = size_of_text(parser, dots + 2);
	if (to < from)
		die_no_sizes(parser);
	for (uint64_t size = from; size <= to; size *= 2)
		add_size(parser, arena, ret, size);
}

/*
 * Sizes as people write them, 4K,1M or 4K..256M. Adds the option's to those there are, rising, each once: numbers with
 * K, M or G for 2^10, 2^20 and 2^30, parted by commas; FROM..TO is FROM and each double of it up to TO.
 */
void acquire_take_size(void *to, const struct option_parser *parser)
{
	struct snapshot *snapshot = &((struct acquisition *)to)->snapshot;
	const char *rest = parser->argument;

	do {
		size_t len = strcspn(rest, ",");
		char word[64];

		if (len >= sizeof(word))
			die_no_sizes(parser);
		snprintf(word, sizeof(word), "%.*s", (int)len, rest);
		add_range(parser, &snapshot->arena, &snapshot->request.sizes_bytes, word);
		rest += len;
	} while (*rest++);
}

/* ---- whom --gpu means */

static bool means_something(const struct snapshot *snapshot, const char *selector)
{
	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		if (selector_is_of_gpu(snapshot, selector, &snapshot->gpus[i]))
			return true;
	for (size_t i = 0; i < snapshot->nr_ocl_devices; i++)
		if (selector_is_of_device(snapshot, selector, &snapshot->ocl_devices[i]))
			return true;
	return false;
}

/*
 * Might it, had everybody been asked? The bus may be closed to us, and a
 * driver may have been left alone or not have answered.
 */
static bool may_mean_something(const struct snapshot *snapshot, const char *selector)
{
	if (!is_known(snapshot->bus.gpus))
		return true;
	for (size_t i = 0; i < snapshot->nr_probes; i++) {
		const struct probe_run *run = &snapshot->probes[i];

		if (!str_is(run->probe, "opencl") || str_is(run->outcome, "ok"))
			continue;
		if (strstr(selector, str_or(run->target, "?")))
			return true;
	}
	return false;
}

static void list_devices(struct strbuf *out, const struct snapshot *snapshot)
{
	struct arena arena = { .blocks = NULL };
	struct subject_list gpus;

	subjects_of(&arena, snapshot, SUBJECT_GPU, &gpus);
	for (size_t i = 0; i < gpus.nr; i++)
		strbuf_addf(out, "%s%zu (%s)", out->len ? ", " : "", gpus.items[i].gpu_index, gpus.items[i].address);
	for (size_t i = 0; i < snapshot->nr_ocl_devices; i++)
		strbuf_addf(out, "%s%s", out->len ? ", " : "", str_or(snapshot->ocl_devices[i].key, "?"));
	if (!out->len)
		strbuf_addstr(out, "none");
	arena_release(&arena);
}

void load_check_selectors(const struct acquisition *acq)
{
	const struct snapshot *snapshot = &acq->snapshot;
	const struct strs *selectors = &snapshot->request.gpus;

	for (size_t i = 0; i < selectors->nr; i++) {
		STRBUF_AUTO list = STRBUF_INIT;

		if (means_something(snapshot, selectors->v[i]) || may_mean_something(snapshot, selectors->v[i]))
			continue;
		list_devices(&list, snapshot);
		progress_end();
		die(EXIT_USAGE,
		    "--gpu: no device \"%s\"; devices: %s (use a number, PCI address, UUID or OpenCL key)",
		    selectors->v[i], list.buf);
	}
}

/* ---- what a bench needs */

bool load_needs(const struct acquisition *acq, const struct probe *probe)
{
	const struct request *request = &acq->snapshot.request;

	if (bench_is_of_storage(request))
		return probe->phase == PHASE_STORAGE || !strcmp(probe->name, "host");
	if (!bench_has_devices(request) && (probe->phase == PHASE_LIBRARY || probe->phase == PHASE_LOAD))
		return false;
	/* What only checks read. */
	static const char *const spared[] = { "system", "pci-ports", "slots" };

	if (text_is_any(probe->name, spared, ARRAY_SIZE(spared)))
		return false;
	/* It shows GPUs in use by processes that are not visible here. */
	if (probe->phase == PHASE_WINDOW && probe->touches == TOUCHES_FILES)
		return gpus_under_test(&acq->snapshot);
	return true;
}

/* ---- how far it is */

/* Which of the devices to measure that is, from 1, and how many there are. */
static size_t place_of(const struct snapshot *snapshot, const char *target, size_t *ret_nr)
{
	size_t place = 0;

	*ret_nr = 0;
	for (size_t i = 0; i < snapshot->nr_ocl_devices; i++) {
		const struct ocl_device *device = &snapshot->ocl_devices[i];

		if (!ocl_device_is_under_test(snapshot, device) || !ocl_device_is_selected(snapshot, device))
			continue;
		++*ret_nr;
		if (str_is(device->key, target))
			place = *ret_nr;
	}
	return place;
}

static uint64_t expected_ms(const struct acquisition *acq, const struct ocl_device *device, size_t place)
{
	struct bench_plan plan;

	if (place > 1)
		return (clock_now_ns() - acq->load_began_ns) / 1000000 / (place - 1);
	bench_plan_of(&acq->snapshot, device, &plan);
	return (plan.whole_ms ? plan.whole_ms : plan.measure_ms + WARM_UP_MS) + plan.sustain_ms;
}

void load_progress(struct acquisition *acq, const char *target)
{
	const struct snapshot *snapshot = &acq->snapshot;
	const struct ocl_device *device = list_find(snapshot, ocl_devices, ocl_device, target);
	const struct gpu *gpu = device ? ocl_device_gpu(snapshot, device) : NULL;
	bool together = bool_or(snapshot->request.together, false);
	size_t nr, place = place_of(snapshot, target, &nr);
	STRBUF_AUTO text = STRBUF_INIT;
	uint64_t left_ms;

	if (!device)
		return;
	if (!acq->load_began_ns)
		acq->load_began_ns = clock_now_ns();
	left_ms = expected_ms(acq, device, together ? 1 : place) * (together ? 1 : nr - place + 1);
	strbuf_addstr(&text, "measuring ");
	if (together && nr > 1)
		strbuf_addf(&text, "%zu devices at once", nr);
	else if (gpu)
		strbuf_addf(&text, "GPU %zu", gpu_number(snapshot, gpu));
	else
		strbuf_addstr(&text, target);
	if (!together && nr > 1)
		strbuf_addf(&text, ", %zu of %zu", place, nr);
	progress_show_time(text.buf, left_ms);
}
