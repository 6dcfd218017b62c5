// SPDX-License-Identifier: GPL-2.0-or-later
/* probe_worker.c - the hidden command a worker process runs: one probe, one target; or a source of ticks. */
#include "base/compat.h"
#include "cmd/probe_worker.h"

#include "cmd/cmd.h"

#include <errno.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "probe/sample/sample.h"
#include "probe/automounts.h"
#include "probe/library.h"
#include "probe/probe.h"
#include "sys/lock.h"
#include "sys/own_path.h"
#include "sys/worker.h"

/*
 * Without a lock a worker that reads goes on: the lock says who hangs, it
 * keeps nobody from reading. Load is for one at a time: -EWOULDBLOCK then.
 */
static int take_lock(const struct probe *probe, const char *target, struct lock_note *holder)
{
	char folder[256], name[PROBE_LOCK_NAME_BYTES];
	int fd;

	if (lock_folder(folder, sizeof(folder)))
		return -1;
	if (getenv(PROBE_SIDE_BY_SIDE_VARIABLE))
		probe_own_lock_name(probe, target, name);
	else
		probe_lock_name(probe, target, name);
	fd = lock_take(folder, name, worker_child_deadline_ms(), holder);
	if (fd == -EWOULDBLOCK && probe_puts_load(probe))
		return fd;
	return fd < 0 ? -1 : fd;
}

static int run_probe(const struct probe *probe, struct probe_env *env, struct sink *sink)
{
	struct lock_note holder = { .pid = 0 };
	char why[80], words[64];
	/* Load is put on this machine, whichever one was recorded. */
	int fd = root_is_live(env->root) || probe_puts_load(probe) ? take_lock(probe, env->target, &holder) : -1;

	if (fd == -EWOULDBLOCK) {
		snprintf(why, sizeof(why), "%s is measuring", lock_holder_words(&holder, words, sizeof(words)));
		return sink_end(sink, PROBE_REFUSED, why);
	}
	env->lock_fd = sink->lock_fd = fd;
	return probe->run(env, sink);
}

/* What ps shows of one that hangs: a fork has its parent's command line. */
static void take_name(const char *of)
{
	char name[16];

	snprintf(name, sizeof(name), PROBE_WORKER_NAME "%s", of);
	prctl(PR_SET_NAME, name);
}

static int run_one(const char *name, const char *target, struct probe_env *env, struct sink *sink)
{
	const struct probe *probe = probe_by_name(name);

	if (!probe)
		die(EXIT_USAGE, "probe--worker is for gpudiag itself");
	take_name(probe->name);
	env->target = target;
	return run_probe(probe, env, sink);
}

/* The arguments after those of one of the probes that share this process; NULL: there are none. */
static char **after_probe(char **one)
{
	for (one += 2; *one && **one; one++)
		;
	return *one && one[1] ? one + 1 : NULL;
}

static char **probe_at(char **all, size_t number)
{
	while (all && number--)
		all = after_probe(all);
	return all;
}

/* Its variables are of this one only. */
static void set_variables(char *const *variables, bool is_set)
{
	for (; *variables && **variables; variables++) {
		size_t len = strcspn(*variables, "=");
		char name[64];

		snprintf(name, sizeof(name), "%.*s", (int)len, *variables);
		if (is_set)
			setenv(name, *variables + len + 1, 1);
		else
			unsetenv(name);
	}
}

static int run_shared(char **all, struct probe_env *env, int fd)
{
	struct probe_turn turn;
	char **one;
	int r = 0;

	while (!r && read(fd, &turn, sizeof(turn)) == sizeof(turn) && (one = probe_at(all, turn.number))) {
		struct sink sink = { .fd = WORKER_FRAME_FD, .lock_fd = -1 };

		sink_begin(&sink, turn.number);
		set_variables(one + 2, true);
		r = run_one(one[0], *one[1] ? one[1] : NULL, env, &sink);
		set_variables(one + 2, false);
		/* Its lock is another run's sign that it hangs. */
		if (sink.lock_fd >= 0)
			close(sink.lock_fd);
	}
	return r;
}

/* Its lock says who hangs; two that watch one node do not disturb each other. */
static int run_source(const struct sample_source *source, const struct root *root)
{
	struct lock_note holder;
	char folder[256];
	int fd = -1;

	if (root_is_live(root) && !lock_folder(folder, sizeof(folder)))
		fd = lock_take(folder, source->name, worker_child_deadline_ms(), &holder);
	return sample_run(source, root, fd < 0 ? -1 : fd);
}

struct worker_options {
	const char *root;
	bool wake, places_only, is_shared;
};

static const struct option_row options[] = {
	OPTION_FOLDER("root", "read a recorded tree", struct worker_options, root),
	OPTION_FLAG("wake", 0, "touch what sleeps", struct worker_options, wake),
	OPTION_FLAG("places", 0, "read what hangs where, and no more", struct worker_options, places_only),
	OPTION_FLAG("shared", 0, "run several probes", struct worker_options, is_shared),
	{ .name = NULL },
};

/*
 * Drivers keep compiled programs in folders that these name, and run what they find there. Of root called with the
 * variables of a user (sudo -E) that would be what the user put there.
 */
static void leave_folders_of_others(void)
{
	static const char *const variables[] = {
		"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "POCL_CACHE_DIR", "CUDA_CACHE_PATH",
		"NEO_CACHE_DIR", "MESA_SHADER_CACHE_DIR", "TMPDIR",
	};
	const char *home = getenv("HOME");

	for (size_t i = 0; i < ARRAY_SIZE(variables); i++) {
		const char *folder = getenv(variables[i]);

		if (folder && !path_is_own(folder))
			unsetenv(variables[i]);
	}
	if (home && !path_is_own(home))
		setenv("HOME", path_is_own("/root") ? "/root" : "/", 1);
}

int probe_worker_run(int argc, char **argv, const struct root *tree)
{
	struct worker_options asked = { .root = NULL };
	struct option_parser parser = { .rows = options, .argc = argc, .argv = argv, .into = &asked,
					.command = "probe--worker" };
	struct root root = ROOT_LIVE;
	struct sink sink = { .fd = WORKER_FRAME_FD, .lock_fd = -1 };
	struct probe_env env = { .root = &root, .lock_fd = -1 };
	const struct sample_source *source;
	struct automounts automounts = { .named = NULL };
	const char *name;
	int r;

	/* Before anything is opened: it closes what was inherited. */
	if (worker_child_setup())
		return EXIT_INTERNAL;
	leave_folders_of_others();
	options_take(&parser);
	env.may_wake = asked.wake;
	env.places_only = asked.places_only;
	if (tree && tree->memory)
		root = *tree;
	r = asked.root && !root.memory ? root_open(&root, asked.root) : 0;
	if (r)
		die(EXIT_INTERNAL, "%s: %s", asked.root, strerror(-r));
	name = parser.at < argc ? argv[parser.at] : "";
	source = probe_by_name(name) ? NULL : sample_source_by_name(name);
	if (source) {
		take_name(source->name);
		return run_source(source, &root);
	}
	if (root_is_live(&root))
		automounts_leave_alone(&automounts, &root, library_driver_root());
	if (asked.is_shared)
		r = run_shared(argv + parser.at, &env, worker_shared_fd());
	else
		r = run_one(name, parser.at + 1 < argc ? argv[parser.at + 1] : NULL, &env, &sink);
	automounts_release(&automounts);
	return r;
}

static int probe_worker_main(int argc, char **argv)
{
	return probe_worker_run(argc, argv, NULL);
}

const struct command command_probe_worker = {
	.name = "probe--worker",
	.options = options,
	.main = probe_worker_main,
	.hidden = true,
};
