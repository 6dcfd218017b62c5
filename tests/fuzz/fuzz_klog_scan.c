// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_klog_scan.c - events and incidents against logs from anywhere.
 *
 * Lines are made of the catalogue's own patterns with their places filled, of
 * the drivers' prefixes and of the input's bytes. Whatever comes: lines add
 * up, every event is in exactly one incident, and what is told is bounded.
 */
#include "base/compat.h"
#include "base/alloc.h"
#include "base/json.h"
#include "render/events.h"
#include "tests/fuzz/fuzz.h"

struct input {
	const uint8_t *at, *end;
};

static unsigned take(struct input *input)
{
	return input->at < input->end ? *input->at++ : 0;
}

/* ---- lines */

static const char *const prefixes[NR_KLOG_FAMILIES] = {
	[KLOG_FAMILY_XID] = "NVRM: Xid (PCI:0000:%02x:00): ",
	[KLOG_FAMILY_SXID] = "nvidia-nvswitch1: SXid (PCI:0000:%02x:00.0): ",
	[KLOG_FAMILY_NVIDIA] = "NVRM: ",
	[KLOG_FAMILY_AMDGPU] = "amdgpu 0000:%02x:00.0: amdgpu: ",
	[KLOG_FAMILY_INTEL] = "xe 0000:%02x:00.0: [drm] ",
	[KLOG_FAMILY_NOUVEAU] = "nouveau 0000:%02x:00.0: ",
	[KLOG_FAMILY_RADEON] = "radeon 0000:%02x:00.0: ",
	[KLOG_FAMILY_DRM] = "[drm] ",
	[KLOG_FAMILY_PCI] = "pcieport 0000:%02x:00.0: ",
	[KLOG_FAMILY_GHES] = "{%u}[Hardware Error]: ",
	[KLOG_FAMILY_HOST] = "",
};

static void add_bytes(struct strbuf *out, struct input *input, unsigned most)
{
	for (unsigned nr = take(input) % (most + 1); nr && input->at < input->end; nr--) {
		char c = (char)take(input);

		strbuf_addch(out, c == '\n' ? ' ' : c);
	}
}

static void fill_place(struct strbuf *out, struct input *input, const char *place, size_t len)
{
	if (len && place[0] == '?') {
		if (take(input) & 1)
			strbuf_add(out, place + 1, len - 1);
	} else if (len == 3 && !memcmp(place, "pci", 3)) {
		strbuf_addf(out, "0000:%02x:00.%u", take(input) % 4, take(input) % 2);
	} else if (len == 1 || (len == 3 && !memcmp(place, "pid", 3)) || !memcmp(place, "co", 2)) {
		strbuf_addf(out, "%u", take(input));
	} else if (len == 7 && !memcmp(place, "address", 7)) {
		strbuf_addf(out, "0x%x", take(input));
	} else {
		add_bytes(out, input, 12);
	}
}

/* The number of an Xid stands before the process, which patterns leave out. */
static void add_xid(struct strbuf *out, struct input *input)
{
	static const unsigned codes[] = { 13, 31, 43, 45, 48, 63, 64, 74, 79, 94, 95, 119, 120, 149, 154 };

	strbuf_addf(out, "%u, pid=%u, name=p%u, ", codes[take(input) % ARRAY_SIZE(codes)], take(input),
		    take(input) % 8);
	if (take(input) % 4 == 0)
		strbuf_addf(out, "caused by previous Xid %u", codes[take(input) % ARRAY_SIZE(codes)]);
}

static void add_pattern(struct strbuf *out, struct input *input)
{
	const struct klog_pattern *pattern = &klog_patterns[(take(input) << 8 | take(input)) % NR_KLOG_PATTERNS];
	const char *at = pattern->pattern;

	strbuf_addf(out, prefixes[pattern->family], take(input) % 4);
	if (pattern->family == KLOG_FAMILY_XID && take(input) % 2)
		add_xid(out, input);
	while (*at) {
		size_t len = strcspn(at, "{");

		strbuf_add(out, at, len);
		at += len;
		if (!*at)
			break;
		len = strcspn(++at, "}");
		fill_place(out, input, at, len);
		at += len + 1;
	}
}

static void make_line(struct strbuf *out, struct input *input)
{
	switch (take(input) % 4) {
	case 0:
		strbuf_addf(out, prefixes[take(input) % NR_KLOG_FAMILIES], take(input) % 4);
		add_bytes(out, input, 64);
		break;
	case 1:
		strbuf_addf(out, prefixes[KLOG_FAMILY_XID], take(input) % 4);
		add_xid(out, input);
		add_bytes(out, input, 16);
		break;
	default:
		add_pattern(out, input);
		add_bytes(out, input, 4);
	}
}

static void move_time(struct klog_time *time, struct input *input)
{
	unsigned step = take(input);

	time->has_boot = step & 1;
	time->has_wall = step & 2;
	time->wall_is_local = step & 4;
	time->boot_us = step & 8 ? time->boot_us / 2 : time->boot_us + step * 10000;
	time->wall_us = step & 16 ? time->wall_us - INT64_C(7200000000) : time->wall_us + step * 100000;
	if (step == 255) {
		time->wall_us = INT64_MIN / 4;
		time->boot_us = UINT64_MAX / 4;
	}
}

/* ---- what must be so */

struct heard {
	uint64_t nr;
};

static void hear(void *to, const struct klog_event *event)
{
	struct heard *heard = to;
	STRBUF_AUTO line = STRBUF_INIT;

	MUST(event->count == 1);
	render_event_json_line(&line, event);
	MUST(strchr(line.buf, '\n') == line.buf + line.len - 1);
	heard->nr++;
}

static void check_event(const struct klog_log *log, const struct klog_event *event, uint64_t lines)
{
	MUST(event->row > KLOG_NO_ROW && event->row < NR_KLOG_ROWS);
	MUST(event->count >= 1 && event->count <= lines);
	MUST(event->first_line >= 1 && event->first_line <= event->last_line && event->last_line <= lines);
	MUST(event->nr_processes <= MAX_EVENT_PROCESSES && event->nr_processes <= event->processes_seen);
	MUST(event->boot < log->boots);
	MUST((event->currency == KLOG_BEFORE_BOOT) == (event->boot + 1 < log->boots));
	MUST(!event->is_gpu || event->device[0]);
	MUST(strlen(event->text) < sizeof(event->text) && strlen(event->details) < sizeof(event->details));
}

static void check_stories(const struct klog_log *log, const struct klog_incidents *incidents)
{
	unsigned char *told = xcalloc(log->nr_events + 1, 1);

	for (size_t i = 0; i < incidents->nr; i++) {
		const struct klog_incident *incident = &incidents->items[i];

		MUST(incident->nr > 0);
		for (size_t at = 0; at < incident->nr; at++) {
			size_t index = (size_t)(incident->events[at] - log->events);

			MUST(index < log->nr_events && !told[index]);
			MUST(!at || incident->events[at - 1] < incident->events[at]);
			told[index] = 1;
		}
		MUST(!i || incident->last_line <= incident[-1].last_line);
	}
	for (size_t i = 0; i < log->nr_events; i++)
		MUST(told[i]);
	free(told);
}

static void check_texts(const struct told_log *told)
{
	struct render_options options = { .columns = 100 };
	STRBUF_AUTO json = STRBUF_INIT;
	STRBUF_AUTO text = STRBUF_INIT;
	struct json_error error;
	struct json_doc doc;

	render_events_json(&json, told, &options);
	MUST(!json_parse(json.buf, json.len, 0, &doc, &error));
	json_release(&doc);
	render_events_text(&text, told, &options);
	for (const char *c = text.buf; *c; c++)
		MUST((unsigned char)*c >= 0x20 || *c == '\n');
}

static void check_log(const struct klog_log *log, uint64_t lines, uint64_t heard)
{
	struct arena arena = { .blocks = NULL };
	struct klog_incidents incidents;
	struct told_log told = { .log = log, .incidents = &incidents, .source = "fuzz", .now = log_end(log) };
	uint64_t counted = log->dropped;

	for (size_t i = 0; i < log->nr_events; i++) {
		check_event(log, &log->events[i], lines);
		MUST(!i || log->events[i - 1].first_line <= log->events[i].first_line);
		counted += log->events[i].count;
	}
	MUST(counted == heard);
	klog_find_incidents(&arena, log, &incidents);
	check_stories(log, &incidents);
	check_texts(&told);
	arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, data + size };
	struct klog_scan *scan = klog_scan_new();
	struct klog_coverage coverage = { .lines = 0 };
	struct klog_time time = { .wall_us = INT64_C(1795000000000000) };
	struct heard heard = { .nr = 0 };

	klog_scan_watch(scan, hear, &heard);
	while (input.at < input.end) {
		struct klog_line line = { .level = -1, .origin = KLOG_ORIGIN_KERNEL };
		STRBUF_AUTO text = STRBUF_INIT;

		move_time(&time, &input);
		make_line(&text, &input);
		line.text = (struct span){ text.buf, text.buf + text.len };
		line.number = ++coverage.lines;
		line.time = time;
		line.boot_id[0] = take(&input) % 16 ? '\0' : (char)('a' + take(&input) % 3);
		klog_scan_line(scan, &line);
		if (take(&input) % 32 == 0)
			klog_scan_settle(scan);
	}
	check_log(klog_scan_end(scan, &coverage), coverage.lines, heard.nr);
	klog_scan_free(scan);
	return 0;
}
