// SPDX-License-Identifier: GPL-2.0-or-later
/* judging.c - how long judging a snapshot takes: judging ROUNDS FILE prints the median in ms. */
#include "base/compat.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/stats.h"
#include "checks/playbook.h"
#include "eval/report.h"
#include "sys/clock.h"

enum { MAX_ROUNDS = 1000, MAX_FILE_BYTES = 32 << 20 };

int main(int argc, char **argv)
{
	int rounds = argc == 3 ? (int)strtol(argv[1], NULL, 10) : 0;
	char *text = malloc(MAX_FILE_BYTES);
	static double ms[MAX_ROUNDS];
	struct snapshot snapshot;
	struct merge_unknown unknown = { .nr = 0 };
	struct json_error error;
	struct stats stats;
	FILE *file = rounds > 0 && rounds <= MAX_ROUNDS ? fopen(argv[2], "r") : NULL;
	size_t len = file && text ? fread(text, 1, MAX_FILE_BYTES, file) : 0;

	if (!len || snapshot_load(&snapshot, text, len, &unknown, &error)) {
		fputs("usage: judging ROUNDS SNAPSHOT\n", stderr);
		return 64;
	}
	for (int i = 0; i < rounds; i++) {
		uint64_t begin_ns = clock_now_ns();
		struct report report;

		judge(&report, &snapshot, &playbook, &(struct basis){ .policy = &policy_built_in });
		ms[i] = (double)(clock_now_ns() - begin_ns) / 1e6;
		report_release(&report);
	}
	stats_of(ms, (size_t)rounds, &stats);
	printf("%.3f\n", stats.median);
	snapshot_release(&snapshot);
	free(text);
	return fclose(file);
}
