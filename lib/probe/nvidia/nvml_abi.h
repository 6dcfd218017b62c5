/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nvml_abi.h - NVIDIA's management library as a program meets it: calls,
 * records, numbers. No header of NVIDIA's is needed to build.
 *
 * Source: nvml.h of CUDA 12.x and 13.x, LP64; what is of another version says
 * so. Names of records and calls are nvml.h's, so that they can be found there.
 * A name without suffix means the oldest form of a call wherever it is looked
 * up by dlsym(); nvml.h maps it to the newest by macro.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef void *nvml_device;		/* nvmlDevice_t */

/* nvmlReturn_t: those that are handled; nvml_error_name() knows all. */
enum {
	NVML_SUCCESS = 0,
	NVML_ERROR_INVALID_ARGUMENT = 2,
	NVML_ERROR_NOT_SUPPORTED = 3,
	NVML_ERROR_NO_PERMISSION = 4,
	NVML_ERROR_NOT_FOUND = 6,
	NVML_ERROR_INSUFFICIENT_SIZE = 7,
	NVML_ERROR_INSUFFICIENT_POWER = 8,
	NVML_ERROR_IRQ_ISSUE = 11,
	NVML_ERROR_FUNCTION_NOT_FOUND = 13,
	NVML_ERROR_CORRUPTED_INFOROM = 14,
	NVML_ERROR_GPU_IS_LOST = 15,
	NVML_ERROR_RESET_REQUIRED = 16,
	NVML_ERROR_NO_DATA = 21,
	NVML_ERROR_VGPU_ECC_NOT_SUPPORTED = 22,
	NVML_ERROR_ARGUMENT_VERSION_MISMATCH = 25,
	NVML_ERROR_DEPRECATED = 26,
	NVML_ERROR_UNKNOWN = 999,
};

/* NVML_STRUCT_VERSION: what a versioned record begins with. */
#define NVML_VERSION_WORD(type, version) ((unsigned)(sizeof(type) | ((unsigned)(version) << 24)))

/* The longest texts: NVML_*_BUFFER_SIZE are 16 to 96 bytes. nvmlDeviceGetGspFirmwareVersion takes 64 untold. */
enum { NVML_TEXT_BYTES = 96 };

#define NVML_ALL_ONES_32 UINT32_MAX	/* "no instance", "not available" */

/* ---- records */

struct nvml_pci_info {			/* nvmlPciInfo_t */
	char bus_id_legacy[16];
	unsigned domain, bus, device;
	unsigned device_id, subsystem_id;
	char bus_id[32];
};
_Static_assert(sizeof(struct nvml_pci_info) == 68, "nvmlPciInfo_t");
_Static_assert(offsetof(struct nvml_pci_info, domain) == 16, "nvmlPciInfo_t");

struct nvml_excluded_device {		/* nvmlExcludedDeviceInfo_t */
	struct nvml_pci_info pci;
	char uuid[80];
};
_Static_assert(sizeof(struct nvml_excluded_device) == 148, "nvmlExcludedDeviceInfo_t");

struct nvml_memory { uint64_t total, free, used; };	/* nvmlMemory_t, nvmlBAR1Memory_t */
_Static_assert(sizeof(struct nvml_memory) == 24, "nvmlMemory_t");

struct nvml_memory_v2 { unsigned version; uint64_t total, reserved, free, used; };
_Static_assert(sizeof(struct nvml_memory_v2) == 40, "nvmlMemory_v2_t");

struct nvml_utilization { unsigned gpu, memory; };	/* per cent */
_Static_assert(sizeof(struct nvml_utilization) == 8, "nvmlUtilization_t");

struct nvml_process_v1 { unsigned pid; uint64_t used_bytes; };
_Static_assert(sizeof(struct nvml_process_v1) == 16, "nvmlProcessInfo_v1_t");

struct nvml_process_v2 { unsigned pid; uint64_t used_bytes; unsigned gpu_instance, compute_instance; };
_Static_assert(sizeof(struct nvml_process_v2) == 24, "nvmlProcessInfo_v2_t");
/* What drivers 535.43 to 535.86 wrote in place of nvmlProcessInfo_v2_t: a buffer must be large enough for these. */
enum { NVML_LARGEST_PROCESS_BYTES = 32 };

struct nvml_attributes {		/* nvmlDeviceAttributes_t */
	unsigned processors, shared_copy, decoders, encoders, jpeg, optical_flow, gpu_slices, compute_slices;
	uint64_t memory_mib;
};
_Static_assert(sizeof(struct nvml_attributes) == 40, "nvmlDeviceAttributes_t");

struct nvml_sram_errors {		/* nvmlEccSramErrorStatus_v1_t */
	unsigned version;
	uint64_t lifetime_parity, lifetime_secded, lifetime_corrected, parity, secded, corrected;
	uint64_t lifetime_l2, lifetime_sm, lifetime_pcie, lifetime_mcu, lifetime_other;
	unsigned threshold_exceeded;
};
_Static_assert(sizeof(struct nvml_sram_errors) == 104, "nvmlEccSramErrorStatus_v1_t");
_Static_assert(offsetof(struct nvml_sram_errors, threshold_exceeded) == 96, "nvmlEccSramErrorStatus_v1_t");

struct nvml_banks { unsigned max, high, partial, low, none; };	/* nvmlRowRemapperHistogramValues_t */
_Static_assert(sizeof(struct nvml_banks) == 20, "nvmlRowRemapperHistogramValues_t");

struct nvml_rows {			/* nvmlRemappedRowsInfo_v2_t, CUDA 13.2: it has no version word */
	unsigned corrected, corrected_inactive, uncorrected, uncorrected_inactive, pending, failed;
};
_Static_assert(sizeof(struct nvml_rows) == 24, "nvmlRemappedRowsInfo_v2_t");

struct nvml_repair { unsigned version, channel_pending, tpc_pending; };	/* nvmlRepairStatus_v1_t, CUDA 13.0 */
_Static_assert(sizeof(struct nvml_repair) == 12, "nvmlRepairStatus_v1_t");

struct nvml_temperature { unsigned version; int sensor, celsius; };	/* nvmlTemperature_v1_t, CUDA 12.8 */
_Static_assert(sizeof(struct nvml_temperature) == 12, "nvmlTemperature_v1_t");

struct nvml_margin { unsigned version; int celsius; };		/* nvmlMarginTemperature_v1_t, CUDA 12.8 */
_Static_assert(sizeof(struct nvml_margin) == 8, "nvmlMarginTemperature_v1_t");

struct nvml_addressing { unsigned version, mode; };		/* nvmlDeviceAddressingMode_v1_t, CUDA 13.0 */
_Static_assert(sizeof(struct nvml_addressing) == 8, "nvmlDeviceAddressingMode_v1_t");

struct nvml_branch { unsigned version; char text[80]; };	/* nvmlSystemDriverBranchInfo_v1_t */
_Static_assert(sizeof(struct nvml_branch) == 84, "nvmlSystemDriverBranchInfo_v1_t");

struct nvml_confidential { unsigned environment, cc_feature, dev_tools; };	/* nvmlConfComputeSystemState_t */
_Static_assert(sizeof(struct nvml_confidential) == 12, "nvmlConfComputeSystemState_t");

struct nvml_fabric_v1 {			/* nvmlGpuFabricInfo_t */
	unsigned char cluster[16];
	int status;
	unsigned clique;
	unsigned char state;
};
_Static_assert(sizeof(struct nvml_fabric_v1) == 28, "nvmlGpuFabricInfo_t");

struct nvml_fabric_v2 {			/* nvmlGpuFabricInfo_v2_t */
	unsigned version;
	unsigned char cluster[16];
	int status;
	unsigned clique;
	unsigned char state;
	unsigned health_mask;
};
_Static_assert(sizeof(struct nvml_fabric_v2) == 36, "nvmlGpuFabricInfo_v2_t");
_Static_assert(offsetof(struct nvml_fabric_v2, health_mask) == 32, "nvmlGpuFabricInfo_v2_t");

struct nvml_fabric_v3 {			/* nvmlGpuFabricInfo_v3_t: begins as v2 does */
	struct nvml_fabric_v2 v2;
	unsigned char health_summary;
};
_Static_assert(sizeof(struct nvml_fabric_v3) == 40, "nvmlGpuFabricInfo_v3_t");

struct nvml_sample {			/* nvmlSample_t */
	uint64_t timestamp_us;
	union nvml_number {		/* nvmlValue_t */
		double f64;
		unsigned u32;
		unsigned long ulong;
		uint64_t u64;
		int64_t s64;
		int32_t s32;
		uint16_t u16;
	} value;
};
_Static_assert(sizeof(struct nvml_sample) == 16, "nvmlSample_t");

struct nvml_process_use {		/* nvmlProcessUtilizationSample_t: per cent */
	unsigned pid;
	uint64_t timestamp_us;
	unsigned sm, memory, encoder, decoder;
};
_Static_assert(sizeof(struct nvml_process_use) == 32, "nvmlProcessUtilizationSample_t");

struct nvml_process_use_v1 {		/* nvmlProcessUtilizationInfo_v1_t, CUDA 12.4: begins as the other does */
	struct nvml_process_use use;
	unsigned jpeg, optical_flow;
};
_Static_assert(sizeof(struct nvml_process_use_v1) == 40, "nvmlProcessUtilizationInfo_v1_t");

struct nvml_processes_use {		/* nvmlProcessesUtilizationInfo_v1_t */
	unsigned version, nr;
	uint64_t last_seen_us;
	struct nvml_process_use_v1 *rows;
};
_Static_assert(sizeof(struct nvml_processes_use) == 24, "nvmlProcessesUtilizationInfo_v1_t");

/* Of the counters of GPM a version is the plain number. */
enum { NVML_GPM_VERSION = 1 };
typedef void *nvml_gpm_sample;		/* nvmlGpmSample_t */

struct nvml_gpm_support { unsigned version, is_supported; };	/* nvmlGpmSupport_t */
_Static_assert(sizeof(struct nvml_gpm_support) == 8, "nvmlGpmSupport_t");

struct nvml_gpm_metric {		/* nvmlGpmMetric_t */
	unsigned id;
	int result;			/* of this one */
	double value;
	const char *names[3];
};
_Static_assert(sizeof(struct nvml_gpm_metric) == 40, "nvmlGpmMetric_t");

/* The array has 98 elements in headers 11.8 to 12.8, 210 in 12.9 to 13.1, 333 since 13.2, all of one version. */
enum { NVML_GPM_MOST = 333 };
struct nvml_gpm_metrics {		/* nvmlGpmMetricsGet_t */
	unsigned version, nr;
	nvml_gpm_sample from, to;
	struct nvml_gpm_metric metrics[NVML_GPM_MOST];
};
_Static_assert(sizeof(struct nvml_gpm_metrics) == 13344, "nvmlGpmMetricsGet_t");

struct nvml_field {			/* nvmlFieldValue_t */
	unsigned id, scope;
	long long timestamp_us, latency_us;
	int type;			/* NVML_VALUE_TYPE_* */
	int result;			/* of this one field */
	union nvml_number value;
};
_Static_assert(sizeof(struct nvml_field) == 40, "nvmlFieldValue_t");
_Static_assert(offsetof(struct nvml_field, value) == 32, "nvmlFieldValue_t");

/* nvmlValueType_t: drivers differ in which they give for a field. */
enum { NVML_TYPE_F64, NVML_TYPE_U32, NVML_TYPE_ULONG, NVML_TYPE_U64, NVML_TYPE_S64, NVML_TYPE_S32, NVML_TYPE_U16 };

/* ---- numbers */

/*
 * Fields of nvmlDeviceGetFieldValues(): those whose numbers are the same in all headers from CUDA 11.1 to 13.3. 199,
 * 200 and those from 251 on changed their meaning between headers, and are not session.
 */
enum {
	NVML_FIELD_POLICY_POWER = 74, NVML_FIELD_POLICY_THERMAL = 75, NVML_FIELD_POLICY_SYNC_BOOST = 76, /* ns */
	NVML_FIELD_POLICY_BOARD = 77, NVML_FIELD_POLICY_LOW_USE = 78, NVML_FIELD_POLICY_RELIABILITY = 79,
	NVML_FIELD_POLICY_APPLICATION = 80, NVML_FIELD_POLICY_BASE = 81,
	NVML_FIELD_MEMORY_TEMPERATURE = 82,
	NVML_FIELD_LINK_SENT_KIB = 138, NVML_FIELD_LINK_RECEIVED_KIB = 139, /* scope: the link; to Hopper */
	NVML_FIELD_ROWS_REMAPPED = 142,		/* after errors that were corrected, not corrected; pending; failed */
	NVML_FIELD_LINK_REPLAYS = 161, NVML_FIELD_LINK_RECOVERIES = 162, NVML_FIELD_LINK_CRC = 163, /* to Hopper */
	NVML_FIELD_LINK_SPEED = 164, NVML_FIELD_LINK_STATE = 165, /* 10^6 bytes/s; 0 inactive, 1 active, 2 sleep */
	NVML_FIELD_PCIE_RECOVERIES = 169,
	NVML_FIELD_C2C_LINKS = 170,
	NVML_FIELD_PCIE_CORRECTABLE = 173, NVML_FIELD_PCIE_NONFATAL = 179, NVML_FIELD_PCIE_FATAL = 180,
	NVML_FIELD_POWER_INSTANT = 186,		/* mW; scope 0 is the GPU without the rest of its module */
	NVML_FIELD_MARGIN_SHUTDOWN = 193, NVML_FIELD_MARGIN_SLOWDOWN = 194, /* signed */
	NVML_FIELD_MARGIN_MEMORY_MAX = 195, NVML_FIELD_MARGIN_MAX = 196,
	NVML_FIELD_PCIE_SENT = 197, NVML_FIELD_PCIE_RECEIVED = 198, /* bytes, CUDA 12.5; they may wrap */
	NVML_FIELD_LINK_SENT = 202, NVML_FIELD_LINK_RECEIVED = 204, /* bytes; since Blackwell */
	NVML_FIELD_LINK_MALFORMED = 206, NVML_FIELD_LINK_INTEGRITY = 211, /* six counts, since Blackwell */
	NVML_FIELD_LINK_RECOVERED = 213, NVML_FIELD_LINK_FAILED_RECOVERIES = 214,
	NVML_FIELD_RECOVERY_ACTION = 230,
};

/*
 * Time throttled, ns: one after the other heat by software, heat by hardware, power brake. The headers of CUDA 12.9 and
 * 13.0 begin at 251, those since 13.1 at 269, where older ones have nothing and 251 is another thing: which it is
 * follows from the driver's branch.
 */
enum {
	NVML_FIELD_THROTTLED_12_9 = 251, NVML_BRANCH_12_9 = 575,
	NVML_FIELD_THROTTLED = 269, NVML_BRANCH_13_1 = 590,
};

/* nvmlSamplingType_t: types of use are refused while a GPU is divided (MIG). */
enum { NVML_SAMPLES_POWER = 0, NVML_SAMPLES_USE = 1, NVML_SAMPLES_MEMORY_USE = 2 };

/* nvmlGpmMetricId_t: per cent, and of PCIe MiB/s. */
enum {
	NVML_GPM_GRAPHICS = 1, NVML_GPM_SM = 2, NVML_GPM_OCCUPANCY = 3, NVML_GPM_TENSOR = 5, NVML_GPM_MEMORY = 10,
	NVML_GPM_PCIE_SENT = 20, NVML_GPM_PCIE_RECEIVED = 21, NVML_GPM_CONTEXT_SWITCHES = 174,
};

enum { NVML_CLOCK_GRAPHICS = 0, NVML_CLOCK_SM = 1, NVML_CLOCK_MEMORY = 2 };	/* nvmlClockType_t */
enum { NVML_CLOCK_ID_APP_TARGET = 1, NVML_CLOCK_ID_APP_DEFAULT = 2 };		/* nvmlClockId_t */
enum { NVML_CORRECTED, NVML_UNCORRECTED };					/* nvmlMemoryErrorType_t */
enum { NVML_SINCE_RESET, NVML_LIFETIME };					/* nvmlEccCounterType_t */
enum { NVML_IN_DRAM = 2, NVML_IN_SRAM = 7 };					/* nvmlMemoryLocation_t */
/* nvmlTemperatureThresholds_t */
enum { NVML_LIMIT_SHUTDOWN, NVML_LIMIT_SLOWDOWN, NVML_LIMIT_MEMORY, NVML_LIMIT_GPU };
enum { NVML_PCIE_SENT, NVML_PCIE_RECEIVED };					/* nvmlPcieUtilCounter_t */
/* nvmlNvLinkErrorCounter_t */
enum { NVML_LINK_REPLAY, NVML_LINK_RECOVERY, NVML_LINK_CRC_FLIT, NVML_LINK_CRC_DATA };

/* nvmlClocksEventReason*; clocks throttle reasons before CUDA 12.2, with the same bits. */
enum {
	NVML_REASON_IDLE = 0x1,
	NVML_REASON_APPLICATIONS_CLOCKS = 0x2,
	NVML_REASON_POWER_CAP = 0x4,
	NVML_REASON_HW_SLOWDOWN = 0x8,
	NVML_REASON_SYNC_BOOST = 0x10,
	NVML_REASON_THERMAL = 0x20,
	NVML_REASON_HW_THERMAL = 0x40,
	NVML_REASON_HW_BRAKE = 0x80,
	NVML_REASON_DISPLAY_CLOCK = 0x100,
};

enum { NVML_MOST_LINKS = 36 };		/* NVML_NVLINK_MAX_LINKS of CUDA 13.3; it was 12 in 11.1 */

/* ---- calls: CALL(name, older name of the same call or NULL, parameters). A missing one leaves its pointer NULL. */

#define NVML_CALLS(CALL)                                                                                               \
	CALL(nvmlInit_v2, NULL, (void))                                                                                \
	CALL(nvmlInitWithFlags, NULL, (unsigned))                                                                      \
	CALL(nvmlInit, NULL, (void))                                                                                   \
	CALL(nvmlSystemGetDriverVersion, NULL, (char *, unsigned))                                                     \
	CALL(nvmlSystemGetNVMLVersion, NULL, (char *, unsigned))                                                       \
	CALL(nvmlSystemGetCudaDriverVersion_v2, "nvmlSystemGetCudaDriverVersion", (int *))                             \
	CALL(nvmlSystemGetDriverBranch, NULL, (struct nvml_branch *, unsigned))                                        \
	CALL(nvmlSystemGetConfComputeState, NULL, (struct nvml_confidential *))                                        \
	CALL(nvmlGetExcludedDeviceCount, NULL, (unsigned *))                                                           \
	CALL(nvmlGetExcludedDeviceInfoByIndex, NULL, (unsigned, struct nvml_excluded_device *))                        \
	CALL(nvmlDeviceGetCount_v2, "nvmlDeviceGetCount", (unsigned *))                                                \
	CALL(nvmlDeviceGetHandleByIndex_v2, "nvmlDeviceGetHandleByIndex", (unsigned, nvml_device *))                   \
	CALL(nvmlDeviceGetHandleByPciBusId_v2, "nvmlDeviceGetHandleByPciBusId", (const char *, nvml_device *))         \
	CALL(nvmlDeviceGetPciInfo_v3, "nvmlDeviceGetPciInfo_v2", (nvml_device, struct nvml_pci_info *))                \
	NVML_CALLS_OF_IDENTITY(CALL)                                                                                   \
	NVML_CALLS_OF_HEALTH(CALL)                                                                                     \
	NVML_CALLS_OF_STATE(CALL)                                                                                      \
	NVML_CALLS_OF_LISTS(CALL)                                                                                      \
	NVML_CALLS_OF_GPM(CALL)

#define NVML_CALLS_OF_IDENTITY(CALL)                                                                                   \
	CALL(nvmlDeviceGetIndex, NULL, (nvml_device, unsigned *))                                                      \
	CALL(nvmlDeviceGetName, NULL, (nvml_device, char *, unsigned))                                                 \
	CALL(nvmlDeviceGetUUID, NULL, (nvml_device, char *, unsigned))                                                 \
	CALL(nvmlDeviceGetSerial, NULL, (nvml_device, char *, unsigned))                                               \
	CALL(nvmlDeviceGetBoardPartNumber, NULL, (nvml_device, char *, unsigned))                                      \
	CALL(nvmlDeviceGetBoardId, NULL, (nvml_device, unsigned *))                                                    \
	CALL(nvmlDeviceGetModuleId, NULL, (nvml_device, unsigned *))                                                   \
	CALL(nvmlDeviceGetMinorNumber, NULL, (nvml_device, unsigned *))                                                \
	CALL(nvmlDeviceGetArchitecture, NULL, (nvml_device, unsigned *))                                               \
	CALL(nvmlDeviceGetCudaComputeCapability, NULL, (nvml_device, int *, int *))                                    \
	CALL(nvmlDeviceGetNumGpuCores, NULL, (nvml_device, unsigned *))                                                \
	CALL(nvmlDeviceGetVbiosVersion, NULL, (nvml_device, char *, unsigned))                                         \
	CALL(nvmlDeviceGetInforomImageVersion, NULL, (nvml_device, char *, unsigned))                                  \
	CALL(nvmlDeviceGetGspFirmwareVersion, NULL, (nvml_device, char *))                                             \
	CALL(nvmlDeviceGetGspFirmwareMode, NULL, (nvml_device, unsigned *, unsigned *))                                \
	CALL(nvmlDeviceGetVirtualizationMode, NULL, (nvml_device, unsigned *))

#define NVML_CALLS_OF_HEALTH(CALL)                                                                                     \
	CALL(nvmlDeviceGetFieldValues, NULL, (nvml_device, int, struct nvml_field *))                                  \
	CALL(nvmlDeviceGetEccMode, NULL, (nvml_device, unsigned *, unsigned *))                                        \
	CALL(nvmlDeviceGetDefaultEccMode, NULL, (nvml_device, unsigned *))                                             \
	CALL(nvmlDeviceGetTotalEccErrors, NULL, (nvml_device, int, int, uint64_t *))                                   \
	CALL(nvmlDeviceGetMemoryErrorCounter, NULL, (nvml_device, int, int, int, uint64_t *))                          \
	CALL(nvmlDeviceGetSramEccErrorStatus, NULL, (nvml_device, struct nvml_sram_errors *))                          \
	CALL(nvmlDeviceGetRemappedRows_v2, NULL, (nvml_device, struct nvml_rows *))                                    \
	CALL(nvmlDeviceGetRemappedRows, NULL, (nvml_device, unsigned *, unsigned *, unsigned *, unsigned *))           \
	CALL(nvmlDeviceGetRowRemapperHistogram, NULL, (nvml_device, struct nvml_banks *))                              \
	CALL(nvmlDeviceGetRetiredPages_v2, NULL, (nvml_device, int, unsigned *, uint64_t *, uint64_t *))               \
	CALL(nvmlDeviceGetRetiredPages, NULL, (nvml_device, int, unsigned *, uint64_t *))                              \
	CALL(nvmlDeviceGetRetiredPagesPendingStatus, NULL, (nvml_device, unsigned *))                                  \
	CALL(nvmlDeviceGetRepairStatus, NULL, (nvml_device, struct nvml_repair *))                                     \
	CALL(nvmlDeviceGetUnrepairableMemoryFlag_v1, NULL, (nvml_device, unsigned *))                                  \
	CALL(nvmlDeviceValidateInforom, NULL, (nvml_device))

#define NVML_CALLS_OF_STATE(CALL)                                                                                      \
	CALL(nvmlDeviceGetCurrPcieLinkGeneration, NULL, (nvml_device, unsigned *))                                     \
	CALL(nvmlDeviceGetMaxPcieLinkGeneration, NULL, (nvml_device, unsigned *))                                      \
	CALL(nvmlDeviceGetGpuMaxPcieLinkGeneration, NULL, (nvml_device, unsigned *))                                   \
	CALL(nvmlDeviceGetCurrPcieLinkWidth, NULL, (nvml_device, unsigned *))                                          \
	CALL(nvmlDeviceGetMaxPcieLinkWidth, NULL, (nvml_device, unsigned *))                                           \
	CALL(nvmlDeviceGetPcieReplayCounter, NULL, (nvml_device, unsigned *))                                          \
	CALL(nvmlDeviceGetPcieThroughput, NULL, (nvml_device, int, unsigned *))                                        \
	CALL(nvmlDeviceGetTemperatureV, NULL, (nvml_device, struct nvml_temperature *))                                \
	CALL(nvmlDeviceGetTemperature, NULL, (nvml_device, int, unsigned *))                                           \
	CALL(nvmlDeviceGetTemperatureThreshold, NULL, (nvml_device, int, unsigned *))                                  \
	CALL(nvmlDeviceGetMarginTemperature, NULL, (nvml_device, struct nvml_margin *))                                \
	CALL(nvmlDeviceGetNumFans, NULL, (nvml_device, unsigned *))                                                    \
	CALL(nvmlDeviceGetFanSpeed_v2, NULL, (nvml_device, unsigned, unsigned *))                                      \
	CALL(nvmlDeviceGetPowerUsage, NULL, (nvml_device, unsigned *))                                                 \
	CALL(nvmlDeviceGetEnforcedPowerLimit, NULL, (nvml_device, unsigned *))                                         \
	CALL(nvmlDeviceGetPowerManagementLimit, NULL, (nvml_device, unsigned *))                                       \
	CALL(nvmlDeviceGetPowerManagementDefaultLimit, NULL, (nvml_device, unsigned *))                                \
	CALL(nvmlDeviceGetPowerManagementLimitConstraints, NULL, (nvml_device, unsigned *, unsigned *))                \
	CALL(nvmlDeviceGetTotalEnergyConsumption, NULL, (nvml_device, uint64_t *))                                     \
	CALL(nvmlDeviceGetClockInfo, NULL, (nvml_device, int, unsigned *))                                             \
	CALL(nvmlDeviceGetMaxClockInfo, NULL, (nvml_device, int, unsigned *))                                          \
	CALL(nvmlDeviceGetClock, NULL, (nvml_device, int, int, unsigned *))                                            \
	CALL(nvmlDeviceGetMaxCustomerBoostClock, NULL, (nvml_device, int, unsigned *))                                 \
	CALL(nvmlDeviceGetPerformanceState, NULL, (nvml_device, unsigned *))                                           \
	CALL(nvmlDeviceGetCurrentClocksEventReasons, "nvmlDeviceGetCurrentClocksThrottleReasons",                      \
	     (nvml_device, uint64_t *))                                                                                \
	CALL(nvmlDeviceGetMemoryInfo_v2, NULL, (nvml_device, struct nvml_memory_v2 *))                                 \
	CALL(nvmlDeviceGetMemoryInfo, NULL, (nvml_device, struct nvml_memory *))                                       \
	CALL(nvmlDeviceGetBAR1MemoryInfo, NULL, (nvml_device, struct nvml_memory *))                                   \
	CALL(nvmlDeviceGetMemoryBusWidth, NULL, (nvml_device, unsigned *))                                             \
	CALL(nvmlDeviceGetUtilizationRates, NULL, (nvml_device, struct nvml_utilization *))                            \
	CALL(nvmlDeviceGetSamples, NULL, (nvml_device, int, uint64_t, int *, unsigned *, struct nvml_sample *))        \
	CALL(nvmlDeviceGetPersistenceMode, NULL, (nvml_device, unsigned *))                                            \
	CALL(nvmlDeviceGetComputeMode, NULL, (nvml_device, unsigned *))                                                \
	CALL(nvmlDeviceGetMigMode, NULL, (nvml_device, unsigned *, unsigned *))                                        \
	CALL(nvmlDeviceGetAddressingMode, NULL, (nvml_device, struct nvml_addressing *))                               \
	CALL(nvmlDeviceGetNumaNodeId, NULL, (nvml_device, unsigned *))                                                 \
	CALL(nvmlDeviceGetCpuAffinity, NULL, (nvml_device, unsigned, unsigned long *))

#define NVML_CALLS_OF_LISTS(CALL)                                                                                      \
	CALL(nvmlDeviceGetGpuFabricInfoV, NULL, (nvml_device, struct nvml_fabric_v2 *))                                \
	CALL(nvmlDeviceGetGpuFabricInfo, NULL, (nvml_device, struct nvml_fabric_v1 *))                                 \
	CALL(nvmlDeviceGetNvLinkState, NULL, (nvml_device, unsigned, unsigned *))                                      \
	CALL(nvmlDeviceGetNvLinkVersion, NULL, (nvml_device, unsigned, unsigned *))                                    \
	CALL(nvmlDeviceGetNvLinkRemotePciInfo_v2, NULL, (nvml_device, unsigned, struct nvml_pci_info *))               \
	CALL(nvmlDeviceGetNvLinkRemoteDeviceType, NULL, (nvml_device, unsigned, unsigned *))                           \
	CALL(nvmlDeviceGetNvLinkErrorCounter, NULL, (nvml_device, unsigned, int, uint64_t *))                          \
	CALL(nvmlDeviceGetComputeRunningProcesses_v3, NULL, (nvml_device, unsigned *, void *))                         \
	CALL(nvmlDeviceGetComputeRunningProcesses_v2, NULL, (nvml_device, unsigned *, void *))                         \
	CALL(nvmlDeviceGetComputeRunningProcesses, NULL, (nvml_device, unsigned *, void *))                            \
	CALL(nvmlDeviceGetGraphicsRunningProcesses_v3, NULL, (nvml_device, unsigned *, void *))                        \
	CALL(nvmlDeviceGetGraphicsRunningProcesses_v2, NULL, (nvml_device, unsigned *, void *))                        \
	CALL(nvmlDeviceGetGraphicsRunningProcesses, NULL, (nvml_device, unsigned *, void *))                           \
	CALL(nvmlDeviceGetMPSComputeRunningProcesses_v3, NULL, (nvml_device, unsigned *, void *))                      \
	CALL(nvmlDeviceGetMPSComputeRunningProcesses_v2, NULL, (nvml_device, unsigned *, void *))                      \
	CALL(nvmlDeviceGetMPSComputeRunningProcesses, NULL, (nvml_device, unsigned *, void *))                         \
	CALL(nvmlDeviceGetProcessUtilization, NULL,                                                                    \
	     (nvml_device, struct nvml_process_use *, unsigned *, uint64_t))                                           \
	CALL(nvmlDeviceGetProcessesUtilizationInfo, NULL, (nvml_device, struct nvml_processes_use *))                  \
	CALL(nvmlDeviceGetMaxMigDeviceCount, NULL, (nvml_device, unsigned *))                                          \
	CALL(nvmlDeviceGetMigDeviceHandleByIndex, NULL, (nvml_device, unsigned, nvml_device *))                        \
	CALL(nvmlDeviceGetGpuInstanceId, NULL, (nvml_device, unsigned *))                                              \
	CALL(nvmlDeviceGetComputeInstanceId, NULL, (nvml_device, unsigned *))                                          \
	CALL(nvmlDeviceGetAttributes_v2, "nvmlDeviceGetAttributes", (nvml_device, struct nvml_attributes *))

/* Its setter of streaming changes a state of the GPU, and is not here. */
#define NVML_CALLS_OF_GPM(CALL)                                                                                        \
	CALL(nvmlGpmQueryDeviceSupport, NULL, (nvml_device, struct nvml_gpm_support *))                                \
	CALL(nvmlGpmSampleAlloc, NULL, (nvml_gpm_sample *))                                                            \
	CALL(nvmlGpmSampleFree, NULL, (nvml_gpm_sample))                                                               \
	CALL(nvmlGpmSampleGet, NULL, (nvml_device, nvml_gpm_sample))                                                   \
	CALL(nvmlGpmMigSampleGet, NULL, (nvml_device, unsigned, nvml_gpm_sample))                                      \
	CALL(nvmlGpmMetricsGet, NULL, (struct nvml_gpm_metrics *))
