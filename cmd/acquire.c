// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "cmd/acquire.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "base/text.h"
#include "checks/playbook.h"
#include "cmd/cmd.h"
#include "cmd/inherited_signals.h"
#include "cmd/policy_in_force.h"
#include "cmd/progress.h"
#include "collect/collect.h"
#include "eval/facts/load_permission.h"
#include "eval/judge/selection.h"
#include "eval/judge/report.h"
#include "sys/clock.h"
#include "sys/lock.h"
#include "sys/signal_name.h"
#include "sys/surroundings.h"

enum { DEFAULT_WINDOW_MS = 1000 };

static volatile int interrupted_by;	/* the signal; int is atomic enough for a flag on Linux */

static void on_signal(int signal_number)
{
	interrupted_by = signal_number;
}

void acquire_release_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		struct sigaction old;

		if (!sigaction(signals[i], NULL, &old) && old.sa_handler == on_signal)
			signal(signals[i], SIG_DFL);
	}
}

void acquire_policy(struct acquisition *acq, bool is_replay)
{
	policy_in_force(&acq->policy, &acq->policy_arena, acq->policy_path, !is_replay && !acq->root);
}

/* Which host it is, and so which paths the policy names for it, is known once the node was read. */
static void add_storage_of_policy(struct acquisition *acq)
{
	const struct policy *policy = policy_resolve(&acq->policy_arena, &acq->policy,
						     str_or(acq->snapshot.host.name, NULL), NULL);

	for (size_t i = 0; !acq->is_bench && i < policy->storage_paths.nr; i++)
		acquire_add_storage(acq, policy->storage_paths.v[i]);
}

/* A recorded tree has no library, unless that was put beside it. */
static bool may_call_library(const struct acquisition *acq)
{
	return !acq->root || is_known(acq->snapshot.request.driver_root);
}

static bool is_named(const struct acquisition *acq, const struct probe *probe)
{
	return text_is_among(probe->name, acq->files) ||
	       (may_call_library(acq) && text_is_among(probe->name, acq->files_for_permit));
}

/* A run for a few checks spares the probes that none of them needs. */
static bool wanted(const struct probe *probe, void *data)
{
	struct acquisition *acq = data;
	unsigned needs = needs_of(&acq->snapshot.request, &playbook);

	if (probe->phase == PHASE_LOAD || probe->phase == PHASE_COLLECTIVE)
		load_check_selectors(acq);
	if (probe->phase == PHASE_STORAGE)
		add_storage_of_policy(acq);
	if (acq->is_bench)
		return load_needs(acq, probe);

	if (acq->files && (probe->phase == PHASE_NODE || probe->phase == PHASE_DEVICE_FILES))
		return is_named(acq, probe);

	switch (probe->phase) {
	case PHASE_DEVICE_FILES:
		return needs & NEEDS_LINKS;
	case PHASE_MANAGEMENT:
		return needs & NEEDS_VENDOR;
	case PHASE_WINDOW:
		/* A vendor's library is read once in full, and samples during the window. */
		if (probe->touches == TOUCHES_LIBRARY)
			return needs & NEEDS_VENDOR;
		return (needs & NEEDS_WINDOW) && u64_or(acq->snapshot.request.window_ms, 0);
	case PHASE_STORAGE:
		return needs & NEEDS_STORAGE;
	case PHASE_LIBRARY:
		return needs & (NEEDS_OPENCL | NEEDS_LOAD);
	case PHASE_IMPORT:
		return needs & NEEDS_IMPORT;
	case PHASE_LOAD:
		return needs & NEEDS_LOAD;
	case PHASE_COLLECTIVE:
		return needs & NEEDS_COLLECTIVE;
	default:
		return true;
	}
}

static void forget_log(struct acquire_log *known)
{
	if (known->is_read)
		node_log_release(&known->log);
	known->is_read = false;
}

/* A log of thousands of lines is not read for each worker anew. */
static const struct acquire_log *log_of(struct acquisition *acq, const struct snapshot *snapshot,
					enum probe_phase phase)
{
	struct acquire_log *known = &acq->log;

	if (known->is_read && known->phase == phase && known->gpus == snapshot->gpus &&
	    known->nr_gpus == snapshot->nr_gpus && known->nr_lines == snapshot->nr_log_lines)
		return known;
	forget_log(known);
	*known = (struct acquire_log){
		.policy = policy_resolve(&acq->policy_arena, &acq->policy, str_or(snapshot->host.name, NULL), NULL),
		.phase = phase, .gpus = snapshot->gpus, .nr_gpus = snapshot->nr_gpus,
		.nr_lines = snapshot->nr_log_lines,
		.is_read = true,
	};
	node_log_read(&known->log, snapshot, known->policy);
	return known;
}

static const char *refuse(const struct snapshot *snapshot, const struct probe *probe, const char *target,
			  struct arena *arena, void *data)
{
	struct acquisition *acq = data;
	const struct acquire_log *known;
	const char *reason = NULL;

	if (probe->touches == TOUCHES_FILES)
		return NULL;
	known = log_of(acq, snapshot, probe->phase);
	if (probe->phase == PHASE_MANAGEMENT || probe->phase == PHASE_WINDOW)
		reason = permit_nvml(arena, snapshot, known->policy, &known->log, target);
	else if (probe->phase == PHASE_LIBRARY || probe->phase == PHASE_IMPORT)
		reason = permit_icd(arena, snapshot, known->policy, &known->log, target);
	else if (probe->phase == PHASE_COLLECTIVE)
		reason = permit_collective(arena, snapshot, known->policy, &known->log);
	else if (!probe_puts_load(probe))
		reason = permit_watch(arena, snapshot, known->policy, &known->log, target);
	else
		reason = permit_load(arena, snapshot, known->policy, &known->log,
				     list_find(snapshot, ocl_devices, ocl_device, target));
	if (!reason && probe->touches == TOUCHES_DEVICE)
		load_progress(acq, target);
	return reason;
}

/* The probe that calls NVIDIA's library for each GPU, where one of them may hang it. */
static bool serially(const struct snapshot *snapshot, const struct probe *probe, void *data)
{
	struct acquisition *acq = data;

	return probe->phase == PHASE_WINDOW && probe->touches == TOUCHES_LIBRARY &&
	       permit_nvml_serially(snapshot, &log_of(acq, snapshot, probe->phase)->log);
}

static void progress(const char *what, void *data)
{
	STRBUF_AUTO text = STRBUF_INIT;

	(void)data;
	strbuf_addf(&text, "%s …", what);
	progress_show(text.buf);
}

static void second(void *data)
{
	(void)data;
	progress_tick();
}

/* A run that has little time must not spend it all on watching. */
static uint64_t default_window_ms(unsigned timeout_ms)
{
	return timeout_ms && timeout_ms / 4 < DEFAULT_WINDOW_MS ? timeout_ms / 4 : DEFAULT_WINDOW_MS;
}

/* A window is watched first, to its end: what is asked for must leave time to look at anything else. */
static void refuse_endless_window(const struct acquisition *acq)
{
	uint64_t window_ms = u64_or(acq->snapshot.request.window_ms, 0);

	if (acq->timeout_ms && window_ms >= acq->timeout_ms)
		die(EXIT_USAGE, "--window %llums does not fit into --timeout %ums: shorten the window or lengthen the "
		    "timeout", (unsigned long long)window_ms, acq->timeout_ms);
}

static void describe_run(struct acquisition *acq, int argc, char **argv)
{
	struct arena *arena = &acq->snapshot.arena;
	struct run *run = &acq->snapshot.run;
	struct request *request = &acq->snapshot.request;
	char now[32];

	clock_time_of_day(now);
	run->tool = val_str(TOOL);
	run->taken_at = val_str(arena_strdup(arena, now));
	run->source = val_str(acq->root ? "tree" : "live");
	strs_add(arena, &run->argv, "gpudiag");
	for (int i = 0; i < argc; i++) {
		STRBUF_AUTO clean = STRBUF_INIT;

		utf8_clean(&clean, argv[i], strlen(argv[i]));
		strs_add(arena, &run->argv, clean.buf);
	}
	if (!is_known(request->level))
		request->level = val_str("quick");
	if (!is_known(request->window_ms))
		request->window_ms = val_u64(default_window_ms(acq->timeout_ms));
	if (!is_known(request->opencl_type))
		request->opencl_type = val_str("gpu");
	/* A recorded tree does not hold this process. */
	if (bool_or(request->pid_is_self, false) && !acq->root)
		request->pid = val_u64((uint64_t)getpid());
}

/* A worker's arguments begin with the program's name. */
static int worker_main(int argc, char **argv)
{
	return command_probe_worker.main(argc - 1, argv + 1);
}

/* A name that was mistyped must not read as a driver that has no library. */
static void check_driver_root(const struct acquisition *acq)
{
	const char *path = str_or(acq->snapshot.request.driver_root, NULL);
	struct root root;
	int r = path ? root_open(&root, path) : 0;

	if (r)
		die(EXIT_USAGE, "--driver-root: %s: %s", path, strerror(-r));
	if (path)
		root_close(&root);
}

/* Others could hold the locks there that keep two runs from measuring at once, or name a worker that hangs. */
static void check_runtime_folder(void)
{
	const char *named = lock_folder_named();

	if (named && lock_folder_is_open(named))
		die(EXIT_USAGE, "GPUDIAG_RUNTIME_DIR: %s: others may write there, so its locks cannot be trusted: "
		    "chmod 700 it, or name another folder", named);
}

static void check_surroundings(void)
{
	char lack[320];

	if (surroundings_lack(lack, sizeof(lack)))
		die(EXIT_INTERNAL, "%s", lack);
	if (surroundings_open_files() < LEAST_OPEN_FILES)
		complain("only %llu files may be open at once: failures caused by that are not judged: ulimit -n %d "
			 "(LimitNOFILE= of a service, --ulimit nofile of a container)", surroundings_open_files(),
			 USUAL_OPEN_FILES);
}

void acquire_run(struct acquisition *acq, int argc, char **argv)
{
	struct root root = ROOT_LIVE;
	struct collect_options options = {
		.root = &root, .cancel = &interrupted_by, .timeout_ms = acq->timeout_ms,
		.places_only = acq->files != NULL, .worker_main = worker_main,
		.wanted = wanted, .refuse = refuse, .serially = serially, .progress = progress,
		.second = second, .data = acq,
	};
	uint64_t started_ns = clock_now_ns();
	int r = acq->root ? root_open(&root, acq->root) : 0;

	refuse_endless_window(acq);
	check_surroundings();
	check_driver_root(acq);
	check_runtime_folder();
	if (r)
		die(EXIT_USAGE, "%s: %s", acq->root, strerror(-r));
	r = acq->root ? root_exists(&root, "/sys") : 0;
	if (r && r != -ENOENT)
		die(EXIT_USAGE, "%s: %s", acq->root, strerror(-r));
	if (r && root_exists(&root, "/proc"))
		die(EXIT_USAGE, "%s: not a recorded tree: no sys and no proc in it", acq->root);
	describe_run(acq, argc, argv);
	/* No SA_RESTART: poll() must return. */
	inherited_signals_catch_ending(&(struct sigaction){ .sa_handler = on_signal });
	collect(&acq->snapshot, &options);
	progress_end();
	forget_log(&acq->log);
	root_close(&root);
	/* Of a tree, or of a few checks, no worker may have asked for it. */
	if (!interrupted_by)
		load_check_selectors(acq);
	acq->signal = interrupted_by;
	if (acq->signal)
		acq->snapshot.run.interrupted =
			val_str(arena_printf(&acq->snapshot.arena, "SIG%s", name_of_signal(acq->signal)));
	acq->snapshot.run.elapsed_ms = val_u64((clock_now_ns() - started_ns) / 1000000);
}

void acquire_release(struct acquisition *acq)
{
	snapshot_release(&acq->snapshot);
	arena_release(&acq->policy_arena);
}
