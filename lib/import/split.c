// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * split.c - which tool printed which lines of a text. A part ends where another begins, at a prompt, and where a line of
 * a kernel log stands in something that is none; what no kind wants is searched for a kernel log's lines.
 */
#include "base/compat.h"
#include "import/dump.h"
#include "import/log.h"

/* A split under way. */
struct split {
	struct arena *arena;
	const char *file;
	struct dump_parts *parts;
	struct dump_part *open;		/* NULL: none */
	const char *about;		/* of the part that begins next */
};

static void close_part(struct split *split)
{
	split->open = NULL;
}

static void open_part(struct split *split, enum dump_kind kind, struct dump_line *line)
{
	struct dump_parts *parts = split->parts;

	parts->v = arena_grow(split->arena, parts->v, parts->nr, sizeof(*parts->v));
	split->open = &parts->v[parts->nr++];
	*split->open = (struct dump_part){
		.kind = kind, .number = (unsigned)(parts->nr < MAX_SOURCES ? parts->nr : MAX_SOURCES),
		.file = split->file, .about = split->about, .lines = line,
	};
	split->about = NULL;
}

/*
 * "user@host:~$ nvidia-smi -q", "[root@node ~]# lspci", "$ dmesg", "# dmesg": the command, or NULL. Of a bare # the word
 * after it must be a program that dumps come from, as # begins comments and headings, too.
 */
static const char *command_of_prompt(const char *text)
{
	static const char *const programs[] = {
		"nvidia-smi", "lspci", "dmesg", "journalctl", "rocm-smi", "amd-smi", "xpu-smi", "dcgmi", "sudo", "cat", "grep",
	};
	size_t len = strcspn(text, "$#");
	const char *command = text + len;
	bool is_bare = !len;

	if (!*command || command[1] != ' ' || (!is_bare && (len > 80 || !memchr(text, '@', len))))
		return NULL;
	command += 2;
	command += strspn(command, " ");
	if (*text != '#' || !is_bare)
		return *command ? command : NULL;
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		if (!strncmp(command, programs[i], strlen(programs[i])))
			return command;
	return NULL;
}

static void place_line(struct split *split, struct dump_line *lines, size_t nr)
{
	for (enum dump_kind kind = 0; kind < NR_DUMP_KINDS; kind++) {
		const struct dump_source *source = dump_source(kind);
		enum dump_begins begins = source->begins ? source->begins(lines, nr) : BEGINS_NOT;

		if (begins == BEGINS_NOT)
			continue;
		if (begins == BEGINS_NEW || !split->open || split->open->kind != kind)
			open_part(split, kind, lines);
		return;
	}
	if (!split->open || (split->open->kind != DUMP_LOG && dump_is_log_line(lines->text)))
		open_part(split, DUMP_LOG, lines);
}

void dump_split(struct arena *arena, const char *file, struct dump_line *lines, size_t nr, struct dump_parts *ret)
{
	struct split split = { .arena = arena, .file = file, .parts = ret };

	for (size_t i = 0; i < nr; i++) {
		const char *command = command_of_prompt(lines[i].text);

		if (command) {
			close_part(&split);
			split.about = command;
			lines[i].is_taken = true;
			continue;
		}
		if (*lines[i].text)
			place_line(&split, &lines[i], nr - i);
		if (split.open)
			split.open->nr_lines = (size_t)(&lines[i] - split.open->lines) + 1;
	}
}
