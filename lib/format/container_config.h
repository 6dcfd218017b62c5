/* SPDX-License-Identifier: GPL-2.0-or-later */
/* container_config.h - what the configuration of container runtimes, and of NVIDIA's runtime, says of GPUs. Pure. */
#pragma once

#include "snapshot/snapshot.h"

enum container_config_kind {
	CONFIG_DOCKER,		/* /etc/docker/daemon.json */
	CONFIG_CONTAINERD,	/* /etc/containerd/config.toml and what it imports */
	CONFIG_K3S,		/* containerd's, written by k3s and rke2 at each start */
	CONFIG_RKE2,
	CONFIG_CRIO,		/* /etc/crio/crio.conf and its folder */
	CONFIG_NVIDIA,		/* /etc/nvidia-container-runtime/config.toml */
};
/* "docker", "containerd", "k3s", "rke2", "cri-o", "nvidia-container-runtime" */
const char *container_config_owner(enum container_config_kind kind);

/*
 * Sets what the text says; the rest is absent. Whether what it names exists is left to the caller.
 * imports: the files that containerd's main file names, patterns as they stand.
 */
void container_config_parse(struct arena *arena, enum container_config_kind kind, const char *text, size_t len,
			    struct container_config *ret, struct strs *imports);
