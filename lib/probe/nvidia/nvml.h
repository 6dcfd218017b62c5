/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nvml.h - NVIDIA's management library as probes "nvml" and "nvml-gpu" use
 * it: loaded, never linked, each call named before it is made.
 *
 * A GPU that is lost is asked nothing more: every later question has the same
 * answer, and none of them costs a timeout.
 */
#pragma once

#include "format/nvml_names.h"
#include "probe/nvidia/nvml_abi.h"
#include "probe/probe.h"
#include "snapshot/sample_fold.h"

/* ---- nvml_library.c */

struct nvml_library {
#define NVML_MEMBER(name, older, parameters) int (*name) parameters;
	NVML_CALLS(NVML_MEMBER)
#undef NVML_MEMBER
};

#define NVML_WHY_BYTES 256

/*
 * Looks for the library, loads it and starts it (nvmlInit). PROBE_OK; else why
 * has a phrase: PROBE_UNAVAILABLE where it is not installed, PROBE_DENIED,
 * PROBE_PARTIAL where it does not load or does not start. ret_file, where not
 * NULL, gets the file it was loaded from, in that arena.
 */
enum probe_outcome nvml_open(struct probe_env *env, struct sink *sink, struct nvml_library *ret,
			     struct val_str *ret_file, char why[NVML_WHY_BYTES]);

/* Is it a GPU of this library: bound to driver nvidia, and under test? */
bool nvml_knows(const struct snapshot *snapshot, const struct gpu *gpu);
void nvml_environment(const struct snapshot *snapshot, const char *target, struct arena *arena, struct strs *ret);

/* ---- nvml_call.c: asking, and what came back as a value */

/* What the first look at a GPU's memory found, for a second one. */
struct nvml_first_look {
	struct val_u64 used_bytes;
	bool is_complete;		/* who its clients are, and what each has */
	size_t nr_living;		/* clients not known to be dead, and what they have */
	uint64_t living_bytes, dead_bytes;
	uint64_t began_ns, at_ns;	/* when the worker began, when memory was read */
};

/* Values that failed and are read again: nvml_retry.c. */
enum { NVML_PARTS = 4, NVML_MOST_HELD = 160 };
struct nvml_retry {
	unsigned part;			/* being read, from 1; 0: none, and nothing is held back */
	/* by the value's row in nvml.def: the part that reads it; 0: it did not fail */
	unsigned char part_of[NVML_MOST_HELD];
	unsigned passes;		/* so far, after the first */
	bool is_last, fails_again;
	uint64_t since_ns;		/* when the first failed; 0: none did */
};

/* Calls about one GPU, or about the node if address is NULL. */
struct nvml_session {
	const struct nvml_library *nvml;
	struct sink *sink;
	const char *address;		/* key in gpus[] */
	nvml_device device;
	bool is_lost;
	int worst_error;			/* gravest error so far that says the GPU is not well; 0: none */
	const char *worst_error_call;
	unsigned worst_error_part;		/* the part (nvml_retry.c) whose call returned it; 0: none of them */
	bool worst_error_said;
	struct nvml_retry retry;
	struct nvml_first_look first_look;
};

/* Its facts since the last flush. */
struct gpu *nvml_facts(const struct nvml_session *session);

/*
 * Calls: nvml_call(session, nvmlDeviceGetIndex, session->device, &index). Says so
 * first; an error code. One that this library has not is FUNCTION_NOT_FOUND.
 */
#define nvml_call(session, call, ...)                                                             \
	(nvml_begin((session), (session)->nvml->call != NULL, #call) ?                             \
		 nvml_note((session), #call, (session)->nvml->call(__VA_ARGS__)) :                 \
		 nvml_skipped_error(session))
bool nvml_begin(const struct nvml_session *session, bool is_there, const char *call);
int nvml_note(struct nvml_session *session, const char *call, int error);
int nvml_skipped_error(const struct nvml_session *session);

/* What an error makes of a value, with static words. */
struct val_head nvml_missing_value(int error);

/* What a read gives that no device answers, of whatever width; eval/judge/unknown.def knows the words. */
#define NVML_READS_ALL_ONES "reads all ones"

/* Values: the error's where it is one; an error that says "reads N" where the number cannot be. */
struct val_u64 nvml_u64(const struct nvml_session *session, int error, uint64_t value);
struct val_u64 nvml_in_range(const struct nvml_session *session, int error, uint64_t value, uint64_t least,
			     uint64_t most);
/* The same of what a call among these very arguments writes: it is read when the call is over. */
struct val_u64 nvml_u32(const struct nvml_session *session, int error, const unsigned *value);
struct val_u64 nvml_u32_in_range(const struct nvml_session *session, int error, const unsigned *value, unsigned least,
			       unsigned most);
struct val_f64 nvml_celsius(const struct nvml_session *session, int error, int64_t value);
/* By how much a temperature is below a limit: that may be -1. */
struct val_f64 nvml_margin(const struct nvml_session *session, int error, int64_t value);
struct val_bool nvml_bool(const struct nvml_session *session, int error, uint64_t value);
/* names[value]; NULL there: no such value. */
struct val_str nvml_enum(const struct nvml_session *session, int error, uint64_t value,
			 const struct nvml_names *names);
/* Cleaned, in the arena of the facts; "" and N/A are absent. size is the buffer's. */
struct val_str nvml_text(const struct nvml_session *session, int error, const char *text, size_t size);
/* "0000:5d:00.0" */
struct val_str nvml_address(const struct nvml_session *session, int error, const struct nvml_pci_info *pci);

/* Asks for all of them in one call; each then has its own result, also where the call failed. */
void nvml_call_fields(struct nvml_session *session, struct nvml_field *fields, size_t nr);
/* The number of one. Signed ones are taken for what they are. */
struct val_u64 nvml_field_u64(const struct nvml_session *session, const struct nvml_field *field);
struct val_f64 nvml_field_celsius(const struct nvml_session *session, const struct nvml_field *field);
struct val_f64 nvml_field_margin(const struct nvml_session *session, const struct nvml_field *field);

/* ---- nvml_gpu.c: which GPU it is */

/* The handle of a GPU: where this fails, the GPU is there and the driver cannot use it. 0, or an error told in why. */
int nvml_get_handle(struct nvml_session *session, char why[NVML_WHY_BYTES]);
/* A library that hands out another GPU: what it says is not of this one. */
bool nvml_is_another(struct nvml_session *session, char why[NVML_WHY_BYTES]);

/* ---- nvml_health.c, nvml_state.c: one GPU, part by part */

void nvml_read_identity(struct nvml_session *session);
void nvml_read_health(struct nvml_session *session);
void nvml_read_state(struct nvml_session *session);
/* Now, by whichever call this library has. */
int nvml_call_temperature(struct nvml_session *session, int64_t *ret);
/* By the newest form that answers. ret_newest: what version 2 said, which alone fills reserved. */
int nvml_call_memory(struct nvml_session *session, int *ret_newest, struct nvml_memory_v2 *ret);

/* ---- nvml_fabric.c: the NVSwitch fabric, NVLinks */

/* Errors counted on each link so far. */
struct nvml_links {
	size_t nr;
	bool by_calls;			/* counted by nvmlDeviceGetNvLinkErrorCounter, not by fields */
	struct val_u64 errors[NVML_MOST_LINKS];
};
void nvml_read_fabric(struct nvml_session *session);
void nvml_read_links(struct nvml_session *session, struct nvml_links *ret);
/* Again, at the end of the window: says what each counted since. */
void nvml_read_links_again(struct nvml_session *session, const struct nvml_links *before);

/* ---- nvml_clients.c: processes and MIG instances */

/* sees_processes: /proc has every process of the host, under the numbers by which the driver knows them. */
void nvml_read_clients(struct nvml_session *session, struct probe_env *env, bool sees_processes);
void nvml_read_instances(struct nvml_session *session);

/* Is it so long until the worker's time is up? deadline_ms: the worker's; 0: none. */
bool nvml_has_time(const struct nvml_session *session, uint64_t until_ns, uint64_t deadline_ms);

/* ---- nvml_process_list.c: the driver's lists of processes */

enum nvml_list { NVML_LIST_COMPUTE, NVML_LIST_GRAPHICS, NVML_LIST_MPS, NR_NVML_LISTS };

/* A list as it came: nr records of version 1 or 2. */
struct nvml_process_list {
	const char *kind;		/* "compute", static */
	int error;
	bool is_v1;
	unsigned nr, room;
	void *records;			/* to be freed, also after an error */
};
/* Lists of that driver that its newest call gives in another form than nvml.h says; of the one that runs. */
bool nvml_process_lists_are_odd(const char *driver_version);
bool nvml_has_odd_lists(struct nvml_session *session);
/* again_ns: after what time one that failed is asked for again; 0: it is not. */
void nvml_get_processes(struct nvml_session *session, enum nvml_list which, bool is_odd, uint64_t again_ns,
			struct nvml_process_list *ret);
struct nvml_process_v2 nvml_process_at(const struct nvml_process_list *list, unsigned i);
/* More of them than there was room for, or a number no process can have: they are not what they were taken for. */
bool nvml_processes_are_garbage(const struct nvml_process_list *list);

/* ---- nvml_retry.c: values that failed, a second and a third time */

/* One of the parts above: identity (1), health, state and fabric (NVML_PARTS). */
void nvml_read_part(struct nvml_session *session, unsigned part);
/* Sends the facts of the part being read, but for those that failed and may pass. */
void nvml_flush(struct nvml_session *session);
/* Half a second after the first failure; what fails again stays behind. */
void nvml_retry_soon(struct nvml_session *session);
/*
 * Five seconds after it, as far as there is time: now all are reported, failed or not. deadline_ms: the worker's; 0:
 * none. Without two twins to compare it with nobody can judge so long a failure, and nothing waits.
 */
void nvml_retry_late(struct nvml_session *session, bool has_twins, uint64_t deadline_ms);

/* ---- nvml_memory_recheck.c: memory in use, a second time */

/* 5 s after the first look, where 2 GiB or more are no living client's; the value or why there is none. */
void nvml_memory_recheck(struct nvml_session *session, struct probe_env *env, bool sees_processes,
			 uint64_t deadline_ms);

/* ---- nvml_sampler.c: one sample of a GPU, over the window and under our own load */

enum nvml_figure {
	NVML_USE, NVML_GENERATION, NVML_WIDTH, NVML_SM_CLOCK, NVML_MEMORY_CLOCK, NVML_POWER, NVML_TEMPERATURE,
	NVML_REASONS, NVML_SENT, NVML_RECEIVED, NR_NVML_FIGURES
};

/* Why its own link is not reported as that of its slot. */
#define NVML_CARD_SWITCH "a switch on the card is between it and its slot"

struct nvml_sampler {
	struct nvml_session *session;
	bool has_card_switch;		/* its own link is not that of its slot */
	/* reads clocks and link in every sample, not only of a busy GPU; no PCIe throughput */
	bool is_under_load;
	/* figures that are had otherwise and stay unset: 1 << NVML_USE, 1 << NVML_POWER */
	unsigned left_out;
	size_t taken;
	int off[NR_NVML_FIGURES];	/* the error after which it is not asked for again; 0: none */
	uint64_t seen_reasons;		/* in any sample, by the bits of nvml_abi.h */
};

/* Texts are static, or in the arena of the session's facts. */
void nvml_sample(struct nvml_sampler *sampler, struct gpu_sample *ret);

/* ---- nvml_watch.c: the window */

/* window_ms 0: says that there was none. has_card_switch: its own link is not that of its slot. */
void nvml_watch(struct nvml_session *session, unsigned window_ms, bool has_card_switch, const struct nvml_links *links);
