/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample_nvml.h - NVIDIA's GPUs, again and again, by one session of the management library whose handles are kept.
 *
 * It reads and sets nothing, and takes no lock of the profiler: the counters of GPM have hardware of their own. What a
 * GPU does not support is asked for once. A GPU that is lost is asked no more, one that sleeps not until it is awake.
 */
#pragma once

#include "probe/nvidia/nvml.h"
#include "probe/sample/sample.h"
#include "sys/cached_fd.h"

/* How old the driver's list of processes, or of instances, may be: a little less than a usual interval, and ten. */
#define NVML_LISTS_NS UINT64_C(900000000)
#define NVML_INSTANCES_NS UINT64_C(10000000000)

#define NVML_NOTHING_NEW "no new sample of the driver"

/* Of what the driver keeps for those who ask later: where the last look ended, by its own stamps. */
struct nvml_stamps {
	uint64_t last_us;		/* of the newest that was taken; 0: none */
	unsigned quiet;			/* looks in a row that found nothing new */
};
/*
 * What to ask for: the driver's clock may have been set back, after which it would never have anything newer: then once
 * in a while all is asked for.
 */
uint64_t nvml_stamps_after(const struct nvml_stamps *stamps);
/*
 * The newest of an answer is of newest_us (0: there was none). Returns what counts: stamps after that. On the first
 * look, and when stamps have gone back, those of the last interval_us.
 */
uint64_t nvml_stamps_take(struct nvml_stamps *stamps, uint64_t newest_us, uint64_t interval_us);

/* ---- sample_nvml_use.c: the driver's samples */

enum nvml_ring_kind { RING_POWER, RING_USE, RING_MEMORY_USE, NR_RINGS };
struct nvml_ring {
	struct nvml_stamps stamps;
	unsigned room;			/* as many as the driver keeps; 0: not known yet */
	int off;			/* the error after which it is not asked for again */
};

/* ---- sample_nvml_counters.c: bytes, and time throttled */

enum nvml_counter {
	COUNTER_POWER_CAP, COUNTER_HEAT, COUNTER_SW_HEAT, COUNTER_HW_HEAT, COUNTER_BRAKE,
	COUNTER_SENT, COUNTER_RECEIVED, COUNTER_LINKS_SENT, COUNTER_LINKS_RECEIVED, NR_COUNTERS
};
enum { NVML_MOST_FIELDS = 16 + 4 * NVML_MOST_LINKS };
struct nvml_counters {
	bool is_planned;
	unsigned nr;
	struct nvml_field fields[NVML_MOST_FIELDS];
	unsigned char of[NVML_MOST_FIELDS];	/* enum nvml_counter */
	struct val_head missing[NR_COUNTERS];
};

/* ---- sample_nvml_gpm.c: what the hardware counted */

enum { GPM_SAMPLES = 3 };
struct nvml_gpm {
	int off;			/* the error by which there is none; 0: there is */
	unsigned nr;			/* taken so far, the newest at (nr - 1) % GPM_SAMPLES */
	nvml_gpm_sample samples[GPM_SAMPLES];
	uint64_t taken_ns[GPM_SAMPLES];
};

struct nvml_gpm_figures {
	struct val_f64 graphics, sm, occupancy, tensor, memory, context_switches, sent_bytes_per_s,
		received_bytes_per_s;
};

/* ---- one GPU */

struct nvml_instance {
	unsigned gpu_instance, compute_instance;
	nvml_device device;
	struct nvml_gpm gpm;
};
enum { NVML_MOST_INSTANCES = 8 };

/* A process that the driver's lists have. */
struct nvml_listed { unsigned pid; struct val_u64 memory_bytes; };

struct nvml_gpu_watch {
	const char *address;
	bool has_card_switch, is_vgpu;
	struct cached_fd status;	/* power/runtime_status */
	bool is_opened;			/* its handle was asked for */
	uint64_t opened_ns;		/* when, the last time */
	struct val_head unopened;	/* why there is no handle; VAL_UNSET: there is one */
	struct nvml_session session;
	struct nvml_sampler sampler;
	struct nvml_ring rings[NR_RINGS];
	struct nvml_counters counters;
	struct nvml_gpm gpm;
	int memory_off, energy_off, throughput_off;

	bool is_divided;		/* MIG */
	uint64_t instances_ns;		/* when its instances were listed */
	struct nvml_instance instances[NVML_MOST_INSTANCES];
	unsigned nr_instances;

	struct nvml_stamps process_stamps;
	uint64_t listed_ns;		/* when its processes were listed */
	struct nvml_listed *listed;
	size_t nr_listed, room_listed;
	struct val_head unlisted;	/* why the list is not whole; VAL_OK: it is */
};

struct sample_nvml {
	struct sample_env *env;
	struct probe_env probe;
	struct sink sink;		/* for nvml_call(): steps go to the page, texts to the tick */
	struct arena arena;		/* for as long as it is open */
	struct nvml_library library;
	struct nvml_gpu_watch *gpus;
	size_t nr_gpus;
	const char *asking;		/* address; "": none */
	bool sees_all, has_odd_lists;
	unsigned branch;		/* of the driver: 550; 0: not known */
	size_t throughput_turn;		/* 2 × GPU + direction */
	uint64_t now_ns;		/* of this tick */
	void *room;			/* for what the library writes */
	size_t room_bytes;
	struct nvml_gpm_metrics *metrics;
};

/* Memory for the library to write to, zeroed; good until the next call. */
void *nvml_room(struct sample_nvml *own, size_t nr, size_t element_bytes);

/* Utilization, power, clocks, temperature, link, memory, energy. */
void nvml_read_figures(struct sample_nvml *own, struct nvml_gpu_watch *gpu, struct tick_gpu *ret);
void nvml_read_counters(struct sample_nvml *own, struct nvml_gpu_watch *gpu, struct tick_gpu *ret);
void nvml_read_processes(struct sample_nvml *own, struct nvml_gpu_watch *gpu, struct tick_gpu *ret);
void nvml_look_at_instances(struct sample_nvml *own, struct nvml_gpu_watch *gpu);
/* Last of all: some libraries give wrong answers to other calls right after it. */
void nvml_read_gpm(struct sample_nvml *own, struct nvml_gpu_watch *gpu, struct tick_gpu *ret);
/* PCIe without counters: a glimpse, for one GPU and direction in each tick. */
void nvml_read_throughput(struct sample_nvml *own, struct tick *ret);
void nvml_gpm_close(struct sample_nvml *own, struct nvml_gpu_watch *gpu);

/*
 * What was counted between two samples, which are 100 ms apart or more. room is the library's to write to, all of it:
 * that it keeps to the number it is asked for nobody has promised.
 */
void nvml_gpm_compare(struct nvml_session *session, nvml_gpm_sample from, nvml_gpm_sample to,
		      struct nvml_gpm_metrics *room, struct nvml_gpm_figures *ret);
