// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs alone: it times samples. */
/*
 * test_window_watch.c - GPUs and their processes over a window, in a tree
 * whose files change under it: what sleeps, what goes, what is somebody else's
 * by now.
 */
#include "base/compat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "probe/probe_table.h"
#include "probe/window/window_internal.h"
#include "sys/clock.h"
#include "tests/unit/tree.h"

#define MS_NS UINT64_C(1000000)

#define GPU "0000:03:00.0"
#define PLAN_OWN_SWITCH GPU "/amdgpu/2/0000:02:00.0/0000:01:00.0/0000:00:01.0"
#define DEVICES "sys/bus/pci/devices/"

static struct sink sink;
static struct gpu_watch gpus;
static struct process_watch processes;

static void put_stat(const char *name, unsigned ticks, unsigned started, unsigned cpu)
{
	char text[256];

	snprintf(text, sizeof(text),
		 "7 (python3) R 1 2 3 0 -1 4 5 6 7 8 %u 0 9 10 20 0 4 0 %u 11 12 13 14 15 16 17 18 19 "
		 "20 21 22 23 0 0 17 %u 0 0\n", ticks, started, cpu);
	put_text(name, text);
}

static void put_fdinfo(const char *name, unsigned client, const char *busy_ns)
{
	char text[256];

	snprintf(text, sizeof(text), "pos:\t0\ndrm-driver:\ti915\ndrm-client-id:\t%u\ndrm-pdev:\t" GPU
		 "\ndrm-engine-render:\t%s ns\n", client, busy_ns);
	put_text(name, text);
}

static int begin(void **state)
{
	if (tree_make(state))
		return -1;
	scratch_make_way("proc/7/fd/");
	scratch_make_way("proc/7/fdinfo/");
	put_link("sys/class/drm/renderD128/device", "/" DEVICES GPU);
	put_text(DEVICES GPU "/power/runtime_status", "active\n");
	put_text(DEVICES GPU "/current_link_speed", "32.0 GT/s PCIe\n");
	put_text(DEVICES GPU "/current_link_width", "16\n");
	put_text(DEVICES GPU "/aer_dev_correctable", "RxErr 3\nTOTAL_ERR_COR 3\n");
	put_text(DEVICES "0000:01:00.0/current_link_speed", "8.0 GT/s PCIe\n");
	put_text(DEVICES "0000:01:00.0/current_link_width", "8\n");
	put_text(DEVICES "0000:01:00.0/aer_dev_correctable", "RxErr 0\nBad TLP 4\nTOTAL_ERR_COR 4\n");
	put_stat("proc/7/stat", 100, 5000, 3);
	put_stat("proc/7/task/7/stat", 100, 5000, 3);
	sink = sink_that_keeps();
	return 0;
}

static int end(void **state)
{
	close(sink.fd);
	return tree_remove(state);
}

/* ---- a driver that tells */

static void test_a_driver_that_tells(void **state)
{
	(void)state;
	put_text(DEVICES GPU "/gpu_busy_percent", "20\n");
	put_text(DEVICES GPU "/mem_busy_percent", "10\n");
	gpu_watch_begin(&gpus, &env, &sink, PLAN_OWN_SWITCH, true);
	gpu_watch_start(&gpus);
	put_text(DEVICES GPU "/gpu_busy_percent", "100\n");
	put_text(DEVICES GPU "/mem_busy_percent", "30\n");
	gpu_watch_sample(&gpus);
	put_text(DEVICES "0000:01:00.0/aer_dev_correctable", "RxErr 0\nBad TLP 9\nTOTAL_ERR_COR 9\n");
	gpu_watch_end(&gpus);
	assert_said("\"busy_percent\":60,\"busy_max_percent\":100,\"busy_p5_percent\":20,\"busy_p95_percent\":100,"
		    "\"memory_busy_percent\":20,\"samples_busy\":1");
	/* The slot's link is that of the card's own switch. */
	assert_said("\"link_speed_busy_mtps\":8000,\"link_width_busy\":8");
	assert_said("\"aer_correctable\":5");
	assert_said("\"aer_uncorrectable\":\"absent: ENOENT\"");
}

/* Of 40 samples the two lowest are the twentieth, and the two highest. */
static void test_a_sample_by_itself_is_no_swing(void **state)
{
	(void)state;
	put_text(DEVICES GPU "/gpu_busy_percent", "0\n");
	gpu_watch_begin(&gpus, &env, &sink, PLAN_OWN_SWITCH, true);
	gpu_watch_start(&gpus);
	for (int i = 1; i < 40; i++) {
		put_text(DEVICES GPU "/gpu_busy_percent", i < 38 ? "50\n" : i < 39 ? "70\n" : "100\n");
		gpu_watch_sample(&gpus);
	}
	gpu_watch_end(&gpus);
	assert_said("\"busy_max_percent\":100,\"busy_p5_percent\":50,\"busy_p95_percent\":50");
}

static void test_its_own_link(void **state)
{
	(void)state;
	put_text(DEVICES GPU "/gpu_busy_percent", "50\n");
	gpu_watch_begin(&gpus, &env, &sink, GPU "/amdgpu/0/0000:01:00.0", true);
	gpu_watch_start(&gpus);
	gpu_watch_end(&gpus);
	assert_said("\"link_speed_busy_mtps\":32000,\"link_width_busy\":16");
}

/* It may be narrow again between two samples; 63 is what a device that does not answer reads as. */
static void test_the_most_of_its_link_is_kept(void **state)
{
	static const struct { const char *busy, *width, *speed; } samples[] = {
		{ "90\n", "1\n", "2.5 GT/s PCIe\n" },
		{ "90\n", "8\n", "8.0 GT/s PCIe\n" },
		{ "90\n", "4\n", "5.0 GT/s PCIe\n" },
		{ "90\n", "63\n", "Unknown\n" },
		/* Idle: not read. */
		{ "49\n", "16\n", "32.0 GT/s PCIe\n" },
	};

	(void)state;
	put_text(DEVICES GPU "/gpu_busy_percent", "0\n");
	gpu_watch_begin(&gpus, &env, &sink, GPU "/amdgpu/0/0000:01:00.0", true);
	gpu_watch_start(&gpus);
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		put_text(DEVICES GPU "/gpu_busy_percent", samples[i].busy);
		put_text(DEVICES GPU "/current_link_width", samples[i].width);
		put_text(DEVICES GPU "/current_link_speed", samples[i].speed);
		gpu_watch_sample(&gpus);
	}
	gpu_watch_end(&gpus);
	assert_said("\"samples_busy\":4,\"link_speed_busy_mtps\":8000,\"link_width_busy\":8");
}

static void test_bridges_not_seen(void **state)
{
	(void)state;
	put_text(DEVICES GPU "/gpu_busy_percent", "90\n");
	gpu_watch_begin(&gpus, &env, &sink, GPU "/amdgpu/1", true);
	gpu_watch_start(&gpus);
	gpu_watch_end(&gpus);
	assert_said("\"samples_busy\":1");
	assert_said("\"link_speed_busy_mtps\":null");
}

/* Its file is not read: that would wake it. */
static void test_asleep(void **state)
{
	(void)state;
	put_text(DEVICES GPU "/power/runtime_status", "suspended\n");
	put_text(DEVICES GPU "/gpu_busy_percent", "77\n");
	gpu_watch_begin(&gpus, &env, &sink, PLAN_OWN_SWITCH, true);
	gpu_watch_start(&gpus);
	gpu_watch_sample(&gpus);
	gpu_watch_end(&gpus);
	assert_said("\"busy_percent\":\"asleep: runtime_status suspended\"");
	assert_not_said("77");
	assert_not_said("read the use of");
}

/* What throttles it is told beside its use. */
static void test_what_throttles_it(void **state)
{
	(void)state;
	put_fdinfo("proc/7/fdinfo/4", 9, "1000");
	put_text(DEVICES GPU "/tile0/gt0/freq0/throttle/reasons", "pl1\n");
	gpu_watch_begin(&gpus, &env, &sink, GPU "/xe/0", true);
	gpu_watch_client(&gpus, "/dev/dri/renderD128", "7", "4");
	gpu_watch_start(&gpus);
	gpu_watch_sample(&gpus);
	gpu_watch_end(&gpus);
	assert_said("\"reasons\":\"pl1\"");
}

/* Asking it for its clocks would keep it awake. */
static void test_what_nobody_uses_is_left_alone(void **state)
{
	(void)state;
	put_text(DEVICES GPU "/tile0/gt0/freq0/throttle/reasons", "pl1\n");
	gpu_watch_begin(&gpus, &env, &sink, GPU "/xe/0", true);
	gpu_watch_start(&gpus);
	gpu_watch_sample(&gpus);
	gpu_watch_end(&gpus);
	assert_not_said("read the use of");
	assert_said("\"reasons\":\"absent: not in use\"");
}

/* A kernel without runtime power management. */
static void test_nothing_puts_it_to_sleep(void **state)
{
	(void)state;
	assert_int_equal(unlink(scratch(DEVICES GPU "/power/runtime_status")), 0);
	put_text(DEVICES GPU "/gpu_busy_percent", "40\n");
	gpu_watch_begin(&gpus, &env, &sink, PLAN_OWN_SWITCH, true);
	gpu_watch_start(&gpus);
	gpu_watch_end(&gpus);
	assert_said("\"busy_percent\":40,");
}

static void test_whether_it_sleeps_is_not_known(void **state)
{
	(void)state;
	assert_int_equal(unlink(scratch(DEVICES GPU "/power/runtime_status")), 0);
	scratch_make_way(DEVICES GPU "/power/runtime_status/");
	put_text(DEVICES GPU "/gpu_busy_percent", "77\n");
	gpu_watch_begin(&gpus, &env, &sink, PLAN_OWN_SWITCH, true);
	gpu_watch_start(&gpus);
	gpu_watch_end(&gpus);
	assert_said("\"busy_percent\":\"error: whether it sleeps is not known\"");
	assert_not_said("77");
}

static void test_it_falls_asleep(void **state)
{
	(void)state;
	put_text(DEVICES GPU "/gpu_busy_percent", "10\n");
	gpu_watch_begin(&gpus, &env, &sink, PLAN_OWN_SWITCH, true);
	gpu_watch_start(&gpus);
	put_text(DEVICES GPU "/power/runtime_status", "suspending\n");
	put_text(DEVICES GPU "/gpu_busy_percent", "90\n");
	gpu_watch_sample(&gpus);
	gpu_watch_end(&gpus);
	assert_said("\"busy_percent\":10,");
	assert_said("\"samples_busy\":0");
}

static void test_nonsense_is_no_figure(void **state)
{
	(void)state;
	put_text(DEVICES GPU "/gpu_busy_percent", "101\n");
	gpu_watch_begin(&gpus, &env, &sink, PLAN_OWN_SWITCH, true);
	gpu_watch_start(&gpus);
	put_text(DEVICES GPU "/gpu_busy_percent", "");
	gpu_watch_sample(&gpus);
	gpu_watch_end(&gpus);
	assert_said("\"busy_percent\":null");
	assert_said("\"busy_percent\":\"error: ");
}

static void test_it_leaves_the_bus(void **state)
{
	(void)state;
	put_text(DEVICES GPU "/gpu_busy_percent", "100\n");
	gpu_watch_begin(&gpus, &env, &sink, PLAN_OWN_SWITCH, true);
	gpu_watch_start(&gpus);
	assert_int_equal(rename(scratch(DEVICES GPU), scratch("away")), 0);
	gpu_watch_sample(&gpus);
	gpu_watch_end(&gpus);
	assert_said("\"busy_percent\":\"lost: it left the bus during the window\"");
	assert_said("\"aer_correctable\":\"lost: ");
}

static void test_nvidia(void **state)
{
	(void)state;
	gpu_watch_begin(&gpus, &env, &sink, GPU "/nvidia/0", true);
	gpu_watch_start(&gpus);
	gpu_watch_sample(&gpus);
	gpu_watch_end(&gpus);
	/* The library tells the rest, in a worker of its own: a value is said once. */
	assert_not_said("busy_percent");
	assert_not_said("link_width_busy");
	assert_said("\"aer_correctable\":0");
}

static void test_nvidia_leaves_the_bus(void **state)
{
	(void)state;
	gpu_watch_begin(&gpus, &env, &sink, GPU "/nvidia/0", true);
	gpu_watch_start(&gpus);
	assert_int_equal(rename(scratch(DEVICES GPU), scratch("away")), 0);
	gpu_watch_end(&gpus);
	assert_not_said("busy_percent");
	assert_said("\"aer_correctable\":\"lost: ");
}

/* ---- clients that tell */

static void begin_clients(bool sees_all)
{
	put_fdinfo("proc/7/fdinfo/3", 42, "1000");
	put_fdinfo("proc/7/fdinfo/4", 42, "1000");
	put_link("proc/7/fd/3", "/dev/dri/renderD128");
	put_link("proc/7/fd/4", "/dev/dri/renderD128");
	put_link("proc/7/fd/5", "/dev/null");
	gpu_watch_begin(&gpus, &env, &sink, GPU "/i915/0/0000:01:00.0", sees_all);
	process_watch_begin(&processes, &env, &sink, "7/dri", &gpus);
	gpu_watch_start(&gpus);
}

static void end_clients(void)
{
	process_watch_end(&processes, &sink);
	gpu_watch_end(&gpus);
}

static void test_clients(void **state)
{
	(void)state;
	begin_clients(true);
	put_fdinfo("proc/7/fdinfo/3", 42, "99000000000");
	clock_sleep_ns(25 * MS_NS);
	gpu_watch_sample(&gpus);
	end_clients();
	assert_said("\"busy_percent\":100,\"busy_max_percent\":100");
	assert_said("\"link_speed_busy_mtps\":32000");
}

static void test_clients_that_rest(void **state)
{
	(void)state;
	begin_clients(true);
	clock_sleep_ns(25 * MS_NS);
	gpu_watch_sample(&gpus);
	end_clients();
	assert_said("\"busy_percent\":0,\"busy_max_percent\":0");
	assert_said("\"link_speed_busy_mtps\":\"absent: not busy in the window\"");
}

/* The number of a file that was closed is given to the next one. */
static void test_another_client_by_now(void **state)
{
	(void)state;
	begin_clients(true);
	put_fdinfo("proc/7/fdinfo/3", 43, "99000000000");
	clock_sleep_ns(25 * MS_NS);
	gpu_watch_sample(&gpus);
	end_clients();
	assert_said("\"busy_percent\":0,");
}

static void test_others_are_hidden(void **state)
{
	(void)state;
	begin_clients(false);
	put_fdinfo("proc/7/fdinfo/3", 42, "99000000000");
	clock_sleep_ns(25 * MS_NS);
	gpu_watch_sample(&gpus);
	end_clients();
	assert_said("\"busy_percent\":\"denied: needs root");
	/* Observed is true all the same. */
	assert_said("\"samples_busy\":1");
	assert_said("\"link_speed_busy_mtps\":32000");
}

static void test_nobody_holds_it(void **state)
{
	(void)state;
	gpu_watch_begin(&gpus, &env, &sink, GPU "/xe/0", true);
	gpu_watch_start(&gpus);
	gpu_watch_sample(&gpus);
	gpu_watch_end(&gpus);
	assert_said("\"busy_percent\":0,");
}

static void test_clients_of_one_that_sleeps_are_not_read(void **state)
{
	(void)state;
	put_text(DEVICES GPU "/power/runtime_status", "suspended\n");
	begin_clients(true);
	gpu_watch_sample(&gpus);
	assert_int_equal(gpus.nr_clients, 0);
	end_clients();
	assert_said("\"busy_percent\":\"asleep: runtime_status suspended\"");
}

/* It was woken meanwhile: who uses it now nobody looked for. */
static void test_it_wakes_up(void **state)
{
	(void)state;
	put_text(DEVICES GPU "/power/runtime_status", "suspended\n");
	begin_clients(true);
	put_text(DEVICES GPU "/power/runtime_status", "active\n");
	gpu_watch_sample(&gpus);
	end_clients();
	assert_said("\"busy_percent\":\"unsupported: it slept when the window began: its clients are not known\"");
}

static void test_more_clients_than_files(void **state)
{
	char name[64];

	(void)state;
	for (unsigned i = 10; i < 530; i++) {
		snprintf(name, sizeof(name), "proc/7/fdinfo/%u", i);
		put_fdinfo(name, i, "0");
		snprintf(name, sizeof(name), "proc/7/fd/%u", i);
		assert_int_equal(symlink("/dev/dri/renderD128", scratch(name)), 0);
	}
	begin_clients(true);
	gpu_watch_sample(&gpus);
	end_clients();
	assert_said("\"busy_percent\":\"unsupported: more clients than can be watched\"");
}

static void hold(struct snapshot *snapshot, unsigned first, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++) {
		const char *key = arena_printf(&snapshot->arena, "%u:/dev/dri/renderD128", first + i);

		list_element(&snapshot->arena, snapshot, holders, holder, key)->pid = val_u64(first + i);
	}
}

/* NULL: it is not set. */
static const char *variable(const struct snapshot *snapshot, struct arena *arena, const char *name)
{
	struct strs strs = { .nr = 0 };

	probe_window.environment(snapshot, NULL, arena, &strs);
	for (size_t i = 0; i < strs.nr; i++)
		if (!strncmp(strs.v[i], name, strlen(name)))
			return strs.v[i] + strlen(name);
	return NULL;
}

/* Those beyond the most that are watched may be the ones that work. */
static void test_more_processes_than_are_watched(void **state)
{
	struct snapshot snapshot = { .run.source = val_str("live") };
	struct arena arena = { 0 };

	(void)state;
	hold(&snapshot, 1000, 512);
	assert_string_equal(variable(&snapshot, &arena, "GPUDIAG_WINDOW_CUT="), "");
	hold(&snapshot, 2000, 1);
	assert_string_equal(variable(&snapshot, &arena, "GPUDIAG_WINDOW_CUT="), "1");
	gpu_watch_begin(&gpus, &env, &sink, GPU "/i915/0", true);
	gpu_watch_missed(&gpus);
	gpu_watch_start(&gpus);
	gpu_watch_sample(&gpus);
	gpu_watch_end(&gpus);
	assert_said("\"busy_percent\":\"unsupported: more clients than can be watched\"");
	arena_release(&arena);
	snapshot_release(&snapshot);
}

/* ---- processes */

static void test_a_process_works(void **state)
{
	(void)state;
	gpu_watch_begin(&gpus, &env, &sink, "", true);
	process_watch_begin(&processes, &env, &sink, "7", &gpus);
	clock_sleep_ns(50 * MS_NS);
	put_stat("proc/7/stat", 107, 5000, 3);
	put_stat("proc/7/task/7/stat", 101, 5000, 3);
	put_stat("proc/7/task/8/stat", 4, 6000, 1);
	end_clients();
	assert_said("\"key\":\"7\",\"use\":{\"cpu_percent\":");
	/* One that began during the window has done all its work in it. */
	assert_said("\"busiest_thread\":8,");
	assert_said("\"busiest_thread_system_percent\":");
	assert_said("\"busiest_thread_cpu\":1");
}

static void test_a_process_ends(void **state)
{
	(void)state;
	gpu_watch_begin(&gpus, &env, &sink, "", true);
	process_watch_begin(&processes, &env, &sink, "7 9", &gpus);
	assert_int_equal(unlink(scratch("proc/7/stat")), 0);
	end_clients();
	assert_said("\"key\":\"7\",\"use\":{\"cpu_percent\":null");
	assert_said("absent: it ended during the window");
	assert_said("\"key\":\"9\"");
}

static void test_its_number_is_another_ones(void **state)
{
	(void)state;
	gpu_watch_begin(&gpus, &env, &sink, "", true);
	process_watch_begin(&processes, &env, &sink, "7", &gpus);
	put_stat("proc/7/stat", 900000, 7000, 3);
	end_clients();
	assert_said("\"cpu_percent\":\"absent: it ended during the window\"");
}

/* ---- disks and interfaces */

static struct device_watch devices;
static struct rdma_watch rdma;

#define DISK(name) "8 0 " name " 100 0 800 50 10 0 80 5 0 20 55\n"
#define INTERFACE(name) "  " name ": 1000 10 0 0 0 0 0 0 2000 20 0 0 0 0 0 0\n"

static void put_disk(const char *name, const char *size, const char *hidden)
{
	char path[96];

	snprintf(path, sizeof(path), "sys/block/%s/size", name);
	put_text(path, size);
	snprintf(path, sizeof(path), "sys/block/%s/hidden", name);
	put_text(path, hidden);
}

/* What probe "system" leaves out has no rates of its own either: a volume's are its disks' once more. */
static void test_disks_are_those_that_are_listed(void **state)
{
	static const char said[] = DISK("sda") DISK("sda1") DISK("dm-0") DISK("sr0") DISK("nvme0c0n1") DISK("zram0")
				   DISK("cciss/c0d0");

	(void)state;
	put_disk("sda", "2048\n", "0\n");
	put_disk("cciss!c0d0", "2048\n", "0\n");
	put_disk("dm-0", "2048\n", "0\n");
	put_disk("sr0", "2048\n", "0\n");
	put_disk("nvme0c0n1", "2048\n", "1\n");
	put_disk("zram0", "2048\n", "0\n");
	put_text("proc/diskstats", said);
	device_watch_begin(&devices, &env, "");
	device_watch_end(&devices, &sink);
	assert_said("\"key\":\"sda\"");
	assert_said("\"key\":\"cciss!c0d0\"");
	assert_not_said("sda1");
	assert_not_said("dm-0");
	assert_not_said("sr0");
	assert_not_said("nvme0c0n1");
	assert_not_said("zram0");
}

/* Those of the plan: of 20,000 containers' interfaces none is looked at. */
static void test_interfaces_are_those_that_are_named(void **state)
{
	(void)state;
	put_text("proc/net/dev", INTERFACE("veth0") INTERFACE("eth0") INTERFACE("eth1") INTERFACE("lo"));
	put_text("sys/class/net/eth0/statistics/rx_crc_errors", "7\n");
	put_text("sys/class/net/eth0/carrier_changes", "2\n");
	device_watch_begin(&devices, &env, "eth0 eth1 th1 gone");
	put_text("sys/class/net/eth0/statistics/rx_crc_errors", "47\n");
	put_text("sys/class/net/eth0/carrier_changes", "3\n");
	put_text("proc/net/dev", INTERFACE("veth0") INTERFACE("eth0") INTERFACE("lo") INTERFACE("eth1"));
	device_watch_end(&devices, &sink);
	assert_said("\"key\":\"eth0\"");
	assert_said("\"key\":\"eth1\"");
	assert_said("\"receive_crc_errors\":40");
	assert_said("\"carrier_changes\":1");
	assert_not_said("veth0");
	assert_not_said("\"lo\"");
	assert_not_said("\"th1\"");
	assert_not_said("gone");
}

/* ---- RDMA ports */

#define PORT "sys/class/infiniband/mlx5_0/ports/1/"

static void test_rdma_ports(void **state)
{
	(void)state;
	put_text(PORT "counters/symbol_error", "4000000000\n");
	put_text(PORT "counters/link_downed", "255\n");	/* stuck at its largest */
	put_text(PORT "counters/port_rcv_errors", "9\n");
	put_text(PORT "hw_counters/out_of_sequence", "100\n");
	put_text(PORT "hw_counters/rp_cnp_handled", "7\n");
	rdma_watch_begin(&rdma, &env, "mlx5_0/1/ib0 mlx5_9/2/mlx5_9:2 garbage");
	put_text(PORT "counters/symbol_error", "4000000240\n");
	put_text(PORT "counters/port_rcv_errors", "0\n");	/* reset by the fabric's management */
	put_text(PORT "hw_counters/out_of_sequence", "130\n");
	put_text(PORT "hw_counters/rp_cnp_handled", "5007\n");
	rdma_watch_end(&rdma, &sink);
	assert_said("\"key\":\"ib0\"");
	assert_said("\"symbol_errors\":240");
	assert_said("\"link_downed\":0");
	assert_said("\"receive_errors\":\"absent: its counter went backwards during the window\"");
	assert_said("\"sequence_errors\":30");
	assert_said("\"congestion_handled\":5000");
	assert_said("\"key\":\"mlx5_9:2\"");
	assert_not_said("garbage");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_driver_that_tells),
		TEST(test_a_sample_by_itself_is_no_swing),
		TEST(test_its_own_link),
		TEST(test_the_most_of_its_link_is_kept),
		TEST(test_bridges_not_seen),
		TEST(test_asleep),
		TEST(test_what_throttles_it),
		TEST(test_what_nobody_uses_is_left_alone),
		TEST(test_nothing_puts_it_to_sleep),
		TEST(test_whether_it_sleeps_is_not_known),
		TEST(test_it_falls_asleep),
		TEST(test_nonsense_is_no_figure),
		TEST(test_it_leaves_the_bus),
		TEST(test_nvidia),
		TEST(test_nvidia_leaves_the_bus),
		TEST(test_clients),
		TEST(test_clients_that_rest),
		TEST(test_another_client_by_now),
		TEST(test_others_are_hidden),
		TEST(test_nobody_holds_it),
		TEST(test_clients_of_one_that_sleeps_are_not_read),
		TEST(test_it_wakes_up),
		TEST(test_more_clients_than_files),
		TEST(test_more_processes_than_are_watched),
		TEST(test_a_process_works),
		TEST(test_a_process_ends),
		TEST(test_its_number_is_another_ones),
		TEST(test_disks_are_those_that_are_listed),
		TEST(test_interfaces_are_those_that_are_named),
		TEST(test_rdma_ports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
