/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * under_test.h - which of the things seen are judged and measured.
 *
 * Shared by those who look (whom to time) and those who judge (whom to judge),
 * so that they cannot disagree.
 */
#pragma once

#include "snapshot/snapshot.h"

/* What a display or accelerator function is to us. */
enum gpu_role {
	GPU_ROLE_GPU,			/* under test */
	GPU_ROLE_DISPLAY,		/* a management controller's or hypervisor's display */
	GPU_ROLE_INTEGRATED,		/* part of the processor */
	GPU_ROLE_VIRTUAL_FUNCTION,	/* hangs under its physical function */
	GPU_ROLE_UNKNOWN,		/* a display whose vendor could not be read */
	GPU_ROLE_NOT_OURS,		/* on the bus, and not given to the container or job this run is in */
	GPU_ROLE_PASSED_THROUGH,	/* bound to a driver that gives it away, to a virtual machine as a rule */
};
const char *gpu_role_name(enum gpu_role role);

/*
 * A container and a batch job see every GPU of the host in /sys. Which of them
 * are theirs the device nodes tell: one that is not there, or that the device
 * cgroup refuses, is somebody else's. Where the nodes could not be listed, and
 * where the container is privileged, all are ours.
 */
enum gpu_role gpu_role(const struct snapshot *snapshot, const struct gpu *gpu);
/* How many GPUs have that role. */
size_t gpus_of_role(const struct snapshot *snapshot, enum gpu_role role);

/* Judged: a GPU of ours. One that is passed through is seen, counted and not measured. */
bool gpu_is_under_test(const struct snapshot *snapshot, const struct gpu *gpu);
size_t gpus_under_test(const struct snapshot *snapshot);

/*
 * Its number, what "GPU 3" means: by PCI address over all vendors, those under
 * test first, so that a management controller's display takes no number from
 * eight GPUs. It is less than the number of GPUs.
 */
size_t gpu_index(const struct snapshot *snapshot, const struct gpu *gpu);
/* What it is called, "GPU 3": the same, but in a dump the number that the dump gives it, where it does. */
size_t gpu_number(const struct snapshot *snapshot, const struct gpu *gpu);

/*
 * Bound to vfio-pci or a variant of it; or to a driver that does nothing but
 * keep others from it, so that a virtual machine or a program can have it.
 */
bool gpu_is_vfio(const struct gpu *gpu);
bool gpu_is_kept(const struct gpu *gpu);

/* Suspended: any access would wake it. */
bool gpu_is_asleep(const struct gpu *gpu);

bool is_in_container(const struct snapshot *snapshot);

/*
 * What is above and below of each GPU, found once: a check that compares each GPU with every other one asks for it a
 * million times on a node of a thousand. judge() calls it, as the snapshot is whole then. Who changes a value that it
 * is made of afterwards calls it again; snapshot_merge() forgets it, and then everything is found anew when asked.
 */
void snapshot_index_gpus(struct snapshot *snapshot);

/*
 * The node a program computes through: /dev/nvidiaN, else the render node,
 * else the card. NULL where none is known to be this GPU's. It may be listed
 * because it should be there, and be missing: node_is_there().
 */
const struct device_node *gpu_compute_node(const struct snapshot *snapshot, const struct gpu *gpu);
bool node_is_there(const struct device_node *node);

/* Chosen by the request's opencl_type: gpu, cpu, all, or auto: the CPU where the bus has no GPU. */
bool ocl_device_is_under_test(const struct snapshot *snapshot, const struct ocl_device *device);

/* Was something seen by the worker, on a live node? A recorded tree has files only. */
bool snapshot_is_live(const struct snapshot *snapshot);
/* Could OpenCL be used? On a recorded tree only with a driver beside it (--driver-root). */
bool snapshot_asks_opencl(const struct snapshot *snapshot);

/* ---- selected
 *
 * Which devices --gpu chooses to be judged and put under load.
 * What is under test stays as it is, and with it the numbers of the GPUs, how
 * many belong here and who is whose twin.
 *
 * A selector is the number of a GPU, "3"; its PCI address, "0000:5d:00.0" or
 * "5d:00.0" of any domain; the beginning of its UUID as its vendor's tools or
 * OpenCL show it, of four characters or more; or the key of an OpenCL device,
 * "opencl:pocl.icd:0".
 */
/* Does that selector mean this GPU, which is under test? */
bool selector_is_of_gpu(const struct snapshot *snapshot, const char *selector, const struct gpu *gpu);

/* Does it mean this OpenCL device, by its own name or by the GPU it is on? */
bool selector_is_of_device(const struct snapshot *snapshot, const char *selector, const struct ocl_device *device);

/* By the request: any of its selectors does, or it has none. */
bool gpu_is_selected(const struct snapshot *snapshot, const struct gpu *gpu);
bool ocl_device_is_selected(const struct snapshot *snapshot, const struct ocl_device *device);

/* Is it under test and selected by --gpu? Node checks report on these GPUs only. */
bool gpu_is_judged(const struct snapshot *snapshot, const struct gpu *gpu);

/* How many GPUs under test it chooses. */
size_t gpus_selected(const struct snapshot *snapshot);
