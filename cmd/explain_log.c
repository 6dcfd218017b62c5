// SPDX-License-Identifier: GPL-2.0-or-later
/* explain_log.c - explains rows of the kernel log's catalogue: by number, name, mnemonic, or kind. */
#include "base/compat.h"
#include "cmd/explain.h"

#include <strings.h>

#include "cmd/cmd.h"
#include "klog/event.h"
#include "klog/nvidia.h"
#include "sys/clock.h"

const char *const explain_log_words[] = { "xid", "sxid", "nvidia", "aer", "pcie", "amdgpu", "intel", "oom", NULL };

/* Is word one of the parts between hyphens? */
static bool has_part(const char *name, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = name; at; at = strchr(at, '-')) {
		at += *at == '-';
		if (!strncmp(at, word, len) && (!at[len] || at[len] == '-'))
			return true;
	}
	return false;
}

static bool is_of(const struct klog_row *row, const char *word)
{
	size_t len = strlen(word);

	return !strcmp(klog_kind_name(row->kind), word) || has_part(klog_kind_name(row->kind), word) ||
	       (!strncmp(row->name, word, len) && row->name[len] == '-');
}

static bool list_rows(struct explanation *to, const char *word)
{
	size_t width = 0;
	bool any = false;

	for (int id = KLOG_NO_ROW + 1; id < NR_KLOG_ROWS; id++)
		if (is_of(&klog_rows[id], word) && strlen(finding_defs[log_finding((enum klog_row_id)id)].name) > width)
			width = strlen(finding_defs[log_finding((enum klog_row_id)id)].name);
	for (int id = KLOG_NO_ROW + 1; id < NR_KLOG_ROWS; id++) {
		const struct finding_def *def = &finding_defs[log_finding((enum klog_row_id)id)];

		if (!is_of(&klog_rows[id], word))
			continue;
		if (!any)
			explain_head(to, "%s: its events in the kernel log", word);
		explain_head(to, "%-*s %-5s %-17s %s", (int)width, def->name, outcome_name(def->outcome),
			     action_name(def->action), explained_template(to, klog_rows[id].title));
		any = true;
	}
	return any;
}

static bool explain_rows(struct explanation *to, bool (*is_it)(enum klog_row_id row, const char *word),
			 const char *word)
{
	bool any = false;

	for (int id = KLOG_NO_ROW + 1; id < NR_KLOG_ROWS; id++) {
		if (!is_it((enum klog_row_id)id, word))
			continue;
		if (any)
			explain_gap(to);
		explain_finding(to, log_finding((enum klog_row_id)id));
		any = true;
	}
	return any;
}

static bool is_called(enum klog_row_id row, const char *word)
{
	return !strcmp(klog_rows[row].name, word) ||
	       (*klog_rows[row].mnemonic && !strcasecmp(klog_rows[row].mnemonic, word));
}

bool explain_log_word(struct explanation *to, const char *word)
{
	return explain_rows(to, is_called, word) || list_rows(to, word);
}

static bool is_of_xid(enum klog_row_id row, const char *number)
{
	return klog_row_xid(row) >= 0 && (uint64_t)klog_row_xid(row) == strtoull(number, NULL, 10);
}

static void explain_xid(struct explanation *to, const char *number)
{
	if (!explain_rows(to, is_of_xid, number))
		die(EXIT_USAGE,
		    "explain: no NVIDIA document names Xid %s; gpudiag list xids prints those that one names", number);
}

static void explain_sxid(struct explanation *to, const char *number)
{
	static const char *const classes[] = {
		[KLOG_SXID_NONFATAL] = "not fatal",
		[KLOG_SXID_PORT] = "potentially fatal: to a port and the GPUs that talk through it",
		[KLOG_SXID_FABRIC] = "always fatal: to the whole NVLink fabric",
		[KLOG_SXID_THERMAL] = "not fatal: heat",
	};
	const struct klog_sxid *sxid = klog_sxid_by_code(strtoull(number, NULL, 10));

	if (!sxid)
		die(EXIT_USAGE, "explain: NVIDIA's guide to the fabric manager does not name SXid %s; "
				"its line in the log says Fatal or Non-fatal", number);
	explain_head(to, "SXid %u: %s", sxid->code, sxid->what);
	explain_fact(to, "class", "%s%s", classes[sxid->class],
		     sxid->class == KLOG_SXID_NONFATAL || sxid->class == KLOG_SXID_PORT ?
			     "; where its line says Fatal or Non-fatal, that counts" : "");
	explain_gap(to);
	explain_finding(to, log_finding(klog_sxid_class_row(sxid->class)));
}

bool explain_log_lines(struct explanation *to, const char *text)
{
	struct klog_scan *scan = klog_scan_new();
	const struct klog_sink sink = { .line = klog_scan_line, .passed = klog_scan_passed, .to = scan };
	struct klog_reader *reader = klog_reader_new(&sink, clock_utc_us());
	struct klog_coverage coverage = { .lines = 0 };
	bool told[NR_KLOG_ROWS] = { false }, any = false;
	const struct klog_log *log;
	const char *why;

	if (!klog_reader_feed(reader, text, strlen(text), &why) && !klog_reader_end(reader, &coverage, &why)) {
		log = klog_scan_end(scan, &coverage);
		for (size_t i = 0; i < log->nr_events; i++) {
			enum klog_row_id row = log->events[i].row;

			if (told[row])
				continue;
			if (any)
				explain_gap(to);
			explain_finding(to, log_finding(row));
			told[row] = any = true;
		}
	}
	klog_reader_free(reader);
	klog_scan_free(scan);
	return any;
}

static bool is_number(const char *word)
{
	return *word && strlen(word) < 16 && !word[strspn(word, "0123456789")];
}

int explain_log_numbers(struct explanation *to, int argc, char **argv)
{
	void (*explain)(struct explanation *to, const char *number) = !strcasecmp(argv[0], "xid") ? explain_xid :
								   !strcasecmp(argv[0], "sxid") ? explain_sxid : NULL;
	int taken = 1;

	if (!explain)
		return 0;
	for (; taken < argc && is_number(argv[taken]); taken++) {
		if (taken > 1)
			explain_gap(to);
		explain(to, argv[taken]);
	}
	return taken > 1 ? taken : 0;
}
