// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "cmd/fleet_read.h"

#include <errno.h>
#include <fts.h>
#include <sys/stat.h>

#include "base/hostlist.h"
#include "base/text.h"
#include "checks/playbook.h"
#include "cmd/cmd.h"
#include "cmd/input.h"
#include "cmd/input_folder.h"
#include "cmd/line_reader.h"
#include "render/render.h"

enum { MAX_LABEL_BYTES = 256, SCHEMA_WITHIN_BYTES = 200, MAX_EXPECTED = 10000000 };

/* Where the records of one file go. */
struct intake {
	struct fleet *fleet;
	const struct policy *policy;
	const char *name;		/* of the file, for messages */
	struct strbuf document;		/* the lines of one that stands on several */
	unsigned began;			/* its first line; 0: none is open */
	bool has_text, has_record;	/* anything at all; one that was taken or refused */
};

/* ---- one record */

/* A snapshot is judged here, and goes on as the report that its node would have sent. */
static void add_snapshot(const struct intake *intake, unsigned line, const char *text, size_t len)
{
	const struct format *jsonl = format_by_name("jsonl");
	struct merge_unknown unknown = { .nr = 0 };
	const struct merge_options merge = { .unknown = &unknown };
	struct json_error error = { .line = 0 };
	struct snapshot snapshot = { .nr_gpus = 0 };
	struct report report;
	struct json_doc doc;
	STRBUF_AUTO judged = STRBUF_INIT;

	if (json_parse(text, len, 0, &doc, &error) || snapshot_merge(&snapshot, &doc, doc.root, &merge, &error)) {
		fleet_refuse(intake->fleet, intake->name, line + (error.line ? error.line - 1 : 0), error.what);
	} else {
		judge(&report, &snapshot, &playbook, &(struct judge_inputs){ .policy = intake->policy });
		jsonl->render(&judged, &report, &(struct render_options){ .compact = true });
		(void)fleet_add(intake->fleet, intake->name, line, judged.buf, judged.len);
		report_release(&report);
	}
	json_release(&doc);
	snapshot_release(&snapshot);
}

static void add_record(struct intake *intake, unsigned line, char *text, size_t len)
{
	char ends = text[len];

	intake->has_record = true;
	if (memmem(text, len < SCHEMA_WITHIN_BYTES ? len : SCHEMA_WITHIN_BYTES, "\"gpudiag.snapshot/", 18)) {
		add_snapshot(intake, line, text, len);
		return;
	}
	text[len] = '\0';
	(void)fleet_add(intake->fleet, intake->name, line, text, len);
	text[len] = ends;
}

/* ---- lines */

static size_t without_space(const char *text, size_t len)
{
	while (len && strchr(" \t\r", text[len - 1]))
		len--;
	return len;
}

/* Where a record begins on a line, behind a launcher's label; NULL: none does. */
static char *find_record(char *line, size_t len)
{
	char *brace = memchr(line, '{', len < MAX_LABEL_BYTES ? len : MAX_LABEL_BYTES);

	if (!brace || (brace + 1 < line + len && brace[1] != '"' && brace[1] != ' '))
		return NULL;
	/* No label has a quote: this is the inside of a record. */
	if (memchr(line, '"', (size_t)(brace - line)))
		return NULL;
	return brace;
}

static void end_document(struct intake *intake)
{
	if (intake->began)
		add_record(intake, intake->began, intake->document.buf, intake->document.len);
	intake->began = 0;
	strbuf_reset(&intake->document);
}

/* A document for people begins with a line that is nothing but its brace, and ends with such a one. */
static void add_line(struct intake *intake, unsigned number, char *line, size_t len)
{
	char *record;

	len = without_space(line, len);
	intake->has_text |= len > 0;
	if (intake->began) {
		strbuf_add(&intake->document, line, len);
		strbuf_addch(&intake->document, '\n');
		if (len == 1 && *line == '}')
			end_document(intake);
		return;
	}
	record = find_record(line, len);
	if (!record) {
		/*
		 * The rest of a record that a launcher broke, or a log file that was rotated: its node would be gone.
		 */
		if (len && line[len - 1] == '}' && memmem(line, len, "\":", 2)) {
			fleet_refuse(intake->fleet, intake->name, number, "a record without its beginning");
			intake->has_record = true;
		}
		return;
	}
	if (len == 1) {
		intake->began = number;
		strbuf_addstr(&intake->document, "{\n");
		return;
	}
	add_record(intake, number, record, len - (size_t)(record - line));
}

/* is_named: by the user; in a folder other files may lie beside. */
static void read_file(struct fleet *fleet, const char *path, const struct policy *policy, bool is_named)
{
	struct intake intake = { .fleet = fleet, .policy = policy, .document = STRBUF_INIT };
	struct line_reader reader;
	const char *line;
	bool is_whole;
	unsigned number = 0;
	size_t len;
	int r;

	intake.name = strcmp(path, "-") ? path : "standard input";
	line_reader_open(&reader, path);
	while ((r = line_reader_next(&reader, &line, &len, &is_whole)) > 0 || r == -EINTR)
		if (r > 0)	/* the reader's own memory, whose next byte is a line feed or a NUL */
			add_line(&intake, ++number, reader.buf.buf + (line - reader.buf.buf), len);
	if (r < 0)
		fleet_refuse(fleet, intake.name, number + 1, r == -EFBIG ? "a line longer than 32 MiB" : strerror(-r));
	end_document(&intake);
	if (is_named && intake.has_text && !intake.has_record)
		fleet_refuse(fleet, intake.name, 1, "no report of gpudiag run; gpudiag run --import FILE -f json > REPORT "
			     "makes one of what other tools print");
	strbuf_release(&intake.document);
	line_reader_close(&reader);
}

/* ---- files and folders */

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return text_compare_natural((*a)->fts_name, (*b)->fts_name);
}

/* What begins with a dot is still being written: `gpudiag -o` renames it when it is whole. */
static void read_folder(struct fleet *fleet, const char *path, const struct policy *policy)
{
	STRBUF_AUTO folder = STRBUF_INIT;
	FTSENT *entry;
	FTS *walk;

	strbuf_addstr(&folder, path);
	walk = fts_open((char *const[]){ folder.buf, NULL }, FTS_LOGICAL | FTS_NOCHDIR | FTS_XDEV, by_name);
	if (!walk)
		die(EXIT_USAGE, "%s: %s", path, strerror(errno));
	while ((entry = fts_read(walk))) {
		if (entry->fts_level > 0 && entry->fts_name[0] == '.')
			fts_set(walk, entry, FTS_SKIP);
		else if (entry->fts_info == FTS_F && S_ISREG(entry->fts_statp->st_mode))
			read_file(fleet, entry->fts_path, policy, false);
		else if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR || entry->fts_info == FTS_NS)
			fleet_refuse(fleet, entry->fts_path, 0, strerror(entry->fts_errno));
	}
	fts_close(walk);
}

void fleet_read(struct fleet *fleet, const char *path, const struct policy *policy)
{
	if (input_is_folder(path))
		read_folder(fleet, path, policy);
	else
		read_file(fleet, path, policy, true);
}

/* ---- who should have answered, and where they stand */

static void add_expected(void *to, const char *name)
{
	fleet_expect(to, name);
}

static void expand(struct fleet *fleet, const char *of, const char *list)
{
	const char *why;

	if (hostlist_expand(list, add_expected, fleet, &why))
		die(EXIT_USAGE, "fleet: --expect: %s: %s", of, why);
}

void fleet_read_expected(struct fleet *fleet, const char *who)
{
	STRBUF_AUTO text = STRBUF_INIT;
	uint64_t number;
	struct stat st;

	if (!parse_u64(who, &number)) {
		if (!number || number > MAX_EXPECTED)
			die(EXIT_USAGE, "fleet: --expect: %s nodes: use 1 to %d", who, MAX_EXPECTED);
		fleet->expected_count = (uint32_t)number;
		return;
	}
	if (strcmp(who, "-") != 0 && stat(who, &st)) {
		/* A path that is not there is no list. */
		if (strchr(who, '/'))
			die(EXIT_USAGE, "fleet: --expect: %s: %s", who, strerror(errno));
		expand(fleet, who, who);
		return;
	}
	input_text(who, "a list of nodes", &text);
	/* A line may have a comment. */
	for (char *at = text.buf; (at = strchr(at, '#'));)
		while (*at && *at != '\n')
			*at++ = ' ';
	expand(fleet, who, text.buf);
	if (!fleet->nr_expected)
		die(EXIT_USAGE, "fleet: --expect: %s names no node", who);
}

struct labelled {
	struct fleet *fleet;
	const char *label, *value;
};

static void add_label(void *to, const char *name)
{
	const struct labelled *labelled = to;

	(void)fleet_label(labelled->fleet, labelled->label, name, labelled->value);
}

/* What follows a key on a line; NULL where it has none. */
static char *behind(char *line, const char *key)
{
	char *at = strstr(line, key);

	return at ? at + strlen(key) : NULL;
}

/*
 * "SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[1-4]", as `scontrol show topology` prints: the nodes at a leaf switch.
 * Those above have Switches=, and all nodes of the switches below.
 */
static bool read_switch_line(struct labelled *labelled, const char *file, unsigned number, char *line)
{
	char *name = behind(line, "SwitchName="), *nodes = behind(line, " Nodes=");
	const char *why;

	if (!name || !nodes)
		return false;
	if (behind(line, " Switches="))
		return true;
	name[strcspn(name, " \t\r")] = '\0';
	nodes[strcspn(nodes, " \t\r")] = '\0';
	labelled->value = name;
	if (hostlist_expand(nodes, add_label, labelled, &why))
		die(EXIT_USAGE, "%s:%u: %s", file, number, why);
	return true;
}

/* "gpu[01-16] r7" */
static void read_label_line(struct labelled *labelled, const char *file, unsigned number, char *line)
{
	char *nodes = line + strspn(line, " \t"), *value, *end;
	const char *why;

	nodes[strcspn(nodes, "#\r\n")] = '\0';
	value = nodes + strcspn(nodes, " \t=");
	if (!*nodes)
		return;
	if (!*value)
		die(EXIT_USAGE, "%s:%u: a node and its %s are expected, \"gpu001 r7\"", file, number, labelled->label);
	*value++ = '\0';
	value += strspn(value, " \t=");
	for (end = value + strlen(value); end > value && strchr(" \t", end[-1]);)
		*--end = '\0';
	labelled->value = value;
	if (hostlist_expand(nodes, add_label, labelled, &why))
		die(EXIT_USAGE, "%s:%u: %s", file, number, why);
}

void fleet_read_label(struct fleet *fleet, const char *label_and_file)
{
	const char *equals = strchr(label_and_file, '='), *file;
	struct labelled labelled = { .fleet = fleet };
	STRBUF_AUTO label = STRBUF_INIT;
	STRBUF_AUTO text = STRBUF_INIT;
	unsigned number = 0;

	if (!equals || equals == label_and_file || !equals[1])
		die(EXIT_USAGE, "fleet: --group: \"%s\" is not NAME=FILE, e.g. rack=racks.txt", label_and_file);
	strbuf_add(&label, label_and_file, (size_t)(equals - label_and_file));
	labelled.label = label.buf;
	file = input_text(equals + 1, "a list of nodes and their places", &text);
	if (fleet_read_node_labels(fleet, label.buf, file, &text))
		return;
	for (char *line = text.buf, *next; *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		if (!read_switch_line(&labelled, file, ++number, line))
			read_label_line(&labelled, file, number, line);
	}
}
