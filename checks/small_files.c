// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/baseline/baseline_lookup.h"
#include "eval/facts/storage.h"

static double cached_share(const struct storage_path *path)
{
	double nr = (double)u64_or(path->small_files, 0);

	return nr > 0.0 ? (double)u64_or(path->small_files_cached, 0) / nr : 0.0;
}

/* What the cache has costs a tenth of what a disk has to fetch. */
static bool is_alike(const struct storage_path *a, const struct storage_path *b)
{
	return str_is(a->file_system, str_or(b->file_system, "?")) && cached_share(a) - cached_share(b) < 0.1 &&
	       cached_share(b) - cached_share(a) < 0.1;
}

/* How many times slower, where that is more than a system call's noise. */
static double times_slower(const struct judgement *j, struct val_u64 now, struct val_u64 then)
{
	double now_ns = (double)u64_or(now, 0), then_ns = (double)u64_or(then, 0);

	return then_ns > 0.0 && now_ns >= j->policy->storage_open_floor_ns ? now_ns / then_ns : 0.0;
}

static bool is_below_baseline(struct judgement *j, const struct storage_path *path)
{
	const struct storage_path *then = baseline_storage(j, str_or(path->key, ""));
	double files, failing;
	bool is_failing;

	if (!then || !is_alike(path, then))
		return false;
	files = times_slower(j, path->small_file_p50_ns, then->small_file_p50_ns);
	failing = times_slower(j, path->failing_open_p50_ns, then->failing_open_p50_ns);
	is_failing = failing > files;
	if ((is_failing ? failing : files) < j->policy->storage_baseline_ratio)
		return false;
	derive(j, "time", UNIT_NS, (double)u64_or(is_failing ? path->failing_open_p50_ns : path->small_file_p50_ns, 0),
	       "median of the opens");
	expect_f64(j, "time", (double)u64_or(is_failing ? then->failing_open_p50_ns : then->small_file_p50_ns, 0));
	phrase(j, "what", is_failing ? "to open a file that does not exist" : "to open and read a small file");
	finding_add_of(j, SMALL_FILES_SLOWER_THAN_BASELINE, str_or(path->key, "?"));
	return true;
}

static const char *time_words(struct judgement *j, struct val_u64 time)
{
	STRBUF_AUTO text = STRBUF_INIT;

	unit_format_u64(&text, UNIT_NS, u64_or(time, 0));
	return arena_strdup(j->arena, text.buf);
}

/* "74 µs to open and read a small file (p95 110 µs, p99 240 µs), 2.4 µs to fail to open one (p95 …)" */
static const char *figures(struct judgement *j, const struct storage_path *path)
{
	STRBUF_AUTO text = STRBUF_INIT;

	if (is_known(path->small_file_p50_ns))
		strbuf_addf(&text, "%s to open and read a small file (p95 %s, p99 %s%s)",
			    time_words(j, path->small_file_p50_ns), time_words(j, path->small_file_p95_ns),
			    time_words(j, path->small_file_p99_ns),
			    cached_share(path) >= 0.1 ? arena_printf(j->arena, ", %.0f %% of them cached",
								     100.0 * cached_share(path)) : "");
	if (is_known(path->failing_open_p50_ns))
		strbuf_addf(&text, "%s%s to open one that does not exist (p95 %s, p99 %s)", text.len ? ", " : "",
			    time_words(j, path->failing_open_p50_ns), time_words(j, path->failing_open_p95_ns),
			    time_words(j, path->failing_open_p99_ns));
	return arena_strdup(j->arena, text.buf);
}

static bool is_slow(const struct judgement *j, const struct storage_path *path)
{
	return (double)u64_or(path->small_file_p50_ns, 0) > j->policy->storage_open_ns ||
	       (double)u64_or(path->failing_open_p50_ns, 0) > j->policy->storage_open_ns;
}

static void judge_path(struct judgement *j, const struct storage_path *path)
{
	const char *told = figures(j, path);

	/* What was left alone is storage-path's to tell. */
	if (path->read_bytes.state == VAL_SKIPPED || !*told)
		return;
	derive_str(j, "place", storage_place(j->arena, path), "/proc/self/mountinfo");
	need(j, storage_path, path, small_files);
	want(j, storage_path, path, small_file_p50_ns);
	want(j, storage_path, path, small_file_p99_ns);
	want(j, storage_path, path, failing_open_p50_ns);
	want(j, storage_path, path, failing_open_p99_ns);
	phrase(j, "figures", told);
	if (is_below_baseline(j, path))
		return;
	finding_add_of(j, is_slow(j, path) ? SMALL_FILES_SLOW : SMALL_FILES_FIGURES, str_or(path->key, "?"));
}

static void eval(struct judgement *j)
{
	const char *why = no_storage(j);
	struct storage_walk walk = { .at = 0 };
	const struct storage_path *path;
	size_t measured = 0;

	if (why) {
		skip_check(j, why);
		return;
	}
	while (storage_next(j, &walk, &path)) {
		if (!path)
			continue;
		judge_path(j, path);
		measured += is_known(path->read_bytes);
	}
	if (!measured)
		skip_check(j, "no path measured");
}

const struct check check_small_files = {
	.name = "small-files",
	.title = "Small files",
	.doc = "How long does it take to open, read and close a small file at the paths of --storage, and to fail to open "
	       "one that does not exist? An import of a Python package is thousands of both, and so is a data set of "
	       "images. At most 2000 of each. A note, which says so if it is slow; a warning if it takes several times "
	       "as long as in the baseline.",
	.per = SUBJECT_NODE,
	.needs = NEEDS_STORAGE,
	.says = NULL,
	.may_emit = IDS(SMALL_FILES_FIGURES, SMALL_FILES_SLOW, SMALL_FILES_SLOWER_THAN_BASELINE),
	.eval = eval,
};
