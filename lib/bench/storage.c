// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * storage.c - probe "storage": what reading from a path gives, by reading alone.
 *
 * A thousand nodes may ask one server at once, so what is read of a network or
 * FUSE file system is little, and reads go by the idle I/O class. A server that
 * is gone makes whoever touches the path wait, past SIGKILL at times: the mount
 * is looked up first, in a file that asks nobody, and stands in each step.
 */
#include "base/compat.h"
#include "probe/probe_table.h"

#include <errno.h>
#include <limits.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/stats.h"
#include "base/text.h"
#include "bench/storage_disk.h"
#include "bench/storage_files.h"
#include "probe/read.h"

#define MS_NS UINT64_C(1000000)
#define MIB ((uint64_t)1 << 20)
#define VARIABLE "GPUDIAG_STORAGE_"

enum {
	LOCAL_MS = 2000, LOCAL_MIB = 2048,
	FAR_MS = 500, FAR_MIB = 256,		/* of another machine or a process: a thousand nodes may ask at once */
	BENCH_MS = 10000, BENCH_MIB = 1 << 20,
	BUSY_MS = 200,
	BUSY_PERCENT = 80,			/* of others' I/O, from which the disk is left alone */
	LEAST_OPENS = 5,			/* fewer tell no percentile */
};

/* How the time is shared out, in percent of it. */
enum { LIST_SHARE = 10, SMALL_SHARE = 15, FAILING_SHARE = 5, SEQUENTIAL_SHARE = 45, RANDOM_SHARE = 25 };

/* ---- in the parent */

static void targets(const struct snapshot *snapshot, struct arena *arena, struct strs *ret)
{
	const struct strs *paths = &snapshot->request.storage;

	for (size_t i = 0; i < paths->nr; i++)
		if (!str_is(snapshot->request.level, "read"))
			strs_add(arena, ret, paths->v[i]);
}

/* Of a bench the time that it was given; else that of the file system. */
static unsigned requested_ms(const struct snapshot *snapshot)
{
	if (!strs_has(&snapshot->request.tests, "storage"))
		return 0;
	return (unsigned)u64_or(snapshot->request.measure_ms, BENCH_MS);
}

static void environment(const struct snapshot *snapshot, const char *target, struct arena *arena, struct strs *ret)
{
	(void)target;
	strs_add(arena, ret, arena_printf(arena, VARIABLE "MS=%u", requested_ms(snapshot)));
	strs_add(arena, ret, bool_or(snapshot->request.even_if_busy, false) ? VARIABLE "EVEN_IF_BUSY=1" :
									      VARIABLE "EVEN_IF_BUSY=");
}

/* ---- in the worker */

struct measuring {
	struct probe_env *env;
	struct sink *sink;
	struct arena arena;		/* outlives the facts, which every flush empties */
	const char *path;		/* the key */
	const char *real_path;		/* without links */
	struct mount_list mounts;
	const struct mount_point *mount;
	const char *where;		/* "ext4 on /data, /dev/sda1": for steps */
	uint64_t ns, bytes, bytes_read;
	struct storage_names names;
	struct storage_large large;
	size_t nr_left;			/* names whose files were not looked at */
};

static struct storage_path *facts(struct measuring *m)
{
	return list_element(&m->sink->facts.arena, &m->sink->facts, storage_paths, storage_path, m->path);
}

static void step(struct measuring *m, const char *what)
{
	STRBUF_AUTO text = STRBUF_INIT;

	strbuf_addf(&text, "%s %s%s", what, m->path, m->where);
	sink_step(m->sink, text.buf);
}

static struct storage_limit limit(const struct measuring *m, unsigned share_percent)
{
	return (struct storage_limit){
		.ns = m->ns / 100 * share_percent, .bytes = m->bytes > m->bytes_read ? m->bytes - m->bytes_read : 0,
	};
}

/* Nothing of it can be measured. */
static int give_up(struct measuring *m, enum val_state state, const char *why)
{
	static const char *const paths[] = { "storage_paths", NULL };
	const struct merge_scope scope = { .paths = paths, .key = m->path };
	char reason[160];

	snprintf(reason, sizeof(reason), "%s", why);
	facts(m);
	snapshot_fill_unset(&m->sink->facts, &scope, state, why);
	return sink_end(m->sink, PROBE_PARTIAL, reason);
}

static const char *kind_name(enum mount_kind kind)
{
	static const char *const names[] = {
		[MOUNT_LOCAL] = "local", [MOUNT_MEMORY] = "memory", [MOUNT_OVERLAY] = "overlay", [MOUNT_FUSE] = "fuse",
		[MOUNT_AUTOMOUNT] = "network", [MOUNT_NETWORK] = "network", [MOUNT_KERNEL] = "kernel",
	};

	return names[kind];
}

static void find_mount(struct measuring *m, const char *path)
{
	m->mount = mount_of_path(&m->mounts, path);
	m->where = m->mount ? arena_printf(&m->arena, " (%s on %s, %s)", m->mount->type, m->mount->point,
					   m->mount->source) : "";
}

static const char *why_no_target(const struct stat *st)
{
	switch (st->st_mode & S_IFMT) {
	case S_IFREG:
	case S_IFDIR:
		return NULL;
	case S_IFIFO:
		return "a FIFO: name a folder or a file";
	case S_IFSOCK:
		return "a socket: name a folder or a file";
	default:
		return "a device: name a folder or a file of a file system on it";
	}
}

static void set_budget(struct measuring *m)
{
	enum mount_kind kind = mount_kind(m->mount->type);
	bool is_far = kind == MOUNT_NETWORK || kind == MOUNT_FUSE || kind == MOUNT_AUTOMOUNT;
	const char *text = getenv(VARIABLE "MS");
	uint64_t ms;

	m->ns = (is_far ? FAR_MS : LOCAL_MS) * MS_NS;
	m->bytes = (is_far ? FAR_MIB : LOCAL_MIB) * MIB;
	if (text && !parse_u64(text, &ms) && ms) {
		m->ns = ms * MS_NS;
		m->bytes = BENCH_MIB * MIB;
		m->sink->quiet_ms = PROBE_LATER_CALLS_MS + (unsigned)ms;
	}
}

/* Our reads come after everybody else's, where the I/O scheduler knows classes. */
static void read_idly(void)
{
	enum { WHO_PROCESS = 1, CLASS_IDLE = 3, CLASS_SHIFT = 13 };

	(void)!syscall(SYS_ioprio_set, WHO_PROCESS, 0, CLASS_IDLE << CLASS_SHIFT);
}

static void say_place(struct measuring *m)
{
	struct storage_path *path = facts(m);
	struct arena *arena = &m->sink->facts.arena;

	path->mount_point = val_str(arena_strdup(arena, m->mount->point));
	path->file_system = val_str(arena_strdup(arena, m->mount->type));
	path->source = *m->mount->source ? val_str(arena_strdup(arena, m->mount->source)) : no_str(VAL_ABSENT, "none");
	path->kind = val_str(kind_name(mount_kind(m->mount->type)));
}

/* False: others keep the disk busy. Says its disk. */
static bool is_disk_free(struct measuring *m)
{
	const char *even_if_busy = getenv(VARIABLE "EVEN_IF_BUSY");
	struct val_str disk = storage_disk_of(m->env, &m->arena, &m->mounts, m->mount);
	struct storage_path *path;
	struct val_f64 busy;

	busy = is_known(disk) ? storage_disk_busy(m->env, m->sink, str_or(disk, ""), BUSY_MS * MS_NS) :
				no_f64(VAL_ABSENT, "no disk of this machine");
	path = facts(m);
	path->disk = disk;
	path->disk_busy_percent = busy;
	return f64_or(busy, 0.0) < BUSY_PERCENT || (even_if_busy && *even_if_busy);
}

/* ---- the measurements */

static void set_percentiles(struct val_u64 *p50, struct val_u64 *p95, struct val_u64 *p99, const double *times,
			    size_t nr, const char *why_none)
{
	struct stats stats;

	stats_of(times, nr, &stats);
	*p50 = nr ? val_u64((uint64_t)stats.median) : no_u64(VAL_ABSENT, why_none);
	*p95 = nr ? val_u64((uint64_t)stats.p95) : no_u64(VAL_ABSENT, why_none);
	*p99 = nr ? val_u64((uint64_t)stats.p99) : no_u64(VAL_ABSENT, why_none);
}

/* A time of few opens is no percentile; a folder whose files cannot be read failed. */
static const char *why_no_opens(struct measuring *m, const struct storage_opens *opens, const char *why_few)
{
	if (opens->nr >= LEAST_OPENS)
		return NULL;
	return opens->error ? arena_printf(&m->sink->facts.arena, "%s", name_of_errno(-opens->error)) : why_few;
}

static void open_small(struct measuring *m)
{
	const char *type = m->mount->type;
	bool compresses = !strcmp(type, "btrfs") || !strcmp(type, "zfs") || !strcmp(type, "f2fs") ||
			  !strcmp(type, "bcachefs") || !strcmp(type, "squashfs") || !strcmp(type, "erofs");
	const struct storage_limit most = limit(m, SMALL_SHARE);
	struct storage_opens opens;
	struct storage_path *path;
	const char *why;

	step(m, "open small files of");
	storage_open_small(&m->names, compresses, &most, &m->large, &opens);
	m->bytes_read += opens.bytes;
	path = facts(m);
	m->nr_left = opens.nr_left;
	why = why_no_opens(m, &opens,
			   opens.nr_left ? "fewer than 5 files of at most 256 KiB opened in the time there was"
					 : "fewer than 5 files of at most 256 KiB found");
	path->small_files = val_u64(opens.nr);
	path->small_files_cached = val_u64(opens.nr_cached);
	set_percentiles(&path->small_file_p50_ns, &path->small_file_p95_ns, &path->small_file_p99_ns, opens.times_ns,
			why ? 0 : opens.nr, why);
	free(opens.times_ns);
	sink_flush(m->sink);
}

static void open_failing(struct measuring *m)
{
	const struct storage_limit most = limit(m, FAILING_SHARE);
	struct storage_opens opens;
	struct storage_path *path;
	const char *why;

	step(m, "open files that do not exist in");
	storage_open_failing(&m->names, &most, &opens);
	path = facts(m);
	why = why_no_opens(m, &opens, "fewer than 5 opens in the time there was");
	path->failing_opens = val_u64(opens.nr);
	set_percentiles(&path->failing_open_p50_ns, &path->failing_open_p95_ns, &path->failing_open_p99_ns,
			opens.times_ns, why ? 0 : opens.nr, why);
	free(opens.times_ns);
	sink_flush(m->sink);
}

static void no_large_files(struct measuring *m, enum val_state state, const char *why)
{
	struct storage_path *path = facts(m);

	why = arena_strdup(&m->sink->facts.arena, why);
	path->large_files = val_u64(0);
	path->method = no_str(state, why);
	path->cached_percent = path->sequential_bytes_per_s = path->random_reads_per_s = no_f64(state, why);
	path->random_read_p50_ns = path->random_read_p95_ns = path->random_read_p99_ns = no_u64(state, why);
}

static const char *method(struct measuring *m, const struct storage_reader *reader)
{
	struct arena *arena = &m->sink->facts.arena;
	unsigned mib = (unsigned)(reader->block_bytes >> 20);

	if (reader->is_direct)
		return arena_printf(arena, "O_DIRECT, %u threads, reads of %u MiB", reader->threads, mib);
	return arena_printf(arena, "buffered%s%s%s, %u threads, reads of %u MiB", reader->refused ? " (O_DIRECT: " : "",
			    reader->refused ? name_of_errno(-reader->refused) : "", reader->refused ? ")" : "",
			    reader->threads, mib);
}

static struct val_f64 per_second(struct measuring *m, const struct storage_rate *rate, uint64_t amount)
{
	if (rate->error)
		return no_f64(VAL_ERROR, arena_strdup(&m->sink->facts.arena, name_of_errno(-rate->error)));
	if (!amount || !rate->elapsed_ns)
		return no_f64(VAL_ABSENT, "no read ended in the time there was");
	return val_f64((double)amount * 1e9 / (double)rate->elapsed_ns);
}

static void read_sequential(struct measuring *m, const struct storage_reader *reader)
{
	struct storage_limit most = limit(m, SEQUENTIAL_SHARE);
	struct storage_rate rate;

	most.bytes = most.bytes / 4 * 3;	/* the rest is for random reads */
	step(m, "read large files of");
	storage_read_sequential(reader, &most, &rate);
	m->bytes_read += rate.bytes;
	facts(m)->sequential_bytes_per_s = per_second(m, &rate, rate.bytes);
}

static void read_random(struct measuring *m, const struct storage_reader *reader)
{
	const struct storage_limit most = limit(m, RANDOM_SHARE);
	struct storage_rate rate;
	struct storage_path *path;

	step(m, "read 4 KiB here and there in large files of");
	storage_read_random(reader, &most, &rate);
	m->bytes_read += rate.bytes;
	path = facts(m);
	path->random_reads_per_s = per_second(m, &rate, rate.reads);
	set_percentiles(&path->random_read_p50_ns, &path->random_read_p95_ns, &path->random_read_p99_ns,
			rate.latencies_ns, rate.error ? 0 : rate.nr_latencies, "no figure");
	free(rate.latencies_ns);
}

/* Behind a slow server not all names are looked at. */
static const char *why_no_large(const struct measuring *m)
{
	if (m->nr_left)
		return "no file of 8 MiB or more found in the time there was";
	return m->large.nr_sparse ? "the files of 8 MiB and more below it are sparse" :
				    "no file of 8 MiB or more found below it";
}

/* A memory file system takes O_DIRECT and knows nothing of it. */
static void read_large(struct measuring *m)
{
	struct storage_reader reader = { .nr_files = m->large.nr };
	struct storage_path *path;
	double cached;
	int error;

	if (!m->large.nr) {
		no_large_files(m, VAL_ABSENT, why_no_large(m));
		return;
	}
	memcpy(reader.files, m->large.files, sizeof(reader.files));
	step(m, "open large files of");
	error = storage_reader_open(&reader, mount_kind(m->mount->type) != MOUNT_MEMORY);
	if (error) {
		no_large_files(m, state_of_errno(error), name_of_errno(error));
		return;
	}
	path = facts(m);
	path->large_files = val_u64(reader.nr_files);
	path->method = val_str(method(m, &reader));
	cached = reader.is_direct ? -1.0 : storage_cached_percent(&reader);
	path->cached_percent = cached >= 0.0 ? val_f64(cached) :
			       reader.is_direct ? no_f64(VAL_ABSENT, "O_DIRECT passes the page cache") :
						  no_f64(VAL_UNSUPPORTED, "the file system does not tell");
	read_sequential(m, &reader);
	sink_flush(m->sink);
	read_random(m, &reader);
	storage_reader_close(&reader);
}

/* Where it lies was said. */
static int give_up_folder(struct measuring *m, enum val_state state, const char *why)
{
	struct storage_path *path = facts(m);

	no_large_files(m, state, why);
	path->small_files = path->small_files_cached = path->failing_opens = path->read_bytes = no_u64(state, why);
	path->small_file_p50_ns = path->small_file_p95_ns = path->small_file_p99_ns = no_u64(state, why);
	path->failing_open_p50_ns = path->failing_open_p95_ns = path->failing_open_p99_ns = no_u64(state, why);
	return sink_end(m->sink, PROBE_PARTIAL, why);
}

static int measure(struct measuring *m, const struct stat *st)
{
	static const char *one[1];
	int error = 0;

	set_budget(m);
	say_place(m);
	if (!is_disk_free(m))
		return give_up(m, VAL_SKIPPED, "others keep its disk busy");
	sink_flush(m->sink);
	read_idly();
	step(m, "list");
	if (S_ISDIR(st->st_mode)) {
		error = storage_names_list(&m->names, &m->arena, m->real_path, &m->mounts, m->ns / 100 * LIST_SHARE);
	} else {
		const char *slash = strrchr(m->real_path, '/');

		one[0] = m->real_path;
		m->names = (struct storage_names){
			.nr = 1, .paths = one,
			.folder = arena_strndup(&m->arena, m->real_path, (size_t)(slash - m->real_path)),
		};
	}
	if (error)
		return give_up_folder(m, state_of_errno(error), name_of_errno(error));
	open_small(m);
	open_failing(m);
	read_large(m);
	facts(m)->read_bytes = val_u64(m->bytes_read);
	return sink_end(m->sink, PROBE_OK, NULL);
}

/* A path that cannot be measured is not the path's absence, or its owner's wish: whoever asked is told. */
static int look(struct measuring *m)
{
	char real[PATH_MAX];
	const char *why;
	struct stat st;

	facts(m);
	sink_flush(m->sink);
	find_mount(m, m->path);
	step(m, "stat");
	if (m->mount && mount_kind(m->mount->type) == MOUNT_AUTOMOUNT && !strcmp(m->mount->point, m->path))
		return give_up(m, VAL_ABSENT, "an automount point, with nothing mounted there");
	if (!realpath(m->path, real) || stat(real, &st))
		return give_up(m, errno == ENOENT || errno == ENOTDIR ? VAL_ABSENT : state_of_errno(-errno),
			       name_of_errno(-errno));
	m->real_path = arena_strdup(&m->arena, real);
	find_mount(m, m->real_path);
	why = !m->mount					   ? "no mount in /proc/self/mountinfo"
	      : mount_kind(m->mount->type) == MOUNT_KERNEL ? "a file system of the kernel: no storage"
							   : why_no_target(&st);
	return why ? give_up(m, VAL_UNSUPPORTED, why) : measure(m, &st);
}

static int run(struct probe_env *env, struct sink *sink)
{
	struct measuring m = { .env = env, .sink = sink, .path = env->target, .where = "" };
	STRBUF_AUTO mountinfo = STRBUF_INIT;
	int status;

	sink_step(sink, "read /proc/self/mountinfo");
	if (root_read(env->root, &mountinfo, "/proc/self/mountinfo"))
		strbuf_reset(&mountinfo);
	mount_list_parse(&m.mounts, &m.arena, mountinfo.buf);
	status = look(&m);
	arena_release(&m.arena);
	return status;
}

const struct probe probe_storage = {
	.name = "storage",
	.help = "speed of storage at the paths of --storage, by reading",
	.phase = PHASE_STORAGE,
	.touches = TOUCHES_FILES,
	.live_only = true,
	.deadline_ms = PROBE_LATER_CALLS_MS,
	.provides = (const char *const[]){ "storage_paths", NULL },
	.targets = targets,
	.environment = environment,
	.watches_ms = requested_ms,
	.run = run,
};
