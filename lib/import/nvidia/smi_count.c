// SPDX-License-Identifier: GPL-2.0-or-later
/* smi_count.c - whether nvidia-smi lists all GPUs that the node's driver has. */
#include "base/compat.h"
#include "import/nvidia/smi_value.h"

#include "base/text.h"

bool smi_is_choice(const struct dump_part *part)
{
	static const char *const words[] = { "|", " -i", " --id" };

	return part->is_cut || (part->about && text_has_any(part->about, words, ARRAY_SIZE(words)));
}

bool smi_is_inside(const struct dump_part *part)
{
	static const char *const words[] = {
		"docker", "podman", "nerdctl", "crictl", "kubectl", "singularity", "apptainer", "enroot", "distrobox",
		"toolbox", "nsenter", "lxc", "incus", "srun", "salloc", "flux", "bsub", "VISIBLE_DEVICES",
	};

	return part->host.is_inside || (part->about && text_has_any(part->about, words, ARRAY_SIZE(words)));
}
