/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nvml_answer.h - how the calls of the fake NVML answer, and what calls of several subjects share. See nvml.c. */
#pragma once

#include "nvml_machine.h"

typedef unsigned int u32;
typedef unsigned long long u64;
typedef void *device_t;

#define NOT_SUPPORTED	      OTHERWISE(NVML_NOT_SUPPORTED)
#define VERSION(size, number) ((u32)(size) | (u32)(number) << 24)

#define API(name, ...)                                                                                                 \
	int name(__VA_ARGS__);                                                                                         \
	int name(__VA_ARGS__)

#define DETAIL(...)                                                                                                    \
	char detail[48];                                                                                               \
	snprintf(detail, sizeof(detail), __VA_ARGS__)

/* Calls that give one value of a GPU. */
#define NUMBER(name, key, otherwise)                                                                                   \
	API(name, device_t device, u32 *out)                                                                           \
	{                                                                                                              \
		return ask_u32(__func__, device, "", key, otherwise, out);                                             \
	}
#define LARGE(name, key, otherwise)                                                                                    \
	API(name, device_t device, u64 *out)                                                                           \
	{                                                                                                              \
		return ask_u64(__func__, device, "", key, otherwise, out);                                             \
	}

struct versioned_u32 {
	u32 version, value;
};

struct pci_info {
	char legacy[16];
	u32 domain, bus, device, ids, subsystem;
	char address[32];
};

void wait_us(double us);

/* Every call but those that begin and end: error, or 0. */
int enter(const char *call, const struct gpu *gpu, const char *detail);
/* A call of a handle, whole GPUs and instances alike. */
int enter_any(const char *call, device_t device, const char *detail, const struct gpu **gpu);
/* One of whole GPUs alone. */
int enter_gpu(const char *call, device_t device, const char *detail, const struct gpu **gpu);

int give_text(const char *call, const char *text, char *out, u32 length);
int ask(const char *call, device_t device, const char *detail, const char *key, long long otherwise, long long *value);
int ask_u32(const char *call, device_t device, const char *detail, const char *key, long long otherwise, u32 *out);
int ask_u64(const char *call, device_t device, const char *detail, const char *key, long long otherwise, u64 *out);
int ask_text(const char *call, device_t device, const char *key, const char *otherwise, char *out, u32 length);

void fill_pci(const struct gpu *gpu, struct pci_info *pci);
/* For how long a policy held the clocks back. */
int violation(const struct gpu *gpu, u32 policy, long long *ns);
/* A GPU that is divided (MIG) tells nothing of its use. */
int refused_in_parts(const struct gpu *gpu);
