// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_import.c - a dump from anybody: taken apart, read and joined, then written as a snapshot and loaded to the same
 * bytes. With the id of a source (lib/import/dump/source.def) in FUZZ_READER its reader alone gets the text, as if all
 * of it were its own: what begins a part is no promise of what follows.
 */
#include "base/compat.h"

#include <stdint.h>
#include <stdio.h>

#include "import/import.h"
#include "import/kind/cues.h"
#include "tests/fuzz/fuzz.h"

static void loads_to_the_same(const struct snapshot *snapshot)
{
	STRBUF_AUTO text = STRBUF_INIT;
	STRBUF_AUTO again = STRBUF_INIT;
	struct merge_unknown unknown;
	struct snapshot replay;
	struct json_error error;

	snapshot_write(&text, snapshot);
	MUST(!snapshot_load(&replay, text.buf, text.len, &unknown, &error) && !unknown.nr);
	snapshot_write(&again, &replay);
	MUST(text.len == again.len && !memcmp(text.buf, again.buf, text.len));
	snapshot_release(&replay);
}

static void import_whole(const struct dump_text *text)
{
	struct import *import = import_new();
	struct import_account account;
	struct snapshot snapshot;
	const char *why;

	import_add(import, text);
	if (!import_end(import, &snapshot, &account, &why))
		loads_to_the_same(&snapshot);
	MUST(account.nr_taken <= account.nr_lines);
	snapshot_release(&snapshot);
	import_free(import);
}

/* No kind that begins in a line is kept from it. */
static void begins_with_a_cue(const struct dump_text *text)
{
	struct arena arena = { .blocks = NULL };
	size_t nr;
	bool is_cut;
	struct dump_line *lines = dump_clean(&arena, text, &nr, &is_cut);

	for (size_t i = 0; i < nr; i++) {
		const struct dump_kinds cues = dump_cues(lines[i].text);

		for (enum dump_kind kind = 0; kind < NR_DUMP_KINDS; kind++)
			if (!dump_kinds_has(&cues, kind) && dump_source(kind)->begins)
				MUST(dump_source(kind)->begins(&lines[i], nr - i) == BEGINS_NOT);
	}
	arena_release(&arena);
}

static bool is_any_taken(const struct dump_part *part)
{
	for (size_t i = 0; i < part->nr_lines; i++)
		if (part->lines[i].is_taken)
			return true;
	return false;
}

/* Did the reader take a line? */
static bool read_as(enum dump_kind kind, const struct dump_text *text)
{
	struct snapshot snapshot = { .run = { .tool = { .state = VAL_UNSET } } };
	struct dump_part part = { .kind = kind, .number = 1, .file = text->name };
	struct reading reading = { .part = &part, .snapshot = &snapshot, .arena = &snapshot.arena };

	part.lines = dump_clean(&snapshot.arena, text, &part.nr_lines, &part.is_cut);
	/* A file's reader is chosen by its path. */
	part.about = kind == DUMP_RECORDED_FILE ? "/proc/driver/nvidia/gpus/0000:01:00.0/information" : NULL;
	bool is_taken = false;

	if (part.nr_lines) {
		dump_source(kind)->read(&reading);
		is_taken = is_any_taken(&part);
	}
	if (is_taken)
		loads_to_the_same(&snapshot);
	snapshot_release(&snapshot);
	return is_taken;
}

static enum dump_kind reader = NR_DUMP_KINDS;	/* that one: none, the whole */

int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *wanted = getenv("FUZZ_READER");

	(void)argc;
	(void)argv;
	for (enum dump_kind kind = 0; wanted && kind < NR_DUMP_KINDS; kind++)
		if (dump_source(kind)->read && !strcmp(dump_source(kind)->id, wanted))
			reader = kind;
	if (wanted && reader == NR_DUMP_KINDS) {
		fprintf(stderr, "FUZZ_READER: no source \"%s\" with a reader of its own\n", wanted);
		exit(1);
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* As long as it is and no longer, so that a byte too far is seen. */
	char *bytes = malloc(size ? size : 1);
	struct dump_text text = { .name = "dump", .bytes = bytes, .len = size };

	bool is_of_use = true;

	MUST(bytes);
	memcpy(bytes, data, size);
	if (reader == NR_DUMP_KINDS) {
		begins_with_a_cue(&text);
		import_whole(&text);
	} else {
		is_of_use = read_as(reader, &text);
	}
	free(bytes);
	/* What a reader takes nothing of is not kept to be changed further. */
	return is_of_use ? 0 : -1;
}
