// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * upgrade_containers.c - containers that get a GPU of NVIDIA's, and the CUDA
 * they ask for.
 *
 * While a container runs, its runtime keeps its configuration, which
 * root may read. That asks no process anything, where /proc/PID/environ would
 * wait for one that hangs.
 *
 * Folders: containerd's state (containerd ops.md, "state"), which dockerd and its
 * snap, k3s and RKE2, k0s and MicroK8s set for one of their own (moby
 * libcontainerd/supervisor/remote_daemon.go, k0s runtime.md); the rest are in
 * upgrade_containers_podman.c.
 */
#include "base/compat.h"
#include "probe/upgrade/upgrade_containers.h"

#include "probe/read.h"
#include "probe/upgrade/upgrade_internal.h"

void upgrade_containers_read(struct probe_env *env, struct snapshot *facts)
{
	static const char *const states[] = {
		"/run/containerd", "/run/docker/containerd/daemon", "/run/snap.docker/containerd/daemon",
		"/run/k3s/containerd", "/run/k0s/containerd", "/var/snap/microk8s/common/run/containerd",
	};
	struct containers_reading reading = { .env = env, .facts = facts, .of = "root" };

	mounts_read(env, &facts->arena, &reading.mounts);
	for (size_t i = 0; i < ARRAY_SIZE(states); i++)
		containers_read_namespaces(&reading, states[i]);
	containers_read_podman(&reading);
	containers_read_users(&reading);
	mounts_release(&reading.mounts);
	facts->listed.gpu_containers = reading.state != VAL_UNSET ? no_u64(reading.state, reading.why) :
								     val_u64(facts->nr_gpu_containers);
}
