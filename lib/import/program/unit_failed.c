// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unit_failed.c - what systemd logs of services. Of each the last line counts: what failed at first and was started
 * later runs, and a new boot starts all anew.
 *
 *	systemd[1]: docker.service: State 'stop-sigterm' timed out. Killing.
 *	systemd[1]: docker.service: Failed with result 'timeout'.
 *	systemd[1]: Failed to start Docker Application Container Engine.
 *	systemd[1]: Started docker.service - Docker Application Container Engine.
 */
#include "base/compat.h"
#include "import/program/unit_failed.h"

#include "import/dump/log_time.h"

#include "base/text.h"
#include "base/text_scan.h"

enum {
	MOST_UNITS = 64,	/* of a log that are told apart */
	MOST_NAMES = 6,		/* that are named */
	MOST_BETWEEN = 6,	/* lines from what failed to what was not started for it */
	LOOK_AHEAD = 8,		/* from a status' head to its state */
};

static const char service[] = ".service";

/*
 * Those that jobs on the node need. With other results they were ended by somebody, as at a reboot. The kubelet is not
 * among them: it ends over and over until kubeadm has configured it.
 */
static const struct { const char *name, *title, *key; } known[] = {
	{ "slurmd", "Slurm node daemon", "node-service" }, { "munge", "MUNGE authentication service", "node-service" },
	{ "containerd", "containerd container runtime", "node-service" },
	{ "crio", "Container Runtime Interface for OCI (CRI-O)", "node-service" },
	{ "k3s-agent", "Lightweight Kubernetes", "node-service" },
	{ "docker", "Docker Application Container Engine", "container-service" },
};
static const char *const failures[] = { "'exit-code'", "'core-dump'", "'start-limit-hit'", "'oom-kill'", "'watchdog'",
					"'protocol'", "'resources'" };

/* Of these rows of service_error.def tell, or their own log. */
static const char *const others[] = { "nvidia-fabricmanager", "nvidia-persistenced", "nvidia-imex", "nvidia-vgpu",
				      "nvidia-dcgm", "nvidia-gridd", "kubelet" };

/* A piece of a line; len 0: none. */
struct piece {
	const char *at;
	size_t len;
};

static bool is_same(struct piece a, struct piece b)
{
	return a.len && a.len == b.len && !memcmp(a.at, b.at, a.len);
}

static bool is_text(struct piece piece, const char *text)
{
	return piece.len == strlen(text) && !memcmp(piece.at, text, piece.len);
}

enum event_kind { EVENT_NONE, EVENT_FAILED, EVENT_NOT_STARTED, EVENT_STARTED };

/* A line of systemd's. */
struct event {
	enum event_kind kind;
	struct piece host, name, title;	/* the name without ".service" */
	bool is_failure;		/* by itself, with a result that tells so */
};

/* Behind "systemd[1]: "; a user's own has another number. NULL: who speaks is another one. */
static const char *said_by_systemd(const char *text, struct piece *ret_host)
{
	static const char *const speakers[] = { "systemd[1]: ", "systemd: " };
	const char *at = NULL, *end;

	for (size_t i = 0; i < ARRAY_SIZE(speakers) && !at; i++) {
		at = strstr(text, speakers[i]);
		if (at && at > text && at[-1] != ' ')
			at = NULL;
		end = at;
		at = at ? at + strlen(speakers[i]) : NULL;
	}
	if (!at)
		return NULL;
	while (end > text && end[-1] == ' ')
		end--;
	*ret_host = (struct piece){ end, 0 };
	for (; ret_host->at > text && ret_host->at[-1] != ' '; ret_host->len++)
		ret_host->at--;
	return at;
}

/* "docker" of "docker.service"; *ret_end: behind it. */
static struct piece name_at(const char *text, const char **ret_end)
{
	struct piece ret = { text, 0 };

	while (is_letter_or_digit(text[ret.len]) || (text[ret.len] && strchr("-_@:\\", text[ret.len])) ||
	       (text[ret.len] == '.' && !text_begins(text + ret.len, service)))
		ret.len++;
	if (!text_begins(text + ret.len, service))
		return (struct piece){ text, 0 };
	*ret_end = text + ret.len + strlen(service);
	return ret;
}

/* "docker.service - Docker Application Container Engine.", "Docker Application Container Engine." */
static void read_named(const char *text, struct event *event)
{
	const char *end = text;

	event->name = name_at(text, &end);
	text = event->name.len && text_begins(end, " - ") ? end + strlen(" - ") : event->name.len ? "" : text;
	event->title = (struct piece){ text, strlen(text) };
	while (event->title.len && strchr(". ", text[event->title.len - 1]))
		event->title.len--;
}

static bool read_failed(const char *text, struct event *event)
{
	static const char *const words[] = { ": Failed with result '", ": Main process exited, code=exited, status=",
					     ": Unit entered failed state", " timed out. Killing." };
	const char *end = NULL;

	text += text_begins(text, "Unit ") ? strlen("Unit ") : 0;
	event->name = name_at(text, &end);
	if (!event->name.len)
		return false;
	if (!text_begins(end, " entered failed state") && !text_begins_any(end, words, ARRAY_SIZE(words) - 1) &&
	    !(text_begins(end, ": State '") && strstr(end, words[ARRAY_SIZE(words) - 1])))
		return false;
	event->kind = EVENT_FAILED;
	event->is_failure = text_begins(end, words[0]) &&
			    text_begins_any(end + strlen(words[0]) - 1, failures, ARRAY_SIZE(failures));
	return true;
}

static struct event event_of(const char *text)
{
	struct event ret = { .kind = EVENT_NONE };
	const char *said = said_by_systemd(text, &ret.host);

	if (!said)
		return ret;
	if (text_begins(said, "Started ")) {
		ret.kind = EVENT_STARTED;
		read_named(said + strlen("Started "), &ret);
	} else if (text_begins(said, "Failed to start ")) {
		ret.kind = EVENT_NOT_STARTED;
		read_named(said + strlen("Failed to start "), &ret);
	} else {
		read_failed(said, &ret);
	}
	return ret;
}

static bool is_of_others(const struct event *event)
{
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if ((event->name.len >= strlen(others[i]) && text_begins(event->name.at, others[i])) ||
		    (!event->name.len && event->title.len &&
		     (text_begins(event->title.at, "NVIDIA ") || text_begins(event->title.at, "kubelet: "))))
			return true;
	return false;
}

bool unit_failed_says(const char *text)
{
	struct event event = event_of(text);

	return (event.kind == EVENT_FAILED || event.kind == EVENT_NOT_STARTED) && !is_of_others(&event);
}

/* ---- all lines of a text */

struct failed_unit {
	struct piece host, name, title;
	const struct dump_part *part;
	struct dump_line *line;		/* of its last failure */
	size_t at;			/* as which line of the text; those of a string have one number */
	uint64_t nr;			/* failures since it ran; 0: it runs */
	bool is_failure, is_active;	/* active: as its status says, wherever that stands */
};

struct units {
	struct failed_unit v[MOST_UNITS];
	size_t nr, at;		/* at: the line at hand */
};

static void set_title(struct failed_unit *unit)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (!unit->title.len && is_text(unit->name, known[i].name))
			unit->title = (struct piece){ known[i].title, strlen(known[i].title) };
		if (!unit->name.len && is_text(unit->title, known[i].title))
			unit->name = (struct piece){ known[i].name, strlen(known[i].name) };
	}
}

static bool is_of(const struct failed_unit *unit, const struct event *event)
{
	return unit->host.len == event->host.len &&
	       (!unit->host.len || is_same(unit->host, event->host)) &&
	       (is_same(unit->name, event->name) || is_same(unit->title, event->title));
}

/* What was not started is what failed just before, where no name tells. NULL: there are too many. */
static struct failed_unit *unit_of(struct units *units, const struct event *event)
{
	struct failed_unit *last = NULL, *unit;

	for (size_t i = 0; i < units->nr; i++) {
		unit = &units->v[i];
		if (is_of(unit, event))
			return unit;
		if (unit->nr && (!last || unit->at > last->at))
			last = unit;
	}
	if (!event->name.len && last && !last->title.len && units->at <= last->at + MOST_BETWEEN) {
		last->title = event->title;
		return last;
	}
	if (units->nr == MOST_UNITS)
		return NULL;
	unit = &units->v[units->nr++];
	*unit = (struct failed_unit){ .host = event->host, .name = event->name, .title = event->title };
	set_title(unit);
	return unit;
}

static void take_line(struct units *units, const struct dump_part *part, struct dump_line *line)
{
	struct event event = event_of(line->text);
	struct failed_unit *unit;

	if (event.kind == EVENT_NONE || is_of_others(&event))
		return;
	if (event.kind == EVENT_STARTED) {
		for (size_t i = 0; i < units->nr; i++)
			if (is_of(&units->v[i], &event) &&
			    (!units->v[i].line || !log_time_is_earlier(line->text, units->v[i].line->text)))
				units->v[i].nr = 0;
		return;
	}
	line->is_taken = true;
	unit = unit_of(units, &event);
	if (!unit)
		return;
	/* The lines of one failure stand together. */
	if (!unit->nr || units->at > unit->at + MOST_BETWEEN)
		unit->is_failure = unit->nr++ && unit->is_failure;
	unit->is_failure |= event.is_failure;
	unit->part = part;
	unit->line = line;
	unit->at = units->at;
}

static bool begins_boot(const char *text)
{
	static const char *const words[] = { "-- Boot ", "-- Reboot --", "kernel: Linux version " };

	return text_has_any(text, words, ARRAY_SIZE(words));
}

/* "● slurmd.service - Slurm node daemon" above "Active: active (running)". */
static void take_status(struct units *units, const struct dump_part *part)
{
	for (size_t i = 0; i < part->nr_lines; i++) {
		const char *at = part->lines[i].text, *end;
		struct piece name;

		while (*at && !is_letter_or_digit(*at))
			at++;
		name = name_at(at, &end);
		for (size_t k = 1; name.len && *end == ' ' && k <= LOOK_AHEAD && i + k < part->nr_lines; k++) {
			const char *state = scan_behind(part->lines[i + k].text, "Active: ");

			for (size_t u = 0; state && text_begins(state, "active ") && u < units->nr; u++)
				units->v[u].is_active |= is_same(units->v[u].name, name);
			if (state)
				break;
		}
	}
}

static bool is_of_same(const struct dump_part *part, const struct dump_part *of)
{
	return !strcmp(part->file, of->file) &&
	       !(part->host.text && of->host.text && strcmp(part->host.text, of->host.text) != 0);
}

static void read_parts(const struct reading *reading, struct units *units)
{
	const struct dump_part *first = reading->part,
			       *end = reading->parts ? reading->parts->v + reading->parts->nr : first + 1;

	for (const struct dump_part *part = first; part < end; part++) {
		const bool tells = part->kind == DUMP_PROGRAM_ERROR || part->kind == DUMP_LOG ||
				   part->kind == DUMP_UNIT_LIST;

		for (size_t i = 0; tells && is_of_same(part, first) && i < part->nr_lines; i++) {
			units->at++;
			if (begins_boot(part->lines[i].text))
				units->nr = 0;
			else
				take_line(units, part, &part->lines[i]);
		}
	}
	for (const struct dump_part *part = reading->parts ? reading->parts->v : first; part < end; part++)
		if (is_of_same(part, first))
			take_status(units, part);
}

static const char *key_of(const struct failed_unit *unit)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (is_text(unit->name, known[i].name) &&
		    (unit->is_failure || !strcmp(known[i].key, "container-service")))
			return known[i].key;
	return "unit";
}

static bool has_failed(const struct failed_unit *unit)
{
	return unit->nr && !unit->is_active;
}

/* All that failed of those with the key of the first. */
static void put_failed(const struct reading *reading, const struct units *units, size_t first)
{
	const char *key = key_of(&units->v[first]);
	struct reading of_part = *reading;
	STRBUF_AUTO names = STRBUF_INIT;
	struct program_error *to;
	uint64_t lines = 0;
	size_t nr = 0;

	for (size_t i = first; i < units->nr; i++) {
		const struct failed_unit *unit = &units->v[i];
		const struct piece name = unit->name.len ? unit->name : unit->title;

		if (!has_failed(unit) || strcmp(key_of(unit), key) != 0)
			continue;
		lines += unit->nr;
		if (++nr <= MOST_NAMES)
			strbuf_addf(&names, "%s%.*s%s", nr > 1 ? ", " : "", (int)name.len, name.at,
				    unit->name.len ? service : "");
	}
	of_part.part = units->v[first].part;
	to = list_element(reading->arena, reading->snapshot, program_errors, program_error, key);
	put(&of_part, units->v[first].line, to->words,
	    val_str(arena_printf(reading->arena, "%s: failed", names.buf)));
	put(&of_part, units->v[first].line, to->lines, val_u64(u64_or(to->lines, 0) + lines));
}

void unit_failed_read(struct reading *reading)
{
	struct units *units;

	if (!reading_next_part(reading, NULL))
		return;
	units = arena_alloc(reading->arena, sizeof(*units));
	units->nr = units->at = 0;
	read_parts(reading, units);
	for (size_t i = 0; i < units->nr; i++) {
		size_t first = 0;

		while (first < i && (!has_failed(&units->v[first]) ||
				     strcmp(key_of(&units->v[first]), key_of(&units->v[i])) != 0))
			first++;
		if (first == i && has_failed(&units->v[i]))
			put_failed(reading, units, i);
	}
}
