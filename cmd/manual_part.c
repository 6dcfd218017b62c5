// SPDX-License-Identifier: GPL-2.0-or-later
/* manual_part.c - prints a part of the manual from the tables, for `make manual`; not for users. */
#include "base/compat.h"
#include "cmd/cmd.h"

#include "checks/playbook.h"
#include "cmd/delivery.h"
#include "cmd/embedded.h"
#include "render/render.h"

static const struct option_row options[] = {
	{ .name = NULL },
};

static int manual_part_main(int argc, char **argv)
{
	const char *part = argc == 2 ? argv[1] : "";
	STRBUF_AUTO text = STRBUF_INIT;

	if (!strcmp(part, "checks"))
		render_manual_checks(&text, &playbook);
	else if (!strcmp(part, "log"))
		render_manual_log(&text);
	else if (!strcmp(part, "records"))
		render_manual_records(&text);
	else if (!strcmp(part, "policy"))
		render_manual_policy(&text);
	else if (!strcmp(part, "parts"))
		render_manual_policy_parts(&text);
	else if (!strcmp(part, "fatal"))
		render_manual_fatal(&text);
	else if (!strcmp(part, "report"))
		render_manual_schema(&text, embedded_man_report_schema_json);
	else if (!strcmp(part, "events"))
		render_manual_schema(&text, embedded_man_events_schema_json);
	else
		die(EXIT_USAGE, "manual--part: there are checks, log, records, policy, parts, fatal, report and events");
	return deliver(text.buf, text.len);
}

const struct command command_manual_part = {
	.name = "manual--part",
	.options = options,
	.main = manual_part_main,
	.hidden = true,
};
