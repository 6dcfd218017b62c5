// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * judging.c - how long judging a snapshot takes, and comparing two that are judged:
 * judging ROUNDS FILE [FILE] prints the median in ms.
 */
#include "base/compat.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/stats.h"
#include "checks/playbook.h"
#include "eval/diff/diff.h"
#include "sys/clock.h"

enum { MAX_ROUNDS = 1000, MAX_FILE_BYTES = 32 << 20 };

static bool load(struct snapshot *ret, const char *path)
{
	char *text = malloc(MAX_FILE_BYTES);
	FILE *file = fopen(path, "r");
	size_t len = file && text ? fread(text, 1, MAX_FILE_BYTES, file) : 0;
	struct merge_unknown unknown;
	struct json_error error;
	bool is_good = len && !snapshot_load(ret, text, len, &unknown, &error);

	free(text);
	return (file && !fclose(file)) && is_good;
}

static void judge_it(struct report *ret, struct snapshot *snapshot)
{
	judge(ret, snapshot, &playbook, &(struct judge_inputs){ .policy = &policy_built_in });
}

static double judging_ms(struct snapshot *snapshot)
{
	uint64_t begin_ns = clock_now_ns();
	struct report report;
	double ms;

	judge_it(&report, snapshot);
	ms = (double)(clock_now_ns() - begin_ns) / 1e6;
	report_release(&report);
	return ms;
}

static double comparing_ms(const struct report *before, const struct report *after)
{
	uint64_t begin_ns = clock_now_ns();
	struct diff diff;
	double ms;

	diff_reports(&diff, before, after);
	ms = (double)(clock_now_ns() - begin_ns) / 1e6;
	diff_release(&diff);
	return ms;
}

int main(int argc, char **argv)
{
	int rounds = argc == 3 || argc == 4 ? (int)strtol(argv[1], NULL, 10) : 0;
	static double ms[MAX_ROUNDS];
	struct snapshot snapshots[2];
	struct report reports[2];
	struct stats stats;
	int nr = argc - 2;

	if (rounds < 1 || rounds > MAX_ROUNDS) {
		fputs("usage: judging ROUNDS SNAPSHOT [SNAPSHOT]\n", stderr);
		return 64;
	}
	for (int i = 0; i < nr; i++) {
		if (!load(&snapshots[i], argv[2 + i])) {
			fprintf(stderr, "judging: %s: no snapshot\n", argv[2 + i]);
			return 64;
		}
		judge_it(&reports[i], &snapshots[i]);
	}
	for (int i = 0; i < rounds; i++)
		ms[i] = nr == 1 ? judging_ms(&snapshots[0]) : comparing_ms(&reports[0], &reports[1]);
	stats_of(ms, (size_t)rounds, &stats);
	printf("%.3f\n", stats.median);
	for (int i = 0; i < nr; i++) {
		report_release(&reports[i]);
		snapshot_release(&snapshots[i]);
	}
	return 0;
}
