// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/words/launchers.h"

#include "base/text.h"
#include "base/text_scan.h"

static const struct { const char *program; enum launcher launcher; } launchers[] = {
	{ "docker", LAUNCHER_CONTAINER }, { "docker-compose", LAUNCHER_CONTAINER }, { "podman", LAUNCHER_CONTAINER },
	{ "nerdctl", LAUNCHER_CONTAINER }, { "crictl", LAUNCHER_CONTAINER }, { "ctr", LAUNCHER_CONTAINER },
	{ "runc", LAUNCHER_CONTAINER }, { "crun", LAUNCHER_CONTAINER }, { "lxc", LAUNCHER_CONTAINER },
	{ "incus", LAUNCHER_CONTAINER }, { "pct", LAUNCHER_CONTAINER }, { "singularity", LAUNCHER_CONTAINER },
	{ "apptainer", LAUNCHER_CONTAINER }, { "enroot", LAUNCHER_CONTAINER }, { "shifter", LAUNCHER_CONTAINER },
	{ "distrobox", LAUNCHER_CONTAINER }, { "toolbox", LAUNCHER_CONTAINER }, { "machinectl", LAUNCHER_CONTAINER },
	{ "chroot", LAUNCHER_ROOT }, { "nsenter", LAUNCHER_ROOT }, { "lxc-attach", LAUNCHER_ROOT },
	{ "systemd-nspawn", LAUNCHER_ROOT },
	{ "kubectl", LAUNCHER_CLUSTER }, { "oc", LAUNCHER_CLUSTER }, { "k3s", LAUNCHER_CLUSTER },
	{ "qm", LAUNCHER_GUEST }, { "virsh", LAUNCHER_GUEST }, { "vagrant", LAUNCHER_GUEST },
	{ "multipass", LAUNCHER_GUEST },
	{ "srun", LAUNCHER_JOB }, { "salloc", LAUNCHER_JOB }, { "sbatch", LAUNCHER_JOB }, { "flux", LAUNCHER_JOB },
	{ "bsub", LAUNCHER_JOB }, { "qrsh", LAUNCHER_JOB }, { "qlogin", LAUNCHER_JOB }, { "qsub", LAUNCHER_JOB },
};

enum launcher launcher_of(const char *word, size_t len)
{
	const char *slash = memrchr(word, '/', len);
	const char *name = slash ? slash + 1 : word;

	len -= (size_t)(name - word);
	for (size_t i = 0; i < ARRAY_SIZE(launchers); i++)
		if (strlen(launchers[i].program) == len && !strncmp(name, launchers[i].program, len))
			return launchers[i].launcher;
	return LAUNCHER_NONE;
}

bool command_launches(const char *command)
{
	static const char around[] = " ;|&()'\"`";

	if (strstr(command, "VISIBLE_DEVICES="))
		return true;
	for (const char *at = command + strspn(command, around); *at; at += strspn(at, around)) {
		size_t len = strcspn(at, around);

		if (launcher_of(at, len) != LAUNCHER_NONE && at[len - 1] != '/')
			return true;
		at += len;
	}
	return false;
}
