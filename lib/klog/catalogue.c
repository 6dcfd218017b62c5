// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "klog/catalogue.h"

#include "klog/span.h"

const struct klog_row klog_rows[NR_KLOG_ROWS] = {
	[KLOG_NO_ROW] = { .name = "", .mnemonic = "", .title = "", .why = "", .source = "" },
#define KLOG(id, name_, mnemonic_, kind_, severity_, age_, outcome_, action_, blame_, title_, why_, source_)           \
	[KLOG_ROW_##id] = {                                                                                            \
		.name = name_, .mnemonic = mnemonic_, .kind = KLOG_##kind_, .severity = KLOG_##severity_,              \
		.age = KLOG_AGE_##age_, .code = -1, .title = title_, .why = why_, .source = source_,                   \
	},
#define XID(number, mnemonic_, severity_, age_, outcome_, action_, blame_, title_, why_, source_)                      \
	[KLOG_ROW_XID_##number] = {                                                                                    \
		.name = "nvidia-xid-" #number, .mnemonic = mnemonic_, .kind = KLOG_NVIDIA_XID,                         \
		.severity = KLOG_##severity_, .age = KLOG_AGE_##age_, .code = number, .title = title_, .why = why_,    \
		.source = source_,                                                                                     \
	},
#include "klog/catalogue.def"
};

const struct klog_pattern klog_patterns[NR_KLOG_PATTERNS] = {
#define LINE(id, family_, pattern_)                                                                                    \
	{ .family = KLOG_FAMILY_##family_, .role = KLOG_ROLE_EVENT, .row = KLOG_ROW_##id, .pattern = pattern_ },
#define LINE_BY(id, family_, driver_, pattern_)                                                                        \
	{                                                                                                              \
		.family = KLOG_FAMILY_##family_, .role = KLOG_ROLE_EVENT, .row = KLOG_ROW_##id, .driver = driver_,     \
		.pattern = pattern_,                                                                                   \
	},
#define LINE_QUOTED(id, family_, pattern_)                                                                             \
	{                                                                                                              \
		.family = KLOG_FAMILY_##family_, .role = KLOG_ROLE_EVENT, .row = KLOG_ROW_##id, .wants_proof = true,   \
		.pattern = pattern_,                                                                                   \
	},
#define DETAIL(family_, follow_, pattern_)                                                                             \
	{ .family = KLOG_FAMILY_##family_, .role = KLOG_ROLE_DETAIL, .follow = follow_, .pattern = pattern_ },
#define TURN(from_, to_, family_, follow_, pattern_)                                                                   \
	{                                                                                                              \
		.family = KLOG_FAMILY_##family_, .role = KLOG_ROLE_TURN, .from = KLOG_ROW_##from_,                     \
		.row = KLOG_ROW_##to_, .follow = follow_, .pattern = pattern_,                                         \
	},
#define TURN_ABOVE(from_, to_, family_, follow_, pattern_)                                                             \
	{                                                                                                              \
		.family = KLOG_FAMILY_##family_, .role = KLOG_ROLE_TURN, .from = KLOG_ROW_##from_,                     \
		.row = KLOG_ROW_##to_, .is_said_above = true, .follow = follow_, .pattern = pattern_,                  \
	},
#define TURN_MARK(from_, to_, mark_, family_, follow_, pattern_)                                                       \
	{                                                                                                              \
		.family = KLOG_FAMILY_##family_, .role = KLOG_ROLE_TURN, .from = KLOG_ROW_##from_,                     \
		.row = KLOG_ROW_##to_, .mark = KLOG_MARK_##mark_, .follow = follow_, .pattern = pattern_,              \
	},
#define MARK(mark_, family_, pattern_)                                                                                 \
	{ .family = KLOG_FAMILY_##family_, .role = KLOG_ROLE_MARK, .mark = KLOG_MARK_##mark_, .pattern = pattern_ },
#define LINE_MARK(id, mark_, family_, pattern_)                                                                        \
	{                                                                                                              \
		.family = KLOG_FAMILY_##family_, .role = KLOG_ROLE_EVENT, .row = KLOG_ROW_##id,                        \
		.mark = KLOG_MARK_##mark_, .pattern = pattern_,                                                        \
	},
#define HARMLESS(family_, pattern_)                                                                                    \
	{ .family = KLOG_FAMILY_##family_, .role = KLOG_ROLE_HARMLESS, .pattern = pattern_ },
#include "klog/catalogue.def"
};

int klog_row_xid(enum klog_row_id row)
{
	struct span name = span_of(klog_rows[row].name);
	uint64_t number;

	return span_take(&name, "nvidia-xid-") && span_take_u64(&name, &number) ? (int)number : -1;
}

enum klog_row_id klog_xid_row(uint64_t code)
{
	/*
	 * The rows of numbers stand together and rise, or nearly: a few hundred, and asked for lines that matter only.
	 */
	for (int row = 1; row < NR_KLOG_ROWS; row++)
		if (klog_rows[row].code >= 0 && (uint64_t)klog_rows[row].code == code)
			return (enum klog_row_id)row;
	return KLOG_ROW_XID_OTHER;
}

const char *klog_kind_name(enum klog_kind kind)
{
	static const char *const names[NR_KLOG_KINDS] = {
		[KLOG_NVIDIA_XID] = "nvidia-xid",
		[KLOG_NVIDIA_SXID] = "nvidia-sxid",
		[KLOG_NVIDIA_DRIVER] = "nvidia-driver",
		[KLOG_PCIE_AER_CORRECTABLE] = "pcie-aer-correctable",
		[KLOG_PCIE_AER_NONFATAL] = "pcie-aer-nonfatal",
		[KLOG_PCIE_AER_FATAL] = "pcie-aer-fatal",
		[KLOG_PCIE_LINK_DOWN] = "pcie-link-down",
		[KLOG_PCIE_LINK_LIMITED] = "pcie-link-limited",
		[KLOG_PCIE_RESET_FAILED] = "pcie-reset-failed",
		[KLOG_AMDGPU_RING_TIMEOUT] = "amdgpu-ring-timeout",
		[KLOG_AMDGPU_RESET] = "amdgpu-reset",
		[KLOG_AMDGPU_RAS] = "amdgpu-ras",
		[KLOG_AMDGPU_FAULT] = "amdgpu-fault",
		[KLOG_INTEL_GPU_HANG] = "intel-gpu-hang",
		[KLOG_INTEL_GPU_RESET] = "intel-gpu-reset",
		[KLOG_INTEL_GPU_FAULT] = "intel-gpu-fault",
		[KLOG_VERSION_MISMATCH] = "version-mismatch",
		[KLOG_INIT_FAILED] = "init-failed",
		[KLOG_GPU_LOST] = "gpu-lost",
		[KLOG_DRIVER_CONFLICT] = "driver-conflict",
		[KLOG_MCE] = "mce",
		[KLOG_EDAC] = "edac",
		[KLOG_IOMMU_FAULT] = "iommu-fault",
		[KLOG_OOM_KILL] = "oom-kill",
		[KLOG_STORAGE] = "storage",
		[KLOG_NETWORK] = "network",
		[KLOG_HUNG_TASK] = "hung-task",
		[KLOG_KERNEL_OOPS] = "kernel-oops",
		[KLOG_THERMAL] = "thermal",
		[KLOG_SEGFAULT_DRIVER] = "segfault-driver",
		[KLOG_SEGFAULT] = "segfault",
		[KLOG_NOUVEAU_FAULT] = "nouveau-fault",
		[KLOG_RADEON_LOCKUP] = "radeon-lockup",
		[KLOG_DISPLAY_STUCK] = "display-stuck",
	};

	return names[kind];
}

const char *klog_severity_name(enum klog_severity severity)
{
	static const char *const names[NR_KLOG_SEVERITIES] = {
		[KLOG_INFO] = "info", [KLOG_WARNING] = "warning", [KLOG_ERROR] = "error", [KLOG_CRITICAL] = "critical",
	};

	return names[severity];
}
