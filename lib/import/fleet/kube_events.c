// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/fleet/kube_events.h"
#include "import/dump/error_put.h"
#include "import/dump/whose_node.h"
#include "import/fleet/kube_pods.h"
#include "import/fleet/kube_table.h"

#include "base/text.h"
#include "base/text_scan.h"

enum {
	MOST_EVENTS = 2048,
	MOST_WORDS = 10,	/* before the kind of an event */
	MOST_TOLD = 160,	/* characters of its message */
	OFTEN = 4,		/* what fails once is tried again */
	POD_EVENT_S = 900,	/* what goes on is told again: the kubelet tries after 5 minutes at most */
};

#define PULL "Failed to pull image \""

/*
 * Of which reason, as what it counts, what of its message must be there (NULL: nothing), and the reason that ends it.
 * The kernel's own lines, which node-problem-detector passes on, are the log's.
 */
static const struct kind {
	const char *reason, *key, *with, *end;
} kinds[] = {
	{ "NodeNotReady", "node-not-ready", NULL, "NodeReady" },
	{ "NodeHasDiskPressure", "node-trouble", NULL, "NodeHasNoDiskPressure" },
	{ "NodeHasInsufficientMemory", "node-trouble", NULL, "NodeHasSufficientMemory" },
	{ "NodeHasInsufficientPID", "node-trouble", NULL, "NodeHasSufficientPID" },
	{ "SystemOOM", "node-trouble", NULL, NULL },
	{ "EvictionThresholdMet", "node-trouble", NULL, NULL },
	{ "FreeDiskSpaceFailed", "node-trouble", NULL, NULL },
	/* At each start the kubelet has no figures yet. */
	{ "ImageGCFailed", "node-trouble", "garbage collect", NULL },
	{ "ContainerGCFailed", "node-trouble", NULL, NULL },
	{ "Evicted", "pod-killed", "low on resource", NULL },
	{ "BackOff", "gpu-pod", NULL, "Started" },
	{ "Failed", "gpu-pod", PULL, "Pulled" },
	{ NULL, NULL, NULL, NULL },
};

struct event {
	const struct dump_part *part;
	struct dump_line *line;
	const struct kind *kind;	/* the empty one: it only ends others */
	const char *reason;		/* in the line */
	size_t reason_len;
	uint64_t age_s, count;
	unsigned section;		/* below how many heads of events it stands */
};

/* What an event is about, in its line. */
struct word {
	const char *at;			/* NULL: not told */
	size_t len;
};

struct events {
	struct event *v;
	size_t nr;
};

static const struct kind *kind_of(const char *reason, size_t len)
{
	const struct kind *ret = kinds;

	while (ret->reason && !kube_is_word(reason, len, ret->reason))
		ret++;
	return ret;
}

static bool ends_any(const char *reason, size_t len)
{
	for (const struct kind *kind = kinds; kind->reason; kind++)
		if (kube_is_word(reason, len, kind->end))
			return true;
	return false;
}

/* "(x12 over 3h)" */
static uint64_t count_of(const char *text)
{
	const char *at = strstr(text, "(x");
	uint64_t ret;
	bool fits = true;

	if (!at)
		return 1;
	at += strlen("(x");
	return scan_u64(&at, 10, &ret, &fits) && fits && text_begins(at, " over ") ? ret : 1;
}

/*
 * "Warning  SystemOOM  17m (x4 over 25m)  kubelet, gpu01  System OOM encountered", or with its age, and the namespace,
 * before it and its object behind the reason.
 */
static bool event_of(const char *text, struct event *ret)
{
	const char *at = text, *word;
	size_t len;
	bool is_event = false;

	*ret = (struct event){ .count = count_of(text) };
	for (int i = 0; i < MOST_WORDS && !is_event; i++) {
		word = scan_word(&at, &len);
		is_event = kube_is_word(word, len, "Warning") || kube_is_word(word, len, "Normal");
		ret->age_s = ret->age_s ? ret->age_s : kube_duration_s(word, len);
	}
	if (!is_event)
		return false;
	ret->reason = scan_word(&at, &ret->reason_len);
	word = scan_word(&at, &len);
	ret->age_s = ret->age_s ? ret->age_s : kube_duration_s(word, len);
	ret->kind = kind_of(ret->reason, ret->reason_len);
	if (!ret->age_s || (ret->kind->with && !strstr(at, ret->kind->with)))
		return false;
	return ret->kind->reason || ends_any(ret->reason, ret->reason_len);
}

bool kube_event_begins(const char *text)
{
	struct event event;

	return event_of(text, &event) && event.kind->reason;
}

static void add_events(struct reading *reading, const struct dump_part *part, struct events *events, unsigned *section)
{
	for (size_t i = 0; i < part->nr_lines && events->nr < MOST_EVENTS; i++) {
		struct event event;

		*section += scan_behind(part->lines[i].text, "Events:") != NULL;
		if (!event_of(part->lines[i].text, &event))
			continue;
		event.section = *section;
		part->lines[i].is_taken = true;
		event.part = part;
		event.line = &part->lines[i];
		events->v = arena_grow(reading->arena, events->v, events->nr, sizeof(*events->v));
		events->v[events->nr++] = event;
	}
}

/* ---- what they are about */

static struct word word_behind(const char *text, const char *words, const char *stop)
{
	const char *at = strstr(text, words);

	at = at ? at + strlen(words) : NULL;
	return (struct word){ .at = at && *at ? at : NULL, .len = at ? strcspn(at, stop) : 0 };
}

/* "node/gpu01" of a list, "Node gpu01 status is now: NodeReady", "kubelet, gpu01" of an older kubectl. */
static struct word node_of(const struct event *event)
{
	static const char *const before[] = { " node/", "kubelet, ", "node-controller, " };
	struct word ret = word_behind(event->reason, " Node ", " ");

	/* Other sentences begin with it, too: "Node is not ready". */
	if (ret.at && !text_begins(ret.at + ret.len, " status is now: "))
		ret.at = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(before) && !ret.at; i++)
		ret = word_behind(event->reason, before[i], " ");
	return ret;
}

/* A description's head names it; of the lines themselves only these do. */
static bool is_of_other_node(const struct reading *reading, const struct event *event)
{
	struct word node = node_of(event);

	return node.at ? node_is_of_others(reading, node.at, node.len)
		       : line_is_of_others(reading, event->part, event->line);
}

/* Where one of them is not told, it may be the same. */
static bool is_same(struct word a, struct word b)
{
	return !a.at || !b.at || (a.len == b.len && !strncmp(a.at, b.at, a.len));
}

/* A description is of one pod, and names it in few of its events. */
static bool are_of_one_pod(const struct event *a, const struct event *b)
{
	struct word pod_a = word_behind(a->reason, " pod/", " "), pod_b = word_behind(b->reason, " pod/", " ");

	return is_same(pod_a, pod_b) && (pod_a.at || pod_b.at || a->section == b->section) &&
	       is_same(word_behind(a->reason, " container ", " "), word_behind(b->reason, " container ", " ")) &&
	       is_same(word_behind(a->reason, "image \"", "\""), word_behind(b->reason, "image \"", "\""));
}

/*
 * One of the reason that ends it is as young, in whichever order they are listed. A container starts, ends and waits
 * again within a minute: what ends that is younger.
 */
static bool is_over(const struct events *events, const struct event *event)
{
	const bool is_of_pod = !strcmp(event->kind->key, "gpu-pod");

	for (const struct event *other = events->v; event->kind->end && other < events->v + events->nr; other++) {
		if (other->age_s + is_of_pod > event->age_s ||
		    !kube_is_word(other->reason, other->reason_len, event->kind->end))
			continue;
		if (is_of_pod ? are_of_one_pod(event, other) : is_same(node_of(event), node_of(other)))
			return true;
	}
	return false;
}

/* ---- what they tell */

/* Whose image of the GPU stack is not there: its pod is not named beside it. NULL: it is another. */
static const char *stack_of_image(const char *text)
{
	static const struct { const char *image, *name; } images[] = {
		{ "/nvidia/driver:", "nvidia-driver-daemonset" }, { "/container-toolkit:", "nvidia-container-toolkit" },
		{ "rocm/k8s-device-plugin", "amdgpu-device-plugin" }, { "/k8s-device-plugin:", "nvidia-device-plugin" },
		{ "/dcgm-exporter:", "nvidia-dcgm" }, { "/gpu-operator", "gpu-operator" },
		{ "/intel-gpu-plugin:", "intel-gpu-plugin" },
	};
	const char *image = strstr(text, PULL), *end;

	if (!image)
		return NULL;
	image += strlen(PULL);
	end = image + strcspn(image, "\"");
	for (size_t i = 0; i < ARRAY_SIZE(images); i++)
		if (memmem(image, (size_t)(end - image), images[i].image, strlen(images[i].image)))
			return images[i].name;
	return NULL;
}

/* Of pods only those of the GPU stack, and what they do again and again. */
static const char *words_of(struct arena *arena, const struct event *event)
{
	const char *name = NULL;

	if (!strcmp(event->kind->key, "gpu-pod")) {
		name = event->kind->with ? stack_of_image(event->reason) : kube_pods_stack_name(event->reason);
		if (!name || event->count < OFTEN || event->age_s > POD_EVENT_S)
			return NULL;
	}
	return name ? arena_printf(arena, "%s %s", name, event->kind->reason) : event->kind->reason;
}

static void put_event(struct reading *reading, const struct event *event, const char *words)
{
	const char *said = event->reason;
	struct reading of = *reading;

	of.part = event->part;
	program_error_put(&of, event->line, event->kind->key, words,
			  arena_strndup(reading->arena, said, utf8_floor(said, strnlen(said, MOST_TOLD))));
}

void kube_events_read(struct reading *reading, bool has_pods)
{
	struct events events = { .nr = 0 };
	unsigned section = 0;

	for (const struct dump_part *part = NULL; (part = reading_next_part(reading, part)); )
		add_events(reading, part, &events, &section);
	for (size_t i = 0; i < events.nr; i++) {
		const struct event *event = &events.v[i];
		const char *words =
			event->kind->reason && !is_over(&events, event) ? words_of(reading->arena, event) : NULL;

		if (words && !(has_pods && !strcmp(event->kind->key, "gpu-pod")) && !is_of_other_node(reading, event))
			put_event(reading, event, words);
	}
}
