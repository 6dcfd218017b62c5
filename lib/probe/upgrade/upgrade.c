// SPDX-License-Identifier: GPL-2.0-or-later
/* upgrade.c - probe "upgrade": can another driver be put on this node, and does the node come back with one? */
#include "base/compat.h"
#include "probe/probe_table.h"
#include "probe/upgrade/upgrade_internal.h"

static int run(struct probe_env *env, struct sink *sink)
{
	struct snapshot *facts = &sink->facts;

	sink_step(sink, "read what keeps this system");
	upgrade_system_read(env, &facts->arena, &facts->upgrade);
	upgrade_reboot_read(env, &facts->arena, &facts->upgrade);
	upgrade_nouveau_read(env, &facts->arena, &facts->upgrade);
	upgrade_initramfs_modules_read(env, &facts->arena, &facts->upgrade);
	sink_step(sink, "read /sys/firmware/efi");
	upgrade_secure_boot_read(env, &facts->arena, &facts->upgrade);
	sink_flush(sink);
	sink_step(sink, "read /lib/modules");
	upgrade_kernels_read(env, facts);
	sink_flush(sink);
	sink_step(sink, "read /var/lib/dkms");
	upgrade_builds_read(env, facts);
	sink_flush(sink);
	sink_step(sink, "read config.json of containers");
	upgrade_containers_read(env, facts);
	sink_flush(sink);
	/* Last: a file system may be a server's that does not answer. */
	sink_step(sink, "statvfs of / and of what is mounted below it for the system");
	upgrade_disk_space_read(env, facts);
	return sink_end(sink, PROBE_OK, NULL);
}

static bool applies(const struct snapshot *snapshot)
{
	return bool_or(snapshot->request.gate, false);
}

static const char *const provides[] = {
	"upgrade", "installed_kernels", "module_builds", "rooms", "gpu_containers",
	"listed.installed_kernels", "listed.module_builds", "listed.rooms", "listed.gpu_containers",
	NULL
};

const struct probe probe_upgrade = {
	.name = "upgrade",
	.help = "installed kernels, their drivers and initramfs, DKMS, Secure Boot, nouveau, containers with GPUs, "
		"room on disks, reboots that wait; for gpudiag gate alone",
	.phase = PHASE_NODE,
	.touches = TOUCHES_FILES,
	.deadline_ms = 5000,
	.provides = provides,
	.applies = applies,
	.run = run,
};
