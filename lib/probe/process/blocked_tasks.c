// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/process/blocked_tasks.h"

#include "base/text.h"
#include "probe/process/task_driver.h"
#include "probe/read.h"

enum { MAX_FRAMES = 32 };

/* When a task that runs now last began to: the clock's own present, or -1. */
static double exec_start_ms(struct probe_env *env, struct arena *arena, const char *path)
{
	PROC_TEXT_AUTO sched = PROC_TEXT_INIT;
	double value;

	proc_text_read(env, &sched, 0, path);
	if (parse_f64(str_or(proc_text_str(&sched, arena, "se.exec_start"), ""), &value) || value <= 0)
		return -1;
	return value;
}

/*
 * The run queues' clock stands still while the machine is suspended, uptime
 * does not: our own task tells the time better, where it is of this machine.
 */
void blocked_tasks_begin(struct blocked_tasks *blocked, struct probe_env *env)
{
	const char *uptime;
	double seconds;

	if (root_is_live(env->root)) {
		blocked->now_ms = exec_start_ms(env, &blocked->arena, "/proc/self/sched");
		if (blocked->now_ms > 0)
			return;
	}
	blocked->now_ms = 0;
	uptime = str_or(read_str(env, &blocked->arena, "/proc/uptime"), "");
	if (!parse_f64(arena_strndup(&blocked->arena, uptime, strcspn(uptime, " ")), &seconds) && seconds > 0)
		blocked->now_ms = seconds * 1000;
}

static struct val_u64 read_asleep(struct blocked_tasks *blocked, struct probe_env *env, const char *folder)
{
	enum { SKEW_MS = 1000 };	/* between the clocks of two processors, and of uptime */
	const char *path = arena_printf(&blocked->arena, "%s/sched", folder);
	double start_ms = exec_start_ms(env, &blocked->arena, path);
	double asleep_ms = blocked->now_ms - start_ms;

	if (start_ms < 0)
		return no_u64(VAL_ABSENT, "no se.exec_start there");
	if (blocked->now_ms <= 0 || asleep_ms < -SKEW_MS)
		return no_u64(VAL_ABSENT, "se.exec_start and the uptime do not agree");
	return val_u64(asleep_ms > 0 ? (uint64_t)(asleep_ms / 1000) : 0);
}

/* "0" is what the kernel says to those who may not know, and of a task that has moved on. */
static struct val_str read_wchan(struct probe_env *env, struct arena *arena, const char *folder, bool may_know)
{
	struct val_str wchan = read_str(env, arena, "%s/wchan", folder);

	if (!str_is(wchan, "0"))
		return wchan;
	return may_know ? no_str(VAL_ABSENT, "reads 0") : no_str(VAL_DENIED, "reads 0: needs root");
}

/* "[<0>] nv_open+0x1a/0x40 [nvidia]" as "nv_open [nvidia]". */
static void add_frame(struct strbuf *out, const char *line, size_t len)
{
	const char *end = line + len;
	const char *name = line, *module;
	size_t name_len;

	if (len && *line == '[')
		name = memchr(line, ']', len);
	if (!name)
		return;
	name += strspn(name, "] ");
	name_len = name < end ? strcspn(name, "+ \n") : 0;
	/* Older kernels end a stack with an address that is none. */
	if (!name_len || !strncmp(name, "0x", 2))
		return;
	if (out->len)
		strbuf_addstr(out, ", ");
	utf8_clean(out, name, name_len);
	module = memchr(name, '[', (size_t)(end - name));
	if (module) {
		strbuf_addch(out, ' ');
		utf8_clean(out, module, (size_t)(end - module));
	}
}

static struct val_str read_stack(struct probe_env *env, struct arena *arena, const char *folder)
{
	STRBUF_AUTO text = STRBUF_INIT;
	STRBUF_AUTO frames = STRBUF_INIT;
	int error = root_read(env->root, &text, "%s/stack", folder);
	const char *line = text.buf;

	if (error)
		return no_str(state_of_errno(error), name_of_errno(error));
	for (int i = 0; i < MAX_FRAMES && *line; i++) {
		size_t len = strcspn(line, "\n");

		add_frame(&frames, line, len);
		line += len + (line[len] == '\n');
	}
	if (!frames.len)
		return no_str(VAL_ABSENT, "empty");
	return val_str(arena_strdup(arena, frames.buf));
}

static struct val_str find_driver(const struct task *task, const struct blocked_task *known)
{
	const char *driver = NULL;
	enum task_waits waits = task_driver(str_or(task->stack, NULL), str_or(task->wchan, NULL), &driver);

	if (waits == WAITS_IN_DRIVER)
		return val_str(driver);
	/* A job that holds a GPU and waits for its file server is not stuck in the GPU's driver. */
	if (waits == WAITS_ELSEWHERE)
		return no_str(VAL_ABSENT, "waits elsewhere");
	if (known->held_driver)
		return val_str(known->held_driver);
	if (known->files_error && state_of_errno(known->files_error) == VAL_DENIED)
		return no_str(VAL_DENIED, "needs root: neither its stack nor its open files");
	return no_str(VAL_ABSENT, "holds no GPU");
}

void blocked_tasks_add(struct blocked_tasks *blocked, struct probe_env *env, const struct blocked_task *known)
{
	struct arena *arena = &blocked->arena;
	const char *folder = arena_printf(arena, "/proc/%s/task/%s", known->pid, known->thread);
	struct task *task;
	uint64_t pid;

	/* Recorded trees may hold the process alone. */
	if (root_exists(env->root, "%s", folder))
		folder = arena_printf(arena, "/proc/%s", known->pid);
	if (parse_u64(known->pid, &pid))
		return;
	blocked->tasks = arena_grow(arena, blocked->tasks, blocked->nr, sizeof(*task));
	task = &blocked->tasks[blocked->nr++];
	*task = (struct task){ .key = val_str(arena_strdup(arena, known->thread)) };
	task->pid = val_u64(pid);
	task->comm = val_str(arena_strdup(arena, known->stat->comm));
	task->stack = read_stack(env, arena, folder);
	task->wchan = read_wchan(env, arena, folder, task->stack.state != VAL_DENIED);
	task->asleep_s = read_asleep(blocked, env, folder);
	task->driver = find_driver(task, known);
}

/* In a GPU driver first, then the longest asleep, then by number. */
static int compare_tasks(const void *a, const void *b)
{
	const struct task *left = a, *right = b;
	uint64_t left_s = u64_or(left->asleep_s, 0), right_s = u64_or(right->asleep_s, 0);

	if (is_known(left->driver) != is_known(right->driver))
		return is_known(left->driver) ? -1 : 1;
	if (left_s != right_s)
		return left_s > right_s ? -1 : 1;
	return key_compare(str_or(left->key, ""), str_or(right->key, ""));
}

bool blocked_tasks_in(const struct blocked_tasks *blocked, const char *driver)
{
	for (size_t i = 0; i < blocked->nr; i++) {
		if (str_is(blocked->tasks[i].driver, driver))
			return true;
	}
	return false;
}

size_t blocked_tasks_cut(const struct blocked_tasks *blocked)
{
	return blocked->nr > MAX_BLOCKED_TASKS ? blocked->nr - MAX_BLOCKED_TASKS : 0;
}

void blocked_tasks_send(struct blocked_tasks *blocked, struct sink *sink)
{
	if (blocked->nr)
		qsort(blocked->tasks, blocked->nr, sizeof(*blocked->tasks), compare_tasks);
	for (size_t i = 0; i < blocked->nr && i < MAX_BLOCKED_TASKS; i++) {
		const struct task *task = &blocked->tasks[i];

		*list_element(&sink->facts.arena, &sink->facts, tasks, task, str_or(task->key, "")) = *task;
	}
	sink_flush(sink);
}

void blocked_tasks_release(struct blocked_tasks *blocked)
{
	arena_release(&blocked->arena);
}
