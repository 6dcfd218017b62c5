// SPDX-License-Identifier: GPL-2.0-or-later
/* look_options.c - the options of all who look at a machine. */
#include "base/compat.h"
#include "cmd/look.h"

#include <limits.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/ids.h"
#include "cmd/load.h"

enum { MAX_TIMEOUT_MS = 24 * 3600 * 1000 };

const char *const look_levels[] = { "read", "quick", "standard", "deep", NULL };
const char *const look_opencl_types[] = { "gpu", "cpu", "all", "auto", NULL };

/* N or N:MODEL */
static void set_expected(struct look *look, const struct option_parser *parser)
{
	struct arena *arena = &look->snapshot.arena;
	size_t len = strcspn(parser->argument, ":");
	char *number = arena_strndup(arena, parser->argument, len);
	uint64_t nr;

	if (parse_u64(number, &nr) || nr > 4096 || (parser->argument[len] && !parser->argument[len + 1]))
		die(EXIT_USAGE, "--expect-gpus: \"%s\" is not N or N:MODEL, as in 8 or 8:H100", parser->argument);
	look->snapshot.request.expect_gpus = val_u64(nr);
	if (parser->argument[len])
		look->snapshot.request.expect_model = val_str(arena_strdup(arena, parser->argument + len + 1));
}

static void set_pid(struct look *look, const struct option_parser *parser)
{
	struct request *request = &look->snapshot.request;
	uint64_t pid;

	if (!strcmp(parser->argument, "self")) {
		request->pid_is_self = val_bool(true);
		return;
	}
	if (parse_u64(parser->argument, &pid) || !pid || pid > INT_MAX)
		die(EXIT_USAGE, "--pid: \"%s\" is neither the number of a process nor \"self\"", parser->argument);
	request->pid = val_u64(pid);
}

static void set_memory_share(struct look *look, const struct option_parser *parser)
{
	uint64_t percent;

	if (parse_u64(parser->argument, &percent) || percent > 100)
		die(EXIT_USAGE, "--memory-share: \"%s\" is not a share in percent, 0 to 100", parser->argument);
	look->snapshot.request.memory_share_percent = val_u64(percent);
}

/* What is asked for, which the snapshot keeps. */
static void request_option(struct look *look, const struct option_parser *parser, int id)
{
	struct request *request = &look->snapshot.request;

	switch (id) {
	case LOOK_LEVEL:
		request->level = val_str(look_levels[option_choice(parser)]);
		request->level_given = val_bool(true);
		break;
	case LOOK_OPENCL_TYPE:
		request->opencl_type = val_str(look_opencl_types[option_choice(parser)]);
		break;
	case LOOK_DRIVER_ROOT:
		request->driver_root = val_str(option_path(parser, parser->argument));
		break;
	case LOOK_EVEN_IF_BUSY:
		request->even_if_busy = val_bool(true);
		break;
	case LOOK_TOUCH_HUNG:
		request->touch_hung = val_bool(true);
		break;
	case LOOK_WAKE:
		request->wake = val_bool(true);
		break;
	case LOOK_CHECK:
		option_ids(parser, IDS_OF_CHECKS, NULL, &look->snapshot.arena, &request->only_checks);
		break;
	case LOOK_SKIP:
		option_ids(parser, IDS_OF_CHECKS, NULL, &look->snapshot.arena, &request->skip_checks);
		break;
	case LOOK_EXPECT_GPUS:
		set_expected(look, parser);
		break;
	case LOOK_WINDOW:
		request->window_ms = val_u64(option_duration_ms(parser, 0, MAX_WATCH_MS));
		break;
	case LOOK_MEMORY_SHARE:
		set_memory_share(look, parser);
		break;
	case LOOK_SUSTAIN:
		request->sustain_ms = val_u64(option_duration_ms(parser, 0, MAX_WATCH_MS));
		break;
	case LOOK_PID:
		set_pid(look, parser);
		break;
	default:
		load_option(look, parser, id);
		break;
	}
}

void look_option(struct look *look, const struct option_parser *parser, int id)
{
	switch (id) {
	case LOOK_ROOT:
		look->root = option_path(parser, parser->argument);
		break;
	case LOOK_POLICY:
		look->policy_path = option_path(parser, parser->argument);
		break;
	case LOOK_TIMEOUT:
		look->timeout_ms = (unsigned)option_duration_ms(parser, 1, MAX_TIMEOUT_MS);
		break;
	default:
		request_option(look, parser, id);
		break;
	}
}
