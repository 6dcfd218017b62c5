// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/log/tech_support.h"

static const char head[] = "=== ROCm TechSupport Log Collection Utility", section_mark[] = "===== Section: ";

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Of sections that no reader is for nothing is looked at: lists of packages, dumps of firmware tables. */
static enum bug_report_line take_section(struct tech_support *support, const char *name, struct dump_part *ret)
{
	static const char *const tools[] = { "AMD SMI", "AMD-SMI", "amd-smi", "ROCm SMI", "rocm-smi", "lspci" };

	support->section = begins(name, "dmesg") ? SUPPORT_LOG : SUPPORT_SKIPPED;
	/* Older scripts have the ring of the kernel below it, without a heading of its own. */
	if (support->section == SUPPORT_LOG) {
		*ret = (struct dump_part){ .kind = DUMP_LOG, .about = "dmesg" };
		return REPORT_BEGINS_PART;
	}
	for (size_t i = 0; i < ARRAY_SIZE(tools); i++) {
		if (!strstr(name, tools[i]))
			continue;
		support->section = SUPPORT_TOOLS;
		*ret = (struct dump_part){ .kind = NR_DUMP_KINDS, .about = "rocm_techsupport.sh" };
		return REPORT_BEGINS_PART;
	}
	return REPORT_ENDS_PART;
}

/* The ring of the kernel has the stamps; the journal of this boot counts where the ring lost its beginning. */
static enum bug_report_line take_log(struct tech_support *support, const char *text, struct dump_part *ret)
{
	static const struct { const char *heading; int boots_ago; bool is_picked; } logs[] = {
		{ "Section: dmesg boot logs", 0, false }, { "Section: Current boot logs", 0, true },
		{ "Section: Previous boot logs", 1, true }, { "Section: Second Previous boot logs", 2, true },
		{ "Section: Third Previous boot logs", 3, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(logs); i++) {
		if (!begins(text, logs[i].heading))
			continue;
		support->section = SUPPORT_LOG;
		*ret = (struct dump_part){
			.kind = DUMP_LOG, .about = logs[i].heading + strlen("Section: "),
			.boots_ago = logs[i].boots_ago,
			.is_picked = logs[i].is_picked,
		};
		return REPORT_BEGINS_PART;
	}
	return support->section == SUPPORT_LOG ? REPORT_GOES_ON : REPORT_ENDS_PART;
}

enum bug_report_line tech_support_line(struct tech_support *support, const char *text, struct dump_part *ret)
{
	if (begins(text, head)) {
		*support = (struct tech_support){ .is_open = true };
		return REPORT_ENDS_PART;
	}
	if (begins(text, section_mark)) {
		support->is_open = true;
		return take_section(support, text + strlen(section_mark), ret);
	}
	if (!support->is_open)
		return REPORT_NO_FRAME;
	if (support->section == SUPPORT_TOOLS)
		return REPORT_NO_FRAME;
	return take_log(support, text, ret);
}
