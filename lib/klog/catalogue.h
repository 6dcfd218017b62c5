/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * catalogue.h - catalogue.def as tables: rows of events, and the patterns of
 * their lines.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/compat.h"

/* What kind of event: the "kind" of `logs --format json`. Names are an interface. */
enum klog_kind {
	KLOG_NVIDIA_XID, KLOG_NVIDIA_SXID, KLOG_NVIDIA_DRIVER,
	KLOG_PCIE_AER_CORRECTABLE, KLOG_PCIE_AER_NONFATAL, KLOG_PCIE_AER_FATAL,
	KLOG_PCIE_LINK_DOWN, KLOG_PCIE_LINK_LIMITED, KLOG_PCIE_RESET_FAILED,
	KLOG_AMDGPU_RING_TIMEOUT, KLOG_AMDGPU_RESET, KLOG_AMDGPU_RAS, KLOG_AMDGPU_FAULT,
	KLOG_INTEL_GPU_HANG, KLOG_INTEL_GPU_RESET, KLOG_INTEL_GPU_FAULT,
	KLOG_VERSION_MISMATCH, KLOG_INIT_FAILED, KLOG_GPU_LOST, KLOG_DRIVER_CONFLICT,
	KLOG_MCE, KLOG_EDAC, KLOG_IOMMU_FAULT, KLOG_OOM_KILL, KLOG_HUNG_TASK, KLOG_KERNEL_OOPS, KLOG_THERMAL,
	KLOG_SEGFAULT_DRIVER, KLOG_SEGFAULT, KLOG_NOUVEAU_FAULT, KLOG_RADEON_LOCKUP, KLOG_DISPLAY_STUCK,
	KLOG_STORAGE, KLOG_NETWORK,
	NR_KLOG_KINDS
};
const char *klog_kind_name(enum klog_kind kind);	/* "nvidia-xid" */

/* How bad it is for the device, whoever is to blame. */
enum klog_severity { KLOG_INFO, KLOG_WARNING, KLOG_ERROR, KLOG_CRITICAL, NR_KLOG_SEVERITIES };
const char *klog_severity_name(enum klog_severity severity);

/* For how long an event says something about the device as it is now. */
enum klog_age {
	KLOG_AGE_FAULT,		/* until the driver is loaded anew, the GPU reset with success, or 72 h */
	KLOG_AGE_APPLICATION,	/* as a fault, and only the same from several programs counts against the GPU */
	/* Of no device: until the next boot (of a driver with hung tasks or refused libraries: its load), or 72 h. */
	KLOG_AGE_HOST,
};

/* Rows, by the ID of the catalogue: KLOG_ROW_OOM_KILL, KLOG_ROW_XID_79. */
enum klog_row_id {
	KLOG_NO_ROW,
#include "klog/row_ids.h"
	NR_KLOG_ROWS
};

struct klog_row {
	const char *name;		/* "nvidia-xid-79" */
	const char *mnemonic;		/* "GPU_HAS_FALLEN_OFF_THE_BUS", or "" */
	enum klog_kind kind;
	enum klog_severity severity;
	enum klog_age age;
	int code;			/* of an Xid row; -1 */
	const char *title, *why;	/* templates */
	const char *source;
};
extern const struct klog_row klog_rows[NR_KLOG_ROWS];

/* The number of an Xid's row, its own or with what its text tells ("nvidia-xid-154-reset"); -1: of no Xid's. */
int klog_row_xid(enum klog_row_id row);

/* The row of an Xid, KLOG_ROW_XID_OTHER where the catalogue has none of that number. */
enum klog_row_id klog_xid_row(uint64_t code);

/* Who speaks a line, by its prefix (source.h): patterns are tried within a family. */
enum klog_family {
	KLOG_FAMILY_XID,	/* "NVRM: Xid (PCI:…): 79, pid=1, name=x, " taken off; patterns begin with the number */
	KLOG_FAMILY_SXID,	/* "nvidia-nvswitch1: SXid (PCI:…): " taken off: "20034, Fatal, Link 48 …" */
	KLOG_FAMILY_NVIDIA,	/* "NVRM: ", "nvidia-modeset: " and the like taken off */
	KLOG_FAMILY_AMDGPU,	/* "amdgpu 0000:03:00.0: amdgpu: ", "[drm:f [amdgpu]] *ERROR* " taken off */
	KLOG_FAMILY_INTEL,	/* i915 and xe: "[drm] *ERROR* ", "Tile0: GT0: " taken off */
	KLOG_FAMILY_NOUVEAU,
	KLOG_FAMILY_RADEON,
	KLOG_FAMILY_DRM,	/* "[drm] " without a driver's name: those of all of the above are tried */
	KLOG_FAMILY_PCI,	/* "DRIVER 0000:00:01.0: " of any driver, "AER: ", "DPC: ", "pciehp: " taken off */
	KLOG_FAMILY_GHES,	/* "{12}[Hardware Error]: ", "mce: [Hardware Error]: " taken off */
	KLOG_FAMILY_HOST,	/* everything else, whole */
	NR_KLOG_FAMILIES
};

/* What splits the time line. */
enum klog_mark {
	KLOG_MARK_NONE,
	KLOG_MARK_BOOT,		/* a new boot begins */
	KLOG_MARK_DRIVER_LOAD,	/* this family's driver is loaded: what its GPUs did before is past */
	KLOG_MARK_RESET_BEGUN,	/* this GPU is about to be reset: what its driver just said of none was of it */
	KLOG_MARK_RESET_OK,	/* this GPU was reset with success, or healed */
	KLOG_MARK_BOUND,	/* a driver has taken this GPU, whatever another one said of it */
	KLOG_MARK_STARTED,	/* a port of this network adapter came up */
	KLOG_MARK_SUSPEND,	/* wall clock and stamps drift apart */
	KLOG_MARK_USB_GONE,	/* a device was pulled out, or fell off its port */
};

enum klog_role {
	KLOG_ROLE_EVENT, KLOG_ROLE_DETAIL, KLOG_ROLE_TURN, KLOG_ROLE_MARK,
	KLOG_ROLE_HARMLESS,		/* healthy machines log it too: nothing is made of it */
};

struct klog_pattern {
	enum klog_family family;
	enum klog_role role;
	enum klog_row_id row;		/* of an event; of a turn, what it is from now on */
	enum klog_row_id from;		/* of a turn: what it was */
	enum klog_mark mark;
	const char *driver;		/* that alone says it so; NULL: any of the family */
	bool wants_proof;		/* alone, without a stamp, it may be anybody's words */
	bool is_said_above;		/* of a turn: a bridge above the device may say it */
	unsigned follow;		/* of a detail or a turn: how many lines after its event it may stand */
	const char *pattern;		/* pattern.h */
};
enum {
	NR_KLOG_PATTERNS = 0
#include "klog/patterns_nr.h"
};
/* In the order of the catalogue. */
extern const struct klog_pattern klog_patterns[NR_KLOG_PATTERNS];
