// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_redact_log.c - the kernel's log of a redacted snapshot: every case of tests/klog/ is told the same as before,
 * and nothing stays of a line but what its form knows.
 */
#include "base/compat.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "eval/log/kernel_log.h"
#include "eval/log/redact_log.h"
#include "format/kernel_log_keep.h"
#include "klog/redact.h"
#include "klog/incident.h"

static const char *const common_words[] = { "Xorg", NULL };

static struct redact_options options_for(struct snapshot *snapshot)
{
	return (struct redact_options){
		.key = { 1, 2, 3 }, .rewrite_log = redact_log, .common_words = common_words,
		.vocabulary = klog_vocabulary(&snapshot->arena),
	};
}

static void redact(struct snapshot *snapshot)
{
	struct redact_options options = options_for(snapshot);

	snapshot_redact(snapshot, &options);
}

/* ---- snapshots of logs */

/* As probe "kernel-log" keeps them. */
static void take_log(struct snapshot *ret, const char *log, size_t len)
{
	struct log_keeper *keeper = log_keeper_new();
	const struct klog_sink sink = { .line = log_keeper_line, .to = keeper };
	struct klog_reader *reader = klog_reader_new(&sink, 0);
	struct klog_coverage coverage;
	const char *why;

	memset(ret, 0, sizeof(*ret));
	/* What is no log at all is no snapshot's either. */
	if (!klog_reader_feed(reader, log, len, &why))
		assert_int_equal(klog_reader_end(reader, &coverage, &why), 0);
	while (log_keeper_take(keeper, ret))
		continue;
	klog_reader_free(reader);
	log_keeper_free(keeper);
}

/* ---- what is told of them */

static void add_time(struct strbuf *out, const struct klog_time *time)
{
	strbuf_addf(out, " at %d:%llu %d:%lld", time->has_boot, (unsigned long long)time->boot_us, time->has_wall,
		    (long long)time->wall_us);
}

static void add_event(struct strbuf *out, const struct klog_event *event)
{
	strbuf_addf(out, "%s device=%s%s code=%d:%llu link=%d:%llu address=%d:%llx told=%d:%llu heals=%d seen=%llu",
		    klog_rows[event->row].name, event->device, event->is_gpu ? " (GPU)" : "", event->has_code,
		    (unsigned long long)event->code, event->has_link, (unsigned long long)event->link,
		    event->has_address, (unsigned long long)event->address, event->has_told,
		    (unsigned long long)event->told, event->heals, (unsigned long long)event->processes_seen);
	strbuf_addf(out, " count=%llu lines=%llu-%llu boot=%u currency=%d,%d unit=%d status=%d",
		    (unsigned long long)event->count, (unsigned long long)event->first_line,
		    (unsigned long long)event->last_line, event->boot, (int)event->currency, (int)event->then,
		    *event->unit != 0, *event->status != 0);
	for (size_t i = 0; i < event->nr_processes; i++)
		strbuf_addf(out, " pid=%d:%llu,%d", event->processes[i].has_pid,
			    (unsigned long long)event->processes[i].pid, *event->processes[i].name != 0);
	add_time(out, &event->first);
	add_time(out, &event->last);
	strbuf_addch(out, '\n');
}

static void add_story(struct strbuf *out, const struct log_incident *incident)
{
	strbuf_addf(out, "incident %s of %s, %d %d %d:", klog_rows[incident->worst->row].name,
		    incident->incident->device, (int)incident->place, (int)incident->outcome, incident->is_current);
	for (size_t i = 0; i < incident->incident->nr; i++)
		strbuf_addf(out, " %s", klog_rows[incident->incident->events[i]->row].name);
	strbuf_addch(out, '\n');
}

static char *told(const struct snapshot *snapshot)
{
	const struct policy policy = { .klog_current_s = 72 * 3600 };
	struct strbuf out = STRBUF_INIT;
	struct node_log log;

	node_log_read(&log, snapshot, &policy);
	for (size_t i = 0; i < log.log->nr_events; i++)
		add_event(&out, &log.log->events[i]);
	for (size_t i = 0; i < log.nr; i++)
		add_story(&out, &log.incidents[i]);
	strbuf_addf(&out, "unjudged %llu\n", (unsigned long long)log.log->unjudged);
	node_log_release(&log);
	return strbuf_detach(&out);
}

static char *texts(const struct snapshot *snapshot)
{
	struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i < snapshot->nr_log_lines; i++)
		strbuf_addf(&out, "%s\n", str_or(snapshot->log_lines[i].text, "(left out)"));
	return strbuf_detach(&out);
}

static char *contents_of(const char *path, size_t *ret_len)
{
	FILE *file = fopen(path, "re");
	struct strbuf text = STRBUF_INIT;
	char piece[4096];
	size_t got;

	assert_non_null(file);
	while ((got = fread(piece, 1, sizeof(piece), file)))
		strbuf_add(&text, piece, got);
	fclose(file);
	*ret_len = text.len;
	return strbuf_detach(&text);
}

static size_t assert_case_told_alike(const char *path, const char *log, size_t len)
{
	struct snapshot snapshot;
	char *before, *after, *was, *is;
	size_t nr;

	take_log(&snapshot, log, len);
	nr = snapshot.nr_log_lines;
	before = told(&snapshot);
	was = texts(&snapshot);
	redact(&snapshot);
	after = told(&snapshot);
	is = texts(&snapshot);
	if (strcmp(before, after) != 0)
		fail_msg("%s:\n%s\nis told\n%s\nand redacted\n%s\nis told\n%s", path, was, before, is, after);
	if (getenv("SHOW_REDACTED"))
		print_message("%s", is);
	snapshot_release(&snapshot);
	free(before);
	free(after);
	free(was);
	free(is);
	return nr;
}

static void test_every_case_is_told_alike(void **state)
{
	size_t nr = 0, cases = 0;
	glob_t logs;

	(void)state;
	assert_int_equal(glob("tests/klog/*.log", 0, NULL, &logs), 0);
	for (size_t i = 0; i < logs.gl_pathc; i++) {
		size_t len;
		char *text = contents_of(logs.gl_pathv[i], &len), *at = text;

		/* A case is the lines between two that begin with "#:". */
		while (at < text + len) {
			char *end = strstr(at, "\n#:");

			end = end ? end + 1 : text + len;
			if (strncmp(at, "#:", 2) != 0) {
				nr += assert_case_told_alike(logs.gl_pathv[i], at, (size_t)(end - at));
				cases++;
			}
			at = end;
			if (!strncmp(at, "#:", 2))
				at += strcspn(at, "\n") + 1;
		}
		free(text);
	}
	globfree(&logs);
	print_message("%zu lines of %zu cases\n", nr, cases);
	assert_true(cases > 300 && nr > 1000);
}

/* ---- what stays of a line */

static void test_what_stays_of_a_line(void **state)
{
	static const struct {
		const char *text, *becomes;	/* @ is a pseudonym; NULL: it is left out */
	} lines[] = {
		{ "NVRM: Xid (PCI:0000:5d:00): 79, pid=31, name=secret_train, GPU has fallen off the bus.",
		  "NVRM: Xid (PCI:0000:5d:00): 79, pid=31, name=@, GPU has fallen off the bus." },
		{ "NVRM: Xid (PCI:0000:5d:00): 79, pid=31, name=Xorg, GPU has fallen off the bus.",
		  "NVRM: Xid (PCI:0000:5d:00): 79, pid=31, name=Xorg, GPU has fallen off the bus." },
		{ "NVRM: Xid (PCI:0000:5d:00): 13, pid=31, name=a, Graphics Exception on alice's job at "
		  "nfs-17.lab.example",
		  "NVRM: Xid (PCI:0000:5d:00): 13, pid=31, name=@, - Exception on -'s job at -" },
		{ "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=kubepods-alice.slice,mems_allowed=0,"
		  "oom_memcg=/slurm/uid_4711/job_12,task_memcg=/slurm/uid_4711/job_12,task=falcon,pid=5,uid=4711",
		  "oom-kill:constraint=CONSTRAINT_MEMCG,-=(-),-=-,-=0,-=/-/-/-,-=/-/-/-,task=@,pid=5,uid=#" },
		{ "Out of memory: Killed process 5 (falcon) total-vm:4kB, anon-rss:1kB, UID:4711 pgtables:8kB",
		  "Out of memory: Killed process 5 (@) -:4kB, -:1kB, UID:# -:8kB" },
		{ "Out of memory: Killed process 5 (falcon) total-vm:4kB, UID:0 pgtables:8kB",
		  "Out of memory: Killed process 5 (@) -:4kB, UID:0 -:8kB" },
		{ "nfs: server files.example.org not responding, still trying",
		  "nfs: server @ not responding, - trying" },
		{ "nfsd: last server of files.example.org has exited", NULL },
		{ "INFO: task falcon:4711 blocked for more than 120 seconds. Ask alice at 10.1.2.3, aa:bb:cc:dd:ee:ff",
		  "INFO: task @:4711 blocked for more than 120 seconds. - at -" },
		{ "NVRM: GPU Board Serial Number: 1654221034561", NULL },
		{ "amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=12, emitted seq=14 by alice",
		  "amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled -=12, -=14 by -" },
		{ "amdgpu 0000:03:00.0: amdgpu: ring talon timeout, but soft recovered",
		  "amdgpu 0000:03:00.0: amdgpu: ring @ timeout, but soft recovered" },
		{ "nvidia 0000:5d:00.0: enabling device of alice", "nvidia 0000:5d:00.0: " },
		{ "falcon[31]: GPU has fallen off the bus at alice's",
		  "redacted line of a GPU: has fallen off the bus" },
		{ "on gpu-17: Xid (PCI:0000:5d:00): 79 alice", "redacted line of a GPU: Xid 79 0000:5d:00.0" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct log_line line = { .key = val_str("1"), .text = val_str(lines[i].text) };
		struct snapshot snapshot = { .log_lines = &line, .nr_log_lines = 1 };
		const char *now, *form = lines[i].becomes;

		redact(&snapshot);
		if (!form) {
			assert_int_equal(snapshot.nr_log_lines, 0);
			snapshot_release(&snapshot);
			continue;
		}
		assert_int_equal(snapshot.nr_log_lines, 1);
		now = str_or(line.text, "");
		for (; *form; form++) {
			if (*form == '@' && !strncmp(now, "anon-", 5))
				now += strspn(now, "anonbcdef0123456789-");
			else if (*form == '#' && strspn(now, "0123456789") == 15)
				now += 15;
			else if (*form == *now)
				now++;
			else
				break;
		}
		if (*form || *now)
			fail_msg("\"%s\" became \"%s\", not \"%s\": \"%s\"", lines[i].text, str_or(line.text, ""),
				 lines[i].becomes, form);
		snapshot_release(&snapshot);
	}
}

/* A detail stands at most so many lines behind its event: those between keep their places. */
static void test_places_between_lines_count(void **state)
{
	static const char log[] =
		"[    1.000000] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=2\n"
		"[    1.100000] nfs: server one gone\n[    1.200000] nfs: server two gone\n"
		"[    1.300000] nfs: server three gone\n[    1.400000] nfs: server four gone\n"
		"[    1.500000] amdgpu 0000:03:00.0: amdgpu:  Process falcon pid 31 thread falcon:cs0 pid 32\n";
	struct snapshot snapshot;

	(void)state;
	assert_case_told_alike("places", log, strlen(log));
	take_log(&snapshot, log, strlen(log));
	redact(&snapshot);
	for (size_t i = 0; i < snapshot.nr_log_lines; i++)
		if (is_known(snapshot.log_lines[i].text))
			assert_null(strstr(snapshot.log_lines[i].text.v_, "nfs"));
	snapshot_release(&snapshot);
}

/* Without one who knows the forms nothing of the log stays. */
static void test_without_forms_nothing_stays(void **state)
{
	struct log_line line = { .key = val_str("1"), .text = val_str("nfs: server alice gone") };
	struct snapshot snapshot = { .log_lines = &line, .nr_log_lines = 1 };
	const struct redact_options options = { .key = { 1 } };

	(void)state;
	snapshot_redact(&snapshot, &options);
	assert_int_equal(snapshot.nr_log_lines, 0);
	snapshot_release(&snapshot);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_case_is_told_alike),
		cmocka_unit_test(test_what_stays_of_a_line),
		cmocka_unit_test(test_places_between_lines_count),
		cmocka_unit_test(test_without_forms_nothing_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
