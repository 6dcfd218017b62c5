// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * program_error.c - what programs of CUDA, HIP and Level Zero print when the driver refuses them or their work fails, in the
 * words of the runtimes (cudaGetErrorString and the like), whichever program prints them; and what services, containers,
 * schedulers and builds of modules say of GPUs.
 */
#include "base/compat.h"
#include "import/program_error.h"

#include "import/lost_gpu.h"
#include "import/mention.h"
#include "import/readers.h"
#include "import/slurm_reason.h"

#include "base/text.h"
#include "base/text_scan.h"

/*
 * The key of each is that of the snapshot; `with`, if it is told, must stand in the line too, or one of several between
 * bars: the words alone are anybody's.
 */
static const struct { const char *key, *text, *with; } errors[] = {
	{ "ecc", "uncorrectable ECC error encountered", NULL },
	{ "ecc", "CUDA_ERROR_ECC_UNCORRECTABLE", NULL },
	{ "ecc", "cudaErrorECCUncorrectable", NULL },
	{ "ecc", "reason :ECC", "HW Exception by GPU node" },
	{ "ecc", "Reason: DRAM ECC failure", "Memory access fault by GPU node" },
	{ "ecc", "Reason: SRAM ECC failure", "Memory access fault by GPU node" },
	/* The fabric manager says why it ends; systemd only that it did. */
	{ "fabric", "request to query NVSwitch device information from NVSwitch driver failed", NULL },
	{ "fabric", "fabric manager NVIDIA GPU driver interface version", "match with" },
	{ "fabric", "fabric manager don't have access permissions", NULL },
	{ "fabric", "failed to initialize all the NVLink", NULL },
	{ "fabric", "detected number of NVSwitches don't match with any supported system topology", NULL },
	{ "fabric", "failed to find any supported topology for this system", NULL },
	{ "fabric-unit", "nvidia-fabricmanager.service: Failed with result", NULL },
	{ "fabric-unit", "nvidia-fabricmanager.service: start operation timed out", NULL },
	{ "fabric-unit", "Failed to start nvidia-fabricmanager.service", NULL },
	{ "fabric-unit", "Failed to start NVIDIA fabric manager service", NULL },
	/* It was set up, and GPUs are not as it knew them then; and what NCCL is told of that. */
	{ "multicast", "failed to find the GPU handle", "in the multicast team" },
	{ "multicast", "failed to find the member GPU handle", "in the multicast team" },
	{ "multicast", "NCCL WARN Cuda failure 1 'invalid argument'", "transport/nvls.cc:" },
	{ "multicast", "NCCL WARN Cuda failure 'invalid argument'", "transport/nvls.cc:" },
	{ "multicast", "Failed to bind NVLink SHARP (NVLS) Multicast memory", "CUDA error " },
	{ "persistenced", "Failed to query NVIDIA devices. Please ensure that the NVIDIA device files", NULL },
	/* The manager of virtual GPUs, on the host. */
	{ "vgpu", "error: vmiop_log: ", "NVOS status 0x|Assertion Failed at | failed" },
	{ "vgpu", "error: vmiop_env_log: ", "Failed to | failed" },
	/* dkms, make below it, and NVIDIA's installer. */
	{ "build", "/var/lib/dkms/nvidia", "] Error |consult /var" },
	{ "build", "Unable to build the NVIDIA kernel module", NULL },
	{ "build", "Unable to load the kernel module 'nvidia.ko'", NULL },
	/* dkms status of a module that was built for no kernel, "nvidia/535.161.08: added", older "nvidia, 470.57.02: added". */
	{ "build", "nvidia/", ": added" },
	{ "build", "nvidia, ", ": added" },
	/* udev, and systemd-modules-load. */
	{ "build", "modprobe nvidia", "' failed with exit code" },
	{ "build", "Failed to insert module 'nvidia", NULL },
	{ "build", "could not insert 'nvidia_uvm'", NULL },
	{ "build", "Module nvidia-uvm not found in directory", NULL },
	{ "build", "Module nvidia_uvm not found in directory", NULL },
	/* Without the driver's name before it the kernel's line is nobody's. */
	{ "build", "installed in this system requires use of the NVIDIA open kernel modules", NULL },
	/* QEMU and libvirt, which give a GPU to a virtual machine. */
	{ "passthrough", "VFIO device assignment is ", "not supported on this system" },
	{ "passthrough", "host doesn't support VFIO PCI passthrough", NULL },
	{ "passthrough", "host doesn't support passthrough of host PCI devices", NULL },
	{ "passthrough", "is not viable", "vfio" },
	{ "passthrough", "Unable to power on device, stuck in D3", NULL },
	{ "passthrough", "error getting device from group", "vfio" },
	{ "passthrough", "failed to setup container for group", "vfio" },
	{ "passthrough", "failed to open /dev/vfio/", "vfio" },
	/* Container runtimes that do not know of NVIDIA's. */
	{ "toolkit", "could not select device driver", "capabilities: [[gpu" },
	{ "toolkit", "unknown or invalid runtime name: nvidia", NULL },
	{ "toolkit", "Unknown runtime specified nvidia", NULL },
	{ "toolkit", "no runtime for \"nvidia\" is configured", NULL },
	{ "toolkit", "exec: \"nvidia-container-runtime\": executable file not found", NULL },
	{ "toolkit", "Command not found: nvidia-container-cli", NULL },
	{ "toolkit", "nvidia-container-runtime-hook", "executable file not found" },
	/* Files of GPUs that this user may not open. */
	{ "denied", "/dev/dri/renderD", "permission denied" },
	{ "denied", "/dev/dri/card", "permission denied" },
	{ "denied", "/dev/dri/by-path/", "permission denied" },
	{ "denied", "/dev/nvidia", "permission denied" },
	{ "denied", "ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS", NULL },
	/* The daemon of a vGPU's guest; on Windows its log has no name in it. */
	{ "license", "Failed to acquire license", "(Info:|gridd" },
	{ "license", "Failed to acquire/renew license", "gridd" },
	{ "license", "Failed to renew license", "(Info:" },
	{ "license", "Failed to register client", "gridd" },
	{ "license", "Unable to fetch the client configuration token file", "gridd" },
	{ "license", "Failed to decode signature from token", "gridd" },
	{ "license", "Failed to read configurations from client configuration token", "gridd" },
	{ "license", "Invalid feature type requested", "gridd" },
	/* What the toolkit itself stumbles on; what the driver's library told it is smi_failure.c's. */
	{ "container", "nvidia-container-cli: mount error: ", NULL },
	{ "container", "nvidia-container-cli: ldcache error: ", NULL },
	{ "container", "nvidia-container-cli: container error: ", NULL },
	{ "container", "nvidia-container-cli: device error: ", NULL },
	{ "container", "nvidia-container-cli: initialization error: open failed", NULL },
	{ "container", "nvidia-container-cli: initialization error: WSL environment detected but no adapters", NULL },
	/* A device that is not there on the host. */
	{ "container", "error gathering device information while adding custom device \"/dev/nvidia", NULL },
	{ "container", "error gathering device information while adding custom device \"/dev/kfd", NULL },
	{ "container", "error gathering device information while adding custom device \"/dev/dri", NULL },
	{ "container-driver", "nvidia-container-cli: initialization error: driver rpc error", NULL },
	{ "container-driver", "nvidia-container-cli: initialization error: driver error", NULL },
	{ "container-driver", "nvidia-container-cli: detection error: ", NULL },
	{ "container", "unresolvable CDI devices ", "gpu" },
	/* mig-parted, the manager that runs it, and nvidia-smi below both. */
	{ "mig", "applying MIG configuration", "FATA[|level=fatal" },
	{ "mig", "mig.config.state' node label to 'failed'", NULL },
	{ "not-reset", "GPUs could not be reset", NULL },
	/* slurmctld's reason to drain a node, and why slurmd does not start. */
	{ "gres", "gres/gpu count reported lower than configured (", NULL },
	{ "gres-file", "can't stat gres.conf file /dev/nvidia", NULL },
	{ "gres-file", "gres_device_major: stat(/dev/nvidia", NULL },
	/* What slurmd and slurmctld do not take (Slurm's gres.c). */
	{ "gres-config", "gres.conf duplicate records for gpu", NULL },
	{ "gres-config", "gres.conf for gpu, some records have ", NULL },
	{ "gres-config", "Invalid GRES record for gpu, ", NULL },
	{ "gres-config", "Invalid gres record for gpu, ", NULL },
	{ "gres-config", "Invalid GRES record name=gpu ", NULL },
	{ "gres-config", "Invalid GRES data for gpu, ", NULL },
	{ "gres-config", "gres/gpu GRES core specification", "match socket boundaries" },
	{ "gres-config", "gres/gpu: invalid GRES core specification (", NULL },
	{ "gres-config", "Discarding the following config-only GPU due to lack of File specification", NULL },
	{ "gres-config", "We were configured to autodetect nvml functionality, but ", NULL },
	{ "gres-config", "We were configured to autodetect rsmi functionality, but ", NULL },
	/* Why else a node was drained; what health checks say node_check.c reads. */
	{ "drained", "Reason=", NULL },
	/* Kubernetes' device plugin of NVIDIA. */
	{ "unhealthy", "device marked unhealthy: ", NULL },
	{ "unhealthy", "Marking it unhealthy", "GPU" },
	{ "too-few", "requested number of devices unavailable for ", "nvidia.com/|amd.com/|gpu.intel.com/" },
	{ "too-few", "Insufficient nvidia.com/", "nodes are available" },
	{ "too-few", "Insufficient amd.com/gpu", "nodes are available" },
	{ "too-few", "Insufficient gpu.intel.com/", "nodes are available" },
	{ "unhealthy", "no healthy devices present; cannot allocate unhealthy devices ", "nvidia.com/|amd.com/|gpu.intel.com/" },
	{ "not-ready", "Error 802: system not yet initialized", NULL },
	{ "not-ready", "CUDA: system not yet initialized", NULL },
	{ "not-ready", "Cuda failure 802 'system not yet initialized'", NULL },
	{ "not-ready", "Cuda failure 'system not yet initialized'", NULL },
	{ "not-ready", "): system not yet initialized", NULL },
	{ "not-ready", "error (802) : system not yet initialized", NULL },
	{ "not-ready", "-> system not yet initialized", NULL },
	{ "not-ready", "cudaErrorSystemNotReady", "code=802" },
	{ "not-ready", "CUDA_ERROR_SYSTEM_NOT_READY: system not yet initialized", NULL },
	{ "not-ready", "system not yet initialized", "Test CUDA failure |CUDA library: '|(error code |cuInit failed" },
	{ "not-ready", "(error 802) ]]", NULL },
	{ "not-ready", " init failure: 802", NULL },
	{ "not-ready", "CUDA_ERROR_SYSTEM_NOT_READY", "cuInit|CUDA error" },
	{ "not-ready", "UNKNOWN_CUDA_ERROR (802)", NULL },
	{ "old-driver", "CUDA driver version is insufficient for CUDA runtime version", NULL },
	{ "old-driver", "The NVIDIA driver on your system is too old (found version", NULL },
	{ "old-driver", "forward compatibility was attempted on non supported HW", NULL },
	{ "old-driver", "unsatisfied condition: cuda>=", "nvidia-container-cli: requirement error" },
	{ "old-driver", "the provided PTX was compiled with an unsupported toolchain", NULL },
	{ "old-driver", "Driver does not support the required nvenc API version", NULL },
	{ "old-driver", "and compatibility mode is UNAVAILABLE", "This container was built for NVIDIA Driver Release" },
	{ "mismatch", "system has unsupported display driver / cuda driver combination", NULL },
	{ "mismatch", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "cuInit|CUDA error" },
	{ "mismatch", "(cudaErrorSystemDriverMismatch)", "code=" },
	{ "mismatch", "UNKNOWN_CUDA_ERROR (803)", NULL },
	{ "mismatch", "(error 803) ]]", NULL },
	{ "mismatch", " init failure: 803", NULL },
	/* TensorFlow, of libcuda and the kernel's module. */
	{ "mismatch", " does not match DSO version ", "cannot find working devices in this configuration" },
	/* The loader, of a file that is the place for the driver's own in an image of a container. */
	{ "library", "libcuda.so: file too short", NULL },
	{ "library", "libcuda.so.1: file too short", NULL },
	{ "library", "libcuda.so.1: invalid ELF header", NULL },
	{ "library", "libnvidia-ml.so.1: file too short", NULL },
	{ "library", "libnvidia-ml.so.1: invalid ELF header", NULL },
	{ "nvlink", "uncorrectable NVLink error detected during the execution", NULL },
	{ "nvlink", "Invalid access of peer GPU memory over nvlink or a hardware error", NULL },
	{ "nvlink", "CUDA_ERROR_NVLINK_UNCORRECTABLE", NULL },
	{ "nvlink", "cudaErrorNvlinkUncorrectable", NULL },
	{ "nvlink", "P2P is disabled between NVLINK connected GPUs ", "NCCL WARN" },
	{ "nvlink", "Fabric Manager detected GPU NVL Fatal error", NULL },
	/* Windows' log of events; the kernel's has it in an Xid. */
	{ "nvlink", "NVLink: fatal error detected on link ", NULL },
	{ "device-lost", "VK_ERROR_DEVICE_LOST", NULL },
	/* Windows has it in its log of events. */
	{ "device-lost", "Display driver nvlddmkm stopped responding and has", NULL },
	{ "device-lost", "Display driver amdkmdag stopped responding and has", NULL },
	{ "device-lost", "Resetting TDR occurred on GPUID:", NULL },
	{ "device-lost", "Reset TDR occurred on GPUID:", NULL },
	{ "device-lost", "Restarting TDR occurred on GPUID:", NULL },
	{ "device-lost", "Error occurred on GPUID:", NULL },
	{ "device-lost", "UR_RESULT_ERROR_DEVICE_LOST", NULL },
	{ "device-lost", "ZE_RESULT_ERROR_DEVICE_LOST", NULL },
	{ "device-lost", "PI_ERROR_DEVICE_NOT_AVAILABLE", NULL },
	{ "gpu-hang", "reason :GPU Hang", "HW Exception by GPU node" },
	{ "gpu-hang", "Reason: Generic hang recovery", "Memory access fault by GPU node" },
	{ "access", "an illegal memory access was encountered", "CUDA|HIP" },
	{ "access", "CUDA_ERROR_ILLEGAL_ADDRESS", NULL },
	{ "access", "Memory access fault by GPU node-", "Reason: " },
	{ "access", "HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION", NULL },
	{ "access", "an illegal instruction was encountered", "CUDA|HIP" },
	{ "access", "HSA_STATUS_ERROR_EXCEPTION: An HSAIL operation resulted in a hardware exception", NULL },
	{ "access", "misaligned address", "CUDA error" },
	{ "launch", "unspecified launch failure", "CUDA|HIP" },
	{ "launch", "device-side assert triggered", "CUDA" },
	{ "launch", "the launch timed out and was terminated", "CUDA" },
	{ "memory", "CUDA out of memory. Tried to allocate", NULL },
	{ "memory", "HIP out of memory. Tried to allocate", NULL },
	{ "memory", "cudaMalloc failed: out of memory", NULL },
	{ "memory", "Cuda failure 2 'out of memory'", NULL },
	{ "memory", "Cuda failure 'out of memory'", NULL },
	{ "memory", "HIP failure: 'out of memory'", NULL },
	{ "memory", "HIP failure 'out of memory'", NULL },
	{ "memory", "out of memory", "Test CUDA failure |Test HIP failure " },
	{ "busy", "CUDA-capable device(s) is/are busy or unavailable", NULL },
	{ "busy", "all CUDA-capable devices are busy or unavailable", NULL },
	{ "busy", "MPS client failed to connect to the MPS control daemon", NULL },
	{ "busy", "remote procedural call between the MPS server and the MPS client failed", NULL },
	{ "busy", "MPS server is not ready to accept new MPS client requests", NULL },
	{ "none", "no CUDA-capable device is detected", NULL },
	{ "none", "No CUDA GPUs are available", NULL },
	{ "none", "Found no NVIDIA driver on your system", NULL },
	{ "none", "No HIP GPUs are available", NULL },
	{ "none", "No visible GPU devices.", NULL },
	/* CUDA's library of the driver is not there, or is the toolkit's, which can only be linked with. */
	{ "none", "libcuda.so.1: cannot open shared object file", NULL },
	{ "none", "Cannot load libcuda.so.1", NULL },
	{ "none", "cuInit: UNKNOWN ERROR (303)", NULL },
	{ "none", "CUDA driver is a stub library", NULL },
	{ "none", "Could not find cuda drivers on your machine", NULL },
	{ "none", "kernel driver does not appear to be running on this host", "/proc/driver/nvidia" },
	{ "none", "The NVIDIA Driver was not detected.  GPU functionality", NULL },
	{ "none", "Can't initialize NVML", NULL },
	{ "none", "Could not find any nv files on this host", NULL },
	{ "none", "Error 3: initialization error", "cudaGetDeviceCount" },
	{ "none", "Error 101: invalid device ordinal", "cudaGetDeviceCount" },
	{ "none", "(error 3) ]]", NULL },
	{ "none", "(error 100) ]]", NULL },
	{ "none", " init failure: 100", "cuda|nvidia" },
	{ "none", "CUDA_ERROR_NO_DEVICE", "cuInit" },
	{ "none", "no compatible amdgpu devices detected", NULL },
	{ "none", "amdgpu detected, but no compatible rocm library found", NULL },
	{ "none", "No device of requested type available", NULL },
	{ "none", "clGetPlatformIDs failed: PLATFORM_NOT_FOUND_KHR", NULL },
	{ "none", "vkCreateInstance: Found no drivers", NULL },
	{ "none", "vkCreateInstance failed with ERROR_INCOMPATIBLE_DRIVER", NULL },
	{ "none", "nvidia-smi: command not found", NULL },
	{ "none", "exec: \"nvidia-smi\": executable file not found", NULL },
	{ "none", "nvidia-smi: No such file or directory", NULL },
	{ "unknown", "CUDA unknown error - this may be due to an incorrectly set up environment", NULL },
	{ "unknown", "CUDA_ERROR_UNKNOWN: unknown error", NULL },
	{ "unknown", "CUDA error 999: unknown error", NULL },
	{ "unknown", "CUDA error: unknown error", NULL },
	{ "unknown", "Cuda failure 'unknown error'", NULL },
	{ "unknown", "Cuda failure 999 'unknown error'", NULL },
	{ "unknown", "unknown error", "Test CUDA failure |CUDA library: '|cuInit failed|failed to initialize CUDA|CUDA failed with error|HIP error" },
	{ "unknown", "CUDA cuInit: Unknown error", NULL },
	{ "unknown", "CUDA_ERROR_UNKNOWN", "cuInit" },
	{ "unknown", "(error 999) ]]", NULL },
	/* cudaErrorOperatingSystem: the driver refused a call. */
	{ "unknown", "OS call failed or operation not supported on this OS", NULL },
	{ "unknown", "(cudaErrorUnknown)", "code=" },
	{ "unknown", "error (999) : unknown error", NULL },
	{ "unknown", "error (30) : unknown error", NULL },
	{ "unknown", " init failure: 999", NULL },
	{ "unknown", "cuInit err: 999", NULL },
	{ "unknown", "cudaSetDevice err: 999", NULL },
	/* Why, NCCL and RCCL tell in a line of its own, or only where they are asked to (NCCL_DEBUG). */
	{ "nccl", "unhandled cuda error, NCCL version", NULL },
	{ "nccl", "unhandled cuda error (run with NCCL_DEBUG=INFO for details)", NULL },
	{ "nccl", "ncclUnhandledCudaError: Call to CUDA ", NULL },
	{ "nccl", "unhandled system error, NCCL version", NULL },
	{ "nccl", "unhandled system error (run with NCCL_DEBUG=INFO for details)", NULL },
	{ "nccl", "ncclSystemError: System call ", NULL },
	{ "nccl", "failed to extend /dev/shm/nccl-", "NCCL WARN" },
	{ "nccl", "HIP failure: 'the operation cannot be performed in the present state'", NULL },
	{ "xserver", "Failed to initialize the NVIDIA GPU at PCI:", NULL },
	{ "xserver", "Failed to initialize the NVIDIA kernel module", "(EE) NVIDIA" },
	{ "xserver", "Failed to load the NVIDIA kernel module", "(EE) NVIDIA" },
	{ "xserver-display", "Failed to acquire modesetting permission", "(EE) NVIDIA" },
	{ "network", "NET/IB : Got completion from peer", "NCCL WARN" },
	{ "network", "NCCL WARN Call to ibv_", " failed" },
	{ "network", "NET/IB : Got async fatal event", "NCCL WARN" },
	{ "network", "Got async event : port error", "NCCL WARN" },
	{ "network", "Got async event : local catastrophic error", "NCCL WARN" },
	{ "network", "NCCL WARN socketStartConnect: Connect to", " failed" },
	{ "network", "NCCL WARN NET/Socket : Connection closed", NULL },
	{ "network", "NCCL WARN socketProgress: Connection closed by remote peer", NULL },
	{ "collective", "Some NCCL operations have failed or timed out", NULL },
	{ "collective", "Watchdog caught collective operation timeout", NULL },
	{ "collective", "remote process exited or there was a network error", NULL },
	{ "collective", "A call failed possibly due to a network error or a remote process exiting", NULL },
};

/*
 * "Reason=GPU 3 has ECC errors [root@2024-12-19T11:03:34]": who took a node out of use, and when. Of a job Slurm has reasons
 * without that, and its own reason of a node has a key of its own.
 */
static bool is_drain_reason(const char *at)
{
	size_t len = strcspn(at, "["), who = strcspn(at + len, "]@");
	char words[MOST_REASON_WORDS + 1];

	if (at[len + who] != '@')
		return false;
	snprintf(words, sizeof(words), "%.*s", (int)(len < MOST_REASON_WORDS ? len : MOST_REASON_WORDS), at + strlen("Reason="));
	return slurm_reason_is_of_gpus(words) && !strstr(words, "gres/gpu count") && !strstr(words, "gres/gpu GRES core");
}

/* What opens a display says so on every node without one, and goes on; amd-smi does above figures that are good. */
static bool is_harmless(const char *text)
{
	static const char *const speakers[] = { "libEGL", "libGL", "MESA", "Xorg", "(EE)", "(WW)", "wayland", "device(s) denied" };

	return text_has_any(text, speakers, ARRAY_SIZE(speakers)) || (unsigned char)*past_blanks(text) >= 0x80;
}

static bool is_dkms_row(size_t row)
{
	return errors[row].with && !strcmp(errors[row].with, ": added");
}

/* "nvidia/535.161.08: added", and nothing else. */
static bool is_dkms_line(const char *text, const char *at)
{
	const char *end = at + strcspn(at, ":");

	return past_blanks(text) == at && text_begins(end, ": added") && !*past_blanks(end + strlen(": added"));
}

/* The words stand in it, and mean something else. */
static bool is_spared(const char *text, const char *at, size_t row)
{
	const char *key = errors[row].key;

	if (!strcmp(key, "drained"))
		return !is_drain_reason(at);
	/* An Xid is read as one, of a GPU. */
	if (!strcmp(key, "nvlink"))
		return strstr(text, "Xid");
	/* nccl_tests.c keeps it as that program's complaint. */
	if (!strcmp(key, "nccl"))
		return strstr(text, "Test NCCL failure ");
	if (is_dkms_row(row))
		return !is_dkms_line(text, at);
	/* ROCm's runtime gives other reasons in the same words. */
	if (!strcmp(key, "access"))
		return strstr(text, " ECC failure") || strstr(text, "Generic hang recovery");
	/* With its name it is the kernel's line. */
	if (!strcmp(key, "build") && strstr(errors[row].text, "open kernel modules"))
		return strstr(text, "NVRM");
	return !strcmp(key, "denied") && is_harmless(text);
}

/* strace, Python and others quote what is opened. */
static bool is_traced(const char *text)
{
	static const char *const frames[] = { "= -1 EACCES (Permission denied)", "[Errno 13] Permission denied: ", "open '/dev/",
					      "open \"/dev/" };

	return text_has_any(text, frames, ARRAY_SIZE(frames));
}

/* Where it stands in the line, or NULL. A line may be as long as a file: it is gone through a few times, not for each word. */
static const char *error_of(const char *text, size_t *ret_row)
{
	const char *at = text;

	for (int i = 0; i < MOST_MENTIONS; i++) {
		const char *with, *past;

		at = text_find_row(at, &errors[0].text, sizeof(*errors), ARRAY_SIZE(errors), false, ret_row);
		if (!at)
			return NULL;
		with = errors[*ret_row].with;
		past = is_traced(text) ? NULL : past_mention(text, at, strlen(errors[*ret_row].text));
		if (!past && (!with || text_has_word_of(text, with)) && !is_spared(text, at, *ret_row))
			return at;
		at = past ? past : at + 1;
	}
	return NULL;
}

/* Where the words go on to the end of their line: people's own, and names of what it was about. */
static bool is_open(const char *key)
{
	static const char *const open[] = { "drained", "unhealthy", "too-few", "vgpu", "build", "container",
					    "container-driver", "mig", "gres-config" };

	return text_is_any(key, open, ARRAY_SIZE(open));
}

/* All of it. */
static const char *line_of(struct arena *arena, const char *text, const char *at, size_t row)
{
	const char *gpu = strstr(text, "GPU ");
	size_t len;

	at = !strcmp(errors[row].key, "unhealthy") && gpu && gpu < at ? gpu : at;
	len = strnlen(at, MOST_REASON_WORDS);
	while (len && strchr(" `\"'", at[len - 1]))
		len--;
	return arena_strndup(arena, at, len);
}

/*
 * Slurm's have the numbers and the file behind them: "(7 < 8)", "/dev/nvidia0"; the X server's an address, "1:0:0"; a link its
 * number.
 */
static const char *words_of(struct arena *arena, const char *at, size_t row)
{
	const char *key = errors[row].key;
	size_t len = strlen(errors[row].text);

	if (!strcmp(key, "denied") && *at == '/')
		return arena_printf(arena, "%.*s: permission denied", (int)strcspn(at, " :,\"'"), at);
	if (strncmp(key, "gres", 4) != 0 && strcmp(key, "xserver") != 0 && strcmp(key, "nvlink") != 0)
		return errors[row].text;
	len += strspn(at + len, *key == 'g' ? "0123456789< " : "0123456789:");
	return arena_strndup(arena, at, len + (at[len] == ')'));
}

enum dump_begins program_error_begins(const struct dump_line *lines, size_t nr)
{
	size_t row;

	(void)nr;
	return error_of(lines->text, &row) || lost_gpu_says(lines->text) || slurm_reasons_begin(lines->text) ? BEGINS_MORE :
													   BEGINS_NOT;
}

/* What came right later: of none that stands below it. */
static const struct { const char *key, *text; } ends[] = {
	{ "license", "License acquired successfully" }, { "license", "License renewed successfully" },
	{ "fabric", "Started NVIDIA fabric manager service" }, { "fabric", "Started nvidia-fabricmanager.service" },
	{ "fabric-unit", "Started NVIDIA fabric manager service" },
	{ "fabric-unit", "Started nvidia-fabricmanager.service" },
	{ "persistenced", "Started NVIDIA Persistence Daemon" },
	{ "persistenced", "Started nvidia-persistenced.service" },
	{ "xserver", "NVIDIA(0): NVIDIA GPU " },
	{ "mig", "MIG configuration applied successfully" }, { "mig", "mig.config.state' node label to 'success'" },
	{ "not-reset", " was successfully reset" },
};

static void read_end(struct reading *reading, struct dump_line *line)
{
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		struct program_error *error;

		if (!strstr(line->text, ends[i].text))
			continue;
		error = list_find(reading->snapshot, program_errors, program_error, ends[i].key);
		if (error)
			put(reading, line, error->lines, val_u64(0));
	}
}

static bool ends_in(const struct dump_part *part, const char *key)
{
	for (size_t i = 0; i < part->nr_lines; i++)
		for (size_t k = 0; k < ARRAY_SIZE(ends); k++)
			if (!strcmp(key, ends[k].key) && strstr(part->lines[i].text, ends[k].text))
				return true;
	return false;
}

/* The part that tells a value; NULL: none of these errors' parts. The last numbers are all one: then the line tells. */
static const struct dump_part *part_of(const struct dump_parts *parts, uint32_t from)
{
	const unsigned number = value_from_source(from), line = value_from_line(from);

	for (size_t i = 0; number && i < parts->nr; i++) {
		const struct dump_part *part = &parts->v[i];

		if (part->number == number && part->kind == DUMP_PROGRAM_ERROR && part->nr_lines &&
		    part->lines[0].number <= line && line <= part->lines[part->nr_lines - 1].number)
			return part;
	}
	return NULL;
}

void program_errors_end(struct snapshot *snapshot, const struct dump_parts *parts)
{
	for (size_t i = 0; i < snapshot->nr_program_errors; i++) {
		struct program_error *error = &snapshot->program_errors[i];
		const struct dump_part *of = part_of(parts, error->lines.from);

		for (const struct dump_part *part = of ? of + 1 : NULL; part && part < parts->v + parts->nr; part++)
			if (!strcmp(part->file, of->file) && ends_in(part, str_or(error->key, "")))
				error->lines = val_u64(0);
	}
}

/* An older version that was never built lies beside the one in use. */
static bool is_any_installed(const struct dump_part *part)
{
	for (size_t i = 0; i < part->nr_lines; i++)
		if (text_begins(past_blanks(part->lines[i].text), "nvidia") && strstr(part->lines[i].text, ": installed"))
			return true;
	return false;
}

static bool is_any_installed_there(const struct reading *reading)
{
	for (size_t i = 0; reading->parts && i < reading->parts->nr; i++)
		if (is_any_installed(&reading->parts->v[i]))
			return true;
	return is_any_installed(reading->part);
}

static void put_words(struct reading *reading, struct dump_line *line, const char *text, const char *at, size_t row)
{
	const char *key = errors[row].key;
	struct program_error *to = list_element(reading->arena, reading->snapshot, program_errors, program_error, key);

	line->is_taken = true;
	if (to->words.state == VAL_UNSET) {
		put(reading, line, to->words, val_str(words_of(reading->arena, at, row)));
		if (is_open(key))
			put(reading, line, to->line, val_str(line_of(reading->arena, text, at, row)));
	}
	put(reading, line, to->lines, val_u64(u64_or(to->lines, 0) + 1));
}

void program_error_take(struct reading *reading, struct dump_line *line, const char *text)
{
	size_t row;
	const char *at = error_of(text, &row);

	if (at)
		put_words(reading, line, text, at, row);
}

void program_error_read(struct reading *reading)
{
	bool is_asked = false, is_installed = false;
	size_t row;

	for (size_t i = 0; i < reading->part->nr_lines; i++) {
		struct dump_line *line = &reading->part->lines[i];
		const char *at = error_of(line->text, &row);

		if (slurm_reasons_begin(line->text))
			i += slurm_reasons_read(reading, line, reading->part->nr_lines - i) - 1;
		if (lost_gpu_says(line->text))
			lost_gpu_read(reading, line);
		read_end(reading, line);
		if (at && is_dkms_row(row) && !is_asked) {
			is_asked = true;
			is_installed = is_any_installed_there(reading);
		}
		if (!at || (is_dkms_row(row) && is_installed))
			continue;
		put_words(reading, line, line->text, at, row);
	}
}
