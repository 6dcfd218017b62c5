// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * upgrade_containers_podman.c - containers of Podman and CRI-O, and those that users run.
 *
 * Both have a folder for each container in two places (containers-storage.conf):
 * what is gone with the next boot lies below "runroot", conmon's pidfile among
 * it, the rest below "graphroot". In both it is in one that is named after the
 * graph driver, overlay-containers mostly, else vfs-, btrfs- or zfs-containers
 * (containers/storage, store.go). CRI-O's config.json is in either (CRI-O,
 * runtime_oci.go), Podman's in the second alone (libpod, Container.bundlePath()).
 * Docker that a user runs keeps its containerd below $XDG_RUNTIME_DIR/docker.
 *
 * What lies in a user's hands may lead anywhere, to a file server that is gone
 * too, and so may what an administrator moved: it is touched where it is on a
 * file system of this machine, and else is said to be not looked at. A user's is
 * opened with that user's rights, so that no link leads to what is root's. A home is
 * looked up in /etc/passwd alone, since a directory service may not answer either.
 */
#include "base/compat.h"
#include "probe/upgrade/upgrade_containers.h"

#include <errno.h>

#include "base/text.h"
#include "probe/read.h"

enum { MAX_USERS = 256 };	/* who are logged in */

/* Its folders. graphroot may be NULL: unknown. */
struct podman {
	const char *runroot, *graphroot;
};

/* One that was started, and left nothing in runroot but its pidfile. */
static void read_below_graphroot(struct containers_reading *reading, const struct podman *podman, const char *id,
				 const char *path, const char *pidfile)
{
	struct arena *arena = &reading->facts->arena;
	int error;

	if (!podman->graphroot) {
		containers_not_seen(reading, VAL_SKIPPED,
				    arena_printf(arena, "containers of %s not read (not in /etc/passwd)", reading->of));
		return;
	}
	if (!containers_are_near(reading, path))
		return;
	error = containers_read_config(reading, id, path);
	containers_keep_error(reading, error);
	/* Did it end meanwhile, or is graphroot set to another place? */
	if (state_of_errno(error) == VAL_ABSENT && bool_or(container_runs(reading, pidfile), true))
		containers_not_seen(reading, VAL_ERROR, arena_printf(arena, "one of %s's runs, and is not in %s",
								     reading->of, podman->graphroot));
}

/* kind: "overlay-containers". */
static void read_one(struct containers_reading *reading, const struct podman *podman, const char *kind, const char *id)
{
	const struct root *root = reading->env->root;
	struct arena scratch = { 0 };
	const char *below = arena_printf(&scratch, "%s/%s/userdata", kind, id);
	const char *pidfile = arena_printf(&scratch, "%s/%s/pidfile", podman->runroot, below);
	const char *near = arena_printf(&scratch, "%s/%s/config.json", podman->runroot, below);
	const char *far =
		arena_printf(&scratch, "%s/%s/config.json", podman->graphroot ? podman->graphroot : "", below);

	/* CRI-O leaves the folder until the container is removed. */
	if (containers_are_near(reading, pidfile) && bool_or(container_runs(reading, pidfile), true) &&
	    containers_are_near(reading, near)) {
		int error = containers_read_config(reading, id, near);

		containers_keep_error(reading, error);
		if (state_of_errno(error) == VAL_ABSENT && !root_exists(root, "%s", pidfile))
			read_below_graphroot(reading, podman, id, far, pidfile);
	}
	arena_release(&scratch);
}

static void read_kind(struct containers_reading *reading, const struct podman *podman, const char *kind)
{
	struct arena scratch = { 0 };
	struct name_list ids = containers_list(reading, arena_printf(&scratch, "%s/%s", podman->runroot, kind));

	for (size_t i = 0; i < ids.nr && containers_count(reading); i++)
		read_one(reading, podman, kind, ids.names[i]);
	name_list_release(&ids);
	arena_release(&scratch);
}

static void read_podman(struct containers_reading *reading, const struct podman *podman)
{
	static const char suffix[] = "-containers";
	struct name_list kinds = containers_list(reading, podman->runroot);

	for (size_t i = 0; i < kinds.nr; i++) {
		size_t len = strlen(kinds.names[i]);

		if (len > strlen(suffix) && !strcmp(kinds.names[i] + len - strlen(suffix), suffix))
			read_kind(reading, podman, kinds.names[i]);
	}
	name_list_release(&kinds);
}

void containers_read_podman(struct containers_reading *reading)
{
	static const struct podman of_root = {
		.runroot = "/run/containers/storage", .graphroot = "/var/lib/containers/storage",
	};

	read_podman(reading, &of_root);
}

/* The sixth of the fields of the line of passwd(5) whose third is this; NULL: there is no such user. */
static const char *home_of(struct arena *arena, const char *passwd, const char *uid)
{
	for (const char *line = passwd; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *field = line;
		size_t len = strcspn(field, ":\n");

		for (int i = 1; i < 6 && field[len] == ':'; i++) {
			field += len + 1;
			len = strcspn(field, ":\n");
			if (i == 2 && (len != strlen(uid) || strncmp(field, uid, len) != 0))
				break;
			if (i == 5)
				return arena_strndup(arena, field, len);
		}
	}
	return NULL;
}

/* Whose rights: the folder's own, which a manager of logins made for the user it is named after. */
static bool take_owner(struct containers_reading *reading, const char *uid)
{
	struct stat st;
	int error = root_stat(reading->env->root, &st, "/run/user/%s", uid);

	containers_keep_error(reading, error);
	if (error)
		return false;
	reading->user = (uid_t)strtoul(uid, NULL, 10);
	reading->group = st.st_gid;
	if (!root_is_live(reading->env->root) || st.st_uid == reading->user)
		return true;
	containers_not_seen(reading, VAL_SKIPPED,
			    arena_printf(&reading->facts->arena,
					 "containers of %s not read: /run/user/%s has another owner", reading->of,
					 uid));
	return false;
}

static void read_user(struct containers_reading *reading, const char *passwd, const char *uid)
{
	struct arena scratch = { 0 };
	const char *home = home_of(&scratch, passwd, uid);
	const struct podman podman = {
		.runroot = arena_printf(&scratch, "/run/user/%s/containers", uid),
		.graphroot = home ? arena_printf(&scratch, "%s/.local/share/containers/storage", home) : NULL,
	};

	reading->of = arena_printf(&scratch, "user %s", uid);
	if (take_owner(reading, uid) && containers_as_user(reading)) {
		read_podman(reading, &podman);
		containers_read_namespaces(reading,
					   arena_printf(&scratch, "/run/user/%s/docker/containerd/daemon", uid));
		containers_as_root(reading);
	}
	reading->of = "root";
	reading->user = 0;
	arena_release(&scratch);
}

/* Who is logged in, or lingers, has a folder there (pam_systemd(8)). */
void containers_read_users(struct containers_reading *reading)
{
	const struct root *root = reading->env->root;
	STRBUF_AUTO passwd = STRBUF_INIT;
	struct name_list uids = containers_list(reading, "/run/user");
	size_t nr = 0;

	if (uids.nr)
		containers_keep_error(reading, root_read(root, &passwd, "/etc/passwd"));
	for (size_t i = 0; i < uids.nr; i++) {
		uint64_t uid;

		if (parse_u64(uids.names[i], &uid))
			continue;
		if (nr++ == MAX_USERS) {
			containers_keep_error(reading, -EFBIG);
			break;
		}
		read_user(reading, passwd.buf, uids.names[i]);
	}
	name_list_release(&uids);
}
