// SPDX-License-Identifier: GPL-2.0-or-later
/* dump.c - what is known of a kind without its reader: readers go by it, too. */
#include "base/compat.h"
#include "import/dump/dump.h"

bool dump_is_of_tool(enum dump_kind kind)
{
	switch (kind) {
	case DUMP_LOG: case DUMP_PROGRAM_ERROR: case DUMP_SMI_FAILURE: case DUMP_ROCM_FAILURE: case DUMP_XID_MONITOR:
	case DUMP_SAMPLES: case DUMP_FABRIC_LOG: case DUMP_NODE_CONDITION: case DUMP_KUBE_NODE:
	case DUMP_SYSFS: case DUMP_SENSORS:
	case DUMP_LEFT_OUT:
		return false;
	default:
		return true;
	}
}

bool dump_part_is_taken(const struct dump_part *part)
{
	if (part->told)
		return true;
	for (size_t i = 0; i < part->nr_lines; i++)
		if (part->lines[i].is_taken)
			return true;
	return false;
}

size_t dump_parts_of_file(const struct dump_part *part, size_t nr)
{
	size_t ret = 1;

	while (ret < nr && (part[ret].file == part->file || !strcmp(part[ret].file, part->file)))
		ret++;
	return ret;
}

bool dump_parts_have_report(const struct dump_parts *parts)
{
	for (size_t i = 0; i < parts->nr; i++)
		if (parts->v[i].kind == DUMP_BUG_REPORT || parts->v[i].kind == DUMP_TREE)
			return true;
	return false;
}
