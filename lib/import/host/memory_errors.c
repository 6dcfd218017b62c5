// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * memory_errors.c - errors of host memory as edac-util, ras-mc-ctl and mcelog count them, or as mcelog decodes each.
 * edac-util, ras-mc-ctl --error-count and mcelog count since the machine, or the daemon, started; what else ras-mc-ctl
 * shows is of a file that is older than any boot.
 *
 *	mc0: csrow0: CPU_SrcID#0_Channel#1_DIMM#0: 31 Corrected Errors
 *
 *	Label               	CE	UE
 *	CPU_SrcID#1_Ha#0_Chan#0_DIMM#0	5539	0
 *
 *	SOCKET 0 CHANNEL 1 DIMM any
 *	corrected memory errors:
 *		11 total
 *		0 in 24h
 *
 *	Hardware event. This is not a software error.
 *	MCE 0
 *	CPU 2 BANK 8
 *	TIME 1741608301 Mon Mar 10 12:05:01 2025
 *	Corrected error
 *	MCA: MEMORY CONTROLLER RD_CHANNEL1_ERR
 *	STATUS 8c00004000010091 MCGSTATUS 0
 *	MCGCAP f000814 APICID 4 SOCKETID 0
 */
#include "base/compat.h"
#include "import/dump/readers.h"

#include "base/text.h"
#include "base/text_scan.h"

enum {
	LONGEST_LABEL = 120,
	MOST_CONTROLLERS = 256,	/* no machine has more */
	LONGEST_EVENT = 32,	/* lines of one that mcelog decodes */
};

/* Errors of a module that a line tells. */
struct told {
	const char *controller, *module;	/* module: NULL: not told */
	uint64_t corrected, uncorrected;
	bool is_of_past;			/* of a file: of this boot or of another one */
};

/*
 * "mc0" of "mc#0csrow#2channel#1", "CPU_SrcID#1_Ha#0" of "CPU_SrcID#1_Ha#0_Chan#0_DIMM#0"; any other label is its own.
 */
static const char *controller_of(struct arena *arena, const char *label, size_t len)
{
	const char *text = arena_strndup(arena, label, len), *at = strstr(text, "_Chan");
	size_t digits = text_begins(text, "mc#") ? strspn(text + 3, "0123456789") : 0;

	if (digits)
		return arena_printf(arena, "mc%.*s", (int)digits, text + 3);
	return at ? arena_strndup(arena, text, (size_t)(at - text)) : text;
}

static bool take_number(const char **at, uint64_t *ret)
{
	bool fits = true;

	*at = past_blanks(*at);
	return scan_u64(at, 10, ret, &fits) && fits;
}

/* ---- edac-util */

/* "mc0: csrow0: LABEL: 3 Corrected Errors", "mc0: 0 Uncorrected Errors with no DIMM info", "mc0:csrow0:LABEL:CE:3". */
static bool edac_util_line(struct arena *arena, const char *text, struct told *ret)
{
	size_t digits = text_begins(text, "mc") ? strspn(text + 2, "0123456789") : 0;
	static const char *const places[] = { "csrow", "ch", "all", "noinfo" };	/* not what a module is labelled with */
	const char *last, *module;
	bool is_corrected;
	uint64_t count;

	*ret = (struct told){ .controller = NULL };
	if (!digits || text[2 + digits] != ':')
		return false;
	last = strrchr(text, ':') + 1;
	if (!take_number(&last, &count))
		return false;
	if (scan_end(last)) {
		last = strrchr(text, ':');
		is_corrected = !strncmp(last - 3, ":CE", 3);
		if (!is_corrected && strncmp(last - 3, ":UE", 3) != 0)
			return false;
		last -= 3;
	} else {
		is_corrected = text_begins(past_blanks(last), "Corrected Errors");
		if (!is_corrected && !text_begins(past_blanks(last), "Uncorrected Errors"))
			return false;
		last = strrchr(text, ':');
	}
	ret->controller = arena_strndup(arena, text, 2 + digits);
	module = memrchr(text, ':', (size_t)(last - text));
	module = module ? past_blanks(module + 1) : NULL;
	if (module && !text_begins_any(module, places, ARRAY_SIZE(places)))
		ret->module = arena_strndup(arena, module, (size_t)(last - module));
	*(is_corrected ? &ret->corrected : &ret->uncorrected) = count;
	return true;
}

/* ---- ras-mc-ctl */

static bool is_count_head(const char *text)
{
	size_t len;
	const char *at = scan_behind(text, "Label ");

	return at && text_begins(scan_word(&at, &len), "CE") && len == 2 && text_begins(scan_word(&at, &len), "UE") &&
	       len == 2 && scan_end(at);
}

/* "CPU_SrcID#1_Ha#0_Chan#0_DIMM#0	5539	0", below its head. */
static bool count_line(struct arena *arena, const char *text, struct told *ret)
{
	size_t len;
	const char *label = scan_word(&text, &len);

	*ret = (struct told){ .controller = NULL };
	if (!len || len > LONGEST_LABEL || !take_number(&text, &ret->corrected) ||
	    !take_number(&text, &ret->uncorrected) || !scan_end(text))
		return false;
	ret->controller = controller_of(arena, label, len);
	ret->module = arena_strndup(arena, label, len);
	return true;
}

/* "Corrected on DIMM Label(s): 'CPU_SrcID#0_MC#0_Chan#0_DIMM#0' location: 0:0:0:-1 errors: 12", below its head. */
static bool summary_line(struct arena *arena, const char *text, struct told *ret)
{
	const char *label = strstr(text, " on DIMM Label(s): '"), *errors = strstr(text, " errors: ");
	uint64_t count;
	size_t len;

	*ret = (struct told){ .is_of_past = true };
	text = past_blanks(text);
	if (!label || !errors)
		return false;
	errors += strlen(" errors: ");
	label = strchr(label, '\'') + 1;
	len = strcspn(label, "'");
	if (!len || len > LONGEST_LABEL || !label[len] || !take_number(&errors, &count) || !scan_end(errors))
		return false;
	ret->controller = controller_of(arena, label, len);
	ret->module = arena_strndup(arena, label, len);
	*(text_begins(text, "Corrected ") ? &ret->corrected : &ret->uncorrected) = count;
	return text_begins(text, "Corrected ") || text_begins(text, "Uncorrected ") || text_begins(text, "Fatal ");
}

/* "7 2024-12-19 03:52:38 +0000 2 Corrected error(s): memory read error at LABEL location: 0:1:0:-1, …" of --errors. */
static bool event_line(struct arena *arena, const char *text, struct told *ret)
{
	static const char mark[] = " error(s): ";
	const char *at = strstr(text, mark), *label = at ? strstr(at, " at ") : NULL, *word, *before;
	uint64_t count;
	size_t len;

	*ret = (struct told){ .is_of_past = true };
	if (!label || !is_digit(*past_blanks(text)) || !strstr(label, " location: "))
		return false;
	/* "2 Corrected" */
	before = memrchr(text, ' ', (size_t)(at - text));
	word = before ? before + 1 : text;
	while (before && before > text && is_digit(before[-1]))
		before--;
	label += strlen(" at ");
	len = strcspn(label, " ");
	if (!before || !take_number(&before, &count) || !len || len > LONGEST_LABEL)
		return false;
	ret->controller = controller_of(arena, label, len);
	ret->module = arena_strndup(arena, label, len);
	*(text_begins(word, "Corrected") ? &ret->corrected : &ret->uncorrected) = count;
	return text_begins(word, "Corrected") || text_begins(word, "Uncorrected");
}

/* ---- mcelog --client */

/* "SOCKET 0 CHANNEL 1 DIMM any" */
static bool socket_line(struct arena *arena, const char *text, struct told *ret)
{
	const char *at = scan_behind(text, "SOCKET "), *channel = at ? strstr(at, " CHANNEL ") : NULL;
	uint64_t socket;

	*ret = (struct told){ .controller = NULL };
	if (!channel || !strstr(channel, " DIMM ") || !take_number(&at, &socket) || past_blanks(at) != channel + 1)
		return false;
	ret->controller = arena_printf(arena, "socket %llu", (unsigned long long)socket);
	ret->module = arena_printf(arena, "channel %s", channel + strlen(" CHANNEL "));
	return true;
}

/* ---- mcelog, of each event */

/* In a journal mcelog's name and the time stand before each of its lines. */
static const char *past_mcelog(const char *text)
{
	const char *at = strstr(text, "mcelog");
	size_t pid;

	if (!at)
		return past_blanks(text);
	at += strlen("mcelog");
	pid = *at == '[' ? strspn(at + 1, "0123456789") : 0;
	if (*at == '[' && (!pid || at[1 + pid] != ']'))
		return past_blanks(text);
	at += pid ? pid + strlen("[]") : 0;
	return text_begins(at, ": ") ? past_blanks(at + 1) : past_blanks(text);
}

static bool is_event_head(const char *text)
{
	static const char *const heads[] = { "Hardware event. This is not a software error.",
					     "HARDWARE ERROR. This is *NOT* a software problem!" };

	return text_begins_any(past_mcelog(text), heads, ARRAY_SIZE(heads));
}

/* "0" of "MCA: MEMORY CONTROLLER RD_CHANNEL0_ERR", "unspecified" where the processor does not tell; NULL: another line. */
static const char *channel_of(const char *text, size_t *ret_len)
{
	static const char mark[] = "_CHANNEL";
	const char *at = scan_behind(past_mcelog(text), "MCA: MEMORY CONTROLLER ");

	at = at ? strstr(at, mark) : NULL;
	at = at ? at + strlen(mark) : NULL;
	*ret_len = at ? strcspn(at, "_ ") : 0;
	return at && text_begins(at + *ret_len, "_ERR") && (is_digit(*at) || text_begins(at, "unspecified_")) ? at : NULL;
}

/* Its head, and that it is of memory: those of caches and buses are the processor's. */
static bool event_begins(const struct dump_line *lines, size_t nr)
{
	size_t len;

	if (!is_event_head(lines->text))
		return false;
	for (size_t i = 1; i < nr && i < LONGEST_EVENT && !is_event_head(lines[i].text); i++)
		if (channel_of(lines[i].text, &len))
			return true;
	return false;
}

/* The number behind a word of a line that has it, as "SOCKETID 1". */
static bool number_behind(const char *text, const char *word, uint64_t *ret)
{
	const char *at = strstr(text, word);

	if (!at)
		return false;
	at += strlen(word);
	return take_number(&at, ret);
}

/* An event, of its lines from the head on. */
struct event {
	size_t nr_lines;
	struct dump_line *line;		/* that tells the channel */
	const char *channel;		/* NULL: not told */
	uint64_t cpu, socket, time_s;
	bool has_cpu, has_socket, has_time, is_corrected, is_uncorrected;
};

static struct event event_of(struct arena *arena, struct dump_line *lines, size_t nr)
{
	struct event ret = { .nr_lines = 1 };

	for (; ret.nr_lines < nr && ret.nr_lines < LONGEST_EVENT; ret.nr_lines++) {
		struct dump_line *line = &lines[ret.nr_lines];
		const char *text = past_mcelog(line->text), *channel;
		size_t len;

		if (is_event_head(line->text))
			break;
		channel = channel_of(line->text, &len);
		if (channel) {
			ret.line = line;
			ret.channel = is_digit(*channel) ? arena_printf(arena, "channel %.*s", (int)len, channel) : NULL;
		}
		ret.has_cpu |= text_begins(text, "CPU ") && number_behind(text, "CPU ", &ret.cpu);
		ret.has_time |= text_begins(text, "TIME ") && number_behind(text, "TIME ", &ret.time_s);
		ret.has_socket |= number_behind(text, "SOCKETID ", &ret.socket);
		ret.is_corrected |= text_begins(text, "Corrected error") || strstr(text, " Corrected error");
		ret.is_uncorrected |= text_begins(text, "Uncorrected error") || strstr(text, " Uncorrected error");
		if (text_begins(text, "CPUID Vendor ")) {
			ret.nr_lines++;
			break;
		}
	}
	return ret;
}

/* ---- the records */

struct at_errors {
	struct reading *reading;
	bool is_below_head;		/* of ras-mc-ctl --error-count */
	struct told socket;		/* of mcelog; its controller is NULL: none */
	struct val_u64 *of;		/* which of its counters lines below are of; NULL: of neither */
	uint64_t first_s, last_s;	/* when the events were that mcelog decoded; 0: not told */
};

static struct memory_controller *controller_at(struct at_errors *at, const char *name)
{
	return list_element(at->reading->arena, at->reading->snapshot, memory_controllers, memory_controller, name);
}

static void add(struct at_errors *at, struct dump_line *line, struct val_u64 *to, uint64_t count)
{
	put(at->reading, line, *to, val_u64(u64_or(*to, 0) + count));
}

/* The first of several modules with errors is told: where there are many, the list is in the dump. */
static void take(struct at_errors *at, struct dump_line *line, const struct told *told)
{
	const struct snapshot *so_far = at->reading->snapshot;
	struct memory_controller *controller;

	line->is_taken = true;
	if (so_far->nr_memory_controllers >= MOST_CONTROLLERS &&
	    !list_find(so_far, memory_controllers, memory_controller, told->controller))
		return;
	controller = controller_at(at, told->controller);
	add(at, line, &controller->corrected_errors, told->corrected);
	add(at, line, told->is_of_past ? &controller->recorded_uncorrected_errors : &controller->uncorrected_errors,
	    told->uncorrected);
	if (told->module && (told->corrected || told->uncorrected) && !is_known(controller->worst_module))
		put(at->reading, line, controller->worst_module, val_str(told->module));
}

/* Counters of a socket are again in those of its channels: the largest counts. */
static void take_client_line(struct at_errors *at, struct dump_line *line)
{
	struct memory_controller *controller = controller_at(at, at->socket.controller);
	const char *text = line->text;
	uint64_t count;

	if (scan_behind(text, "corrected memory errors:")) {
		at->of = &controller->corrected_errors;
	} else if (scan_behind(text, "uncorrected memory errors:")) {
		at->of = &controller->uncorrected_errors;
	} else if (at->of && take_number(&text, &count) && text_begins(past_blanks(text), "total") &&
		   (!is_known(*at->of) || count > u64_or(*at->of, 0))) {
		put(at->reading, line, *at->of, val_u64(count));
		if (count)
			put(at->reading, line, controller->worst_module, val_str(at->socket.module));
	}
}

/* How many there are a day is told by the first and the last. */
static void put_span(struct at_errors *at, struct dump_line *line, const char *controller, const struct event *event)
{
	if (!event->has_time || !event->time_s)
		return;
	if (!at->first_s || event->time_s < at->first_s)
		at->first_s = event->time_s;
	if (event->time_s > at->last_s)
		at->last_s = event->time_s;
	put(at->reading, line, controller_at(at, controller)->counting_s, val_u64(at->last_s - at->first_s));
}

/* How many lines there are of it; 0: it is none of memory. */
static size_t take_event(struct at_errors *at, struct dump_line *lines, size_t nr)
{
	struct arena *arena = at->reading->arena;
	struct told told = { .controller = NULL };
	struct event event;

	if (!event_begins(lines, nr))
		return 0;
	event = event_of(arena, lines, nr);
	if (!event.line || event.is_corrected == event.is_uncorrected || (!event.has_socket && !event.has_cpu))
		return 0;
	told.controller = event.has_socket ? arena_printf(arena, "socket %llu", (unsigned long long)event.socket) :
			  arena_printf(arena, "CPU %llu", (unsigned long long)event.cpu);
	told.module = event.channel;
	told.corrected = event.is_corrected;
	told.uncorrected = event.is_uncorrected;
	take(at, event.line, &told);
	put_span(at, event.line, told.controller, &event);
	for (size_t i = 0; i < event.nr_lines; i++)
		lines[i].is_taken = true;
	return event.nr_lines;
}

static bool is_alone(struct arena *arena, const char *text)
{
	struct told told;

	return edac_util_line(arena, text, &told) || summary_line(arena, text, &told) ||
	       event_line(arena, text, &told) || socket_line(arena, text, &told);
}

enum dump_begins memory_errors_begins(const struct dump_line *lines, size_t nr)
{
	struct arena arena = { .blocks = NULL };
	bool begins;

	if (is_count_head(lines->text) || text_begins(lines->text, "Memory controller events"))
		return BEGINS_NEW;
	begins = is_alone(&arena, lines->text) || event_begins(lines, nr);
	arena_release(&arena);
	return begins || !strcmp(lines->text, "edac-util: No errors to report.") ? BEGINS_MORE : BEGINS_NOT;
}

static void read_line(struct at_errors *at, struct dump_line *line)
{
	struct arena *arena = at->reading->arena;
	struct told told;

	if (is_count_head(line->text)) {
		at->is_below_head = line->is_taken = true;
	} else if (socket_line(arena, line->text, &told)) {
		at->socket = told;
		at->of = NULL;
		line->is_taken = true;
	} else if (edac_util_line(arena, line->text, &told) || summary_line(arena, line->text, &told) ||
		   event_line(arena, line->text, &told)) {
		take(at, line, &told);
	} else if (at->is_below_head && count_line(arena, line->text, &told)) {
		take(at, line, &told);
	} else {
		at->is_below_head = false;
		if (at->socket.controller)
			take_client_line(at, line);
		line->is_taken |= memory_errors_begins(line, 1) != BEGINS_NOT;
	}
}

void memory_errors_read(struct reading *reading)
{
	const struct dump_part *part = reading->part;
	struct at_errors at = { .reading = reading };

	for (size_t i = 0, taken; i < part->nr_lines; i += taken ? taken : 1) {
		taken = take_event(&at, &part->lines[i], part->nr_lines - i);
		if (!taken)
			read_line(&at, &part->lines[i]);
	}
}
