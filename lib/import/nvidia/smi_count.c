// SPDX-License-Identifier: GPL-2.0-or-later
/* smi_count.c - whether nvidia-smi lists all GPUs that the node's driver has. */
#include "base/compat.h"
#include "import/nvidia/smi_value.h"
#include "import/words/launchers.h"

#include "base/text.h"

bool smi_is_choice(const struct dump_part *part)
{
	static const char *const words[] = { "|", " -i", " --id", "<(", "awk " };

	return part->is_cut || (part->about && text_has_any(part->about, words, ARRAY_SIZE(words)));
}

/* lspci is of a machine of another name: of one the prompt tells it, of the other the command. */
static bool is_of_other_machine(const struct dump_part *part, const struct dump_part *other)
{
	return other->kind == DUMP_LSPCI && part->host.text && other->host.text &&
	       strcmp(part->host.text, other->host.text) != 0;
}

bool smi_is_elsewhere(const struct reading *reading)
{
	const struct dump_part *part = reading->part;

	for (size_t i = 0; reading->parts && i < reading->parts->nr; i++)
		if (is_of_other_machine(part, &reading->parts->v[i]))
			return true;
	return part->host.is_inside || (part->about && command_launches(part->about));
}
