// SPDX-License-Identifier: GPL-2.0-or-later
/* main.c - prints a part of the manual from the tables, for `make manual`. */
#include "base/compat.h"

#include <stdio.h>

#include "checks/playbook.h"
#include "cmd/embedded.h"
#include "man/generate/manual.h"

static void put_checks(struct strbuf *out)
{
	manual_checks(out, &playbook);
}

static void put_report(struct strbuf *out)
{
	manual_schema(out, embedded_man_report_schema_json);
}

static void put_events(struct strbuf *out)
{
	manual_schema(out, embedded_man_events_schema_json);
}

static void put_watch(struct strbuf *out)
{
	manual_schema(out, embedded_man_watch_schema_json);
}

static const struct part {
	const char *name;
	void (*put)(struct strbuf *out);
} parts[] = {
	{ "checks", put_checks }, { "log", manual_log }, { "records", manual_records }, { "policy", manual_policy },
	{ "parts", manual_policy_parts }, { "fatal", manual_fatal }, { "report", put_report }, { "events", put_events },
	{ "ticks", manual_ticks }, { "words", manual_words }, { "watch", put_watch },
};

int main(int argc, char **argv)
{
	STRBUF_AUTO text = STRBUF_INIT;

	for (size_t i = 0; argc == 2 && i < ARRAY_SIZE(parts); i++)
		if (!strcmp(argv[1], parts[i].name)) {
			parts[i].put(&text);
			return fwrite(text.buf, 1, text.len, stdout) == text.len && !fflush(stdout) ? 0 : 1;
		}
	fprintf(stderr, "usage: manual checks|log|records|policy|parts|fatal|report|events|ticks|words|watch\n");
	return 64;
}
