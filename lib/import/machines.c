// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/machines.h"

#include "import/line/event_node.h"
#include "import/line/node_name.h"

#include "base/text_scan.h"

struct differ {
	struct arena *arena;
	const struct dump_parts *parts;
};

/* "ticket.txt:12 (nvidia-smi -q)" */
static const char *place(const struct differ *differ, uint32_t from)
{
	const unsigned source = value_from_source(from);
	const struct dump_part *part = source && source <= differ->parts->nr ? &differ->parts->v[source - 1] : NULL;

	/* Of a tree there is no line. */
	if (part && !value_from_line(from))
		return arena_printf(differ->arena, "%s (%s)", part->file, dump_source(part->kind)->title);
	return part ? arena_printf(differ->arena, "%s:%u (%s)", part->file, value_from_line(from),
				   dump_source(part->kind)->title) : "?";
}

static const char *told(const struct differ *differ, const char *what, struct val_str a, struct val_str b)
{
	return arena_printf(differ->arena,
			    "two machines: %s is %s in %s, and %s in %s; give the files of one at a time", what,
			    str_or(a, ""), place(differ, a.from), str_or(b, ""), place(differ, b.from));
}

static bool is_ip(const char *name)
{
	return !name[strspn(name, "0123456789.")];
}

/*
 * "node7" and "node7.example.org" are one, "10.0.0.1" and "10.0.0.2" are not; whose an address is a name does not tell.
 */
static bool same_host(const char *a, const char *b)
{
	size_t len_a = strcspn(a, "."), len_b = strcspn(b, ".");

	if (is_ip(a) || is_ip(b))
		return !is_ip(a) || !is_ip(b) || !strcmp(a, b);
	return len_a == len_b && !strncasecmp(a, b, len_a);
}

/* People blot them out: "GPU-XXXXXXXX-…", "0000000000000", "N/A". What is left has other digits than one. */
static bool is_identity(struct val_str value)
{
	const char *text = str_or(value, "");
	bool differs = false;
	const char *first;

	text += !strncmp(text, "GPU-", 4) ? 4 : 0;
	first = text + strcspn(text, "0123456789abcdefABCDEF");
	if (!*first || strlen(text) < 8)
		return false;
	for (const char *at = text; *at; at++) {
		if (hex_digit(*at) < 0 && *at != '-')
			return false;
		differs = differs || (*at != '-' && *at != *first);
	}
	return differs;
}

static struct val_str identity(struct val_str value)
{
	return is_identity(value) ? value : (struct val_str){ .state = VAL_UNSET };
}

enum card_match dump_cards_match(const struct gpu *a, const struct gpu *b)
{
	return cards_match(identity(a->nvml.serial), identity(a->nvml.uuid), identity(b->nvml.serial),
			   identity(b->nvml.uuid));
}

static const char *gpus_differ(const struct differ *differ, const struct gpu *a, const struct gpu *b)
{
	const char *key = str_or(a->key, "");

	if (dump_cards_match(a, b) != CARDS_OTHER)
		return NULL;
	if (is_identity(a->nvml.uuid) && is_identity(b->nvml.uuid) &&
	    strcasecmp(str_or(a->nvml.uuid, ""), str_or(b->nvml.uuid, "")) != 0)
		return told(differ, arena_printf(differ->arena, "the UUID of GPU %s", key), a->nvml.uuid, b->nvml.uuid);
	return told(differ, arena_printf(differ->arena, "the serial number of GPU %s", key), a->nvml.serial,
		    b->nvml.serial);
}

const char *machines_differ(struct arena *arena, const struct dump_parts *parts, const struct snapshot *base,
			    const struct snapshot *part)
{
	const struct differ differ = { .arena = arena, .parts = parts };
	const char *a = str_or(base->host.name, ""), *b = str_or(part->host.name, "");
	const char *ret = NULL;

	if (*a && *b && !same_host(a, b))
		return told(&differ, "the host name", base->host.name, part->host.name);
	for (size_t i = 0; i < part->nr_gpus && !ret; i++) {
		const struct gpu *known = list_find(base, gpus, gpu, str_or(part->gpus[i].key, ""));

		ret = known ? gpus_differ(&differ, known, &part->gpus[i]) : NULL;
	}
	return ret;
}

/* ---- by who is named above the lines, or before them */

/* May it stand in a shell's command as it is? */
static bool is_plain(const char *name)
{
	const char *at = name;

	while (node_name_len(at) || *at == '/')
		at += *at == '/' ? 1 : node_name_len(at);
	return !*at && *name && *name != '-';
}

/* What a pattern of sed stands for, as it is. */
static const char *literal(struct arena *arena, const char *text)
{
	STRBUF_AUTO ret = STRBUF_INIT;

	for (; *text; text++) {
		if (strchr("[]\\.*^$/", *text))
			strbuf_addch(&ret, '\\');
		strbuf_addch(&ret, *text);
	}
	return arena_strdup(arena, ret.buf);
}

/* "pod/trainer-0/main" as the name of a file. */
static const char *file_name(struct arena *arena, const char *name)
{
	char *ret = arena_strndup(arena, name, strlen(name));

	for (char *at = ret; *at; at++)
		*at = strchr("/,", *at) ? '-' : *at;
	return ret;
}

/* Up to where the lines of a part's machine go on: the line before the next one is named; 0: to the end of its file. */
static unsigned last_line(const struct differ *differ, const struct dump_part *part)
{
	unsigned ret = 0;

	for (size_t i = 0; i < differ->parts->nr; i++) {
		const struct dump_part *other = &differ->parts->v[i];

		if (other->host.text && !strcmp(other->file, part->file) && other->host.line > part->host.line &&
		    !same_host(other->host.text, part->host.text) && (!ret || other->host.line - 1 < ret))
			ret = other->host.line - 1;
	}
	return ret;
}

/* Names that may be members of an object, of which a part alone is none. */
static bool is_of_document(enum machine_namer by)
{
	return by == NAMED_BY_HOST || by == NAMED_BY_HOSTNAME || by == NAMED_BY_NODE;
}

/* The command that writes a machine's lines to a file of their own; NULL: its names are none for a command. */
static const char *cut_out(const struct differ *differ, const struct dump_part *part)
{
	struct arena *arena = differ->arena;
	const char *to = file_name(arena, part->host.text), *last;
	unsigned line = last_line(differ, part);

	if (!is_plain(part->file) || !is_plain(to) || is_of_document(part->host.by))
		return NULL;
	if (part->host.label)
		return arena_printf(arena, "sed -n 's/^ *%s \\{0,1\\}//p' %s > %s.txt",
				    literal(arena, part->host.label), part->file, to);
	last = line ? arena_printf(arena, "%u", line) : "$";
	return arena_printf(arena, "sed -n '%u,%sp' %s > %s.txt", part->host.line, last, part->file, to);
}

static const char *way_out(const struct differ *differ, const struct dump_part *first, const struct dump_part *other)
{
	const char *command = strcmp(first->file, other->file) != 0 ? NULL : cut_out(differ, first);

	return command ? arena_printf(differ->arena, "give the lines of one at a time: %s", command) :
			 "give the files of one at a time";
}

static const char *hosts_differ(const struct differ *differ, const struct dump_part *a, const struct dump_part *b)
{
	/* Tasks may run on one machine, but whose GPU it is they do not say. */
	const bool are_tasks = a->host.label && (!a->host.is_node || !b->host.is_node);
	const bool is_below = !strcmp(a->file, b->file) && a->host.line > b->host.line;
	const struct dump_part *first = is_below ? b : a, *other = is_below ? a : b;

	return arena_printf(
		differ->arena, "%s is %s in %s:%u (%s), and %s in %s:%u (%s); %s",
		are_tasks ? "two tasks, of two machines or of one: the lines' prefix" : "two machines: the host",
		first->host.text, first->file, first->host.line, dump_source(first->kind)->title, other->host.text,
		other->file, other->host.line, dump_source(other->kind)->title, way_out(differ, first, other));
}

static const char *is_of_several(const struct differ *differ, const struct dump_part *part)
{
	return arena_printf(differ->arena,
			    "two machines or more: the lines below %s:%u (%s) are of each of %s; give those of one at "
			    "a time, without the head",
			    part->file, part->host.line, dump_source(part->kind)->title, part->host.several);
}

/* A GPU, and the first part below a prompt that told of it. */
struct machine_host {
	const char *key;
	const struct dump_part *part;
};

/* The first part that told of the GPU where the same names the machine; this one, if none did before. */
static const struct dump_part *first_part(struct arena *arena, struct machine_hosts *hosts, const char *key,
					  const struct dump_part *part)
{
	for (size_t i = 0; i < hosts->nr; i++)
		if (hosts->v[i].part->host.by == part->host.by && !strcmp(hosts->v[i].key, key))
			return hosts->v[i].part;
	hosts->v = arena_grow(arena, hosts->v, hosts->nr, sizeof(*hosts->v));
	hosts->v[hosts->nr++] = (struct machine_host){ .key = arena_strdup(arena, key), .part = part };
	return part;
}

/* The host of a guest gives the card away: what both tell is of one. */
static bool is_for_guest(const struct gpu *gpu)
{
	return str_is(gpu->pci.driver, "vfio-pci");
}

static bool is_same_card(const struct snapshot *base, const struct gpu *gpu)
{
	const struct gpu *known = list_find(base, gpus, gpu, str_or(gpu->key, ""));

	return known && (dump_cards_match(known, gpu) == CARDS_SAME || is_for_guest(known) || is_for_guest(gpu));
}

const char *machines_of_prompts_differ(struct arena *arena, struct machine_hosts *hosts, const struct snapshot *base,
				       const struct dump_part *part, const struct snapshot *told,
				       const struct dump_parts *parts)
{
	const struct differ differ = { .arena = arena, .parts = parts };

	for (size_t i = 0; part->host.text && i < told->nr_gpus; i++) {
		const struct dump_part *first = first_part(arena, hosts, str_or(told->gpus[i].key, ""), part);

		if (!same_host(first->host.text, part->host.text) && !is_same_card(base, &told->gpus[i]))
			return hosts_differ(&differ, first, part);
	}
	return NULL;
}

const char *machines_of_names_differ(struct arena *arena, const struct dump_parts *parts)
{
	const struct differ differ = { .arena = arena, .parts = parts };
	const struct dump_part *first[NAMED_BY_LABEL + 1] = { NULL };

	for (size_t i = 0; i < parts->nr; i++) {
		const struct dump_part *part = &parts->v[i], **of = &first[part->host.by];

		if (!part->host.text || !part->host.is_node || !dump_part_is_taken(part))
			continue;
		if (part->host.several)
			return is_of_several(&differ, part);
		*of = *of ? *of : part;
		if (!same_host((*of)->host.text, part->host.text))
			return hosts_differ(&differ, *of, part);
	}
	return NULL;
}

/* ---- by who is named in the lines of a log */

struct log_host {
	const char *name;	/* NULL: none yet */
	const struct dump_part *part;
	unsigned line;
	bool is_of_event;	/* a cluster's tool names it */
};

/*
 * "Nov  4 12:00:01 node7 kernel: ", "2026-01-02T03:04:05+0000 node7 kernel: ": the length of the name there, 0: there
 * is none.
 */
static size_t host_in_line(const char *text, const char **ret)
{
	const char *end = strstr(text, " kernel: "), *at = end, *time;

	while (at && at > text && at[-1] != ' ')
		at--;
	if (!at || at == end || at == text || node_name_len(at) != (size_t)(end - at))
		return 0;
	time = at - 1;
	while (time > text && time[-1] != ' ')
		time--;
	*ret = at;
	return is_digit(*time) && memchr(time, ':', (size_t)(at - time)) ? (size_t)(end - at) : 0;
}

/* Of one machine without a word of which: no GPU is listed there that would tell two apart. */
static bool is_of_one_node(enum dump_kind kind)
{
	static const enum dump_kind kinds[] = {
		DUMP_LOG, DUMP_FILE_SYSTEMS, DUMP_MEMORY_USE, DUMP_MEMORY_ERRORS, DUMP_DISK_HEALTH,
		DUMP_DISK_HEALTH_JSON,
		DUMP_DISK_ARRAY, DUMP_UNIT_LIST, DUMP_RDMA_PORTS, DUMP_SYSFS,
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i] == kind)
			return true;
	return false;
}

/* The same of the prompts above logs, and above what else is of one node. */
static const char *prompts_of_nodes_differ(const struct differ *differ)
{
	const struct dump_part *first = NULL;

	for (size_t i = 0; i < differ->parts->nr; i++) {
		const struct dump_part *part = &differ->parts->v[i];

		if (!is_of_one_node(part->kind) || !part->host.text || part->host.by != NAMED_BY_PROMPT ||
		    !dump_part_is_taken(part))
			continue;
		first = first ? first : part;
		if (!same_host(first->host.text, part->host.text) &&
		    node_names_are_alike(first->host.text, part->host.text))
			return hosts_differ(differ, first, part);
	}
	return NULL;
}

/* A machine is given its name while it starts, and never the old one back. */
static bool are_two(const struct log_host *first, const struct log_host *other, const char *now, bool is_same_part)
{
	return node_names_are_alike(first->name, other->name) ||
	       (is_same_part && !is_ip(now) && same_host(now, first->name));
}

static const char *logs_of_two(const struct differ *differ, const struct log_host *a, const struct log_host *b)
{
	const char *way = "give the lines of one at a time";

	if (is_plain(a->part->file))
		way = arena_printf(differ->arena, "%s: grep '%s%s%s' %s > %s.txt", way, a->is_of_event ? "[/ ]" : " ",
				   literal(differ->arena, a->name), a->is_of_event ? " " : " kernel: ", a->part->file,
				   a->name);
	return arena_printf(differ->arena, "two machines: the host is %s in %s:%u (%s), and %s in %s:%u (%s); %s",
			    a->name, a->part->file, a->line, dump_source(a->part->kind)->title, b->name, b->part->file,
			    b->line, dump_source(b->part->kind)->title, way);
}

/* Takes what a line tells of the host; true: it is the proof that there are two. */
static bool take_log_host(struct arena *arena, struct log_host *first, struct log_host *other,
			  const struct dump_part *part, const struct dump_line *line)
{
	const char *at, *now = event_node(arena, line->text);
	size_t len = now ? 0 : host_in_line(line->text, &at);
	struct log_host *to;

	if (!now && (!len || (first->name && !strncmp(first->name, at, len) && !first->name[len] && !other->name)))
		return false;
	now = now ? now : arena_strndup(arena, at, len);
	if (node_name_is_none(now))
		return false;
	to = !first->name ? first : !other->name && !same_host(first->name, now) ? other : NULL;
	if (to)
		*to = (struct log_host){ .name = now, .part = part, .line = line->number, .is_of_event = !len };
	return other->name && are_two(first, other, now, other->part == part);
}

const char *machines_of_logs_differ(struct arena *arena, const struct dump_parts *parts)
{
	const struct differ differ = { .arena = arena, .parts = parts };

	for (size_t i = 0; i < parts->nr; i++) {
		const struct dump_part *part = &parts->v[i];
		struct log_host first = { .name = NULL }, other = { .name = NULL };

		for (size_t k = 0; part->kind == DUMP_LOG && dump_part_is_taken(part) && k < part->nr_lines; k++)
			if (!event_is_of_others(arena, parts, part->lines[k].text) &&
			    take_log_host(arena, &first, &other, part, &part->lines[k]))
				return logs_of_two(&differ, &first, &other);
	}
	return prompts_of_nodes_differ(&differ);
}
