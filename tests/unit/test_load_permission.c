// SPDX-License-Identifier: GPL-2.0-or-later
/* test_load_permission.c - who may be touched and who may be loaded. */
#include "base/compat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "eval/facts/load_permission.h"
#include "snapshot/under_test.h"

static struct gpu gpu = { .key = { .state = VAL_OK, .v_ = "0000:5d:00.0" } };
static struct ocl_device device = {
	.key = { .state = VAL_OK, .v_ = "opencl:nvidia.icd:0" }, .icd = { .state = VAL_OK, .v_ = "nvidia.icd" },
	.kind = { .state = VAL_OK, .v_ = "gpu" }, .pci_address = { .state = VAL_OK, .v_ = "0000:5d:00.0" },
};

static struct snapshot idle_node(void)
{
	return (struct snapshot){
		.request.level = val_str("quick"), .host.sees_all_processes = val_bool(true),
		.processes.seen = val_u64(100), .gpus = &gpu, .nr_gpus = 1,
	};
}

static void assert_refused(const struct snapshot *snapshot, const char *part)
{
	struct arena arena = { .blocks = NULL };
	struct node_log log;
	const char *reason;

	node_log_read(&log, snapshot, &policy_built_in);
	reason = permit_load(&arena, snapshot, &policy_built_in, &log, &device);
	assert_non_null(reason);
	if (!strstr(reason, part))
		fail_msg("\"%s\" says nothing of \"%s\"", reason, part);
	node_log_release(&log);
	arena_release(&arena);
}

static void assert_granted(const struct snapshot *snapshot)
{
	struct arena arena = { .blocks = NULL };
	struct node_log log;

	node_log_read(&log, snapshot, &policy_built_in);
	assert_null(permit_load(&arena, snapshot, &policy_built_in, &log, &device));
	node_log_release(&log);
	arena_release(&arena);
}

static bool may_call(const struct snapshot *snapshot, const char *icd)
{
	struct arena arena = { .blocks = NULL };
	struct node_log log;
	bool may;

	node_log_read(&log, snapshot, &policy_built_in);
	may = !permit_icd(&arena, snapshot, &policy_built_in, &log, icd);
	node_log_release(&log);
	arena_release(&arena);
	return may;
}

static void test_an_idle_gpu_is_loaded(void **state)
{
	struct snapshot snapshot = idle_node();

	(void)state;
	assert_granted(&snapshot);
	snapshot.request.level = val_str("read");
	assert_refused(&snapshot, "level read");
}

static void test_what_was_not_chosen_is_not(void **state)
{
	struct snapshot snapshot = idle_node();

	(void)state;
	strs_add(&snapshot.arena, &snapshot.request.gpus, "1");
	assert_refused(&snapshot, "not selected (--gpu)");
	strs_add(&snapshot.arena, &snapshot.request.gpus, "5d:00.0");
	assert_granted(&snapshot);
	arena_release(&snapshot.arena);
}

static void test_a_gpu_in_use_is_not(void **state)
{
	struct holder python = {
		.key = val_str("7:/dev/nvidia0"),
		.pid = val_u64(7),
		.comm = val_str("python3"),
		.node = val_str("/dev/nvidia0"),
		.gpu = val_str("0000:5d:00.0"),
	};
	struct snapshot snapshot = idle_node();

	(void)state;
	snapshot.holders = &python;
	snapshot.nr_holders = 1;
	assert_refused(&snapshot, "python3 (pid 7)");
	snapshot.request.even_if_busy = val_bool(true);
	assert_granted(&snapshot);
	snapshot.request.even_if_busy = val_bool(false);
	python.gpu = val_str("0000:5e:00.0");	/* another's */
	assert_granted(&snapshot);
	python.gpu = no_str(VAL_ABSENT, NULL);	/* a node that serves all */
	assert_refused(&snapshot, "python3");
	python.comm = val_str("Xorg");
	assert_granted(&snapshot);
}

static void test_a_shared_gpu_is_not(void **state)
{
	struct daemon mps = { .key = val_str("900"), .comm = val_str("nvidia-cuda-mps") };
	struct snapshot snapshot = idle_node();

	(void)state;
	snapshot.daemons = &mps;
	snapshot.nr_daemons = 1;
	assert_refused(&snapshot, "MPS daemon (pid 900)");
	gpu.pci.driver = val_str("amdgpu");
	assert_granted(&snapshot);
	gpu.pci.driver = val_str("nvidia");
	assert_refused(&snapshot, "MPS daemon");
	snapshot.request.even_if_busy = val_bool(true);
	assert_granted(&snapshot);
	snapshot.request.even_if_busy = val_bool(false);
	mps.comm = val_str("nvidia-persistenced");
	assert_granted(&snapshot);
	gpu.pci.driver = (struct val_str){ .state = VAL_UNSET };
}

/* nvidia-uvm and kfd are held by every process that computes, on whichever GPU. */
static void test_work_on_another_gpu_is_let_be(void **state)
{
	struct holder holders[] = {
		{
			.key = val_str("7:/dev/nvidia-uvm"), .pid = val_u64(7), .comm = val_str("python3"),
			.node = val_str("/dev/nvidia-uvm"), .gpu = no_str(VAL_ABSENT, "serves every GPU"),
		},
		{
			.key = val_str("7:/dev/nvidia1"), .pid = val_u64(7), .comm = val_str("python3"),
			.node = val_str("/dev/nvidia1"), .gpu = val_str("0000:5e:00.0"),
		},
	};
	struct gpu_process process = { .key = val_str("7"), .pid = val_u64(7), .slurm_job = val_str("4711") };
	struct snapshot snapshot = idle_node();

	(void)state;
	snapshot.holders = holders;
	snapshot.nr_holders = 2;
	snapshot.gpu_processes = &process;
	snapshot.nr_gpu_processes = 1;
	assert_granted(&snapshot);
	holders[1].gpu = no_str(VAL_ERROR, "EIO");
	assert_refused(&snapshot, "python3 (pid 7, job 4711)");
	snapshot.nr_holders = 1;
	assert_refused(&snapshot, "python3 (pid 7, job 4711)");
}

static void test_what_cannot_be_seen_is_not_idle(void **state)
{
	struct snapshot snapshot = idle_node();

	(void)state;
	snapshot.host.sees_all_processes = val_bool(false);
	assert_refused(&snapshot, "users are unknown");
	snapshot.host.sees_all_processes = no_bool(VAL_UNSET, NULL);
	assert_refused(&snapshot, "users are unknown");
	snapshot = idle_node();
	snapshot.processes.seen = no_u64(VAL_ERROR, "crashed in walk /proc");
	assert_refused(&snapshot, "not readable");
	assert_false(may_call(&snapshot, "nvidia.icd"));
	assert_true(may_call(&snapshot, "pocl.icd"));
	device.kind = val_str("cpu");
	assert_granted(&snapshot);
	device.kind = val_str("gpu");
}

/* The driver's own list, of a GPU whose holders /proc does not show. */
static void test_what_the_driver_counts_is_in_use(void **state)
{
	struct gpu_client client = {
		.key = val_str("0:compute"), .kind = val_str("compute"), .pid = val_u64(0),
		.memory_bytes = val_u64(1000000000),
	};
	struct snapshot snapshot = idle_node();

	(void)state;
	gpu.clients = &client;
	gpu.nr_clients = 1;
	assert_refused(&snapshot, "not visible here");
	client.kind = val_str("graphics");
	assert_granted(&snapshot);
	client.kind = val_str("compute");
	client.pid = val_u64(18422);
	assert_refused(&snapshot, "a process (pid 18422)");
	client.alive = val_bool(false);
	assert_granted(&snapshot);
	gpu.nr_clients = 0;
	gpu.use.busy_percent = val_f64(40.0);
	assert_refused(&snapshot, "40 % busy");
	gpu.use.busy_percent = val_f64(1.0);
	assert_granted(&snapshot);
	gpu.use.busy_percent = no_f64(VAL_UNSET, NULL);
	gpu.pci.driver = val_str("nvidia");
	gpu.nvml.vram_total_bytes = val_u64(UINT64_C(80) << 30);
	gpu.nvml.vram_used_bytes = val_u64((UINT64_C(80) << 30) - (UINT64_C(100) << 20));
	assert_refused(&snapshot, "only 100 MiB of VRAM are free");
	gpu.nvml.vram_used_bytes = val_u64(UINT64_C(1) << 30);
	assert_granted(&snapshot);
	gpu.nvml.vram_total_bytes = gpu.nvml.vram_used_bytes = no_u64(VAL_UNSET, NULL);
}

/* Nobody who cannot be seen has memory on it: it is idle, whoever looks. */
static void test_an_empty_gpu_is_idle_in_a_container_too(void **state)
{
	struct snapshot snapshot = idle_node();

	(void)state;
	snapshot.host.sees_all_processes = val_bool(false);
	gpu.pci.driver = val_str("nvidia");
	gpu.nvml.vram_used_bytes = val_u64(1 << 20);
	assert_refused(&snapshot, "users are unknown");
	gpu.nvml.clients = val_u64(0);
	assert_granted(&snapshot);
	gpu.nvml.vram_used_bytes = val_u64(600ULL << 20);
	assert_refused(&snapshot, "users are unknown");
	gpu.nvml = (struct nvml_gpu){ .clients.state = VAL_UNSET };
	gpu.pci.driver = (struct val_str){ .state = VAL_UNSET };
}

static void test_a_gpu_that_serves_one_is_left_alone(void **state)
{
	struct snapshot snapshot = idle_node();

	(void)state;
	gpu.nvml.compute_mode = val_str("exclusive-process");
	assert_refused(&snapshot, "exclusive-process");
	snapshot.request.even_if_busy = val_bool(true);
	assert_granted(&snapshot);
	snapshot.request.even_if_busy = val_bool(false);
	gpu.nvml.compute_mode = val_str("prohibits");
	assert_refused(&snapshot, "prohibits");
	gpu.nvml.compute_mode = val_str("default");
	assert_granted(&snapshot);
}

static void test_a_sleeping_gpu_sleeps_on(void **state)
{
	struct snapshot snapshot = idle_node();

	(void)state;
	gpu.pci.runtime_status = val_str("suspended");
	assert_refused(&snapshot, "suspended");
	snapshot.request.wake = val_bool(true);
	assert_granted(&snapshot);
	snapshot.request.wake = val_bool(false);
	gpu.pci.runtime_status = val_str("active");
	assert_granted(&snapshot);
}

static void test_a_lost_gpu_is_not_called(void **state)
{
	struct snapshot snapshot = idle_node();

	(void)state;
	gpu.pci.config_all_ones = val_bool(true);
	assert_refused(&snapshot, "does not respond");
	snapshot.request.touch_hung = val_bool(true);
	assert_granted(&snapshot);
	gpu.pci.config_all_ones = val_bool(false);
	gpu.pci.link_width = no_u64(VAL_LOST, "reads 63");
	snapshot.request.touch_hung = val_bool(false);
	assert_refused(&snapshot, "does not respond");
	gpu.pci.link_width = val_u64(16);
	assert_granted(&snapshot);
}

static void test_a_hung_driver_is_not_called(void **state)
{
	struct task task = {
		.key = val_str("9"), .pid = val_u64(9), .comm = val_str("python3"), .driver = val_str("nvidia"),
		.asleep_s = val_u64(11),
	};
	struct snapshot snapshot = idle_node();

	(void)state;
	snapshot.tasks = &task;
	snapshot.nr_tasks = 1;
	assert_false(may_call(&snapshot, "nvidia.icd"));
	assert_true(may_call(&snapshot, "pocl.icd"));
	assert_refused(&snapshot, "stuck in the nvidia driver");
	snapshot.request.touch_hung = val_bool(true);
	assert_granted(&snapshot);
	snapshot.request.touch_hung = val_bool(false);
	task.asleep_s = no_u64(VAL_ABSENT, "no se.exec_start");
	assert_refused(&snapshot, "stuck in the nvidia driver");
	task.asleep_s = val_u64(1000);
	task.driver = no_str(VAL_DENIED, "needs root");
	assert_refused(&snapshot, "may be stuck");
	task.driver = val_str("nvidia");
	task.asleep_s = val_u64(10);		/* not longer than the policy allows */
	assert_granted(&snapshot);
	task.asleep_s = val_u64(1000);
	task.driver = no_str(VAL_ABSENT, NULL);	/* a disk's, say */
	assert_granted(&snapshot);
}

/* What the log of this boot tells, until the driver is loaded anew. */
static void test_a_driver_that_hung_by_the_log_is_not_called(void **state)
{
	struct log_line lines[] = {
		{
			.key = val_str("10"), .boot_ns = val_u64(UINT64_C(1000000000000)),
			.text = val_str("NVRM: Xid (PCI:0000:5d:00): 79, pid=31, name=python, GPU has fallen "
					"off the bus."),
		},
		{
			.key = val_str("11"), .boot_ns = val_u64(UINT64_C(2000000000000)),
			.text = val_str("nvidia-nvlink: Nvlink Core is being initialized, major device number 234"),
		},
	};
	struct snapshot snapshot = idle_node();

	(void)state;
	gpu.pci.driver = val_str("nvidia");
	snapshot.log_lines = lines;
	snapshot.nr_log_lines = 1;
	snapshot.kernel_log.lines_read = val_u64(100);
	snapshot.host.uptime_s = val_u64(1000000);	/* days ago, and nothing has ended it */
	assert_refused(&snapshot, "GPU 0: Xid 79 in the kernel log, 16 min 40 s after boot; --touch-hung overrides");
	assert_false(may_call(&snapshot, "nvidia.icd"));
	assert_true(may_call(&snapshot, "pocl.icd"));
	snapshot.request.touch_hung = val_bool(true);
	assert_granted(&snapshot);
	snapshot.request.touch_hung = val_bool(false);
	lines[0].text = val_str("NVRM: Xid (PCI:0000:5d:00): 13, pid=31, name=python, Graphics Exception");
	assert_granted(&snapshot);
	lines[0].text = val_str("NVRM: Xid (PCI:0000:5e:00): 79, pid=31, GPU has fallen off the bus.");	/* another's */
	assert_granted(&snapshot);
	lines[0].text = val_str("NVRM: Xid (PCI:0000:5d:00): 119, pid=31, name=x, Timeout waiting for RPC from GSP!");
	assert_refused(&snapshot, "GPU 0: Xid 119");
	lines[0].text = val_str("NVRM: Xid (PCI:0000:5d:00): 154, GPU recovery action changed from 0x0 (None) to 0x1 "
				"(GPU Reset Required)");
	assert_refused(&snapshot, "GPU 0: Xid 154");
	lines[0].text = val_str("NVRM: Xid (PCI:0000:5d:00): 154, GPU recovery action changed from 0x1 "
				"(GPU Reset Required) to 0x0 (None)");
	assert_granted(&snapshot);
	lines[0].text = val_str("NVRM: Xid (PCI:0000:5d:00): 79, pid=31, GPU has fallen off the bus.");
	snapshot.nr_log_lines = 2;
	assert_granted(&snapshot);
	gpu.pci.driver = (struct val_str){ .state = VAL_UNSET };
}

static bool may_ask_nvml(const struct snapshot *snapshot, const char *address)
{
	struct arena arena = { .blocks = NULL };
	struct node_log log;
	bool may;

	node_log_read(&log, snapshot, &policy_built_in);
	may = !permit_nvml(&arena, snapshot, &policy_built_in, &log, address);
	node_log_release(&log);
	arena_release(&arena);
	return may;
}

/* A second worker would hang beside the first, in the same driver. */
static void test_a_library_that_did_not_come_back_is_not_called_again(void **state)
{
	struct probe_run run = {
		.key = val_str("nvml-gpu 0000:5e:00.0"), .probe = val_str("nvml-gpu"),
		.target = val_str("0000:5e:00.0"),
		.call = val_str("nvmlDeviceGetHandleByPciBusId"),
	};
	struct icd icd = { .key = val_str("vendor.icd"), .library = val_str("libnvidia-opencl.so.1") };
	struct snapshot snapshot = idle_node();
	static const char *const silent[] = { "timeout", "stuck", "crashed" };
	static const char *const well[] = { "ok", "partial", "denied", "unavailable", "refused", "interrupted" };

	(void)state;
	snapshot.probes = &run;
	snapshot.nr_probes = 1;
	snapshot.icds = &icd;
	snapshot.nr_icds = 1;
	for (size_t i = 0; i < ARRAY_SIZE(silent); i++) {
		run.outcome = val_str(silent[i]);
		assert_false(may_call(&snapshot, "nvidia.icd"));
		assert_false(may_call(&snapshot, "vendor.icd"));
		assert_true(may_call(&snapshot, "amdocl64.icd"));
		assert_true(may_call(&snapshot, "pocl.icd"));
		assert_true(may_ask_nvml(&snapshot, "0000:5d:00.0"));	/* another GPU's trouble */
		assert_refused(&snapshot, "in nvmlDeviceGetHandleByPciBusId; --touch-hung overrides");
	}
	snapshot.request.touch_hung = val_bool(true);
	assert_granted(&snapshot);
	snapshot.request.touch_hung = val_bool(false);
	run.probe = val_str("nvml");
	run.target = no_str(VAL_ABSENT, NULL);
	assert_false(may_ask_nvml(&snapshot, "0000:5d:00.0"));
	for (size_t i = 0; i < ARRAY_SIZE(well); i++) {
		run.outcome = val_str(well[i]);
		assert_granted(&snapshot);
		assert_true(may_ask_nvml(&snapshot, "0000:5d:00.0"));
	}
}

static bool may_watch(const struct snapshot *snapshot, const char *address)
{
	struct arena arena = { .blocks = NULL };
	struct node_log log;
	bool may;

	node_log_read(&log, snapshot, &policy_built_in);
	may = !permit_watch(&arena, snapshot, &policy_built_in, &log, address);
	node_log_release(&log);
	arena_release(&arena);
	return may;
}

/* A load stays permitted where its watch is not, and was: a replay says of it what the run did. */
static void test_a_watch_that_did_not_come_back_is_the_last(void **state)
{
	struct probe_run run = {
		.key = val_str("load-watch 0000:5d:00.0"), .probe = val_str("load-watch"),
		.target = val_str("0000:5d:00.0"), .call = val_str("nvmlDeviceGetPowerUsage"),
		.outcome = val_str("timeout"),
	};
	struct snapshot snapshot = idle_node();

	(void)state;
	gpu.pci.driver = val_str("nvidia");
	assert_true(may_watch(&snapshot, str_or(gpu.key, "")));
	snapshot.probes = &run;
	snapshot.nr_probes = 1;
	assert_false(may_watch(&snapshot, str_or(gpu.key, "")));
	assert_granted(&snapshot);
	run.outcome = val_str("partial");
	assert_true(may_watch(&snapshot, str_or(gpu.key, "")));
	/* Files of other drivers are no library. */
	run.outcome = val_str("timeout");
	gpu.pci.driver = val_str("amdgpu");
	assert_true(may_watch(&snapshot, str_or(gpu.key, "")));
	gpu.pci.driver = (struct val_str){ .state = VAL_UNSET };
}

static bool is_serial(const struct snapshot *snapshot)
{
	struct node_log log;
	bool is;

	node_log_read(&log, snapshot, &policy_built_in);
	is = permit_nvml_serially(snapshot, &log);
	node_log_release(&log);
	return is;
}

/* One GPU that hangs by the log is left alone; the others are asked, with care. */
static void test_beside_a_gpu_that_hangs_the_others_are_asked_one_by_one(void **state)
{
	struct log_line line = {
		.key = val_str("10"), .boot_ns = val_u64(UINT64_C(1000000000000)),
		.text = val_str("NVRM: Xid (PCI:0000:5e:00): 119, pid=31, name=x, Timeout waiting for RPC from GSP!"),
	};
	struct gpu two[] = { gpu, gpu };
	struct snapshot snapshot = idle_node();

	(void)state;
	two[1].key = val_str("0000:5e:00.0");
	for (size_t i = 0; i < ARRAY_SIZE(two); i++) {
		two[i].pci.vendor_id = val_str("0x10de");
		two[i].pci.driver = val_str("nvidia");
	}
	snapshot.gpus = two;
	snapshot.nr_gpus = ARRAY_SIZE(two);
	assert_false(is_serial(&snapshot));
	snapshot.log_lines = &line;
	snapshot.nr_log_lines = 1;
	snapshot.kernel_log.lines_read = val_u64(100);
	assert_true(is_serial(&snapshot));
	assert_true(may_ask_nvml(&snapshot, "0000:5d:00.0"));
	assert_false(may_ask_nvml(&snapshot, "0000:5e:00.0"));
	assert_true(may_ask_nvml(&snapshot, NULL));
	two[1].pci.vendor_id = val_str("0x1002");	/* another vendor's keeps nobody */
	assert_false(is_serial(&snapshot));
	snapshot.nr_log_lines = 0;
	two[0].pci.config_all_ones = val_bool(true);
	assert_true(is_serial(&snapshot));
	assert_false(may_ask_nvml(&snapshot, "0000:5d:00.0"));
}

static void test_roles(void **state)
{
	static const struct { const char *key, *vendor, *driver; enum gpu_role role; } table[] = {
		{ "0000:5d:00.0", "0x10de", "nvidia", GPU_ROLE_GPU },
		{ "0000:5d:00.0", "0x10de", "vfio-pci", GPU_ROLE_PASSED_THROUGH },
		{ "0009:01:00.0", "0x10de", "nvgrace-gpu-vfio-pci", GPU_ROLE_PASSED_THROUGH },
		{ "0000:5d:00.0", "0x10de", "pci-stub", GPU_ROLE_PASSED_THROUGH },
		{ "0000:5d:00.0", "0x1002", "pciback", GPU_ROLE_PASSED_THROUGH },
		{ "0000:5d:00.0", "0x1002", "uio_pci_generic", GPU_ROLE_PASSED_THROUGH },
		{ "0000:02:00.0", "0x1a03", "ast", GPU_ROLE_DISPLAY },
		{ "0000:00:02.0", "0x8086", "i915", GPU_ROLE_INTEGRATED },
		{ "0000:03:00.0", "0x8086", "xe", GPU_ROLE_GPU },
	};

	static const struct snapshot empty;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct gpu one = {
			.key = val_str(table[i].key), .pci.vendor_id = val_str(table[i].vendor),
			.pci.driver = val_str(table[i].driver),
		};

		assert_int_equal(gpu_role(&empty, &one), table[i].role);
		one.pci.physical_function = val_str("0000:5d:00.0");
		assert_int_equal(gpu_role(&empty, &one), GPU_ROLE_VIRTUAL_FUNCTION);
	}
}

/* What a container and a batch job see: every GPU in /sys, and the nodes of some. */
static void test_whose_a_gpu_is(void **state)
{
	static const struct {
		const char *container;
		bool sees_all;
		enum val_state mode;		/* of /dev/nvidia0 */
		const char *refused_by;		/* NULL: nothing */
		const char *node_of;		/* NULL: nobody knows whose the node is */
		enum gpu_role role;
	} table[] = {
		{ "none", true, VAL_OK, NULL, "0000:5d:00.0", GPU_ROLE_GPU },
		{ "none", true, VAL_ABSENT, NULL, "0000:5d:00.0", GPU_ROLE_GPU },
		{ "none", true, VAL_OK, "permissions", "0000:5d:00.0", GPU_ROLE_GPU },
		{ "none", true, VAL_OK, "device cgroup", "0000:5d:00.0", GPU_ROLE_NOT_OURS },
		{ "docker", false, VAL_OK, NULL, "0000:5d:00.0", GPU_ROLE_GPU },
		{ "docker", false, VAL_OK, "permissions", "0000:5d:00.0", GPU_ROLE_GPU },
		{ "docker", false, VAL_ABSENT, NULL, "0000:5d:00.0", GPU_ROLE_NOT_OURS },
		{ "docker", false, VAL_OK, NULL, "0000:5e:00.0", GPU_ROLE_NOT_OURS },
		{ "docker", true, VAL_ABSENT, NULL, "0000:5d:00.0", GPU_ROLE_GPU },
		{ "docker", false, VAL_OK, NULL, NULL, GPU_ROLE_GPU },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct gpu one = {
			.key = val_str("0000:5d:00.0"), .pci.vendor_id = val_str("0x10de"),
			.pci.driver = val_str("nvidia"),
		};
		struct device_node node = {
			.key = val_str("/dev/nvidia0"), .gpu = no_str(VAL_ABSENT, NULL),
			.mode = { .state = table[i].mode, .v_ = "0666" },
			.refused_by = no_str(VAL_ABSENT, NULL),
		};
		struct snapshot all = {
			.host.container = val_str(table[i].container),
			.host.sees_all_devices = val_bool(table[i].sees_all), .device_nodes = &node,
			.nr_device_nodes = 1,
		};

		if (table[i].node_of)
			node.gpu = val_str(table[i].node_of);
		if (table[i].refused_by)
			node.refused_by = val_str(table[i].refused_by);
		assert_int_equal(gpu_role(&all, &one), GPU_ROLE_GPU);	/* nobody listed the nodes */
		all.listed.device_nodes = val_u64(1);
		assert_int_equal(gpu_role(&all, &one), table[i].role);
	}
}

/* Why the all-reduce of two GPUs may not run; NULL: it may. The last answer's arena is kept. */
static const char *why_no_all_reduce(struct arena *arena, const struct snapshot *snapshot)
{
	struct node_log log;
	const char *reason;

	node_log_read(&log, snapshot, &policy_built_in);
	reason = permit_collective(arena, snapshot, &policy_built_in, &log);
	node_log_release(&log);
	return reason;
}

/* One that is not idle keeps all from being loaded, and is named; what overrides it for one device does for all. */
static void test_an_all_reduce_takes_all_or_none(void **state)
{
	struct gpu two[] = { gpu, gpu };
	struct snapshot snapshot = idle_node();
	struct arena arena = { .blocks = NULL };

	(void)state;
	two[1].key = val_str("0000:9d:00.0");
	two[0].pci.driver = two[1].pci.driver = val_str("nvidia");
	two[0].nvml.uuid = val_str("GPU-aaaa");
	two[1].nvml.uuid = val_str("GPU-bbbb");
	snapshot.gpus = two;
	snapshot.nr_gpus = 2;
	snapshot.request.collective = val_str("/opt/all_reduce_perf");
	assert_null(why_no_all_reduce(&arena, &snapshot));
	two[1].use.busy_percent = val_f64(60.0);
	assert_string_equal(why_no_all_reduce(&arena, &snapshot),
			    "GPU 1: 60 % busy in the window; --even-if-busy overrides");
	snapshot.request.even_if_busy = val_bool(true);
	assert_null(why_no_all_reduce(&arena, &snapshot));
	snapshot.request.even_if_busy = val_bool(false);
	two[1].use.busy_percent = val_f64(0.0);
	two[0].nvml.compute_mode = val_str("exclusive-process");
	assert_non_null(strstr(why_no_all_reduce(&arena, &snapshot), "GPU 0: compute mode exclusive-process"));
	two[0].nvml.compute_mode = val_str("default");
	/* Waking it is one thing, that it is in use another. */
	two[1].pci.runtime_status = val_str("suspended");
	assert_non_null(strstr(why_no_all_reduce(&arena, &snapshot), "GPU 1 is suspended"));
	snapshot.request.wake = val_bool(true);
	assert_null(why_no_all_reduce(&arena, &snapshot));
	two[1].use.busy_percent = val_f64(60.0);
	assert_non_null(strstr(why_no_all_reduce(&arena, &snapshot), "60 % busy"));
	two[1].use.busy_percent = val_f64(0.0);
	two[1].nvml.mig_enabled = val_bool(true);
	snapshot.request.even_if_busy = val_bool(true);
	assert_string_equal(why_no_all_reduce(&arena, &snapshot), "GPU 1 is in MIG mode");
	snapshot.request.level = val_str("read");
	assert_non_null(strstr(why_no_all_reduce(&arena, &snapshot), "level read"));
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_idle_gpu_is_loaded),
		cmocka_unit_test(test_what_was_not_chosen_is_not),
		cmocka_unit_test(test_a_gpu_in_use_is_not),
		cmocka_unit_test(test_a_shared_gpu_is_not),
		cmocka_unit_test(test_work_on_another_gpu_is_let_be),
		cmocka_unit_test(test_what_cannot_be_seen_is_not_idle),
		cmocka_unit_test(test_what_the_driver_counts_is_in_use),
		cmocka_unit_test(test_an_empty_gpu_is_idle_in_a_container_too),
		cmocka_unit_test(test_a_gpu_that_serves_one_is_left_alone),
		cmocka_unit_test(test_a_sleeping_gpu_sleeps_on),
		cmocka_unit_test(test_a_lost_gpu_is_not_called),
		cmocka_unit_test(test_a_hung_driver_is_not_called),
		cmocka_unit_test(test_a_driver_that_hung_by_the_log_is_not_called),
		cmocka_unit_test(test_a_library_that_did_not_come_back_is_not_called_again),
		cmocka_unit_test(test_a_watch_that_did_not_come_back_is_the_last),
		cmocka_unit_test(test_beside_a_gpu_that_hangs_the_others_are_asked_one_by_one),
		cmocka_unit_test(test_an_all_reduce_takes_all_or_none),
		cmocka_unit_test(test_roles),
		cmocka_unit_test(test_whose_a_gpu_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
