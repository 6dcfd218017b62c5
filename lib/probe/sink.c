// SPDX-License-Identifier: GPL-2.0-or-later
/* sink.c - the worker's end of the frame pipe. A frame is one line of JSON. */
#include "base/compat.h"
#include "base/json_writer.h"
#include "probe/probe.h"
#include "sys/clock.h"
#include "sys/lock.h"
#include "sys/worker.h"
#include "sys/write_file.h"

/* If the parent is gone there is no one to report the failed write to. */
static void send_frame(struct sink *sink, struct strbuf *frame)
{
	strbuf_addch(frame, '\n');
	if (write_all(sink->fd, frame->buf, frame->len))
		sink->fd = -1;
	strbuf_release(frame);
}

void sink_begin(struct sink *sink, size_t number)
{
	struct strbuf frame = STRBUF_INIT;
	struct json_writer w = { .out = &frame };

	json_object_begin(&w);
	json_u64_member(&w, "begin", number);
	json_object_end(&w);
	send_frame(sink, &frame);
}

enum { WAIT_SAID_NS = 1000000000 };	/* shorter waits are not worth a frame */

void sink_sleep_ns(struct sink *sink, uint64_t ns)
{
	const unsigned quiet_ms = sink->quiet_ms;

	if (quiet_ms && ns > WAIT_SAID_NS) {
		sink->quiet_ms = quiet_ms + (unsigned)(ns / 1000000);
		sink_step(sink, "wait");
		sink->quiet_ms = quiet_ms;
	}
	clock_sleep_ns(ns);
}

void sink_step(struct sink *sink, const char *call)
{
	struct strbuf frame = STRBUF_INIT;
	struct json_writer w = { .out = &frame };

	if (sink->told) {
		sink->told(sink->to, call);
		return;
	}
	if (sink->lock_fd >= 0)
		lock_note_call(sink->lock_fd, call, sink->quiet_ms ? sink->quiet_ms : worker_child_quiet_ms());
	json_object_begin(&w);
	json_str(&w, "step", call);
	json_u64_member(&w, "t_ns", clock_now_ns());
	if (sink->quiet_ms)
		json_u64_member(&w, "quiet_ms", sink->quiet_ms);
	json_object_end(&w);
	send_frame(sink, &frame);
}

void sink_flush(struct sink *sink)
{
	struct strbuf frame = STRBUF_INIT;
	struct json_writer w = { .out = &frame };

	json_object_begin(&w);
	json_key(&w, "fact");
	record_write(&w, &record_snapshot, &sink->facts);
	json_object_end(&w);
	snapshot_release(&sink->facts);
	send_frame(sink, &frame);
}

int sink_end(struct sink *sink, enum probe_outcome outcome, const char *why)
{
	struct strbuf frame = STRBUF_INIT;
	struct json_writer w = { .out = &frame };

	sink_flush(sink);
	json_object_begin(&w);
	json_bool_member(&w, "end", true);
	json_str(&w, "outcome", probe_outcome_name(outcome));
	if (why)
		json_str(&w, "why", why);
	json_object_end(&w);
	send_frame(sink, &frame);
	return 0;
}
