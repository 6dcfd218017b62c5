/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * maintenance.h - who works on a GPU driver, or on how GPUs are divided, right now.
 *
 * Told by what is safe to read of any process: its name, its parent, its
 * working directory and what it holds open. A name alone counts where the program does nothing else
 * (NVIDIA's installer, nvidia-mig-parted, and the operator's reconfigure-mig.sh
 * around it); of others it takes a second sign:
 *
 *	module-build	dkms or make, at work below /var/lib/dkms/NAME of a GPU driver; or
 *			akmodsbuild, whose words go to /var/cache/akmods/NAME
 *	driver-install	a maintainer script of a driver's package, started by dpkg; or a
 *			dpkg that holds its lock and has such a package half done; or one of
 *			rpm's programs that holds a lock and has such a package's file open
 *	module-load	a driver's module that is coming or going, and a program that loads
 *			or unloads modules: one that crashed in its start stays "coming"
 *	gpu-reset	gpu_reset.h
 *
 * A package that rpm only takes away has no file, and its scripts have no name
 * of their own: that is not told.
 */
#pragma once

#include "probe/probe.h"
#include "probe/process/proc_stat.h"

enum { MAX_ASKED = 32 };

/* One program of the walk that a second sign is needed of. */
struct maintenance_program {
	uint64_t pid;		/* 0: none was seen */
	char comm[sizeof(((struct proc_stat *)0)->comm)];
};

/* Zeroed before the walk. */
struct maintenance_watch {
	struct arena arena;
	struct maintenance *found;
	size_t nr;
	struct maintenance_program loader;
	struct strs dpkgs;	/* pids: some of them only list packages */
	/* programs that may install with rpm or reset a GPU, by their arguments: most only query */
	size_t nr_asked;
	struct maintenance_program asked[MAX_ASKED];
};

/* Looks at one process that is no kernel thread and has not ended. */
void maintenance_look_at(struct maintenance_watch *watch, struct probe_env *env, const char *pid,
			 const struct proc_stat *stat);
/* Looks at one of its open files: name is the text of the link. */
void maintenance_look_at_file(struct maintenance_watch *watch, struct probe_env *env, const char *pid,
			      const struct proc_stat *stat, const char *name);
/* After the walk: looks for second signs, and adds all that was found to the facts. */
void maintenance_send(struct maintenance_watch *watch, struct probe_env *env, struct sink *sink);
void maintenance_release(struct maintenance_watch *watch);

/* ---- the pure parts */

/* The GPU driver of a module as DKMS or the kernel names it ("nvidia-current", "nvidia_uvm"), NULL: of none. */
const char *driver_of_module(const char *name);
/* The same of a Debian package, or of a program's name that is the beginning of one ("libnvidia-compu"). */
const char *driver_of_package(const char *package);
/* "nvidia 580.95.05" of a folder below /var/lib/dkms, NULL where it is none of a GPU driver's. */
const char *dkms_work(struct arena *arena, const char *folder, const char **ret_driver);
/* The same of a package's file, "/var/cache/dnf/…/kmod-nvidia-open-dkms-580.95.05-1.el9.noarch.rpm"; NULL: of none. */
const char *driver_of_rpm(const char *path);
/* "nvidia" of a file below /var/cache/akmods/nvidia, NULL where it is none of a GPU driver's. */
const char *akmods_work(struct arena *arena, const char *file, const char **ret_driver);
/* Has the process of that number a lock for writing in the text of /proc/locks? */
bool has_write_lock(const char *locks, uint64_t pid);
/* Of a paragraph of dpkg: package and the last word of its status, both NULL where it has none. */
void dpkg_paragraph(struct arena *arena, const char *text, const char **ret_package, const char **ret_status);
