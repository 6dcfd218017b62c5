// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_fleet.c - reports of nodes from anybody, one a line, those above an empty line as history: judged together and
 * told in each form. What does not begin with a brace is a list of nodes, which must fold and expand again.
 */
#include "base/compat.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/hostlist.h"
#include "base/json.h"
#include "base/text.h"
#include "eval/fleet/fleet.h"
#include "render/fleet.h"
#include "tests/fuzz/fuzz.h"

enum { MAX_NAMES = 1024, DAY_MS = 24 * 3600 * 1000 };

/* ---- reports */

static void add_line(struct fleet *fleet, unsigned number, char *line)
{
	size_t refused = fleet->nr_refused, records = fleet->nr_records, gpus = fleet->nr_gpus;
	int result = fleet_add(fleet, "reports", number, line, strlen(line));

	MUST(fleet->nr_refused == refused + (result != 0) && fleet->nr_records == records + !result);
	MUST(!result || fleet->nr_gpus == gpus);
}

/* A node whose name is known stands in one of two racks, and should have answered. */
static void place_nodes(struct fleet *fleet)
{
	for (size_t i = 0; i < fleet->nr_records; i++) {
		const char *name = texts_get(&fleet->texts, fleet->records[i].name);

		if (!name)
			continue;
		MUST(fleet_label(fleet, "rack", name, i & 4 ? "r1" : "r0"));
		fleet_expect(fleet, name);
	}
	fleet_expect(fleet, "gone");
}

static void tell(const struct fleet *fleet)
{
	const struct render_options options = { .ascii = true };

	for (const struct fleet_format *format = fleet_formats; format->name; format++) {
		STRBUF_AUTO out = STRBUF_INIT;
		struct json_error error;
		struct json_doc doc;

		format->render(&out, fleet, &options);
		MUST(utf8_valid(out.buf, out.len));
		if (!strcmp(format->name, "json")) {
			MUST(!json_parse(out.buf, out.len, 0, &doc, &error));
			json_release(&doc);
		}
	}
	for (enum fleet_pick pick = FLEET_BAD; pick <= FLEET_MISSING; pick++) {
		STRBUF_AUTO out = STRBUF_INIT;

		render_fleet_nodes(&out, fleet, pick);
	}
}

static void judge_reports(char *text)
{
	const struct fleet_rules rules = { .policy = &policy_built_in, .max_age_ms = DAY_MS };
	struct fleet fleet = { .is_history = strstr(text, "\n\n") != NULL };
	unsigned number = 0;

	for (char *next; (next = strsep(&text, "\n"));) {
		number++;
		if (*next)
			add_line(&fleet, number, next);
		else
			fleet.is_history = false;
	}
	place_nodes(&fleet);
	fleet_judge(&fleet, &rules);
	MUST(fleet.exit_status >= 0 && fleet.exit_status <= 3 && fleet.nr_nodes <= fleet.nr_records);
	for (size_t i = 0; i < fleet.nr_outliers; i++)
		MUST(fleet.outliers[i].worse > 0.0);
	tell(&fleet);
	fleet_release(&fleet);
}

/* ---- lists of nodes */

struct names {
	const char **v;
	size_t nr;
};

static void add_name(void *to, const char *name)
{
	struct names *names = to;

	if (names->nr < MAX_NAMES)
		names->v[names->nr++] = xstrdup(name);
}

/* Each name once, in their order. */
static bool expand(struct names *ret, const char *list)
{
	const char *why;
	size_t nr = 0;
	int result;

	*ret = (struct names){ .v = xcalloc(MAX_NAMES, sizeof(*ret->v)) };
	result = hostlist_expand(list, add_name, ret, &why);
	MUST(!result || *why);
	text_sort_natural(ret->v, ret->nr);
	for (size_t i = 0; i < ret->nr; i++) {
		if (nr && !strcmp(ret->v[nr - 1], ret->v[i]))
			free((char *)(uintptr_t)ret->v[i]);
		else
			ret->v[nr++] = ret->v[i];
	}
	ret->nr = nr;
	return !result;
}

static void release(struct names *names)
{
	for (size_t i = 0; i < names->nr; i++)
		free((char *)(uintptr_t)names->v[i]);
	free(names->v);
}

static void fold_again(const char *list)
{
	STRBUF_AUTO folded = STRBUF_INIT;
	struct names names, again;

	/* What a list has before its mistake are names, too. */
	(void)expand(&names, list);
	hostlist_fold(names.v, names.nr, &folded);
	MUST(expand(&again, folded.buf));
	MUST(again.nr == names.nr);
	for (size_t i = 0; i < names.nr; i++)
		MUST(!strcmp(again.v[i], names.v[i]));
	release(&again);
	release(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = xcalloc(size + 1, 1);

	if (size)
		memcpy(text, data, size);
	if (*text == '{')
		judge_reports(text);
	else
		fold_again(text);
	free(text);
	return 0;
}
