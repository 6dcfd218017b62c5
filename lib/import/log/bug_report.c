// SPDX-License-Identifier: GPL-2.0-or-later
/* bug_report.c - sections of nvidia-bug-report.log, and what stands at its head: the machine and the time. */
#include "base/compat.h"
#include "import/log/bug_report.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/dump/readers.h"
#include "import/log/log_parts.h"
#include "klog/line.h"

#define LOG_FILE " of NVIDIA bug report log file."

static const char start[] = "Start" LOG_FILE, end[] = "End" LOG_FILE;
static const char version[] = "nvidia-bug-report.sh Version:";

/* nvidia-bug-report.sh draws exactly so many. */
static bool is_separator(const char *text)
{
	enum { UNDERSCORES = 44 };

	return strspn(text, "_") == UNDERSCORES && !text[UNDERSCORES];
}

/* ---- frame */

static enum bug_report_line take_file(struct bug_report *report, const char *path, struct dump_part *ret)
{
	if (!recorded_file_is_read(path)) {
		report->section = SECTION_SKIPPED;
		return REPORT_ENDS_PART;
	}
	report->section = SECTION_PART;
	*ret = (struct dump_part){ .kind = DUMP_RECORDED_FILE, .about = path };
	return REPORT_BEGINS_PART;
}

/*
 * "/usr/bin/nvidia-smi --query", "/sbin/lspci -d "10de:*" -v -xxx", and what the script prints in lspci's place: it
 * says by itself what it is.
 */
static bool is_tool(const char *text)
{
	static const char *const tools[] = { "nvidia-smi", "/lspci", "/dmidecode" };

	return (*text == '/' && text_has_any(text, tools, ARRAY_SIZE(tools))) ||
	       text_begins(text, "PCI devices configuration space dump");
}

/* "dmesg:", and in words of others who wrote a report like it "scanning dmesg:". */
static bool is_ring(const char *text)
{
	size_t len = strlen(text);

	return *text != '/' && *text != '*' && len && text[len - 1] == ':' && strstr(text, "dmesg");
}

static enum bug_report_line take_banner(struct bug_report *report, const char *text, struct dump_part *ret)
{
	report->awaits_banner = false;
	report->banner = text;
	report->section = SECTION_SKIPPED;
	report->searches_logs = text_begins(text, "Scanning kernel log files");
	if (text_begins(text, "*** /"))
		return take_file(report, text + strlen("*** "), ret);
	if (is_ring(text)) {
		report->section = SECTION_PART;
		*ret = (struct dump_part){ .kind = DUMP_LOG, .about = "dmesg" };
		return REPORT_BEGINS_PART;
	}
	if (is_tool(text)) {
		report->section = SECTION_TOOLS;
		*ret = (struct dump_part){ .kind = NR_DUMP_KINDS, .about = text };
		return REPORT_BEGINS_PART;
	}
	return REPORT_ENDS_PART;
}

/* "  /var/log/kern.log:", "  journalctl -b -1:": which log the lines below it were searched from. */
static bool take_heading(const char *text, struct dump_part *ret)
{
	static const char journal[] = "journalctl -b";
	size_t len = strlen(text);
	const char *name = text + strspn(text, " ");
	/* A paste may have lost the blanks before it; no line of a log is such a path alone. */
	bool is_file = name == text ? text_begins(text, "/var/log/") && !strchr(text, ' ') : *name == '/';

	if (len < 3 || text[len - 1] != ':' || (!is_file && !text_begins(name, journal)))
		return false;
	*ret = (struct dump_part){ .kind = DUMP_LOG, .about = name, .is_picked = true, .boots_ago = BOOTS_NOT_TOLD };
	if (text_begins(name, journal))
		ret->boots_ago = log_boots_ago(name);
	return true;
}

/* ---- time */

static bool is_stamp(const char *at)
{
	static const char form[] = "dddd-dd-dd dd:dd:dd.ddddddddd sdddd ";

	for (size_t i = 0; form[i]; i++)
		if (form[i] == 'd'   ? !is_digit(at[i])
		    : form[i] == 's' ? at[i] != '+' && at[i] != '-'
				     : at[i] != form[i])
			return false;
	return true;
}

/* "*** ls: -r--r--r-- 1 root root 0 2023-11-04 12:00:01.123456789 +0100 /proc/version": read as a log's stamp is. */
static void take_stamp(struct bug_report *report, const char *text)
{
	struct klog_line_context context = { .now_us = 0 };
	struct klog_line line;
	char log[80];

	while (*text && !is_stamp(text))
		text++;
	if (!*text)
		return;
	snprintf(log, sizeof(log), "%.10sT%.8s%.3s:%.2s node kernel: x", text, text + 11, text + 30, text + 33);
	klog_line_parse(&context, span_of(log), &line);
	klog_line_context_release(&context);
	if (line.time.has_wall && line.time.wall_us > report->newest_us)
		report->newest_us = line.time.wall_us;
}

const char *bug_report_time(struct arena *arena, const struct bug_report *report)
{
	char time[32];

	if (!report->newest_us)
		return NULL;
	format_rfc3339(report->newest_us / 1000000, 0, time);
	return arena_strdup(arena, time);
}

/* ---- the report as a whole */

static enum bug_report_line take_section(struct bug_report *report, const char *text, struct dump_part *ret)
{
	if (report->searches_logs) {
		if (take_heading(text, ret)) {
			report->section = SECTION_PART;
			return REPORT_BEGINS_PART;
		}
		return report->section == SECTION_PART ? REPORT_GOES_ON : REPORT_ENDS_PART;
	}
	if (report->section == SECTION_TOOLS && is_tool(text)) {
		*ret = (struct dump_part){ .kind = NR_DUMP_KINDS, .about = text };
		return REPORT_BEGINS_PART;
	}
	if (report->section == SECTION_TOOLS)
		return REPORT_NO_FRAME;
	return report->section == SECTION_PART ? REPORT_GOES_ON : REPORT_ENDS_PART;
}

enum bug_report_line bug_report_line(struct bug_report *report, const char *text, struct dump_part *ret)
{
	bool is_end_of_file = false, is_start = false;

	/* One search for both. */
	if (strstr(text, LOG_FILE)) {
		is_start = strstr(text, start);
		is_end_of_file = strstr(text, end);
	}
	if (is_start || (!report->is_open && text_begins(text, version))) {
		*report = (struct bug_report){
			.is_open = true, .section = SECTION_PART, .newest_us = report->newest_us,
		};
		*ret = (struct dump_part){ .kind = DUMP_BUG_REPORT };
		return REPORT_BEGINS_PART;
	}
	if (is_separator(text)) {
		report->is_open = report->awaits_banner = true;
		return REPORT_ENDS_PART;
	}
	if (!report->is_open)
		return REPORT_NO_FRAME;
	if (is_end_of_file) {
		report->is_open = false;
		return REPORT_ENDS_PART;
	}
	if (text_begins(text, "*** ls: "))
		take_stamp(report, text);
	if (report->awaits_banner)
		return *text ? take_banner(report, text, ret) : REPORT_ENDS_PART;
	/* Files follow each other with a separator before each, or without. */
	if (text_begins(text, "*** /"))
		return take_banner(report, text, ret);
	return take_section(report, text, ret);
}

/* ---- head */

/* "uname: Linux node7 5.15.0-113-generic #123-Ubuntu SMP Mon Jun 10 08:16:17 UTC 2024 x86_64 …" */
static void take_uname(struct reading *reading, struct dump_line *line, const char *text)
{
	struct host *host = &reading->snapshot->host;
	const char *name, *release, *past;

	if (!text_begins(text, "Linux "))
		return;
	name = text + strlen("Linux ");
	release = strchr(name, ' ');
	if (!release)
		return;
	past = release + 1 + strcspn(release + 1, " ");
	put(reading, line, host->name, val_str(arena_strndup(reading->arena, name, (size_t)(release - name))));
	put(reading, line, host->kernel,
	    val_str(arena_strndup(reading->arena, release + 1, (size_t)(past - release - 1))));
}

void bug_report_read(struct reading *reading)
{
	const struct dump_part *part = reading->part;

	for (size_t i = 0; i < part->nr_lines; i++) {
		struct dump_line *line = &part->lines[i];

		if (text_begins(line->text, "uname: "))
			take_uname(reading, line, line->text + strlen("uname: "));
		else if (strstr(line->text, start) || text_begins(line->text, version))
			line->is_taken = true;
	}
}
