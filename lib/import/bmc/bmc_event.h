/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bmc_event.h - the entries of a management controller's log, in whichever form, and which of them still hold. */
#pragma once

#include "import/bmc/bmc_sign.h"
#include "import/dump/dump.h"

struct bmc_event {
	struct dump_line *line;
	const char *sensor;	/* "Power Supply PS1 Status"; "": what is said names it */
	const char *said;	/* "Power Supply AC lost" */
	const char *entry;	/* all its words */
	const char *words;	/* bmc_event_add(): the sensor and what is said, without a reading */
	const struct bmc_sign *sign;	/* NULL: none that is known; then it is told to be serious */
	uint64_t second;	/* from 1970; 0: not told */
	bool is_over;		/* it is no longer so */
	bool is_undirected;	/* whether it came or went is not told */
	bool is_sentence;	/* of a person's or a vendor's own words */
	bool is_row;		/* of a table about parts as they are now (bmc_row.h) */
};

struct bmc_events {
	struct bmc_event *v;
	size_t nr;
	uint64_t newest;	/* of all entries, of which most are nothing to tell */
};

/* An entry of that time was read, whatever it says. */
static inline void bmc_events_saw(struct bmc_events *events, uint64_t second)
{
	events->newest = second > events->newest ? second : events->newest;
}

void bmc_event_add(struct reading *reading, struct bmc_events *events, const struct bmc_event *event);

/* Puts what still holds: the newest is quoted. */
void bmc_events_put(struct reading *reading, const struct bmc_events *events);

/* ---- bmc_time.c */

/*
 * The first date and time in a text: "12/03/2024 11:27:10", "Dec-03-2024 | 11:27:10", "2024-12-03T11:27:10Z"; 0: none.
 */
uint64_t bmc_second(const char *text);
/* The day of "Thu Mar 14 09:12:33 2024", which is enough; 0: it is none. */
uint64_t bmc_day_in_words(const char *text);
/* When nvidia-smi's output or a log beside it was taken; 0: not told, or there is none. */
uint64_t bmc_newest_beside(const struct reading *reading);

/* "Ok", "Informational", "Repaired": nothing is wrong. */
bool bmc_is_well(const char *severity);
bool bmc_is_critical(const char *severity);
/* "Power Supply Failure detected - Deasserted" */
bool bmc_says_over(const char *said);
/* Called serious, and nothing that a node has to suffer from: its cover, its log, who pulled what. */
bool bmc_is_harmless(const char *said);
