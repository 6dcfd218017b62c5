/* SPDX-License-Identifier: GPL-2.0-or-later */
/* upgrade_containers.h - containers that run, as far as they were read. Private to upgrade_containers*.c. */
#pragma once

#include "probe/probe.h"
#include "probe/upgrade/local_path.h"
#include "sys/as_user.h"

/* What is read of them so far. */
struct containers_reading {
	struct probe_env *env;
	struct snapshot *facts;
	struct mounts mounts;
	const char *of;			/* whose they are: "root", "user 1000" */
	uid_t user;			/* with whose rights they are read */
	gid_t group;
	struct as_user as;
	size_t nr;
	uint64_t bytes;
	enum val_state state;		/* VAL_UNSET; or why not all of them were seen, the first reason */
	const char *why;
};

/* Keeps the first reason; why: static, or in the facts' arena. */
void containers_not_seen(struct containers_reading *reading, enum val_state state, const char *why);
/* The same of an errno; one for what is not there is none. */
void containers_keep_error(struct containers_reading *reading, int error);
/* Is it on a file system of this machine? False: it must not be touched, root's as little, and that is kept. */
bool containers_are_near(struct containers_reading *reading, const char *path);
/* Lists a folder, if it is near; the caller releases the names. */
struct name_list containers_list(struct containers_reading *reading, const char *folder);
/* From here on, of a live node, with the rights of reading->user. False: they are not to be had, which is kept. */
bool containers_as_user(struct containers_reading *reading);
void containers_as_root(struct containers_reading *reading);
/* Counts one more. False: there are too many. */
bool containers_count(struct containers_reading *reading);

/*
 * upgrade_containers_config.c: adds a container that gets a GPU to the facts, by its config.json. 0, or -errno. id: its
 * folder's name.
 */
int containers_read_config(struct containers_reading *reading, const char *id, const char *path) MUST_CHECK;

/* Of each folder of a containerd's state, which are its namespaces, those below it. */
void containers_read_namespaces(struct containers_reading *reading, const char *state_folder);

/* upgrade_containers_podman.c: Podman's and CRI-O's, which share a folder; and of users Podman's and Docker's. */
void containers_read_podman(struct containers_reading *reading);
void containers_read_users(struct containers_reading *reading);

/* Does the process of a pidfile run? A recording without processes says nothing of it: unknown. */
struct val_bool container_runs(struct containers_reading *reading, const char *pidfile);
