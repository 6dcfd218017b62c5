// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "collect/frames.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

static int refuse(struct frame_reader *reader, const char *what)
{
	reader->error = (struct json_error){ .line = 1 };
	snprintf(reader->error.what, sizeof(reader->error.what), "%s", what);
	return -EINVAL;
}

static bool outcome_by_name(const char *name, enum probe_outcome *ret)
{
	for (int i = 0; i < NR_PROBE_OUTCOMES; i++) {
		if (!strcmp(name, probe_outcome_name((enum probe_outcome)i))) {
			*ret = (enum probe_outcome)i;
			return true;
		}
	}
	return false;
}

static int read_end(struct frame_reader *reader, const cJSON *frame)
{
	const cJSON *outcome = json_member(frame, "outcome"), *why = json_member(frame, "why");

	if (!cJSON_IsString(outcome) || !outcome_by_name(outcome->valuestring, &reader->outcome))
		return refuse(reader, "an end without a known outcome");
	if (cJSON_IsString(why))
		snprintf(reader->why, sizeof(reader->why), "%s", why->valuestring);
	reader->ended = true;
	return 0;
}

/* A time longer than any wait is garbage. */
static void read_quiet(struct frame_reader *reader, const cJSON *frame)
{
	const cJSON *quiet = json_member(frame, "quiet_ms");
	const double ms = cJSON_IsNumber(quiet) ? quiet->valuedouble : 0.0;

	reader->quiet_ms = ms >= 1.0 && ms <= MAX_WATCH_MS * 2.0 ? (unsigned)ms : 0;
}

static int read_frame(struct frame_reader *reader, const struct json_doc *doc)
{
	struct merge_options options = { .scope = &reader->scope };
	const cJSON *frame = doc->root, *step = json_member(frame, "step"), *fact = json_member(frame, "fact");

	if (reader->ended)
		return refuse(reader, "a frame after the end");
	if (cJSON_IsString(step)) {
		snprintf(reader->call, sizeof(reader->call), "%s", step->valuestring);
		read_quiet(reader, frame);
		return 0;
	}
	if (fact)
		return snapshot_merge(reader->snapshot, doc, fact, &options, &reader->error);
	if (cJSON_IsTrue(json_member(frame, "end")))
		return read_end(reader, frame);
	return refuse(reader, "neither step, fact nor end");
}

bool frame_begins(const char *line, size_t *ret_number)
{
	static const char begin[] = "{\"begin\":";
	char *end;

	if (strncmp(line, begin, sizeof(begin) - 1) || !isdigit((unsigned char)line[sizeof(begin) - 1]))
		return false;
	*ret_number = strtoul(line + sizeof(begin) - 1, &end, 10);
	return !strcmp(end, "}");
}

int frame_read(struct frame_reader *reader, const char *line, size_t len)
{
	struct json_doc doc;
	int r = json_parse(line, len, 0, &doc, &reader->error);

	if (!r)
		r = read_frame(reader, &doc);
	json_release(&doc);
	return r;
}
