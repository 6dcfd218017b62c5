// SPDX-License-Identifier: GPL-2.0-or-later
/* acquire_options.c - the options of all who look at a machine. */
#include "base/compat.h"
#include "cmd/acquire.h"

#include <limits.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/ids.h"
#include "cmd/load_options.h"

enum { MAX_TIMEOUT_MS = 24 * 3600 * 1000 };

const char *const acquire_levels[] = { "read", "quick", "standard", "deep", NULL };
const char *const acquire_opencl_types[] = { "gpu", "cpu", "all", "auto", NULL };

/* N or N:MODEL */
static void set_expected(struct acquisition *acq, const struct option_parser *parser)
{
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

static void set_pid(struct acquisition *acq, const struct option_parser *parser)
{
	struct request *request = &acq->snapshot.request;
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

void acquire_set_collective(struct acquisition *acq, const char *path)
{
	struct val_str *value = &acq->snapshot.request.collective;

	path = absolute_path(&acq->snapshot.arena, "all_reduce_perf", path);
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

static void set_memory_share(struct acquisition *acq, const struct option_parser *parser)
{
	uint64_t percent;

	if (parse_u64(parser->argument, &percent) || percent > 100)
		die(EXIT_USAGE, "--memory-share: \"%s\" is not a percentage from 0 to 100", parser->argument);
	acq->snapshot.request.memory_share_percent = val_u64(percent);
}

/* Options recorded in snapshot.request, so that a replay sees the same ones. */
static void request_option(struct acquisition *acq, const struct option_parser *parser, int id)
{
	struct request *request = &acq->snapshot.request;

	switch (id) {
	case ACQUIRE_LEVEL:
		request->level = val_str(acquire_levels[option_choice(parser)]);
		request->level_given = val_bool(true);
		break;
	case ACQUIRE_OPENCL_TYPE:
		request->opencl_type = val_str(acquire_opencl_types[option_choice(parser)]);
		break;
	case ACQUIRE_DRIVER_ROOT:
		request->driver_root = val_str(option_path(parser, parser->argument));
		break;
	case ACQUIRE_EVEN_IF_BUSY:
		request->even_if_busy = val_bool(true);
		break;
	case ACQUIRE_TOUCH_HUNG:
		request->touch_hung = val_bool(true);
		break;
	case ACQUIRE_WAKE:
		request->wake = val_bool(true);
		break;
	case ACQUIRE_CHECK:
		option_ids(parser, IDS_OF_CHECKS, NULL, &acq->snapshot.arena, &request->only_checks);
		break;
	case ACQUIRE_SKIP:
		option_ids(parser, IDS_OF_CHECKS, NULL, &acq->snapshot.arena, &request->skip_checks);
		break;
	case ACQUIRE_EXPECT_GPUS:
		set_expected(acq, parser);
		break;
	case ACQUIRE_WINDOW:
		request->window_ms = val_u64(option_duration_ms(parser, 0, MAX_WATCH_MS));
		break;
	case ACQUIRE_STORAGE:
		add_paths(acq, parser, &request->storage, "storage");
		break;
	case ACQUIRE_PYTHON:
		add_paths(acq, parser, &request->python, "python");
		break;
	case ACQUIRE_FRAMEWORK:
		request->framework = val_bool(true);
		break;
	case ACQUIRE_COLLECTIVE:
		acquire_set_collective(acq, parser->argument);
		break;
	case ACQUIRE_MEMORY_SHARE:
		set_memory_share(acq, parser);
		break;
	case ACQUIRE_SUSTAIN:
		request->sustain_ms = val_u64(option_duration_ms(parser, 0, MAX_WATCH_MS));
		break;
	case ACQUIRE_PID:
		set_pid(acq, parser);
		break;
	default:
		load_option(acq, parser, id);
		break;
	}
}

void acquire_option(struct acquisition *acq, const struct option_parser *parser, int id)
{
	switch (id) {
	case ACQUIRE_ROOT:
		acq->root = option_path(parser, parser->argument);
		break;
	case ACQUIRE_POLICY:
		acq->policy_path = option_path(parser, parser->argument);
		break;
	case ACQUIRE_TIMEOUT:
		acq->timeout_ms = (unsigned)option_duration_ms(parser, 1, MAX_TIMEOUT_MS);
		break;
	default:
		request_option(acq, parser, id);
		break;
	}
}
