/* SPDX-License-Identifier: GPL-2.0-or-later */
/* window_rates.h - counters of /proc as the window reads them; their growth is growth.h's. Pure: no file, no clock. */
#pragma once

#include "snapshot/growth.h"

/* ---- /proc/stat */

/* user nice system idle iowait irq softirq steal; guests are in user and nice */
enum { CPU_TICK_KINDS = 8 };
struct cpu_ticks { uint64_t kind[CPU_TICK_KINDS]; };
struct cpu_shares { double busy, iowait, steal; };	/* per cent */

/* What follows "cpu" or "cpuN " in its line; kinds that an old kernel has not are 0. False: no such line. */
bool cpu_ticks_parse(const char *text, struct cpu_ticks *ret);
/* False where nothing was counted or the counters cannot be true. max_ticks: what fits into the window at the most. */
bool cpu_shares_of(const struct cpu_ticks *start, const struct cpu_ticks *end, double max_ticks,
		   struct cpu_shares *ret);

/* ---- /proc/pressure, /proc/diskstats, /proc/net/dev */

/* The total, in microseconds, of the line that begins "some" or "full". */
struct val_u64 pressure_total(const char *text, const char *line);

struct disk_counts {
	uint64_t reads, sectors_read, read_ms, writes, sectors_written, write_ms, in_flight, busy_ms;
	struct val_u64 queue_ms;	/* weighted with the requests in progress */
};
/* A line of /proc/diskstats; its name goes to name. False: another kind of line. */
bool disk_counts_parse(const char *line, char name[64], struct disk_counts *ret);

struct network_counts { uint64_t received_bytes, sent_bytes, errors, drops; };
/* A line of /proc/net/dev. */
bool network_counts_parse(const char *line, char name[64], struct network_counts *ret);
/* That interface's line in the file's text. */
bool network_counts_find(const char *text, const char *name, struct network_counts *ret);

/* ---- /proc/PID/stat and /proc/PID/task/TID/stat */

/* user and system time; of it system; since boot; where it ran last */
struct task_times { uint64_t ticks, system, started, cpu; };
bool task_times_parse(const char *text, struct task_times *ret);
