/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dump.h - a vendor's dump as people hand it over, and the parts it falls into: what one command printed, or one file.
 *
 * Of a text of any shape clean.c makes lines (no colour, no quoting, no tabs), split.c finds out which tool said which
 * of them, and a reader for each kind (source.def) puts what they say into a snapshot of the part's own; join.c makes
 * one snapshot of all. Everything here is pure, and nothing is refused: a line that no reader takes is counted.
 */
#pragma once

#include "base/strbuf.h"
#include "snapshot/snapshot.h"
#include "import/dump/written_time.h"

enum dump_kind {
#define SOURCE(id, ...) DUMP_##id,
#include "import/dump/source.def"
	NR_DUMP_KINDS
};

struct dump_line {
	const char *text;	/* cleaned, blanks for tabs, nothing at its end; of an empty line "" */
	const char *tabbed;	/* the same with its tabs, and with blanks at its end; NULL: it has none */
	unsigned number;	/* in the file as it was given, from 1 */
	uint8_t label;		/* whose it is, where each line says so (label.h); 0: not told */
	bool is_fence;		/* it was the fence of a block of code: its text is empty */
	bool begins_question;	/* of a page of questions, by its tag */
	bool begins_accepted;	/* the answer there that was accepted */
	bool is_taken;		/* a reader understood it */
};

/* Of a log whose boot is not told: it goes on for many. */
enum { BOOTS_NOT_TOLD = -1 };

/*
 * The machine that a prompt or the like names. Two names are two machines only if one and the same names them: people
 * call a machine otherwise in an inventory, or for ssh, than it calls itself.
 */
enum machine_namer {
	NAMED_BY_PROMPT, NAMED_BY_ANSIBLE, NAMED_BY_RULES, NAMED_BY_HOST, NAMED_BY_HOSTNAME, NAMED_BY_NODE,
		NAMED_BY_SSH,
	NAMED_BY_LAUNCHER, NAMED_BY_HEAD, NAMED_BY_GPUSTAT, NAMED_BY_LABEL,
};

struct machine_name {
	const char *text;	/* in the arena; NULL: not told, or a container, whose name is none of a machine's */
	unsigned line;		/* that names it */
	enum machine_namer by;
	bool is_node;		/* its name can hardly be anything else: all that it tells is of that node */
	bool is_inside;		/* a container or a job, which may have been given some of its GPUs */
	const char *several;	/* "node[7-8]": it names several, each of which said the same; NULL: one */
	const char *label;	/* that stands before each of its lines, with its mark, "node7:"; NULL: none does */
};

struct dump_part {
	enum dump_kind kind;
	unsigned number;	/* its source in the snapshot, from 1: record import_source */
	const char *file;	/* as the user named it */
	/* what said it: a command line from a prompt or a banner, a file's path; NULL: not told */
	const char *about;
	struct machine_name host;
	struct dump_line *lines;
	size_t nr_lines;
	bool is_cut;		/* its end is missing */
	const char *taken_at;	/* RFC 3339; NULL: not told. Without a zone of its own it is the machine's clock */
	struct written_clock clock;	/* the machine's then, or when its file was made (part_times.h) */
	int boots_ago;		/* of a log: 0 is the boot that the dump is of; or BOOTS_NOT_TOLD */
	bool is_picked;		/* lines that were searched for: what does not stand in it proves nothing */
	const struct snapshot *told;	/* what others read of it, for kinds that no reader here is for */
};

/* Did a reader understand any of it? */
bool dump_part_is_taken(const struct dump_part *part);

/* How many of nr parts, from the first on, are of its file; there is one. */
size_t dump_parts_of_file(const struct dump_part *part, size_t nr);

/* A reader at work. */
struct reading {
	const struct dump_part *part;
	const struct dump_parts *parts;	/* all of them; NULL: this one alone */
	struct snapshot *snapshot;	/* the part's own, empty when the reader starts */
	struct arena *arena;		/* of that snapshot */
};

/* Where one is in all lines of a file, those that belong to no part too; it begins as { .text = 0 }. */
struct file_lines {
	const char *file;	/* NULL: that of the reading's part */
	size_t text, line;
};

/* How a line relates to a kind. */
enum dump_begins {
	BEGINS_NOT,
	BEGINS_MORE,		/* may go on with a part of this kind; begins one where none is at hand */
	BEGINS_NEW,		/* begins another part */
};

/* What source.def says of a kind. */
struct dump_source {
	const char *id;		/* "smi-query" */
	const char *title;	/* what people call it: "nvidia-smi -q" */
	int rank;		/* whom to believe where two tell one thing: the higher */
	/* Do these lines, to the end of the text, begin with one of its kind? lines[nr] does not exist. NULL: never. */
	enum dump_begins (*begins)(const struct dump_line *lines, size_t nr);
	void (*read)(struct reading *reading);
	const char *command;	/* that one runs on the node to get it */
};

const struct dump_source *dump_source(enum dump_kind kind);
/* Reads a part into a snapshot; parts: all of them. */
void dump_part_read(const struct dump_parts *parts, const struct dump_part *part, struct snapshot *ret);
/* Not words of people and of logs, which may stand anywhere, and begin behind anything. */
bool dump_is_of_tool(enum dump_kind kind);

/*
 * Parts of one log or output: the next of the reading's own kind, text and machine, after `part`; NULL as `part`: the
 * first. NULL: there is no more, or the reading is not of the first, which tells of all.
 */
const struct dump_part *reading_next_part(const struct reading *reading, const struct dump_part *part);

/* Takes a value from a line: puts it, with where it is from, at a member of a record. */
#define put(reading, line, member, value)                                                            \
	do {                                                                                         \
		(member) = (value);                                                                  \
		(member).from = value_from((reading)->part->number, (line)->number);                 \
		(line)->is_taken = true;                                                             \
	} while (0)

/*
 * The GPU that a text names by its PCI address in any form ("00000000:5D:00.0", "5d:00.0"): made where it is missing;
 * NULL where the text is no address.
 */
struct gpu *reading_gpu(struct reading *reading, const char *address);
/* The GPU of a number, for dumps that tell no address: its key is "gpuN" until join.c finds who that is. */
struct gpu *reading_gpu_by_index(struct reading *reading, uint64_t index);
/* The address in the form of keys, "0000:5d:00.0", or NULL. */
const char *dump_address(struct arena *arena, const char *text);

/* The same, of a GPU of NVIDIA's with its driver: what the vendor's tool says by listing it. */
struct gpu *reading_nvidia_gpu(struct reading *reading, struct dump_line *line, const char *address);

/*
 * A file of /sys or /proc that a text shows. Readers of such files are workers': whoever imports has them read, as
 * those of a recorded tree, and gives what they told.
 */
struct import_file {
	const char *path;	/* "sys/bus/pci/devices/0000:1b:00.0/class" */
	const char *text;
	const char *link;	/* where it leads; NULL: a file */
	uint32_t from;		/* the line that shows it; 0: it was made up for the sake of the others */
	bool is_of_card;	/* stood below /sys/class/drm */
	bool is_assumed;
};

/* ---- one file or text, and all of them */

struct dump_text {
	const char *name;
	const char *path;	/* in an archive or folder, as report_file() takes it; NULL: a text by itself */
	const char *bytes;
	size_t len;
	/* holds the bytes and is emptied, as its memory goes to the arena; NULL: they are copied */
	struct strbuf *own;
	bool is_cut;		/* its end is missing, as of a file that could not be unpacked to its end */
};

/*
 * clean.c: the lines of a text; they live in the arena. *ret_is_cut: there were too many, and the last were left out.
 */
struct dump_line *dump_clean(struct arena *arena, const struct dump_text *text, size_t *ret_nr, bool *ret_is_cut);
/* mail.c: lines of quoted-printable as they were before, where they are such; one that goes on has its first number. */
void dump_unfold_mail(struct arena *arena, struct dump_line *lines, size_t *nr);
/*
 * html.c: lines of a web page without its tags, one for each that it shows; they have the number of theirs in the file.
 */
struct dump_line *dump_unfold_html(struct arena *arena, struct dump_line *lines, size_t *nr);
/* Takes "&lt;" and the like, and adds what it stands for; false: it is none that is known. */
bool dump_take_entity(const char **at, const char *end, struct strbuf *out);

/* split.c: adds the parts of a text to a list that grows in the arena. */
struct dump_parts {
	struct dump_part *v;
	size_t nr;
	/* Lines in which nobody looked for anything: sections of a report that are of no use. */
	struct dump_skipped {
		const char *file;
		const struct dump_line *lines;
		size_t nr_lines;
	} *skipped;
	size_t nr_skipped;
	/* All lines of each file, also those that belong to no part. */
	struct dump_lines {
		const char *file;
		const struct dump_line *v;
		size_t nr;
	} *texts;
	size_t nr_texts;
};

/* The file that told a value, by its `from`; NULL: none of these parts did. */
const char *dump_file_of(const struct dump_parts *parts, uint32_t from);
/* The next of its lines; NULL: there are no more. */
const struct dump_line *dump_lines_next(const struct dump_parts *parts, struct file_lines *at);
/* Of the file that the reading's part is of; NULL: no more, or the part stands alone. */
const struct dump_line *file_lines_next(const struct reading *reading, struct file_lines *at);

/* Is one of them a report of a whole machine? */
bool dump_parts_have_report(const struct dump_parts *parts);
/* Copies the part to the end of the list, and numbers it by its place there. */
struct dump_part *dump_part_add(struct arena *arena, struct dump_parts *parts, const struct dump_part *part);
void dump_split(struct arena *arena, const char *file, struct dump_line *lines, size_t nr, struct dump_parts *ret);
