/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check.h - what a check is, and all it may do.
 *
 * A check judges one subject by the snapshot. It opens nothing, asks no clock,
 * formats no number and prints nothing; the engine loops over the subjects,
 * keeps the evidence and says unknown where a value is missing.
 *
 * A check asks questions. Within a question it reads values by need(); a
 * finding is raised by finding_add(). When a needed value is not known, the
 * question stays open: findings of it are silenced and the engine says unknown,
 * with the reason of each missing value. question() begins the next,
 * independent one. want() is for values a finding can do without.
 *
 *	Pass = at least one value known, no question open, no finding.
 *
 *	static void eval(struct judgement *j)
 *	{
 *		uint64_t used = need(j, swap, swap, used_bytes);
 *
 *		if (used)
 *			finding_add(j, SWAP_USED_IDLE);
 *	}
 *
 *	const struct check check_swap_used = {
 *		.name = "swap-used", .title = "Swap in use", .per = SUBJECT_NODE,
 *		.doc = "…", .may_emit = IDS(SWAP_USED_IDLE), .eval = eval,
 *	};
 *
 * To add one: a file and a row in checks/, rows in findings.def, a case for
 * each finding. See CONTRIBUTING.md.
 */
#pragma once

#include "eval/findings/findings.h"
#include "eval/policy/policy.h"
#include "snapshot/snapshot.h"

/* The playbook's stages, in their fixed order. */
enum stage {
	STAGE_DEVICE, STAGE_VERSIONS, STAGE_LINK, STAGE_THROTTLE, STAGE_VRAM, STAGE_SWAP,
	STAGE_NUMA, STAGE_TIMING, STAGE_INTEGRITY, STAGE_FEED, STAGE_STACK,
	NR_STAGES
};
/* "device", "versions" …: the names in JSON. */
const char *stage_name(enum stage stage);

/* What one run of eval() is about. GPUs and devices are those under test (eval/judge/subject.h). */
enum subject_kind {
	SUBJECT_NODE, SUBJECT_GPU, SUBJECT_OCL_DEVICE, SUBJECT_PROBE,
	SUBJECT_NODE_AND_GPUS,		/* of a check alone: the node, then each GPU */
};
enum { NR_SUBJECT_KINDS = SUBJECT_NODE_AND_GPUS + 1 };

struct judging;		/* the engine's side of a judgement */
struct node_log;	/* eval/log/kernel_log.h */
struct baseline;	/* eval/baseline/baseline.h */
struct holding_list;	/* eval/facts/holders.h */
struct temperature;		/* eval/facts/temperature.h */
struct twin_fields;	/* eval/facts/twins.h */
struct load;		/* eval/load/load.h */

struct judgement {
	const struct snapshot *snapshot;
	const struct policy *policy;		/* as it holds for this GPU, or for the machine */
	const struct baseline *baseline;	/* eval/baseline/baseline.h; NULL: none was given */
	const struct gpu *gpu; /* SUBJECT_GPU; of SUBJECT_OCL_DEVICE where its place is known; else NULL */
	const struct ocl_device *device;	/* SUBJECT_OCL_DEVICE */
	const struct probe_run *probe;		/* SUBJECT_PROBE */
	const struct node_log *log;		/* what the kernel's log tells */
	const struct holding_list *users;	/* users_of() the node */
	const struct temperature *hottest;		/* node_temperature() */
	const struct twin_fields *twin_fields;	/* twin_fields_list() */
	struct load *load;			/* load_of_window(); NULL: none */
	struct arena *arena;			/* for texts that outlive the check */
	struct judging *judging;
};

/* What a check reads beyond the files of the node, which are always looked at: says which probes a run can spare. */
enum {
	NEEDS_LINKS = 1,	/* each GPU's links */
	NEEDS_OPENCL = 2,	/* OpenCL's inventory */
	NEEDS_LOAD = 4,		/* timings: puts load on devices */
	NEEDS_WINDOW = 8,	/* rates over the observation window */
	NEEDS_VENDOR = 16,	/* what a vendor's management library tells */
	NEEDS_STORAGE = 32,	/* speed of the paths of --storage */
	NEEDS_IMPORT = 64,	/* imports of --framework */
	NEEDS_COLLECTIVE = 128,	/* bus bandwidth by --collective: puts load on all GPUs at once */
};

struct check {
	const char *name;		/* "pcie-width" */
	const char *title;		/* "PCIe link width" */
	const char *doc;		/* what it asks and when it may speak, for `explain` and gpudiag-checks(7) */
	enum subject_kind per;
	unsigned needs;			/* of the above */
	/* The least --level of whose purpose it is part: whoever asks for that level wants it done. NULL: of none. */
	const char *level;
	const char *says; /* template for the stage's line when it passes, from its evidence; NULL: the title */
	const enum finding_id *may_emit;	/* ends with NO_FINDING */
	void (*eval)(struct judgement *j);
};

#define IDS(...) (const enum finding_id[]){ __VA_ARGS__, NO_FINDING }

/* A row of checks/playbook.def. */
struct playbook_row {
	enum stage stage;
	const struct check *check;
	bool required;			/* unknown moves the exit status */
	bool required_in_gate;		/* of gpudiag gate's alone */
	bool gate_only;			/* asked by gpudiag gate alone */
};

/* " (required)", " (gate only)" …: what lists add to its name; "" for most. */
const char *playbook_row_words(const struct playbook_row *row);

struct playbook {
	const struct playbook_row *rows;
	size_t nr;
};

/* The row of a check by its name, or NULL. */
const struct playbook_row *playbook_row_by_name(const struct playbook *playbook, const char *name);

/* The names of its checks, in its order. The list is the arena's. */
struct strs playbook_checks(struct arena *arena, const struct playbook *playbook);

/* ---- reading */

/*
 * The value of a field, noted as evidence: need(j, pci_function, &gpu->pci,
 * link_width). record_pointer may be NULL. Where the value is not known, 0,
 * 0.0, "" or false comes back and the question stays open.
 */
#define need(j, record, record_pointer, field_) READ_(need, j, record, record_pointer, field_)
/* The same for a value a finding can do without: evidence where it is known, nothing where it is not. */
#define want(j, record, record_pointer, field_) READ_(want, j, record, record_pointer, field_)

#define READ_(how, j, record, record_pointer, field_)                                          \
	_Generic(((struct record *)0)->field_,                                                 \
		struct val_u64: how##_u64, struct val_f64: how##_f64,                          \
		struct val_str: how##_str, struct val_bool: how##_bool)                        \
		((j), (const struct record *){ (record_pointer) }, &record_##record.fields[FIELD_##record##_##field_])

uint64_t need_u64(struct judgement *j, const void *record, const struct field *field);
double need_f64(struct judgement *j, const void *record, const struct field *field);
const char *need_str(struct judgement *j, const void *record, const struct field *field);
bool need_bool(struct judgement *j, const void *record, const struct field *field);
uint64_t want_u64(struct judgement *j, const void *record, const struct field *field);
double want_f64(struct judgement *j, const void *record, const struct field *field);
const char *want_str(struct judgement *j, const void *record, const struct field *field);
bool want_bool(struct judgement *j, const void *record, const struct field *field);

/* True, with the value as evidence, where it could not be read because the device is gone (VAL_LOST). */
#define is_lost(j, record, record_pointer, field_) \
	is_lost_((j), (const struct record *){ (record_pointer) }, &record_##record.fields[FIELD_##record##_##field_])
bool is_lost_(struct judgement *j, const void *record, const struct field *field);

/* Evidence noted from here on is of that thing ("0000:5c:00.0", "/dev/sda2"); NULL: of the subject. */
void about(struct judgement *j, const char *thing);

/*
 * Evidence that is computed: a name for templates, a unit, the number, and how it came about
 * ("link_width × link_speed"). Returns the number.
 */
double derive(struct judgement *j, const char *name, enum unit unit, double value, const char *how);
/* The same for a text. */
const char *derive_str(struct judgement *j, const char *name, const char *text, const char *how);
/* The evidence noted last is what that line of a dump told: `from` of value.h; 0: no dump did. */
void cite(struct judgement *j, uint32_t from);
/* Words for templates that are no evidence, as they make sense in a sentence only: " of GPU 3", or "". */
void phrase(struct judgement *j, const char *name, const char *words);

/* What the evidence of that name, noted last in this question, should have been. */
void expect_u64(struct judgement *j, const char *name, uint64_t expected);
void expect_f64(struct judgement *j, const char *name, double expected);
void expect_str(struct judgement *j, const char *name, const char *expected);

/* The policy as it holds for one GPU: for checks of the node that look at several. */
const struct policy *policy_of_gpu(const struct judgement *j, const struct gpu *gpu);

/* ---- answering */

/* Begins the next question: its evidence and its missing values are its own. */
void question(struct judgement *j);

/* Can this question be answered so far? For a check that would compute with what is missing. */
bool all_known(const struct judgement *j);

/*
 * Its evidence points to somebody whom the findings it raises leave open; why: a sentence that says so. BLAME_NONE: it
 * does not.
 */
void question_blames(struct judgement *j, enum blame blame, const char *why);

/* What a finding says last of why. NULL: nothing further. */
void question_adds(struct judgement *j, const char *sentence);

/* Raises a finding with the question's evidence; does nothing while a needed value is missing. */
void finding_add(struct judgement *j, enum finding_id id);

/*
 * The same for a finding that a check may raise more than once about one
 * subject: which tells them apart, so that each has its own key, by a name that
 * it has tomorrow too: a field, a disk, a port. NULL: as finding_add().
 */
void finding_add_of(struct judgement *j, enum finding_id id, const char *which);
/* The same about a GPU that the snapshot does not have, at that PCI address. NULL: about the subject. */
void finding_add_at(struct judgement *j, enum finding_id id, const char *which, const char *address);

/* The check does not apply here, or cannot be asked now. reason is a phrase and may quote evidence: "{gpus} seen". */
void skip_check(struct judgement *j, const char *reason);

/* It applies and cannot be judged, for a reason that is no missing value. */
void unknown(struct judgement *j, const char *reason);

/*
 * The same where something failed that is no field of the snapshot: like a field that failed to answer
 * (eval/judge/unknown.h) it weighs whatever else passes, and the exit status is 3.
 */
void unknown_by_failure(struct judgement *j, const char *reason);
