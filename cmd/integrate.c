// SPDX-License-Identifier: GPL-2.0-or-later
/* integrate.c - prints what other programs need to start gpudiag, or to use what it reports. */
#include "base/compat.h"
#include "base/strbuf.h"
#include "cmd/cmd.h"
#include "cmd/embedded.h"
#include "cmd/pager.h"

/* The name, its file in cmd/integrate/, what it is. */
#define TEXTS(TEXT)                                                                                                    \
	TEXT("slurm-healthcheck", slurm_healthcheck_sh, "HealthCheckProgram: drains and undrains a node")              \
	TEXT("slurm-prolog", slurm_prolog_sh, "Prolog: no job starts on a GPU that is known to be broken")             \
	TEXT("slurm-epilog", slurm_prolog_sh, "Epilog: the same script, after a job")                                  \
	TEXT("slurm-screen", slurm_screen_sh, "batch job that checks many nodes and compares them")                    \
	TEXT("kubernetes-job", kubernetes_job_yml, "Indexed Job that checks each GPU node once")                       \
	TEXT("kubernetes-daemonset", kubernetes_daemonset_yml, "DaemonSet that checks every 15 minutes, with metrics") \
	TEXT("kubernetes-init", kubernetes_init_yml, "pod with an init container that checks its GPUs first")          \
	TEXT("npd", npd_json, "custom plugin of node-problem-detector")                                                \
	TEXT("nhc", nhc_conf, "check line for LBNL Node Health Check")                                                 \
	TEXT("clush", clush_sh, "many nodes by ssh, with ClusterShell")                                                \
	TEXT("pdsh", pdsh_sh, "many nodes by ssh, with pdsh")                                                          \
	TEXT("ansible", ansible_yml, "playbook that checks many nodes")                                                \
	TEXT("nagios", nagios_cfg, "NRPE command, and service of Nagios or Icinga")                                    \
	TEXT("node-exporter", node_exporter_conf, "metrics for node_exporter: drop-in of the systemd service")         \
	TEXT("prometheus", prometheus_yml, "alert rules on these metrics")                                             \
	TEXT("grafana", grafana_json, "dashboard of these metrics")                                                    \
	TEXT("systemd", gpudiag_service, "service that writes report and metrics")                                     \
	TEXT("systemd-timer", gpudiag_timer, "timer that starts the service every 15 minutes")

/* The words that may be given: the list, and then a name for each text. */
static const char *const words[] = {
	"list",
#define TEXT(name, file, what) name,
	TEXTS(TEXT)
#undef TEXT
	NULL,
};

static const struct text {
	const char *name, *text, *what;
} texts[] = {
#define TEXT(name, file, what) { name, embedded_cmd_integrate_##file, what },
	TEXTS(TEXT)
#undef TEXT
};

static int list(void)
{
	STRBUF_AUTO out = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		strbuf_addf(&out, "%-20s %s\n", texts[i].name, texts[i].what);
	return page(out.buf, out.len);
}

static int integrate_main(int argc, char **argv)
{
	struct option_parser parser = { .rows = no_options, .argc = argc, .argv = argv, .command = "integrate" };
	const char *word;

	options_take(&parser);
	if (parser.at + 1 < argc)
		die(EXIT_USAGE, "integrate: one name at a time, not \"%s\" too", argv[parser.at + 1]);
	word = parser.at < argc ? argv[parser.at] : words[0];
	if (!strcmp(word, words[0]))
		return list();
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (!strcmp(texts[i].name, word))
			return page(texts[i].text, strlen(texts[i].text));
	die_no_such_word("integrate", word, words, ARRAY_SIZE(words) - 1);
}

static const struct help_example examples[] = {
	{ "gpudiag integrate", "the names, one line each" },
	{ "gpudiag integrate slurm-healthcheck", "the script, and how to set it up" },
	{ "gpudiag integrate kubernetes-job > job.yml", NULL },
	{ "gpudiag integrate systemd > /etc/systemd/system/gpudiag.service", NULL },
	{ .command = NULL },
};

const struct command command_integrate = {
	.name = "integrate",
	.summary = "print what Slurm, Kubernetes, monitors and others need to use gpudiag",
	.usage = "integrate [list|NAME]",
	.doc = "Print a file that another program needs to use gpudiag, ready to use; comments in it say how. Without "
	       "a name, or with list: the names. Packages install the same files in /usr/share/gpudiag/integrate.",
	.examples = examples,
	.options = no_options,
	.operand = COMPLETE_WORDS,
	.operand_words = words,
	.main = integrate_main,
};
