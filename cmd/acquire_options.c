// SPDX-License-Identifier: GPL-2.0-or-later
/* acquire_options.c - the options of all who look at a machine. */
#include "base/compat.h"
#include "cmd/acquire.h"

#include <limits.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/ids.h"

enum { MAX_TIMEOUT_MS = 24 * 3600 * 1000 };

const char *const acquire_levels[] = { "read", "quick", "standard", "deep", NULL };
const char *const acquire_opencl_types[] = { "gpu", "cpu", "all", "auto", NULL };

/* N or N:MODEL */
void acquire_take_expect_gpus(void *to, const struct option_parser *parser)
{
	struct acquisition *acq = to;
	struct arena *arena = &acq->snapshot.arena;
	size_t len = strcspn(parser->argument, ":");
	char *number = arena_strndup(arena, parser->argument, len);
	uint64_t nr;

	if (parse_u64(number, &nr) || nr > 4096 || (parser->argument[len] && !parser->argument[len + 1]))
		die(EXIT_USAGE, "--expect-gpus: \"%s\" is not N or N:MODEL, e.g. 8 or 8:H100", parser->argument);
	acq->snapshot.request.expect_gpus = val_u64(nr);
	if (parser->argument[len])
		acq->snapshot.request.expect_model = val_str(arena_strdup(arena, parser->argument + len + 1));
}

void acquire_take_pid(void *to, const struct option_parser *parser)
{
	struct request *request = &((struct acquisition *)to)->snapshot.request;
	uint64_t pid;

	if (!strcmp(parser->argument, "self")) {
		request->pid_is_self = val_bool(true);
		return;
	}
	if (parse_u64(parser->argument, &pid) || !pid || pid > INT_MAX)
		die(EXIT_USAGE, "--pid: \"%s\" is not a process id or \"self\"", parser->argument);
	request->pid = val_u64(pid);
}

/*
 * Relative paths are to this folder, and a replay names them as they were. Nothing is looked up: a file server that is
 * gone makes whoever asks for a path wait.
 */
static const char *absolute_path(struct arena *arena, const char *what, const char *path)
{
	size_t len = strlen(path);
	char folder[PATH_MAX];

	while (len > 1 && path[len - 1] == '/')
		len--;
	if (!len || !utf8_valid(path, len))
		die(EXIT_USAGE, "%s: %s", what, len ? "a path that is not UTF-8" : "an empty path");
	path = arena_strndup(arena, path, len);
	if (*path != '/') {
		if (!getcwd(folder, sizeof(folder)))
			die(EXIT_USAGE, "%s: %s: the current folder is gone: use an absolute path", what, path);
		path = arena_printf(arena, "%s/%s", strcmp(folder, "/") ? folder : "", path);
	}
	return path;
}

static void add_path(struct acquisition *acq, struct strs *paths, const char *path, const char *what)
{
	struct arena *arena = &acq->snapshot.arena;

	path = absolute_path(arena, what, path);
	if (!strs_has(paths, path))
		strs_add(arena, paths, path);
}

void acquire_add_storage(struct acquisition *acq, const char *path)
{
	add_path(acq, &acq->snapshot.request.storage, path, "storage");
}

/* Another one must not have been named before. */
void acquire_take_collective(void *to, const struct option_parser *parser)
{
	struct snapshot *snapshot = &((struct acquisition *)to)->snapshot;
	struct val_str *value = &snapshot->request.collective;
	const char *path = absolute_path(&snapshot->arena, "all_reduce_perf", parser->argument);

	if (is_known(*value) && !str_is(*value, path))
		die(EXIT_USAGE, "two programs to run: %s and %s", str_or(*value, ""), path);
	*value = val_str(path);
}

static void add_paths(struct acquisition *acq, const struct option_parser *parser, struct strs *paths, const char *what)
{
	const char *rest = parser->argument;

	do {
		size_t len = strcspn(rest, ",");

		add_path(acq, paths, arena_strndup(&acq->snapshot.arena, rest, len), what);
		rest += len;
	} while (*rest++);
}

void acquire_take_storage(void *to, const struct option_parser *parser)
{
	struct acquisition *acq = to;

	add_paths(acq, parser, &acq->snapshot.request.storage, "storage");
}

void acquire_take_python(void *to, const struct option_parser *parser)
{
	struct acquisition *acq = to;

	add_paths(acq, parser, &acq->snapshot.request.python, "python");
}

void acquire_take_run_id(void *to, const struct option_parser *parser)
{
	struct snapshot *snapshot = &((struct acquisition *)to)->snapshot;
	const char *id = option_run_id(parser);

	snapshot->request.run_id = val_str(arena_strdup(&snapshot->arena, id));
}

void acquire_take_memory_share(void *to, const struct option_parser *parser)
{
	struct acquisition *acq = to;
	uint64_t percent;

	if (parse_u64(parser->argument, &percent) || percent > 100)
		die(EXIT_USAGE, "--memory-share: \"%s\" is not a percentage from 0 to 100", parser->argument);
	acq->snapshot.request.memory_share_percent = val_u64(percent);
}

void acquire_take_level(void *to, const struct option_parser *parser)
{
	struct request *request = &((struct acquisition *)to)->snapshot.request;

	request->level = val_str(acquire_levels[option_choice(parser)]);
	request->level_given = val_bool(true);
}

void acquire_take_timeout(void *to, const struct option_parser *parser)
{
	((struct acquisition *)to)->timeout_ms = (unsigned)option_duration_ms(parser, 1, MAX_TIMEOUT_MS);
}

void acquire_take_check(void *to, const struct option_parser *parser)
{
	struct snapshot *snapshot = &((struct acquisition *)to)->snapshot;

	option_selection(parser, &snapshot->arena, &snapshot->request.only_checks);
}

void acquire_take_skip(void *to, const struct option_parser *parser)
{
	struct snapshot *snapshot = &((struct acquisition *)to)->snapshot;

	option_selection(parser, &snapshot->arena, &snapshot->request.skip_checks);
}
