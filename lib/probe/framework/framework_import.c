// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * framework_import.c - probe "framework-import": imports a framework by its own interpreter, and asks which GPUs it
 * sees.
 *
 * What is imported is other people's code: it runs in a child of the worker, with the rights of whoever runs it anyway
 * (framework_rights.c), without a terminal, with a deadline, and what it prints is not trusted.
 */
#include "base/compat.h"
#include "probe/probe_table.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "probe/framework/framework_internal.h"
#include "probe/read.h"
#include "sys/clock.h"
#include "sys/descriptors.h"
#include "sys/give_up_root.h"

#define NAME "GPUDIAG_FRAMEWORK_NAME"
#define INTERPRETER "GPUDIAG_FRAMEWORK_INTERPRETER"
#define PID "GPUDIAG_FRAMEWORK_PID"

enum {
	IMPORT_MS = 30000,		/* from a network file system an import of PyTorch takes 20 s */
	ANSWER_FD = 3,
	MAX_ANSWER_BYTES = 4096, MAX_OUTPUT_BYTES = 4096,
	MAX_IMPORTS = 8,
};

/* ---- in the parent */

static bool is_named(const struct framework *framework)
{
	return str_is(framework->found_by, "python") || str_is(framework->found_by, "process");
}

/* Those that somebody named or runs; without any, those at usual places. */
static void targets(const struct snapshot *snapshot, struct arena *arena, struct strs *ret)
{
	bool any_named = false;

	for (size_t i = 0; i < snapshot->nr_frameworks; i++)
		any_named = any_named || is_named(&snapshot->frameworks[i]);
	for (size_t i = 0; i < snapshot->nr_frameworks && ret->nr < MAX_IMPORTS; i++) {
		const struct framework *framework = &snapshot->frameworks[i];

		if (is_known(framework->interpreter) && is_named(framework) == any_named)
			strs_add(arena, ret, str_or(framework->key, "?"));
	}
}

static bool applies(const struct snapshot *snapshot)
{
	return bool_or(snapshot->request.framework, false);
}

static void environment(const struct snapshot *snapshot, const char *target, struct arena *arena, struct strs *ret)
{
	const struct framework *framework = list_find(snapshot, frameworks, framework, target);

	if (!framework)
		return;
	strs_add(arena, ret, arena_printf(arena, NAME "=%s", str_or(framework->name, "")));
	strs_add(arena, ret, arena_printf(arena, INTERPRETER "=%s", str_or(framework->interpreter, "")));
	strs_add(arena, ret, arena_printf(arena, PID "=%llu", (unsigned long long)u64_or(framework->pid, 0)));
}

/* ---- the program */

/*
 * GPUs are counted without taking one: PyTorch counts by NVML, TensorFlow lists "physical devices" before it starts
 * any. JAX starts all GPUs and takes most of their memory as soon as it is asked, so it is not.
 */
static const char *program_of(const char *name)
{
	static const char torch[] =
		"import os\n"
		"answer = os.fdopen(3, 'w')\n"
		"import torch\n"
		"print('version', torch.__version__, file=answer, flush=True)\n"
		"count = torch.cuda.device_count()\n"
		"if not count and hasattr(torch, 'xpu'):\n"
		"    count = torch.xpu.device_count()\n"
		"print('devices', count, file=answer, flush=True)\n";
	static const char jax[] =
		"import os\n"
		"answer = os.fdopen(3, 'w')\n"
		"import jax\n"
		"print('version', jax.__version__, file=answer, flush=True)\n";
	static const char tensorflow[] =
		"import os\n"
		"answer = os.fdopen(3, 'w')\n"
		"import tensorflow\n"
		"print('version', tensorflow.__version__, file=answer, flush=True)\n"
		"count = len(tensorflow.config.list_physical_devices('GPU'))\n"
		"print('devices', count, file=answer, flush=True)\n";

	return !strcmp(name, "torch") ? torch : !strcmp(name, "jax") ? jax : tensorflow;
}

struct import {
	struct probe_env *env;
	struct sink *sink;
	struct arena arena;
	const char *name, *interpreter, *folder;
	uint64_t pid;
	struct rights rights;
	struct strs environment;
	/* while it runs */
	pid_t child;
	int answer_fd, output_fd;
	uint64_t start_ns, end_ns;
	struct strbuf answer, output;
	uint64_t import_ns;		/* 0: not imported yet */
	int wait_status;
	bool has_timed_out;
};

static struct framework_import *facts(struct import *im)
{
	struct framework_import *import = list_element(&im->sink->facts.arena, &im->sink->facts, framework_imports,
						       framework_import, im->env->target);

	import->name = val_str(arena_strdup(&im->sink->facts.arena, im->name));
	import->interpreter = val_str(arena_strdup(&im->sink->facts.arena, im->interpreter));
	return import;
}

static int give_up(struct import *im, enum val_state state, const char *why)
{
	struct framework_import *import = facts(im);

	import->version = no_str(state, arena_strdup(&im->sink->facts.arena, why));
	import->devices = no_u64(state, arena_strdup(&im->sink->facts.arena, why));
	import->import_ns = no_u64(state, arena_strdup(&im->sink->facts.arena, why));
	return sink_end(im->sink, PROBE_OK, NULL);
}

/* ---- its child */

NORETURN static void be_python(const struct import *im, int answer_fd, int output_fd, pid_t parent)
{
	static const struct rlimit no_core = { 0, 0 };
	const char *const argv[] = { im->interpreter, "-c", program_of(im->name), NULL };
	char *environment[IMPORT_MAX_VARIABLES + 1];
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	size_t nr = 0;

	for (; nr < im->environment.nr && nr < IMPORT_MAX_VARIABLES; nr++)
		environment[nr] = (char *)(uintptr_t)im->environment.v[nr];
	environment[nr] = NULL;
	setrlimit(RLIMIT_CORE, &no_core);
	if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(output_fd, STDOUT_FILENO) < 0 ||
	    dup2(output_fd, STDERR_FILENO) < 0 || dup2(answer_fd, ANSWER_FD) < 0)
		_exit(127);
	descriptors_close_from(ANSWER_FD + 1);
	if (chdir("/") || rights_take(&im->rights))
		_exit(126);
	/* After its rights have changed, which would undo it. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == parent)
		execve(im->interpreter, (char *const *)(uintptr_t)argv, environment);
	_exit(127);
}

static bool start(struct import *im)
{
	int answer[2], output[2];
	pid_t parent = getpid();

	if (pipe2(answer, O_CLOEXEC))
		return false;
	if (pipe2(output, O_CLOEXEC)) {
		close(answer[0]);
		close(answer[1]);
		return false;
	}
	im->start_ns = clock_now_ns();
	im->end_ns = im->start_ns + (uint64_t)IMPORT_MS * 1000000;
	im->child = fork();
	/* Neither end may be 3, which the answer's becomes. */
	if (!im->child)
		be_python(im, fcntl(answer[1], F_DUPFD_CLOEXEC, ANSWER_FD + 1),
			  fcntl(output[1], F_DUPFD_CLOEXEC, ANSWER_FD + 1), parent);
	close(answer[1]);
	close(output[1]);
	im->answer_fd = answer[0];
	im->output_fd = output[0];
	if (im->child > 0)
		return true;
	close(im->answer_fd);
	close(im->output_fd);
	return false;
}

/* Of an answer the beginning is kept, of what it prints the end. False: no more comes. */
static bool take(int fd, struct strbuf *text, size_t most, bool keep_end)
{
	char bytes[4096];
	ssize_t got = read(fd, bytes, sizeof(bytes));

	if (got <= 0)
		return got < 0 && errno == EINTR;
	if (keep_end && text->len + (size_t)got > most) {
		size_t drop = text->len + (size_t)got - most;

		drop = drop < text->len ? drop : text->len;
		memmove(text->buf, text->buf + drop, text->len - drop);
		strbuf_setlen(text, text->len - drop);
	}
	if (keep_end || text->len + (size_t)got <= most)
		strbuf_add(text, bytes, (size_t)got);
	return true;
}

/* Until the interpreter has ended, whoever it left behind: they may hold its pipes open. */
static void watch_child(struct import *im)
{
	struct pollfd fds[] = { { .fd = im->answer_fd, .events = POLLIN }, { .fd = im->output_fd, .events = POLLIN } };
	enum { POLL_MS = 20 };

	for (;;) {
		pid_t ended = waitpid(im->child, &im->wait_status, WNOHANG);

		while (poll(fds, ARRAY_SIZE(fds), ended ? 0 : POLL_MS) > 0) {
			if (fds[0].revents && !take(im->answer_fd, &im->answer, MAX_ANSWER_BYTES, false))
				fds[0].fd = -1;
			if (fds[1].revents && !take(im->output_fd, &im->output, MAX_OUTPUT_BYTES, true))
				fds[1].fd = -1;
			if (!im->import_ns && im->answer.len && strchr(im->answer.buf, '\n'))
				im->import_ns = clock_now_ns() - im->start_ns;
			if (clock_now_ns() > im->end_ns)
				break;
		}
		if (ended)
			return;
		if (clock_now_ns() > im->end_ns) {
			im->has_timed_out = true;
			return;
		}
	}
}

/* One that does not die of it sits in the kernel, and is left to it. */
static void finish(struct import *im)
{
	enum { TRIES = 20, TRY_NS = 10 * 1000 * 1000 };

	for (int i = 0; im->has_timed_out && i < TRIES; i++) {
		kill(im->child, SIGKILL);
		if (waitpid(im->child, &im->wait_status, WNOHANG))
			break;
		clock_sleep_ns(TRY_NS);
	}
	close(im->answer_fd);
	close(im->output_fd);
}

/* ---- what it said */

/* "2.5.0" of the line "version 2.5.0"; NULL: there is none. */
static const char *answered(struct import *im, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = im->answer.buf; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (!strncmp(line, key, len) && line[len] == ' ' && line[strcspn(line, "\n")])
			return arena_strndup(&im->sink->facts.arena, line + len + 1, strcspn(line + len + 1, "\n"));
	return NULL;
}

static const char *last_line(struct import *im)
{
	const char *start;

	strbuf_rtrim(&im->output);
	start = strrchr(im->output.buf, '\n');
	return start ? start + 1 : im->output.buf;
}

static const char *why_it_ended(struct import *im)
{
	struct arena *arena = &im->sink->facts.arena;

	if (im->has_timed_out)
		return arena_printf(arena, "not imported after %d s", IMPORT_MS / 1000);
	if (WIFSIGNALED(im->wait_status))
		return arena_printf(arena, "the interpreter was ended by signal %d (%s)", WTERMSIG(im->wait_status),
				    strsignal(WTERMSIG(im->wait_status)));
	if (WEXITSTATUS(im->wait_status) == 126)
		return "root's rights cannot be given up here";
	return arena_printf(arena, "the interpreter ended with status %d", WEXITSTATUS(im->wait_status));
}

static void tell(struct import *im)
{
	struct framework_import *import = facts(im);
	struct arena *arena = &im->sink->facts.arena;
	const char *version = answered(im, "version"), *devices = answered(im, "devices"), *line = last_line(im);
	const char *why = why_it_ended(im);
	enum val_state state = im->has_timed_out ? VAL_TIMEOUT : VAL_ERROR;
	uint64_t nr;

	import->user_id = val_u64(im->rights.user);
	import->output = *line ? text_value(arena, line, strlen(line)) : no_str(VAL_ABSENT, "it printed nothing");
	import->version = version ? text_value(arena, version, strlen(version)) : no_str(state, why);
	import->import_ns = version ? val_u64(im->import_ns) : no_u64(state, why);
	if (devices && !parse_u64(devices, &nr))
		import->devices = val_u64(nr);
	else if (version && !strcmp(im->name, "jax"))
		import->devices = no_u64(VAL_UNSUPPORTED, "JAX starts the GPUs to count them");
	else
		import->devices = no_u64(state, why);
}

static int run(struct probe_env *env, struct sink *sink)
{
	struct import im = { .env = env, .sink = sink, .answer = STRBUF_INIT, .output = STRBUF_INIT };
	const char *why;
	int status;

	im.name = getenv(NAME) ? getenv(NAME) : "";
	im.interpreter = getenv(INTERPRETER) ? getenv(INTERPRETER) : "";
	im.folder = env->target;
	if (parse_u64(getenv(PID) ? getenv(PID) : "0", &im.pid))
		im.pid = 0;
	sink_step(sink, "stat of the interpreter and the framework");
	why = import_rights(env, im.interpreter, im.folder, im.pid, &im.rights);
	if (why) {
		status = give_up(&im, VAL_SKIPPED, why);
	} else {
		import_environment(env, &im.arena, im.folder, im.pid, &im.environment);
		sink->quiet_ms = IMPORT_MS + PROBE_LATER_CALLS_MS;
		sink_step(sink, arena_printf(&im.arena, "import %s", im.name));
		if (start(&im)) {
			watch_child(&im);
			finish(&im);
			tell(&im);
			status = sink_end(sink, PROBE_OK, NULL);
		} else {
			status = give_up(&im, VAL_ERROR, name_of_errno(-errno));
		}
	}
	strbuf_release(&im.answer);
	strbuf_release(&im.output);
	arena_release(&im.arena);
	return status;
}

const struct probe probe_framework_import = {
	.name = "framework-import",
	.help = "imports a framework by its own interpreter, with its owner's rights, for --framework",
	.phase = PHASE_IMPORT,
	.touches = TOUCHES_LIBRARY,
	.live_only = true,
	.deadline_ms = IMPORT_MS + PROBE_LATER_CALLS_MS,
	.provides = (const char *const[]){ "framework_imports", NULL },
	.applies = applies,
	.targets = targets,
	.environment = environment,
	.run = run,
};
