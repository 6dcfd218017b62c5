// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/process/cgroup_path.h"

#include <stdbool.h>

#include "base/strbuf.h"

enum { CONTAINER_ID_DIGITS = 64, SHOWN_DIGITS = 12, UUID_CHARS = 36 };

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

static size_t hex_span(const char *text)
{
	size_t nr = 0;

	while (is_hex(text[nr]))
		nr++;
	return nr;
}

/* systemd writes what may not stand in a unit's name as \x2d. */
static void unescape(struct strbuf *out, const char *text, size_t len)
{
	strbuf_reset(out);
	for (size_t i = 0; i < len; i++) {
		if (len - i >= 4 && !strncmp(text + i, "\\x", 2) && is_hex(text[i + 2]) && is_hex(text[i + 3])) {
			const char digits[3] = { text[i + 2], text[i + 3], '\0' };

			strbuf_addch(out, (char)strtoul(digits, NULL, 16));
			i += 3;
		} else {
			strbuf_addch(out, text[i]);
		}
	}
}

/* "job_4711": only below a group of Slurm's, as others may have jobs too. */
static void look_for_job(const char *name, struct arena *arena, struct cgroup_owner *owner)
{
	static const char prefix[] = "job_";
	const char *number = name + strlen(prefix);
	size_t digits;

	if (owner->slurm_job || strncmp(name, prefix, strlen(prefix)))
		return;
	digits = strspn(number, "0123456789");
	if (digits && !number[digits])
		owner->slurm_job = arena_strndup(arena, number, digits);
}

/*
 * "slurm", "slurm_NODE" (version 1), "slurmstepd.scope" and
 * "NODE_slurmstepd.scope" (version 2).
 */
static bool is_slurms(const char *name)
{
	static const char scope[] = "slurmstepd.scope";
	size_t len = strlen(name);

	if (!strcmp(name, "slurm") || !strncmp(name, "slurm_", strlen("slurm_")))
		return true;
	return len >= strlen(scope) && !strcmp(name + len - strlen(scope), scope);
}

/*
 * "pod0b6b1f5e-…" or "kubepods-burstable-pod0b6b1f5e_….slice"; the pods a
 * kubelet starts by itself have 32 digits without a dash.
 */
static void look_for_pod(const char *name, struct arena *arena, struct cgroup_owner *owner)
{
	enum { STATIC_DIGITS = 32 };
	const char *at = !strncmp(name, "pod", strlen("pod")) ? name : strstr(name, "-pod");
	size_t len = 0, hex = 0;
	char *uid;

	if (owner->pod || !at)
		return;
	at += *at == '-' ? strlen("-pod") : strlen("pod");
	for (; is_hex(at[len]) || at[len] == '-' || at[len] == '_'; len++)
		hex += is_hex(at[len]);
	if (hex != STATIC_DIGITS || (len != UUID_CHARS && len != STATIC_DIGITS) ||
	    (at[len] && strncmp(at + len, ".slice", strlen(".slice"))))
		return;
	uid = arena_strndup(arena, at, len);
	for (size_t i = 0; i < len; i++)
		uid[i] = uid[i] == '_' ? '-' : uid[i];
	owner->pod = uid;
}

/*
 * Sixty-four digits, alone or as "docker-ID.scope", "cri-containerd-ID.scope",
 * "crio-ID", "libpod-ID.scope", "slice:cri-containerd:ID". What watches a
 * container (conmon) has its id too and is not in it.
 */
static void look_for_container(const char *name, struct arena *arena, struct cgroup_owner *owner)
{
	size_t len = strlen(name);
	const char *id;

	if (len > strlen(".scope") && !strcmp(name + len - strlen(".scope"), ".scope"))
		len -= strlen(".scope");
	if (len < CONTAINER_ID_DIGITS || strstr(name, "conmon-"))
		return;
	id = name + len - CONTAINER_ID_DIGITS;
	if (hex_span(id) != CONTAINER_ID_DIGITS || (id > name && id[-1] != '-' && id[-1] != ':'))
		return;
	/* The innermost one: Docker in Docker. */
	owner->container = arena_strndup(arena, id, SHOWN_DIGITS);
}

static void parse_path(const char *path, size_t len, struct arena *arena, struct cgroup_owner *owner)
{
	STRBUF_AUTO name = STRBUF_INIT;
	const char *end = path + len;
	bool below_slurm = false;

	while (path < end) {
		const char *slash = memchr(path, '/', (size_t)(end - path));
		size_t name_len = (size_t)((slash ? slash : end) - path);

		unescape(&name, path, name_len);
		below_slurm |= is_slurms(name.buf);
		if (below_slurm)
			look_for_job(name.buf, arena, owner);
		look_for_pod(name.buf, arena, owner);
		look_for_container(name.buf, arena, owner);
		path += name_len + 1;
	}
}

/* How useful a hierarchy is: its own kind is between the colons of "4:cpu,cpuacct:/path". */
static int rank(const char *kind, size_t len)
{
	static const char *const kinds[] = { "name=systemd", "devices", "memory" };

	if (!len)
		return ARRAY_SIZE(kinds) + 1;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strlen(kinds[i]) == len && !memcmp(kinds[i], kind, len))
			return (int)i + 1;
	}
	return 0;
}

/* "0::/path" or "4:memory:/path". What an earlier line said of job and pod stands. */
static void parse_line(const char *line, size_t len, struct arena *arena, struct cgroup_owner *owner, int *best)
{
	const char *kind = memchr(line, ':', len);
	const char *path = kind ? memchr(kind + 1, ':', (size_t)(line + len - kind - 1)) : NULL;
	struct cgroup_owner here = *owner;
	size_t path_len;
	int here_rank;

	if (!path || path + 1 == line + len || *++path != '/')
		return;
	path_len = (size_t)(line + len - path);
	parse_path(path, path_len, arena, &here);
	owner->slurm_job = here.slurm_job;
	owner->pod = here.pod;
	if (!owner->container)
		owner->container = here.container;
	/* A root says nothing, as version 2's does beside version 1. */
	here_rank = path_len == 1 ? 0 : rank(kind + 1, (size_t)(path - 1 - kind - 1));
	if (here_rank > *best) {
		*best = here_rank;
		owner->path = arena_strndup(arena, path, path_len);
	}
}

void cgroup_owner_parse(const char *text, struct arena *arena, struct cgroup_owner *ret)
{
	int best = -1;

	*ret = (struct cgroup_owner){ 0 };
	while (*text) {
		size_t len = strcspn(text, "\n");

		parse_line(text, len, arena, ret, &best);
		text += len + (text[len] == '\n');
	}
}
