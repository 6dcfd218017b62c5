/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * value.h - a value that may be unknown, with the reason.
 *
 * "Unknown" is not one thing: nobody looked, the file is not there, the device
 * cannot tell, we may not ask, it sleeps, it is gone, it did not answer in
 * time, it answered nonsense, we chose not to ask. These are kept apart from the
 * source to the exit status, and none of them is 0. Which of them weigh as a
 * failure is said in one place: eval/judge/unknown.h.
 *
 * The number itself is v_. Checks, causes and renderers never touch it (a
 * lint sees to that): checks read through need() and look() of eval/judge/check.h,
 * which note the evidence; renderers through the accessors below.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/compat.h"

enum val_state {
	VAL_UNSET,		/* not collected */
	VAL_OK,
	VAL_ABSENT,		/* the source is there and has no such value */
	VAL_UNSUPPORTED,	/* not supported by the device or driver */
	VAL_DENIED,		/* we may not ask */
	VAL_ASLEEP,		/* asking would wake the device */
	VAL_LOST,		/* the device does not answer any more */
	VAL_TIMEOUT,		/* no answer within the deadline */
	VAL_ERROR,		/* read, with an error or an impossible value */
	VAL_SKIPPED,		/* not read: forbidden by our own rules, the run ended first, or the list is full */
	NR_VAL_STATES
};

/*
 * why is a few words for people ("EACCES", "reads 63"), or NULL; it lives as long as the value. from: which line of
 * which dump told it (value_from()), 0 where no dump did.
 */
struct val_u64 { enum val_state state; uint32_t from; const char *why; uint64_t v_; };
struct val_f64 { enum val_state state; uint32_t from; const char *why; double v_; };
struct val_str { enum val_state state; uint32_t from; const char *why; const char *v_; };
struct val_bool { enum val_state state; uint32_t from; const char *why; bool v_; };

/* Series: measured samples, distances, argument lists. Empty means none were said. */
struct f64s { size_t nr; double *v; };
struct strs { size_t nr; const char **v; };

/* What every value begins with: for code that treats them alike. */
struct val_head { enum val_state state; uint32_t from; const char *why; };

/* Room for a value of any kind. */
union any_value {
	struct val_head head;
	struct val_u64 u64;
	struct val_f64 f64;
	struct val_str str;
	struct val_bool boolean;
};

/* A read that failed for a reason that may pass, by the errno that it gave: "EIO", "EBUSY: …"; EINVAL does not. */
bool val_failed_for_now(struct val_head head);

/* "denied", "timeout" …; "nobody looked" for VAL_UNSET. */
const char *val_state_name(enum val_state state);
/* The state of that name, or VAL_ERROR: a state from a newer tool is still not a pass. */
enum val_state val_state_from_name(const char *name, size_t len);

#define is_known(value) ((value).state == VAL_OK)

static inline uint64_t u64_or(struct val_u64 value, uint64_t fallback)
{
	return is_known(value) ? value.v_ : fallback;
}

static inline double f64_or(struct val_f64 value, double fallback)
{
	return is_known(value) ? value.v_ : fallback;
}

static inline bool bool_or(struct val_bool value, bool fallback)
{
	return is_known(value) ? value.v_ : fallback;
}

/* The text, or the fallback (which may be NULL). */
static inline const char *str_or(struct val_str value, const char *fallback)
{
	return is_known(value) ? value.v_ : fallback;
}

static inline bool str_is(struct val_str value, const char *text)
{
	return is_known(value) && !strcmp(value.v_, text);
}

/* The number of a source (record import_source) and a line in it, in one: what `from` of a value holds. */
enum { VALUE_FROM_LINE_BITS = 24, MAX_SOURCES = 255 };
static inline uint32_t value_from(unsigned source, unsigned line)
{
	const uint32_t last_line = (1u << VALUE_FROM_LINE_BITS) - 1;

	return (source << VALUE_FROM_LINE_BITS) | (line < last_line ? line : last_line);
}
static inline unsigned value_from_source(uint32_t from)
{
	return from >> VALUE_FROM_LINE_BITS;
}
static inline unsigned value_from_line(uint32_t from)
{
	return from & ((1u << VALUE_FROM_LINE_BITS) - 1);
}

/* Making values. Strings are not copied: they must live as long as the record, usually in its arena. */
static inline struct val_u64 val_u64(uint64_t v) { return (struct val_u64){ .state = VAL_OK, .v_ = v }; }
static inline struct val_f64 val_f64(double v) { return (struct val_f64){ .state = VAL_OK, .v_ = v }; }
static inline struct val_str val_str(const char *v) { return (struct val_str){ .state = VAL_OK, .v_ = v }; }
static inline struct val_bool val_bool(bool v) { return (struct val_bool){ .state = VAL_OK, .v_ = v }; }
static inline struct val_u64 no_u64(enum val_state state, const char *why)
{
	return (struct val_u64){.state = state, .why = why};
}
static inline struct val_f64 no_f64(enum val_state state, const char *why)
{
	return (struct val_f64){.state = state, .why = why};
}
static inline struct val_str no_str(enum val_state state, const char *why)
{
	return (struct val_str){.state = state, .why = why};
}
static inline struct val_bool no_bool(enum val_state state, const char *why)
{
	return (struct val_bool){.state = state, .why = why};
}
