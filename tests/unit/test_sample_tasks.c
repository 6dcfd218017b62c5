// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_sample_tasks.c - processes in ticks, from a recorded /proc that changes under its reader: who is watched and
 * why, and what is said where a file is missing, broken, refused, or another process's by now.
 */
#include "base/compat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "probe/sample/sample_tasks_internal.h"
#include "tests/unit/tree.h"
#include "tests/unit/sample_env.h"

#define GPU "0000:5d:00.0"
#define SECOND_GPU "0000:9b:00.0"
#define GROUPS "sys/fs/cgroup/"

static struct snapshot sealed;

/* A line of stat; what a test does not set is plausible. */
struct fake {
	unsigned pid, parent, group, session, flags, user, system, threads, started, faults;
	const char *comm;
	char state;
	int exit_signal;
};

static void put_stat(const char *path, struct fake fake)
{
	char text[512];

	snprintf(
		text, sizeof(text),
		"%u (%s) %c %u %u %u 0 -1 %u %u 0 %u 0 %u %u 0 0 20 0 %u 0 %u 1 1 1 1 1 1 1 1 0 0 0 0 0 0 0 %d %u 0 0 0 0 0\n",
		fake.pid, fake.comm ? fake.comm : "python3", fake.state ? fake.state : 'S', fake.parent,
		fake.group ? fake.group : 9, fake.session ? fake.session : 9, fake.flags, fake.faults, fake.faults,
		fake.user, fake.system, fake.threads ? fake.threads : 1, fake.started ? fake.started : 500,
		fake.exit_signal ? fake.exit_signal : 17, 3U);
	put_text(path, text);
}

static const char *of_process(unsigned pid, const char *file)
{
	static char paths[4][128];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "proc/%u/%s", pid, file);
	return path;
}

static void put_process(struct fake fake)
{
	char task[64];

	put_stat(of_process(fake.pid, "stat"), fake);
	snprintf(task, sizeof(task), "task/%u/stat", fake.pid);
	put_stat(of_process(fake.pid, task), fake);
	put_text(of_process(fake.pid, "schedstat"), "1 2 3\n");
	snprintf(task, sizeof(task), "task/%u/schedstat", fake.pid);
	put_text(of_process(fake.pid, task), "1000 2000 3\n");
	put_text(of_process(fake.pid, "status"), "Name:\tx\nCpus_allowed_list:\t0-3,8\nvoluntary_ctxt_switches:\t5\n");
	put_text(of_process(fake.pid, "io"),
		 "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 6\ncancelled_write_bytes: 0\n");
	scratch_make_way(of_process(fake.pid, "fd/"));
}

static void end_process(unsigned pid)
{
	nftw(scratch(of_process(pid, "")), scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void hold(unsigned pid, unsigned fd, const char *node)
{
	char name[32];

	snprintf(name, sizeof(name), "fd/%u", fd);
	put_link(of_process(pid, name), node);
}

static void put_gpu(const char *address, const char *driver, struct val_u64 minor)
{
	struct gpu *gpu = list_element(&sealed.arena, &sealed, gpus, gpu, address);

	gpu->pci.driver = val_str(driver);
	gpu->pci.class_code = val_str("0x030200");
	gpu->pci.vendor_id = val_str(!strcmp(driver, "nvidia") ? "0x10de" : "0x1002");
	gpu->nvidia.minor = minor;
}

static int begin(void **state)
{
	if (tree_make(state))
		return -1;
	put_text("proc/loadavg", "0.1 0.1 0.1 1/100 100\n");
	put_text("proc/devices", "Character devices:\n195 nvidia\n226 drm\n");
	put_process((struct fake){ .pid = 1, .comm = "systemd", .session = 1, .group = 1 });
	put_process((struct fake){ .pid = 2, .comm = "kthreadd", .flags = 0x200000 });
	put_process((struct fake){ .pid = 10, .parent = 1, .comm = "bash", .session = 10, .group = 10 });
	return 0;
}

static void end_tick(void)
{
	tick_release(&tick);
	snapshot_release(&sealed);
	memset(&sealed, 0, sizeof(sealed));
}

static int end(void **state)
{
	end_tick();
	sample_env.interval_ns = UINT64_C(1000000000);
	return tree_remove(state);
}

/* With that process asked for; 0: none. */
static struct task_watch *watch(unsigned pid)
{
	struct task_watch *own;

	sealed.request.pid = pid ? val_u64(pid) : no_u64(VAL_ABSENT, "none");
	tell(&sample_tasks, &sealed);
	own = open_source(&sample_tasks, &tree);
	own->budget_ns = UINT64_C(60000000000);
	return own;
}

/* A tick in which all of /proc was walked. */
static void next_round(struct task_watch *own)
{
	own->walk.began_ns = 0;
	own->now_ns = 0;
	task_walk_whole(own);
	read_tick(&sample_tasks, own);
}

static struct tick_process *seen(unsigned pid)
{
	char key[24];

	snprintf(key, sizeof(key), "%u", pid);
	return list_find(&tick, processes, tick_process, key);
}

static void assert_role(unsigned pid, const char *role)
{
	assert_non_null(seen(pid));
	assert_string_equal(str_or(seen(pid)->role, ""), role);
}

/* ---- who is watched */

static void put_holders(void)
{
	put_gpu(GPU, "nvidia", val_u64(3));
	put_gpu(SECOND_GPU, "amdgpu", no_u64(VAL_ABSENT, ""));
	put_link("sys/class/drm/renderD129/device", "../../../" SECOND_GPU);
	put_process((struct fake){ .pid = 20, .parent = 10, .user = 100, .system = 7, .faults = 4 });
	hold(20, 3, "/dev/nvidiactl");
	hold(20, 4, "/dev/nvidia3");
	hold(20, 5, "/dev/dri/renderD129 (deleted)");
	put_process((struct fake){ .pid = 21, .parent = 20, .comm = "pt_data_worker" });
	put_process((struct fake){ .pid = 22, .parent = 10 });
	hold(22, 4, "/dev/nvidia4");
	hold(22, 5, "/dev/dri/card7");
	put_process((struct fake){ .pid = 23, .parent = 1, .comm = "pt_data_worker" });
	hold(23, 4, "/dev/kfd");
}

static void holders_and_their_children(void **state)
{
	struct task_watch *own;

	(void)state;
	put_holders();
	own = watch(0);
	read_tick(&sample_tasks, own);
	assert_int_equal(tick.nr_processes, 3);
	assert_role(20, "holder");
	assert_int_equal(seen(20)->gpus.nr, 2);
	assert_string_equal(seen(20)->gpus.v[0], GPU);
	assert_string_equal(seen(20)->gpus.v[1], SECOND_GPU);
	assert_role(21, "child");
	assert_u64(seen(21)->parent, 20);
	assert_role(23, "holder");
	assert_int_equal(seen(23)->gpus.nr, 0);
	assert_int_equal(seen(20)->requested.state, VAL_ABSENT);
	assert_u64(seen(20)->user_ns, 1000000000);
	assert_u64(seen(20)->system_ns, 70000000);
	assert_u64(seen(20)->major_faults, 4);
	assert_u64(seen(20)->started_ns, UINT64_C(5000000000));
	assert_u64(seen(20)->cpus_allowed, 5);
	assert_u64(seen(20)->read_call_bytes, 1);
	assert_u64(seen(20)->written_call_bytes, 2);
	assert_u64(seen(20)->read_calls, 3);
	assert_u64(seen(20)->read_bytes, 5);
	assert_u64(seen(20)->written_bytes, 6);
	assert_u64(tick.host.processes_seen, 3);
	assert_u64(tick.host.processes_hidden, 0);
	sample_tasks.close(own);
}

/* init and the manager of sessions hold displays, and everybody is their child. */
static void children_of_init_are_not_its_family(void **state)
{
	struct task_watch *own;

	(void)state;
	put_gpu(SECOND_GPU, "amdgpu", no_u64(VAL_ABSENT, ""));
	put_link("sys/class/drm/card1/device", "../../../" SECOND_GPU);
	hold(1, 9, "/dev/dri/card1");
	own = watch(0);
	read_tick(&sample_tasks, own);
	assert_int_equal(tick.nr_processes, 1);
	assert_role(1, "holder");
	sample_tasks.close(own);
}

static void whoever_closes_his_gpus_is_let_go(void **state)
{
	struct task_watch *own;

	(void)state;
	put_holders();
	own = watch(0);
	read_tick(&sample_tasks, own);
	unlink(scratch("proc/20/fd/4"));
	unlink(scratch("proc/20/fd/5"));
	next_round(own);
	assert_role(20, "holder");	/* it did nothing meanwhile, so that it was not looked at */
	put_stat("proc/20/stat", (struct fake){ .pid = 20, .parent = 10, .user = 101 });
	hold(21, 7, "/dev/nvidia3");
	put_stat("proc/21/stat", (struct fake){ .pid = 21, .parent = 20, .user = 1 });
	next_round(own);
	assert_null(seen(20));
	assert_role(21, "holder");
	assert_role(23, "holder");
	sample_tasks.close(own);
}

static void put_asked(void)
{
	put_gpu(GPU, "nvidia", val_u64(0));
	put_process((struct fake){ .pid = 30, .parent = 10, .group = 30, .session = 10 });
	put_process((struct fake){ .pid = 35, .parent = 34 });
	put_process((struct fake){ .pid = 34, .parent = 36 });
	put_process((struct fake){ .pid = 36, .parent = 30 });
	put_process((struct fake){ .pid = 40, .parent = 10 });
	put_process((struct fake){ .pid = 41, .parent = 40 });
	hold(40, 4, "/dev/nvidia0");
	hold(35, 4, "/dev/nvidia0");
}

/* Whatever the order of their numbers; holders elsewhere are told, but not their children. */
static void the_asked_and_its_tree(void **state)
{
	struct task_watch *own;

	(void)state;
	put_asked();
	own = watch(30);
	read_tick(&sample_tasks, own);
	assert_int_equal(tick.nr_processes, 5);
	assert_role(30, "asked");
	assert_role(36, "child");
	assert_role(34, "child");
	assert_role(35, "holder");
	assert_true(bool_or(seen(35)->requested, false));
	assert_role(40, "holder");
	assert_false(bool_or(seen(40)->requested, true));
	sample_tasks.close(own);
}

/* By its process group, or the session of one of the family; a peer in a pipeline is of its shell. */
static void orphans_stay_in_the_family(void **state)
{
	struct task_watch *own;

	(void)state;
	put_asked();
	put_process((struct fake){ .pid = 50, .parent = 1, .group = 30, .session = 10 });
	put_process((struct fake){ .pid = 51, .parent = 10, .group = 30, .session = 10, .comm = "tee" });
	put_process((struct fake){ .pid = 52, .parent = 30, .group = 52, .session = 52 });
	put_process((struct fake){ .pid = 53, .parent = 1, .group = 53, .session = 52 });
	put_process((struct fake){ .pid = 54, .parent = 1, .group = 54, .session = 54 });
	own = watch(30);
	read_tick(&sample_tasks, own);
	assert_role(50, "child");
	assert_null(seen(51));
	assert_role(52, "child");
	assert_role(53, "child");
	assert_null(seen(54));
	/* Its parent exits. */
	end_process(36);
	put_stat("proc/34/stat", (struct fake){ .pid = 34, .parent = 1 });
	next_round(own);
	assert_null(seen(36));
	assert_role(34, "child");
	sample_tasks.close(own);
}

/* gpudiag has the command's orphans as children, whose parents may never have been seen. */
static void orphans_that_gpudiag_took_in(void **state)
{
	struct task_watch *own;

	(void)state;
	put_asked();
	own = watch(30);
	own->own_pid = 999;
	own->parent_pid = 10;
	put_process((struct fake){ .pid = 55, .parent = 10, .group = 55, .session = 55 });
	put_process((struct fake){ .pid = 56, .parent = 55, .group = 55, .session = 55 });
	put_process((struct fake){ .pid = 57, .parent = 10, .group = 57, .session = 57, .comm = "gpudiag-sample" });
	put_process((struct fake){ .pid = 58, .parent = 10, .group = 10, .session = 10, .started = 400 });
	next_round(own);
	assert_role(30, "asked");
	assert_role(55, "child");
	assert_true(bool_or(seen(55)->requested, false));
	assert_role(56, "child");
	assert_null(seen(57));
	assert_null(seen(58));
	sample_tasks.close(own);
}

static void orphans_in_the_asked_group(void **state)
{
	struct task_watch *own;

	(void)state;
	put_asked();
	put_text("proc/10/cgroup", "0::/user.slice\n");
	put_text("proc/30/cgroup", "0::/system.slice/docker-1.scope\n");
	put_process((struct fake){ .pid = 60, .parent = 1, .group = 60, .session = 60 });
	put_text("proc/60/cgroup", "0::/system.slice/docker-1.scope\n");
	put_process((struct fake){ .pid = 61, .parent = 1, .group = 61, .session = 61 });
	put_text("proc/61/cgroup", "0::/system.slice\n");
	own = watch(30);
	read_tick(&sample_tasks, own);
	assert_role(60, "child");
	assert_null(seen(61));
	sample_tasks.close(own);
}

/* ---- who comes and goes */

static void new_children_in_the_next_tick(void **state)
{
	struct task_watch *own;

	(void)state;
	put_asked();
	own = watch(30);
	read_tick(&sample_tasks, own);
	put_process((struct fake){ .pid = 101, .parent = 30 });
	put_process((struct fake){ .pid = 103, .parent = 101 });
	put_process((struct fake){ .pid = 104, .parent = 10 });
	put_process((struct fake){ .pid = 105, .parent = 10, .exit_signal = -1 });	/* a thread */
	put_text("proc/loadavg", "0.1 0.1 0.1 1/100 104\n");
	read_tick(&sample_tasks, own);
	assert_role(101, "child");
	assert_role(103, "child");
	assert_null(seen(104));
	/* The numbers began anew. */
	put_process((struct fake){ .pid = 11, .parent = 30 });
	put_text("proc/30/task/30/children", "11 36 77 \n");
	put_text("proc/loadavg", "0.1 0.1 0.1 1/100 11\n");
	read_tick(&sample_tasks, own);
	assert_role(11, "child");
	sample_tasks.close(own);
}

/* Without that file the walk finds them. */
static void new_children_without_loadavg(void **state)
{
	struct task_watch *own;

	(void)state;
	unlink(scratch("proc/loadavg"));
	put_asked();
	own = watch(30);
	read_tick(&sample_tasks, own);
	put_process((struct fake){ .pid = 101, .parent = 30 });
	next_round(own);
	assert_role(101, "child");
	sample_tasks.close(own);
}

static void a_number_that_is_used_again(void **state)
{
	struct task_watch *own;

	(void)state;
	put_asked();
	own = watch(30);
	read_tick(&sample_tasks, own);
	put_stat("proc/36/stat", (struct fake){ .pid = 36, .parent = 10, .started = 900 });
	put_stat("proc/30/stat", (struct fake){ .pid = 30, .parent = 10, .started = 900 });
	read_tick(&sample_tasks, own);
	assert_null(seen(36));
	assert_null(seen(30));
	next_round(own);
	assert_null(seen(30));
	assert_role(34, "child");
	sample_tasks.close(own);
}

static void broken_lines(void **state)
{
	static const char *const lines[] = {
		"", "7", "7 (x", "7 (x)", "7 (x) S", "7 (x) S 1 2 3", "7 (x) S 1 2 3 4 5 6 7\n"
	};
	struct task_watch *own;

	(void)state;
	put_asked();
	own = watch(30);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		put_text("proc/36/stat", lines[i]);
		read_tick(&sample_tasks, own);
		assert_null(seen(36));
		put_process((struct fake){ .pid = 36, .parent = 30 });
		next_round(own);
		assert_non_null(seen(36));
	}
	put_text("proc/36/io", "rchar: x\nsyscr:");
	put_text("proc/36/task/36/schedstat", "- 1\n");
	put_text("proc/36/status", "Cpus_allowed_list:\t3-1\n");
	own->processes[0]->attributes_tick = 0;
	for (size_t i = 0; i < own->nr; i++)
		own->processes[i]->attributes_tick = 0;
	read_tick(&sample_tasks, own);
	assert_no_u64(seen(36)->read_call_bytes, VAL_ERROR);
	assert_no_u64(seen(36)->read_bytes, VAL_ABSENT);
	assert_no_u64(seen(36)->read_calls, VAL_ERROR);
	assert_no_u64(seen(36)->cpus_allowed, VAL_ERROR);
	sample_tasks.close(own);
}

static void any_bytes_in_a_name(void **state)
{
	struct task_watch *own;

	(void)state;
	put_asked();
	put_process((struct fake){ .pid = 30, .parent = 10, .comm = "a) S 1 (\xff\xc3\x28" });
	own = watch(30);
	read_tick(&sample_tasks, own);
	assert_string_equal(str_or(seen(30)->comm, ""), "a) S 1 (\xef\xbf\xbd\xef\xbf\xbd(");
	sample_tasks.close(own);
}

static void missing_files(void **state)
{
	struct task_watch *own;

	(void)state;
	put_asked();
	unlink(scratch("proc/30/io"));
	unlink(scratch("proc/30/status"));
	own = watch(30);
	read_tick(&sample_tasks, own);
	assert_no_u64(seen(30)->read_bytes, VAL_ABSENT);
	assert_no_u64(seen(30)->cpus_allowed, VAL_ABSENT);
	assert_int_equal(seen(30)->group.state, VAL_ABSENT);
	assert_non_null(seen(30)->group.why);
	sample_tasks.close(own);
}

static void more_than_there_is_room_for(void **state)
{
	struct task_watch *own;

	(void)state;
	put_gpu(GPU, "nvidia", val_u64(0));
	put_process((struct fake){ .pid = 30, .parent = 10 });
	for (unsigned i = 0; i < TASKS_MAX_PROCESSES + 9; i++)
		put_stat(of_process(1000 + i, "stat"), (struct fake){ .pid = 1000 + i, .parent = 30 });
	own = watch(30);
	read_tick(&sample_tasks, own);
	assert_int_equal(tick.nr_processes, TASKS_MAX_PROCESSES);
	assert_u64(tick.host.processes_left_out, 10);
	/* A holder comes in for a child. */
	put_process((struct fake){ .pid = 5000, .parent = 10 });
	hold(5000, 4, "/dev/nvidia0");
	next_round(own);
	assert_int_equal(tick.nr_processes, TASKS_MAX_PROCESSES);
	assert_role(5000, "holder");
	sample_tasks.close(own);
}

/* ---- what is hidden */

static void a_pid_namespace_hides_processes(void **state)
{
	struct task_watch *own;

	(void)state;
	put_asked();
	put_link("proc/self/ns/pid", "pid:[4026532000]");
	own = watch(30);
	read_tick(&sample_tasks, own);
	assert_no_u64(tick.host.processes_hidden, VAL_DENIED);
	assert_no_u64(tick.host.gpu_faults_ns, VAL_ABSENT);
	sample_tasks.close(own);
}

/* In a process of its own, which is not root. */
static void files_of_others_are_refused(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	if (geteuid()) {
		skip();
		return;
	}
	put_asked();
	chmod(scratch(""), 0755);
	chmod(scratch("proc/40/fd"), 0700);
	chmod(scratch("proc/30/io"), 0400);
	pid = fork();
	if (!pid) {
		struct task_watch *own;

		if (setgid(65534) || setuid(65534))
			_exit(2);
		own = watch(30);
		read_tick(&sample_tasks, own);
		status = !(u64_or(tick.host.processes_hidden, 0) == 1 && seen(30)->read_bytes.state == VAL_DENIED &&
			   !strcmp(seen(30)->read_bytes.why, "EACCES") && !seen(40));
		sample_tasks.close(own);
		end_tick();
		_exit(status);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void threads_that_serve_page_faults(void **state)
{
	struct task_watch *own;

	(void)state;
	put_asked();
	put_process((struct fake){
		.pid = 70, .parent = 2, .comm = "UVM GPU1 BH", .flags = 0x200000, .user = 1, .system = 40 });
	put_process((struct fake){ .pid = 71, .parent = 2, .comm = "UVM GPU2 BH", .flags = 0x200000, .system = 2 });
	put_process((struct fake){ .pid = 72, .parent = 2, .comm = "UVM GPU2 KC", .flags = 0x200000, .system = 2 });
	put_process((struct fake){ .pid = 73, .parent = 1, .comm = "UVM GPU9 BH", .system = 2 });
	own = watch(30);
	read_tick(&sample_tasks, own);
	assert_u64(tick.host.gpu_faults_ns, 430000000);
	end_process(70);
	read_tick(&sample_tasks, own);
	assert_u64(tick.host.gpu_faults_ns, 20000000);
	sample_tasks.close(own);
}

/* ---- threads */

static void put_thread(unsigned pid, unsigned tid, const char *schedstat, char state)
{
	char path[64];

	snprintf(path, sizeof(path), "task/%u/stat", tid);
	put_stat(of_process(pid, path), (struct fake){ .pid = tid, .user = tid, .comm = "worker", .state = state });
	snprintf(path, sizeof(path), "task/%u/schedstat", tid);
	put_text(of_process(pid, path), schedstat);
	snprintf(path, sizeof(path), "task/%u/status", tid);
	put_text(of_process(pid, path), "voluntary_ctxt_switches:\t77\nnonvoluntary_ctxt_switches:\t1\n");
	snprintf(path, sizeof(path), "task/%u/wchan", tid);
	put_text(of_process(pid, path), "futex_wait_queue");
}

static struct tick_thread *seen_thread(unsigned pid, unsigned tid)
{
	char key[24];

	snprintf(key, sizeof(key), "%u", tid);
	return list_find(seen(pid), threads_seen, tick_thread, key);
}

static void the_busiest_threads(void **state)
{
	struct task_watch *own;

	(void)state;
	put_process((struct fake){ .pid = 30, .parent = 10, .threads = 41 });
	for (unsigned i = 1; i <= 40; i++)
		put_thread(30, 200 + i, "1 1 1\n", i == 7 ? 'R' : 'S');
	own = watch(30);
	read_tick(&sample_tasks, own);
	assert_u64(tick.host.threads_seen, 41);
	assert_u64(tick.host.threads_left_out, 0);
	put_thread(30, 207, "900000000 5 1\n", 'R');
	put_thread(30, 240, "800000000 700000000 1\n", 'S');
	read_tick(&sample_tasks, own);
	assert_non_null(seen_thread(30, 30));
	assert_non_null(seen_thread(30, 207));
	assert_non_null(seen_thread(30, 240));
	assert_u64(seen_thread(30, 207)->user_ns, 2070000000);
	assert_u64(seen_thread(30, 207)->voluntary_switches, 77);
	assert_u64(seen_thread(30, 207)->cpu, 3);
	assert_int_equal(seen_thread(30, 207)->wchan.state, VAL_ABSENT);
	assert_u64(seen_thread(30, 240)->wait_ns, 700000000);
	assert_string_equal(str_or(seen_thread(30, 240)->wchan, ""), "futex_wait_queue");
	assert_string_equal(str_or(seen_thread(30, 240)->comm, ""), "worker");
	assert_in_range(seen(30)->nr_threads_seen, 20, 41);
	/* The main thread is told in any case, and does nothing. */
	assert_int_equal(seen_thread(30, 30)->voluntary_switches.state, VAL_SKIPPED);
	sample_tasks.close(own);
}

static void put_lone(unsigned pid, unsigned user, char state)
{
	put_process((struct fake){ .pid = pid, .parent = 30, .user = user, .state = state });
}

/* Its stat says that it sleeps and used nothing: its schedstat, of which nothing can be read here, is not looked at. */
static void lone_threads_that_rest(void **state)
{
	struct task_watch *own;

	(void)state;
	put_process((struct fake){ .pid = 30, .parent = 10 });
	for (unsigned pid = 101; pid <= 150; pid++)
		put_lone(pid, 7, 'S');
	own = watch(30);
	read_tick(&sample_tasks, own);
	assert_u64(tick.host.threads_seen, 51);
	assert_int_equal(seen(150)->nr_threads_seen, 0);
	put_text("proc/150/task/150/schedstat", "none");
	read_tick(&sample_tasks, own);
	assert_u64(tick.host.threads_seen, 51);
	put_lone(150, 8, 'S');
	put_text("proc/150/task/150/schedstat", "none");
	read_tick(&sample_tasks, own);
	assert_u64(tick.host.threads_seen, 50);
	assert_u64(tick.host.threads_left_out, 1);
	/* It used nothing because it has no CPU. */
	put_lone(149, 7, 'R');
	put_text("proc/149/task/149/schedstat", "none");
	read_tick(&sample_tasks, own);
	assert_u64(tick.host.threads_left_out, 2);
	sample_tasks.close(own);
}

/* Without time for more than a few in a tick all have their turn, and the busiest are read in each tick. */
static void threads_in_turn(void **state)
{
	uint64_t all = 0, ticks[301] = { 0 };
	struct task_watch *own;
	int nr = 0;

	(void)state;
	put_process((struct fake){ .pid = 30, .parent = 10, .threads = 301 });
	for (unsigned i = 1; i <= 300; i++)
		put_thread(30, 200 + i, "1 1 1\n", 'S');
	own = watch(30);
	own->budget_ns = 1;
	for (; nr < 300 && all < 301; nr++) {
		/* The list takes a few ticks as well. */
		read_tick(&sample_tasks, own);
		assert_true(u64_or(tick.host.threads_seen, 0) < 60);
		assert_int_equal(u64_or(tick.host.threads_seen, 0) + u64_or(tick.host.threads_left_out, 0), 301);
		for (size_t i = 0; i < own->nr && own->processes[i]->nr_threads == 301; i++)
			for (size_t k = 0; k < 301; k++) {
				all += !ticks[k] && own->processes[i]->threads[k].tick;
				ticks[k] = own->processes[i]->threads[k].tick;
			}
	}
	assert_int_equal(all, 301);
	assert_true(nr > 10);
	sample_tasks.close(own);
}

static void threads_come_and_go(void **state)
{
	struct task_watch *own;

	(void)state;
	put_process((struct fake){ .pid = 30, .parent = 10, .threads = 3 });
	put_thread(30, 201, "1 1 1\n", 'S');
	put_thread(30, 202, "1 1 1\n", 'S');
	own = watch(30);
	read_tick(&sample_tasks, own);
	assert_non_null(seen_thread(30, 201));
	/* One is exchanged for another: their number is the same. */
	nftw(scratch("proc/30/task/201"), scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS);
	put_thread(30, 199, "1 1 1\n", 'S');
	read_tick(&sample_tasks, own);
	assert_null(seen_thread(30, 201));
	read_tick(&sample_tasks, own);
	assert_non_null(seen_thread(30, 199));
	assert_u64(tick.host.threads_seen, 3);
	sample_tasks.close(own);
}

static void a_kernel_without_schedstat(void **state)
{
	struct task_watch *own;

	(void)state;
	put_process((struct fake){ .pid = 30, .parent = 10, .threads = 2, .user = 5 });
	put_thread(30, 201, "", 'S');
	unlink(scratch("proc/1/schedstat"));
	own = watch(30);
	read_tick(&sample_tasks, own);
	assert_u64(tick.host.threads_seen, 2);
	assert_no_u64(seen_thread(30, 201)->wait_ns, VAL_ABSENT);
	assert_u64(seen_thread(30, 201)->user_ns, 2010000000);
	sample_tasks.close(own);
}

/* ---- control groups */

#define V2_MOUNT "30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"

static void put_group_of_version_2(void)
{
	put_text("proc/30/cgroup", "0::/slurm/job_1/step_0\n");
	put_text("proc/self/mountinfo", V2_MOUNT);
	put_text(GROUPS "slurm/job_1/step_0/cpu.max", "max 100000\n");
	put_text(GROUPS "slurm/job_1/cpu.max", "150000 100000\n");
	put_text(GROUPS "slurm/cpu.max", "400000 100000\n");
	put_text(GROUPS "slurm/job_1/step_0/cpu.stat",
		 "usage_usec 11\nnr_periods 1\nnr_throttled 0\nthrottled_usec 0\n");
	put_text(GROUPS "slurm/job_1/cpu.stat", "usage_usec 12\nnr_periods 20\nnr_throttled 7\nthrottled_usec 9\n");
	put_text(GROUPS "slurm/job_1/step_0/memory.max", "1000\n");
	put_text(GROUPS "slurm/job_1/memory.max", "max\n");
	put_text(GROUPS "slurm/job_1/step_0/memory.current", "900\n");
	put_text(GROUPS "slurm/job_1/step_0/memory.events", "low 0\nhigh 1\nmax 33\noom 0\noom_kill 0\n");
	put_text(GROUPS "slurm/job_1/step_0/memory.stat",
		 "anon 1\nworkingset_refault_anon 2\nworkingset_refault_file 3\n");
	put_text(GROUPS "slurm/job_1/step_0/cpu.pressure", "some avg10=0.00 total=4\nfull avg10=0.00 total=0\n");
	put_text(GROUPS "slurm/job_1/step_0/io.pressure", "some avg10=0.00 total=5\nfull avg10=0.00 total=6\n");
}

static void groups_of_version_2(void **state)
{
	struct task_watch *own;
	const struct tick_group *group;

	(void)state;
	put_process((struct fake){ .pid = 30, .parent = 10 });
	put_process((struct fake){ .pid = 31, .parent = 30 });
	put_group_of_version_2();
	put_text("proc/31/cgroup", "0::/slurm/job_1/step_0\n");
	own = watch(30);
	read_tick(&sample_tasks, own);
	assert_int_equal(tick.nr_groups, 1);
	group = &tick.groups[0];
	assert_string_equal(str_or(group->key, ""), "/slurm/job_1/step_0");
	assert_string_equal(str_or(seen(31)->group, ""), "/slurm/job_1/step_0");
	assert_true(is_known(group->cpu_quota) && f64_or(group->cpu_quota, 0) > 1.49 &&
		    f64_or(group->cpu_quota, 0) < 1.51);
	assert_u64(group->cpu_ns, 11000);
	assert_u64(group->periods, 20);
	assert_u64(group->throttled_periods, 7);
	assert_u64(group->throttled_ns, 9000);
	assert_u64(group->memory_bytes, 900);
	assert_u64(group->memory_limit_bytes, 1000);
	assert_u64(group->memory_stalls, 33);
	assert_u64(group->refaults, 5);
	assert_u64(group->cpu_some_ns, 4000);
	assert_u64(group->io_full_ns, 6000);
	assert_no_u64(group->memory_some_ns, VAL_ABSENT);
	sample_tasks.close(own);
}

static void groups_of_both_versions(void **state)
{
	struct task_watch *own;
	const struct tick_group *group;

	(void)state;
	put_process((struct fake){ .pid = 30, .parent = 10 });
	put_text("proc/30/cgroup", "5:memory:/job\n3:cpu,cpuacct:/job/a\n1:name=systemd:/job\n0::/job\n");
	put_text("proc/self/mountinfo", "31 1 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
		 "32 1 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
		 "33 1 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
	put_text(GROUPS "cpu/job/a/cpu.cfs_quota_us", "50000\n");
	put_text(GROUPS "cpu/job/a/cpu.cfs_period_us", "100000\n");
	put_text(GROUPS "cpu/job/a/cpu.stat", "nr_periods 3\nnr_throttled 2\nthrottled_time 1234\n");
	put_text(GROUPS "cpu/job/a/cpuacct.usage", "777\n");
	put_text(GROUPS "memory/job/memory.limit_in_bytes", "9223372036854771712\n");
	put_text(GROUPS "memory/job/memory.usage_in_bytes", "88\n");
	put_text(GROUPS "memory/job/memory.failcnt", "4\n");
	put_text(GROUPS "memory/job/memory.stat", "cache 1\nworkingset_refault 6\n");
	put_text(GROUPS "unified/job/memory.pressure", "some avg10=0.00 total=8\n");
	own = watch(30);
	read_tick(&sample_tasks, own);
	group = &tick.groups[0];
	assert_string_equal(str_or(group->key, ""), "/job cpu:/job/a");
	assert_true(f64_or(group->cpu_quota, 0) > 0.49 && f64_or(group->cpu_quota, 0) < 0.51);
	assert_u64(group->cpu_ns, 777);
	assert_u64(group->throttled_ns, 1234);
	assert_u64(group->memory_bytes, 88);
	assert_no_u64(group->memory_limit_bytes, VAL_ABSENT);
	assert_u64(group->memory_stalls, 4);
	assert_u64(group->refaults, 6);
	assert_u64(group->memory_some_ns, 8000);
	assert_no_u64(group->cpu_some_ns, VAL_ABSENT);
	sample_tasks.close(own);
}

/* The root counts the stalls of the whole node; what is mounted as the root in a container is none. */
static void stalls_of_the_root(void **state)
{
	struct task_watch *own;

	(void)state;
	put_process((struct fake){ .pid = 30, .parent = 10 });
	put_text("proc/30/cgroup", "0::/\n");
	put_text("proc/self/mountinfo", V2_MOUNT);
	put_text(GROUPS "io.pressure", "some avg10=0.00 total=5\nfull avg10=0.00 total=6\n");
	own = watch(30);
	read_tick(&sample_tasks, own);
	assert_no_u64(tick.groups[0].io_full_ns, VAL_ABSENT);
	sample_tasks.close(own);
	put_text(GROUPS "cgroup.type", "domain\n");
	own = watch(30);
	read_tick(&sample_tasks, own);
	assert_u64(tick.groups[0].io_full_ns, 6000);
	sample_tasks.close(own);
}

/* A group outside of what is mounted here must not be told with the numbers of the one that is. */
static void a_group_out_of_sight(void **state)
{
	struct task_watch *own;

	(void)state;
	put_process((struct fake){ .pid = 30, .parent = 10 });
	put_group_of_version_2();
	put_text("proc/30/cgroup", "0::/../other\n");
	put_text(GROUPS "cpu.stat", "usage_usec 5\n");
	put_text(GROUPS "memory.current", "5\n");
	own = watch(30);
	read_tick(&sample_tasks, own);
	assert_no_u64(tick.groups[0].cpu_ns, VAL_ABSENT);
	assert_no_u64(tick.groups[0].memory_bytes, VAL_ABSENT);
	assert_no_u64(tick.groups[0].throttled_ns, VAL_ABSENT);
	sample_tasks.close(own);
}

/* A quota that is set while it is watched holds from the next look at limits on, and groups of the gone are forgotten.
 */
static void groups_change(void **state)
{
	struct task_watch *own;

	(void)state;
	put_process((struct fake){ .pid = 30, .parent = 10 });
	put_process((struct fake){ .pid = 31, .parent = 30 });
	put_group_of_version_2();
	put_text("proc/31/cgroup", "0::/other\n");
	own = watch(30);
	read_tick(&sample_tasks, own);
	assert_int_equal(tick.nr_groups, 2);
	put_text(GROUPS "slurm/job_1/step_0/cpu.max", "100000 100000\n");
	end_process(31);
	for (int i = 0; i < 6; i++)
		read_tick(&sample_tasks, own);
	assert_int_equal(tick.nr_groups, 1);
	assert_true(f64_or(tick.groups[0].cpu_quota, 0) < 1.01);
	assert_u64(tick.groups[0].periods, 1);
	sample_tasks.close(own);
}

static void memory_does_not_grow(void **state)
{
	struct task_watch *own;
	size_t files = 0;

	(void)state;
	put_holders();
	put_group_of_version_2();
	/* The tree keeps the folders of its last files open: the same ones after each time. */
	for (int time = 0; time < 2; time++) {
		files = count_open_files();
		own = watch(0);
		for (int i = 0; i < 200; i++)
			next_round(own);
		assert_int_equal(own->nr, 3);
		sample_tasks.close(own);
	}
	assert_int_equal(count_open_files(), files);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(holders_and_their_children),
		TEST(children_of_init_are_not_its_family),
		TEST(whoever_closes_his_gpus_is_let_go),
		TEST(the_asked_and_its_tree),
		TEST(orphans_stay_in_the_family), TEST(orphans_that_gpudiag_took_in),
		TEST(orphans_in_the_asked_group),
		TEST(new_children_in_the_next_tick),
		TEST(new_children_without_loadavg),
		TEST(a_number_that_is_used_again),
		TEST(broken_lines),
		TEST(any_bytes_in_a_name),
		TEST(missing_files),
		TEST(more_than_there_is_room_for),
		TEST(a_pid_namespace_hides_processes),
		TEST(files_of_others_are_refused),
		TEST(threads_that_serve_page_faults),
		TEST(the_busiest_threads),
		TEST(lone_threads_that_rest),
		TEST(threads_in_turn),
		TEST(threads_come_and_go),
		TEST(a_kernel_without_schedstat),
		TEST(groups_of_version_2),
		TEST(groups_of_both_versions),
		TEST(stalls_of_the_root),
		TEST(a_group_out_of_sight),
		TEST(groups_change),
		TEST(memory_does_not_grow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
