/* SPDX-License-Identifier: GPL-2.0-or-later */
/* smi_gpu.h - a GPU in nvidia-smi -q, as text or XML, from its first line to its last. */
#pragma once

#include "import/nvidia/smi_value.h"

/* Sums over several lines of one GPU, that become values when all parts of one were there (smi_gpu_end()). */
struct smi_sum {
	uint64_t value;
	const struct dump_line *line;	/* the last one */
	bool has_part, lacks_part;
	struct val_head refused;	/* .why is NULL: no part was */
};

/* A GPU whose lines are being read. */
struct smi_gpu {
	struct gpu *gpu;
	struct smi_sum corrected[2], uncorrected[2];	/* volatile, aggregate */
	struct smi_sum dram_uncorrected[2], sram_uncorrected[2];
	uint64_t reasons;
	struct dump_line *reasons_line;	/* NULL: none was told */
	struct dump_line *slowdown_line;	/* tells a reason below HW Slowdown; NULL: none does */
	unsigned nr_no_reset;		/* of the two lines that ask for a reset, those that say No */
	struct smi_sum thermal_us;
	uint64_t nr_clients;
	struct dump_line *clients_line;
	struct gpu_client client;	/* being read */
	const char *gpu_instance, *compute_instance;
	const char *mig_gpu_instance, *mig_key;	/* of the MIG device being read */
	uint64_t mig_uncorrected;	/* errors of the MIG device that has most */
	struct dump_line *mig_errors_line;	/* NULL: none has any */
	const char *fabric_summary;	/* what it is called where it is bad; NULL: it is not */
	struct dump_line *fabric_summary_line;
	const char *trouble;		/* NVML's error in place of any value, where it is one of the GPU; NULL: none */
	struct dump_line *trouble_line;
};

/*
 * Takes a value; path: the names of sections and key, in small letters, "/" between them. false: no field holds it.
 */
bool smi_take(struct reading *reading, struct smi_gpu *at, enum smi_output output, const char *path, const char *value,
	      struct dump_line *line);
/* smi_mig.c: the same of what stands below a MIG device, of which nothing is the GPU's but errors. */
bool smi_is_mig_device(const char *path);
void smi_take_mig(struct reading *reading, struct smi_gpu *at, const char *path, const char *value,
		  struct dump_line *line);
void smi_mig_end(struct reading *reading, struct smi_gpu *at);

/* smi_fabric.c */
bool smi_take_fabric_health(struct reading *reading, struct smi_gpu *at, const char *path, const char *value,
			    struct dump_line *line);
void smi_fabric_end(struct reading *reading, struct smi_gpu *at);

/* smi_sums.c */
bool smi_take_ecc(struct smi_gpu *at, const char *path, const char *value, struct dump_line *line);
bool smi_take_thermal_time(struct smi_gpu *at, const char *path, const char *value, struct dump_line *line);
void smi_put_sums(struct reading *reading, const struct smi_gpu *at);

/* smi_process.c; a process is over where the next begins. */
bool smi_take_client(struct reading *reading, struct smi_gpu *at, const char *path, const char *value,
		     struct dump_line *line);
void smi_end_client(struct reading *reading, struct smi_gpu *at);

/* The GPU's lines are over. */
void smi_gpu_end(struct reading *reading, struct smi_gpu *at);

/* Of the whole output: driver and CUDA version, number of GPUs. */
bool smi_take_head(struct reading *reading, enum smi_output output, const char *path, const char *value,
		   struct dump_line *line);

/* All GPUs that are attached are in the output: they are in nvidia-smi's order, and so have its indexes. */
void smi_number_gpus(struct snapshot *snapshot);
