// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/window_rates.h"

#include <inttypes.h>

/* The next number of a line, after white space. */
static bool next_u64(const char **at, uint64_t *ret)
{
	char *end;

	*at += strspn(*at, " \t");
	if (**at < '0' || **at > '9')
		return false;
	*ret = strtoull(*at, &end, 10);
	*at = end;
	return true;
}

/* All nr of them. */
static bool next_numbers(const char **at, uint64_t *numbers, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!next_u64(at, &numbers[i]))
			return false;
	return true;
}

/* ---- /proc/stat */

enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL };

bool cpu_ticks_parse(const char *text, struct cpu_ticks *ret)
{
	*ret = (struct cpu_ticks){ .kind = { 0 } };
	for (size_t i = 0; i < CPU_TICK_KINDS; i++)
		if (!next_u64(&text, &ret->kind[i]))
			return i > IDLE;
	return true;
}

bool cpu_shares_of(const struct cpu_ticks *start, const struct cpu_ticks *end, double max_ticks,
		   struct cpu_shares *ret)
{
	double grown[CPU_TICK_KINDS], sum = 0.0;

	for (size_t i = 0; i < CPU_TICK_KINDS; i++) {
		/* These may go back a little by design (proc(5)); the others only where all of it starts afresh. */
		bool may_fall = i == IDLE || i == IOWAIT || i == STEAL;

		if (end->kind[i] < start->kind[i] && !may_fall)
			return false;
		grown[i] = end->kind[i] < start->kind[i] ? 0.0 : (double)(end->kind[i] - start->kind[i]);
		sum += grown[i];
	}
	if (sum <= 0.0 || sum > max_ticks)
		return false;
	ret->busy = 100.0 * (grown[USER] + grown[NICE] + grown[SYSTEM] + grown[IRQ] + grown[SOFTIRQ]) / sum;
	ret->iowait = 100.0 * grown[IOWAIT] / sum;
	ret->steal = 100.0 * grown[STEAL] / sum;
	return true;
}

/* ---- other files */

struct val_u64 pressure_total(const char *text, const char *line)
{
	static const char name[] = " total=";
	const char *at = text, *end;
	uint64_t total;

	while (at && strncmp(at, line, strlen(line))) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	if (!at)
		return no_u64(VAL_ABSENT, "no such line there");
	end = at + strcspn(at, "\n");
	at = strstr(at, name);
	if (!at || at > end)
		return no_u64(VAL_ABSENT, "no total there");
	at += strlen(name);
	return next_u64(&at, &total) ? val_u64(total) : no_u64(VAL_ERROR, "its total is no number");
}

/* A word of at most 63 bytes that ends before one of the stops. */
static bool next_name(const char **at, const char *stops, char name[64])
{
	size_t len;

	*at += strspn(*at, " \t");
	len = strcspn(*at, stops);
	if (!len || len >= 64)
		return false;
	memcpy(name, *at, len);
	name[len] = '\0';
	*at += len;
	return true;
}

bool disk_counts_parse(const char *line, char name[64], struct disk_counts *ret)
{
	enum { READS, READS_MERGED, SECTORS_READ, READ_MS, WRITES, WRITES_MERGED, SECTORS_WRITTEN, WRITE_MS,
	       IN_FLIGHT, BUSY_MS, NR };
	uint64_t number[2], count[NR], queue_ms;

	/* Kernels before 2.6.25 wrote four numbers for a partition, which no disk is. */
	if (!next_numbers(&line, number, 2) || !next_name(&line, " \t\n", name) || !next_numbers(&line, count, NR))
		return false;
	*ret = (struct disk_counts){
		.reads = count[READS], .sectors_read = count[SECTORS_READ], .read_ms = count[READ_MS],
		.writes = count[WRITES], .sectors_written = count[SECTORS_WRITTEN], .write_ms = count[WRITE_MS],
		.in_flight = count[IN_FLIGHT], .busy_ms = count[BUSY_MS],
		.queue_ms = no_u64(VAL_ABSENT, "its line ends before"),
	};
	if (next_u64(&line, &queue_ms))
		ret->queue_ms = val_u64(queue_ms);
	return true;
}

bool network_counts_parse(const char *line, char name[64], struct network_counts *ret)
{
	enum { RX_BYTES, RX_PACKETS, RX_ERRORS, RX_DROPS, RX_FIFO, RX_FRAME, RX_COMPRESSED, RX_MULTICAST,
	       TX_BYTES, TX_PACKETS, TX_ERRORS, TX_DROPS, NR };
	uint64_t count[NR];

	/* "eth0:123" was once written without the blank. */
	if (!next_name(&line, ":\n", name) || *line != ':')
		return false;
	line++;
	if (!next_numbers(&line, count, NR))
		return false;
	*ret = (struct network_counts){
		.received_bytes = count[RX_BYTES], .sent_bytes = count[TX_BYTES],
		.errors = count[RX_ERRORS] + count[TX_ERRORS], .drops = count[RX_DROPS] + count[TX_DROPS],
	};
	return true;
}

/* Its line, wherever: with 20,000 interfaces it is found before any other is read. */
bool network_counts_find(const char *text, const char *name, struct network_counts *ret)
{
	size_t len = strlen(name);
	char other[64];

	for (const char *at = strstr(text, name); len && at; at = strstr(at + 1, name))
		if (at[len] == ':' && (at == text || at[-1] == ' ' || at[-1] == '\n'))
			return network_counts_parse(at, other, ret);
	return false;
}

bool task_times_parse(const char *text, struct task_times *ret)
{
	enum { FIRST = 4, UTIME = 14, STIME = 15, STARTTIME = 22, PROCESSOR = 39 };	/* places as in proc(5) */
	const char *at = strrchr(text, ')');	/* the name may hold one */
	uint64_t user = 0;

	*ret = (struct task_times){ 0 };
	if (!at || at[1] != ' ' || !at[2] || at[3] != ' ')
		return false;
	at += 3;
	for (int place = FIRST; place <= PROCESSOR; place++) {
		uint64_t number;

		at += strspn(at, " ");
		at += *at == '-';		/* some are negative, none of ours */
		if (!next_u64(&at, &number))
			return false;
		if (place == UTIME)
			user = number;
		else if (place == STIME)
			ret->system = number;
		else if (place == STARTTIME)
			ret->started = number;
		else if (place == PROCESSOR)
			ret->cpu = number;
	}
	ret->ticks = user + ret->system;
	return true;
}
