// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/kernel_log/kernel_log.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "probe/kernel_log/kernel_log_journal.h"
#include "sys/kmsg.h"

/* More than the largest ring holds: whoever writes faster than we read must not keep us for ever. */
enum { MAX_RECORDS = 1000 * 1000 };

struct ring {
	int fd;
	int len;			/* of record; 0: no more, or -errno */
	bool has_seq;
	uint64_t seq, stamp_us;		/* of the newest record read */
	uint64_t lost;			/* overwritten between it and the one before */
	char record[KMSG_RECORD_BYTES];
};

/* "6,339,5140900,-;text": priority, number, stamp in µs (Linux Documentation/ABI/testing/dev-kmsg). */
static void take_stamps(struct ring *ring)
{
	uint64_t before = ring->seq;
	bool had = ring->has_seq;
	char *at;

	ring->lost = 0;
	ring->has_seq = false;
	strtoull(ring->record, &at, 10);
	if (*at != ',')
		return;
	ring->seq = strtoull(at + 1, &at, 10);
	if (*at != ',')
		return;
	ring->stamp_us = strtoull(at + 1, &at, 10);
	ring->has_seq = *at == ',' || *at == ';';
	if (had && ring->has_seq && ring->seq > before + 1)
		ring->lost = ring->seq - before - 1;
}

static bool next_record(struct ring *ring)
{
	do
		ring->len = kmsg_next(ring->fd, ring->record);
	while (ring->len == -EPIPE);
	if (ring->len <= 0)
		return false;
	ring->record[ring->len < KMSG_RECORD_BYTES ? ring->len : KMSG_RECORD_BYTES - 1] = '\0';
	take_stamps(ring);
	return true;
}

static void feed_ring(struct klog_reader *reader, struct ring *ring)
{
	unsigned nr = 0;

	do {
		if (ring->lost)
			klog_reader_lost(reader, ring->lost);
		klog_reader_record(reader, ring->record, (size_t)ring->len);
	} while (++nr < MAX_RECORDS && next_record(ring));
}

int kernel_log_read_from(struct klog_reader *reader, struct kernel_log_origin *ret)
{
	static struct ring ring;
	struct kernel_log_journal journal = { .entries = 0 };
	bool has_ring;

	ring = (struct ring){ .fd = kmsg_open() };
	has_ring = ring.fd >= 0 && next_record(&ring);
	*ret = (struct kernel_log_origin){
		.source = "/dev/kmsg", .has_first_seq = has_ring && ring.has_seq, .first_seq = ring.seq,
	};
	if (!has_ring || (ring.has_seq && ring.seq))
		kernel_log_read_journal(reader, has_ring ? ring.stamp_us : UINT64_MAX, &journal);
	if (journal.entries) {
		ret->source = has_ring ? "journalctl, /dev/kmsg" : "journalctl";
		ret->has_gap = has_ring && !journal.reached_end;
	}
	if (has_ring)
		feed_ring(reader, &ring);
	if (ring.fd < 0)
		return journal.entries ? 0 : ring.fd;
	close(ring.fd);
	return ring.len < 0 && !journal.entries ? ring.len : 0;
}

int kernel_log_read(struct klog_reader *reader, const char **source)
{
	struct kernel_log_origin origin;
	int error = kernel_log_read_from(reader, &origin);

	*source = origin.source;
	return error;
}
