// SPDX-License-Identifier: GPL-2.0-or-later
/* integrate.c - prints what other programs need to use what gpudiag tells. */
#include "base/compat.h"
#include "cmd/cmd.h"
#include "cmd/embedded.h"
#include "cmd/pager.h"

static const char *const names[] = { "grafana", "prometheus", "systemd", "systemd-timer", NULL };
static const char *const texts[] = { embedded_cmd_integrate_grafana_json, embedded_cmd_integrate_prometheus_yml,
				     embedded_cmd_integrate_gpudiag_service, embedded_cmd_integrate_gpudiag_timer };

static int integrate_main(int argc, char **argv)
{
	struct option_parser parser = { .rows = no_options, .argc = argc, .argv = argv, .command = "integrate" };

	options_take(&parser);
	if (parser.at + 1 != argc)
		die(EXIT_USAGE, "integrate: name one: grafana, prometheus, systemd or systemd-timer");
	for (size_t i = 0; names[i]; i++)
		if (!strcmp(names[i], argv[parser.at]))
			return page(texts[i], strlen(texts[i]));
	die_no_such_word("integrate", argv[parser.at], names, ARRAY_SIZE(names) - 1);
}

static const struct help_example examples[] = {
	{ "gpudiag integrate prometheus > /etc/prometheus/gpudiag.yml", NULL },
	{ "gpudiag integrate systemd > /etc/systemd/system/gpudiag.service", NULL },
	{ .command = NULL },
};

const struct command command_integrate = {
	.name = "integrate",
	.summary = "print what a monitor needs: alert rules, a dashboard, a systemd timer",
	.usage = "integrate grafana|prometheus|systemd|systemd-timer",
	.doc = "Print alert rules for Prometheus on the metrics of -f prometheus, with how to set them up, or a "
	       "dashboard for Grafana; or a systemd service that writes these metrics, and its timer.",
	.examples = examples,
	.options = no_options,
	.operand = COMPLETE_WORDS,
	.operand_words = names,
	.main = integrate_main,
};
