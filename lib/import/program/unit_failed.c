// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unit_failed.c - what systemd logs of services. Of each the last line counts: what failed at first and was started
 * later runs, what ended as somebody had it stopped did not fail, and a new boot of its machine starts all anew.
 *
 *	systemd[1]: docker.service: State 'stop-sigterm' timed out. Killing.
 *	systemd[1]: docker.service: Failed with result 'timeout'.
 *	systemd[1]: Failed to start Docker Application Container Engine.
 *	systemd[1]: Started docker.service - Docker Application Container Engine.
 */
#include "base/compat.h"

#include <strings.h>

#include "import/program/unit_failed.h"

#include "import/dump/log_time.h"

#include "base/text.h"
#include "base/text_scan.h"

enum {
	MOST_UNITS = 64,	/* of a log that are told apart */
	MOST_NAMES = 6,		/* that are named */
	MOST_BETWEEN = 6,	/* lines from what failed to what was not started for it */
	LOOK_AHEAD = 8,		/* from a status' head to its state */
	MOST_STOPS = 64,	/* orders to stop that are remembered */
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
	{ "slurmd", "Slurm compute node", "node-service" },
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

/* Distributions write titles in either case. */
static bool is_title(struct piece title, const char *text)
{
	return title.len && title.len == strlen(text) && !strncasecmp(title.at, text, title.len);
}

static bool is_same_title(struct piece a, struct piece b)
{
	return a.len && a.len == b.len && !strncasecmp(a.at, b.at, a.len);
}

enum event_kind {
	EVENT_NONE,
	EVENT_FAILED,
	EVENT_NOT_STARTED,
	EVENT_STARTING,
	EVENT_STARTED,
	EVENT_STOPPING,
	EVENT_STOPPED,
	EVENT_AGAIN,		/* systemd will start it again by itself */
	EVENT_DOWN,		/* the machine goes down in order */
};

/* A line of systemd's. */
struct event {
	enum event_kind kind;
	struct piece host, name, title;	/* the name without ".service" */
	bool is_failure;		/* by itself, with a result that tells so */
};

/* Whose line it is: the word before who speaks, which is no time of day. */
static struct piece host_before(const char *text, const char *end)
{
	struct piece ret = { end, 0 };

	for (; ret.at > text && ret.at[-1] != ' '; ret.len++)
		ret.at--;
	return memchr(ret.at, ':', ret.len) ? (struct piece){ end, 0 } : ret;
}

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
	*ret_host = host_before(text, end);
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

static bool read_again(const char *text, struct event *event)
{
	const char *end = NULL;

	event->name = name_at(text, &end);
	if (!event->name.len || (!text_begins(end, ": Scheduled restart job") && !strstr(end, "scheduling restart")))
		return false;
	event->kind = EVENT_AGAIN;
	return true;
}

/* Targets that systemd reaches as a machine goes down. */
static bool goes_down(const char *said)
{
	static const char *const targets[] = {
		"Shutdown", "Reboot", "Power-Off", "System Shutdown", "System Reboot", "System Power Off",
		"shutdown.target", "reboot.target", "poweroff.target",
	};
	const char *target = scan_behind(said, "Reached target ");

	return target && text_begins_any(target, targets, ARRAY_SIZE(targets));
}

static struct event event_of(const char *text)
{
	static const struct { const char *words; enum event_kind kind; } orders[] = {
		{ "Started ", EVENT_STARTED }, { "Failed to start ", EVENT_NOT_STARTED },
		{ "Starting ", EVENT_STARTING }, { "Stopping ", EVENT_STOPPING }, { "Stopped ", EVENT_STOPPED },
	};
	struct event ret = { .kind = EVENT_NONE };
	const char *said = said_by_systemd(text, &ret.host);

	if (!said)
		return ret;
	for (size_t i = 0; i < ARRAY_SIZE(orders); i++)
		if (text_begins(said, orders[i].words)) {
			ret.kind = orders[i].kind;
			read_named(said + strlen(orders[i].words), &ret);
			return ret;
		}
	if (goes_down(said))
		ret.kind = EVENT_DOWN;
	else if (!read_failed(said, &ret))
		read_again(said, &ret);
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
	struct piece told;		/* another title, that stood behind its failure; len 0: none did */
	const struct dump_part *part;
	struct dump_line *line;		/* of its last failure */
	size_t at;			/* as which line of the text; those of a string have one number */
	uint64_t nr;			/* failures since it ran; 0: it runs */
	bool is_failure, is_active;	/* active: as its status says, wherever that stands */
	bool is_again;			/* systemd starts it again by itself, which proves nothing */
};

struct units {
	struct failed_unit v[MOST_UNITS];
	struct failed_unit stops[MOST_STOPS];	/* ordered, and not done yet; the oldest is left out first */
	size_t nr, at;		/* at: the line at hand */
	size_t nr_stops;	/* that there were */
};

static void set_title(struct failed_unit *unit)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (!unit->title.len && is_text(unit->name, known[i].name))
			unit->title = (struct piece){ known[i].title, strlen(known[i].title) };
		if (!unit->name.len && is_title(unit->title, known[i].title))
			unit->name = (struct piece){ known[i].name, strlen(known[i].name) };
	}
}

static bool is_known_name(struct piece name)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (is_text(name, known[i].name))
			return true;
	return false;
}

static bool is_of_host(const struct failed_unit *unit, struct piece host)
{
	return unit->host.len == host.len && (!host.len || is_same(unit->host, host));
}

static bool is_of(const struct failed_unit *unit, const struct event *event)
{
	struct failed_unit other = { .name = event->name, .title = event->title };

	set_title(&other);
	return is_of_host(unit, event->host) &&
	       (is_same(unit->name, other.name) || is_same_title(unit->title, other.title) ||
		is_same_title(unit->told, other.title));
}

/* Where there are too many, one that is known takes the place of the last that is not. NULL: there is none. */
static struct failed_unit *place_for(struct units *units, const struct failed_unit *unit)
{
	if (units->nr < MOST_UNITS)
		return &units->v[units->nr++];
	for (size_t i = units->nr; i && is_known_name(unit->name); i--)
		if (!is_known_name(units->v[i - 1].name))
			return &units->v[i - 1];
	return NULL;
}

/* A unit that is known has a title, and may have another one that begins alike: "Slurm" of slurmd. */
static bool takes_title(const struct failed_unit *unit, const struct event *event)
{
	const size_t len = strcspn(event->title.at, " ");

	return !unit->title.len ||
	       (!unit->told.len && len < event->title.len && len <= unit->name.len &&
		!strncasecmp(event->title.at, unit->name.at, len));
}

/* What was not started is what failed just before, where no name tells. NULL: there are too many. */
static struct failed_unit *unit_of(struct units *units, const struct event *event)
{
	struct failed_unit *last = NULL, *unit, fresh;

	for (size_t i = 0; i < units->nr; i++) {
		unit = &units->v[i];
		if (is_of(unit, event))
			return unit;
		if (unit->nr && is_of_host(unit, event->host) && (!last || unit->at > last->at))
			last = unit;
	}
	if (!event->name.len && last && units->at <= last->at + MOST_BETWEEN && takes_title(last, event)) {
		*(last->title.len ? &last->told : &last->title) = event->title;
		return last;
	}
	fresh = (struct failed_unit){ .host = event->host, .name = event->name, .title = event->title };
	set_title(&fresh);
	unit = place_for(units, &fresh);
	if (unit)
		*unit = fresh;
	return unit;
}

static void take_stopping(struct units *units, const struct event *event)
{
	struct failed_unit *stop = &units->stops[units->nr_stops++ % MOST_STOPS];

	*stop = (struct failed_unit){ .host = event->host, .name = event->name, .title = event->title, .nr = 1 };
	set_title(stop);
}

static bool is_stopping(const struct units *units, const struct event *event)
{
	for (size_t i = 0; i < units->nr_stops && i < MOST_STOPS; i++)
		if (units->stops[i].nr && is_of(&units->stops[i], event))
			return true;
	return false;
}

static void end_stops(struct units *units, const struct event *event)
{
	for (size_t i = 0; i < units->nr_stops && i < MOST_STOPS; i++)
		if (is_of(&units->stops[i], event))
			units->stops[i].nr = 0;
}

/* Does it take back that a unit has failed? Before it starts one again by itself systemd "stops" it. */
static bool takes_back(const struct units *units, const struct failed_unit *unit, const struct event *event)
{
	switch (event->kind) {
	case EVENT_STARTED:
		return true;
	case EVENT_STARTING:
		return !unit->is_again;
	case EVENT_STOPPED:
		return !unit->is_again && units->at <= unit->at + MOST_BETWEEN;
	default:
		return false;
	}
}

static void take_order(struct units *units, const char *text, const struct event *event)
{
	if (event->kind == EVENT_STOPPING) {
		take_stopping(units, event);
		return;
	}
	if (event->kind != EVENT_AGAIN)
		end_stops(units, event);
	for (size_t i = 0; i < units->nr; i++) {
		struct failed_unit *unit = &units->v[i];

		if (!is_of(unit, event) || (unit->line && log_time_is_earlier(text, unit->line->text)))
			continue;
		if (event->kind == EVENT_AGAIN)
			unit->is_again = true;
		else if (takes_back(units, unit, event))
			unit->nr = 0;
	}
}

/* All of a machine's, or of all where the line names none. */
static void forget(struct units *units, struct piece host)
{
	for (size_t i = 0; i < units->nr; i++)
		if (!host.len || is_of_host(&units->v[i], host))
			units->v[i].nr = 0;
	for (size_t i = 0; i < units->nr_stops && i < MOST_STOPS; i++)
		if (!host.len || is_of_host(&units->stops[i], host))
			units->stops[i].nr = 0;
}

static void take_line(struct units *units, const struct dump_part *part, struct dump_line *line)
{
	struct event event = event_of(line->text);
	struct failed_unit *unit;

	if (event.kind == EVENT_NONE || is_of_others(&event))
		return;
	if (event.kind == EVENT_DOWN) {
		forget(units, event.host);
		return;
	}
	if (event.kind != EVENT_FAILED && event.kind != EVENT_NOT_STARTED) {
		take_order(units, line->text, &event);
		return;
	}
	line->is_taken = true;
	if (event.kind == EVENT_FAILED && is_stopping(units, &event))
		return;
	unit = unit_of(units, &event);
	if (!unit)
		return;
	/* The lines of one failure stand together. */
	if (!unit->nr || units->at > unit->at + MOST_BETWEEN)
		unit->is_failure = unit->nr++ && unit->is_failure;
	unit->is_failure |= event.is_failure;
	unit->is_again = false;
	unit->part = part;
	unit->line = line;
	unit->at = units->at;
}

/* *ret_host: of which machine; len 0: it is not told. */
static bool begins_boot(const char *text, struct piece *ret_host)
{
	static const char *const words[] = { "-- Boot ", "-- Reboot --" };
	const char *at = strstr(text, "kernel: Linux version "), *end = at;

	*ret_host = (struct piece){ text, 0 };
	while (end && end > text && end[-1] == ' ')
		end--;
	if (at)
		*ret_host = host_before(text, end);
	return at || text_has_any(text, words, ARRAY_SIZE(words));
}

/* A host's name up to its domain. */
static bool is_host_named(struct piece host, const char *name)
{
	const size_t len = strcspn(name, "."), own = host.len ? strcspn(host.at, ". ") : 0;

	return !host.len || ((own < host.len ? own : host.len) == len && !memcmp(host.at, name, len));
}

static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

/* "Jun 03 10:10:01", "Jun  3 10:10:01" as "06-03 10:10:01"; NULL: a line begins with no such date. */
static const char *yearless_of(struct arena *arena, const char *text)
{
	const char *day;

	for (unsigned month = 1; month <= 12; month++) {
		if (!text_begins(text, arena_printf(arena, "%.3s ", months + (month - 1) * 3)))
			continue;
		day = past_blanks(text + 4);
		if (!is_digit(day[0]) || (!is_digit(day[1]) && day[1] != ' '))
			return NULL;
		return is_digit(day[1]) ? arena_printf(arena, "%02u-%.11s", month, day)
					: arena_printf(arena, "%02u-0%.10s", month, day);
	}
	return NULL;
}

/*
 * "active (running) since Tue 2025-06-03 10:12:12 UTC; 3min ago": before the line of the failure? Logs have the date in
 * full or, as syslog, without the year, in which January may be later than December.
 */
static bool is_since_before(struct arena *arena, const char *state, const char *failure)
{
	const char *date = strstr(state, " since "), *yearless = yearless_of(arena, failure);

	date = date ? date + strcspn(date, "0123456789") : "";
	if (!text_begins_like(date, "0000-00-00 00:00:00"))
		return false;
	if (yearless)
		return strncmp(date + strlen("0000-"), yearless, strlen("00-00 00:00:00")) < 0 &&
		       !(text_begins(date + strlen("0000-"), "01-") && text_begins(yearless, "12-"));
	return log_time_is_earlier(arena_printf(arena, "%.19s node x: y", date), failure) ||
	       (strstr(date, " UTC") && log_time_is_earlier(arena_printf(arena, "%.19s UTC node x: y", date), failure));
}

/* It runs, as its status says: on the machine that it failed on, and since then. */
static void take_active(struct arena *arena, struct units *units, const struct dump_part *part, struct piece name,
			const char *state)
{
	for (size_t i = 0; i < units->nr; i++) {
		struct failed_unit *unit = &units->v[i];

		if (unit->line && is_same(unit->name, name) &&
		    (!part->host.text || is_host_named(unit->host, part->host.text)) &&
		    !is_since_before(arena, state, unit->line->text))
			unit->is_active = true;
	}
}

/* "● slurmd.service - Slurm node daemon" above "Active: active (running)". */
static void take_status(struct arena *arena, struct units *units, const struct dump_part *part)
{
	for (size_t i = 0; i < part->nr_lines; i++) {
		const char *at = part->lines[i].text, *end, *state = NULL;
		struct piece name;

		while (*at && !is_letter_or_digit(*at))
			at++;
		name = name_at(at, &end);
		for (size_t k = 1; name.len && *end == ' ' && k <= LOOK_AHEAD && i + k < part->nr_lines && !state; k++)
			state = scan_behind(part->lines[i + k].text, "Active: ");
		if (state && text_begins(state, "active "))
			take_active(arena, units, part, name, state);
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
		struct piece host;

		for (size_t i = 0; tells && is_of_same(part, first) && i < part->nr_lines; i++) {
			units->at++;
			if (begins_boot(part->lines[i].text, &host))
				forget(units, host);
			else
				take_line(units, part, &part->lines[i]);
		}
	}
	for (const struct dump_part *part = reading->parts ? reading->parts->v : first; part < end; part++)
		if (is_of_same(part, first))
			take_status(reading->arena, units, part);
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
	units->nr = units->at = units->nr_stops = 0;
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
