/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reader_internal.h - a reader's state, and the forms that a source may have. Private to reader*.c. */
#pragma once

#include "klog/reader.h"

enum {
	HEAD_BYTES = 4096,		/* what a source is must show within these */
	TAIL_BYTES = 8192,		/* the last stamp is looked for in these */
	FIRST_STAMP_LINES = 256,	/* the first one in these, and in lines that are looked at anyway */
	MAX_PIECES = 4,			/* into which one line may have been broken */
	MAX_OBJECTS = 8,		/* in each other */
};

enum klog_form {
	KLOG_FORM_UNKNOWN,
	KLOG_FORM_LINES,	/* a line each, also of JSON */
	KLOG_FORM_EXPORT,	/* journalctl -o export */
	KLOG_FORM_OBJECTS,	/* objects of JSON over several lines: dmesg --json, journalctl -o json-pretty */
};

/* Where in a journal's export the next byte stands. */
enum export_state { EXPORT_LINE, EXPORT_SIZE, EXPORT_DATA };

struct klog_reader {
	struct klog_sink sink;
	struct klog_line_context context;
	struct klog_coverage coverage;
	const char *refused;		/* why nothing more comes out */
	enum klog_form form;
	bool is_json;			/* lines are objects */
	size_t nr_control;		/* of the first HEAD_BYTES, those that no text has */
	unsigned wanted;		/* lines the sink wants whatever they say */
	char boot_id[sizeof(((struct klog_line *)NULL)->boot_id)];	/* as journalctl's last boundary told */
	struct strbuf head;		/* while the form is unknown */
	struct strbuf rest;		/* a line, or object, without its end yet; to MAX_LOG_LINE_BYTES */
	bool rest_is_cut;
	struct strbuf tail;		/* the last TAIL_BYTES, and some before */
	struct {
		struct strbuf bytes;	/* lines that may be one, without their ends, one after the other */
		size_t nr, ends[MAX_PIECES];
		uint64_t numbers[MAX_PIECES];
	} held;
	struct {
		enum export_state state;
		bool is_data;		/* a field's name was read, its data are not */
		uint64_t number;	/* of the line the field begins on */
		uint64_t left;		/* bytes of a size or of data to come */
		uint64_t size;
		struct klog_line line;
		struct strbuf message;
		bool is_begun;
	} export;
	struct {
		bool is_string, is_escape;
		size_t depth;		/* of objects in each other; 0: none is open */
		struct {
			size_t at;	/* in rest */
			uint64_t number;	/* of the line it begins on */
			bool has_objects;
		} starts[MAX_OBJECTS];
		struct strbuf last;	/* that had none in it */
	} object;
};

/* ---- what it is, reader_form.c */

/* What this is that is no log, and what to do; NULL for a log. head is its first line, or HEAD_BYTES. */
const char *klog_foreign(struct span head);
/* next: the first byte after that line which is no blank, 0 where there is none. */
enum klog_form klog_form_of(struct span head, char next, bool *is_json);
/* Is it a line of JSON that says nothing yet, so that what comes next must? */
bool klog_is_bracket_alone(struct span head);
/* How many bytes of it no text has. */
size_t klog_count_control(struct span bytes);

/* ---- one form each; bytes come in pieces of any size */

void klog_feed_lines(struct klog_reader *reader, struct span bytes);
void klog_end_lines(struct klog_reader *reader);
void klog_feed_export(struct klog_reader *reader, struct span bytes);
void klog_end_export(struct klog_reader *reader);
void klog_feed_objects(struct klog_reader *reader, struct span bytes);
void klog_end_objects(struct klog_reader *reader);

/* ---- lines that were broken, reader_join.c */

/* Holds a line back where it may have been broken; true when it did. */
bool klog_hold(struct klog_reader *reader, struct span raw, const struct klog_line *line);
/* While lines are held: takes the next one if it may go on with them. Otherwise they are let go first; false. */
bool klog_hold_next(struct klog_reader *reader, struct span raw);
void klog_let_go(struct klog_reader *reader);

/* ---- to the sink, reader_sink.c */

/* A line that was parsed: its stamp is noted, and what may matter is handed over. */
void klog_hand(struct klog_reader *reader, const struct klog_line *line);
void klog_note_time(struct klog_reader *reader, const struct klog_time *time);
/* Nothing has told a time yet, and it is early enough to look. */
bool klog_wants_stamp(const struct klog_reader *reader);
/* May it matter? What is encoded must be decoded to know. */
bool klog_is_candidate(struct span text);
bool klog_is_encoded(const struct klog_reader *reader, struct span raw);
/* Adds what there is room for. */
void klog_add_rest(struct klog_reader *reader, struct span piece);
