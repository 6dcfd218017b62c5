// SPDX-License-Identifier: GPL-2.0-or-later
/* integrate.c - prints what other programs need to use what gpudiag tells. */
#include "base/compat.h"
#include "cmd/cmd.h"
#include "cmd/embedded.h"
#include "cmd/pager.h"

static const char *const names[] = { "grafana", "prometheus", NULL };
static const char *const texts[] = { embedded_cmd_integrate_grafana_json, embedded_cmd_integrate_prometheus_yml };

static int integrate_main(int argc, char **argv)
{
	struct option_parser parser = { .rows = no_options, .argc = argc, .argv = argv, .command = "integrate" };

	options_take(&parser);
	if (parser.at + 1 != argc)
		die(EXIT_USAGE, "integrate: name one: grafana or prometheus");
	for (size_t i = 0; names[i]; i++)
		if (!strcmp(names[i], argv[parser.at]))
			return page(texts[i], strlen(texts[i]));
	die_no_such_word("integrate", argv[parser.at], names, ARRAY_SIZE(names) - 1);
}

static const struct help_example examples[] = {
	{ "gpudiag integrate prometheus > /etc/prometheus/gpudiag.yml", NULL },
	{ .command = NULL },
};

const struct command command_integrate = {
	.name = "integrate",
	.summary = "print what a monitor needs: alert rules, a dashboard",
	.usage = "integrate grafana|prometheus",
	.doc = "Print alert rules for Prometheus on the metrics of -f prometheus, with how to set them up, or a "
	       "dashboard for Grafana.",
	.examples = examples,
	.options = no_options,
	.operand = COMPLETE_WORDS,
	.operand_words = names,
	.main = integrate_main,
};
