// SPDX-License-Identifier: GPL-2.0-or-later
/* test_sample_host.c - the node in ticks, from files that change under it, that are missing, broken or refused. */
#include "base/compat.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "format/nfs_stats.h"
#include "probe/sample/sample_host_internal.h"
#include "sys/clock.h"
#include "tests/unit/tree.h"
#include "tests/unit/sample_env.h"

#define PORT "sys/class/infiniband/mlx5_0/ports/1/counters/"

static struct snapshot sealed;

/* Of the node at work; a file of the kernel's is made by the test that is about it. */
static int begin(void **state)
{
	if (tree_make(state))
		return -1;
	put_text("proc/stat", "cpu  100 20 300 4000 50 6 7 80 9 0\ncpu0 50 10 150 2000 25 3 3 40 0 0\n"
		 "cpu1 50 10 150 2000 25 3 4 40 9 0\nintr 5 0 0\nctxt 1\n");
	put_text("proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=11\n");
	put_text("proc/pressure/io",
		 "some avg10=0.00 avg60=0.00 avg300=0.00 total=12\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=13\n");
	put_text("proc/meminfo", "MemTotal:       100 kB\nMemFree:  50 kB\nMemAvailable:      60 kB\n");
	put_text("proc/vmstat", "pswpin 7\npswpout 8\npgfault 1\npgmajfault 9\n");
	put_text("proc/net/snmp",
		 "Ip: Forwarding\nIp: 1\nTcp: RtoAlgorithm InSegs OutSegs RetransSegs\nTcp: 1 5 600 7\n");
	tell(&sample_host, &sealed);
	return 0;
}

static int end(void **state)
{
	tick_release(&tick);
	snapshot_release(&sealed);
	memset(&sealed, 0, sizeof(sealed));
	return tree_remove(state);
}

static void counters_are_raw(void **state)
{
	void *own = open_source(&sample_host, &tree);

	(void)state;
	read_tick(&sample_host, own);
	assert_u64(tick.host.cpus, 2);
	assert_u64(tick.host.cpu_busy_ns, UINT64_C(433) * 10000000);
	assert_u64(tick.host.cpu_idle_ns, UINT64_C(4000) * 10000000);
	assert_u64(tick.host.cpu_iowait_ns, UINT64_C(50) * 10000000);
	assert_u64(tick.host.cpu_steal_ns, UINT64_C(80) * 10000000);
	assert_u64(tick.host.cpu_some_ns, 11000);
	assert_u64(tick.host.io_some_ns, 12000);
	assert_u64(tick.host.io_full_ns, 13000);
	assert_no_u64(tick.host.memory_some_ns, VAL_ABSENT);
	assert_u64(tick.host.memory_available_bytes, 61440);
	assert_u64(tick.host.swap_in_pages, 7);
	assert_u64(tick.host.swap_out_pages, 8);
	assert_u64(tick.host.major_faults, 9);
	assert_u64(tick.host.segments_sent, 600);
	assert_u64(tick.host.segments_resent, 7);
	assert_no_u64(tick.host.disks_left_out, VAL_ABSENT);
	assert_no_u64(tick.host.mounts_left_out, VAL_ABSENT);
	sample_host.close(own);
}

static void files_are_read_anew(void **state)
{
	void *own = open_source(&sample_host, &tree);

	(void)state;
	read_tick(&sample_host, own);
	put_text("proc/pressure/memory", "some avg10=0.00 total=5\nfull avg10=0.00 total=6\n");
	put_text("proc/vmstat", "pswpin 70\npswpout x\n");
	put_text("proc/stat", "cpu \n");
	put_text("proc/net/snmp", "Tcp: RtoAlgorithm OutSegs\nTcp: 1\n");
	read_tick(&sample_host, own);
	assert_u64(tick.host.memory_full_ns, 6000);
	assert_u64(tick.host.swap_in_pages, 70);
	assert_no_u64(tick.host.swap_out_pages, VAL_ERROR);
	assert_no_u64(tick.host.major_faults, VAL_ABSENT);
	assert_no_u64(tick.host.cpu_busy_ns, VAL_ERROR);
	assert_no_u64(tick.host.segments_sent, VAL_ABSENT);
	sample_host.close(own);
}

/* Swap is counted in pages. */
static void the_size_of_a_page(void **state)
{
	static const struct root live = ROOT_LIVE;
	void *own = open_source(&sample_host, &live);

	(void)state;
	read_tick(&sample_host, own);
	assert_u64(tick.host.page_bytes, (uint64_t)sysconf(_SC_PAGESIZE));
	sample_host.close(own);
	own = open_source(&sample_host, &tree);
	read_tick(&sample_host, own);
	assert_no_u64(tick.host.page_bytes, VAL_UNSUPPORTED);
	sample_host.close(own);
}

static void a_node_without_files_is_refused(void **state)
{
	char why[256] = "";

	(void)state;
	unlink(scratch("proc/stat"));
	sample_env.root = &tree;
	assert_null(sample_host.open(&sample_env, why));
	assert_string_equal(why, "no /proc/stat");
}

/* ---- disks */

static void whole_disks_only(void **state)
{
	void *own;

	(void)state;
	put_text("proc/diskstats",
		 " 259 0 nvme0n1 11 12 13 14 15 16 17 18 3 19 20 0 0 0 0 0 0\n"
		 " 259 1 nvme0n1p1 1 1 1 1 1 1 1 1 1 1 1\n"
		 "   7 0 loop0 1 1 1 1 1 1 1 1 1 1 1\n"
		 "   8 0 sda 1 2 3 4 5 6 7\n"
		 " 104 0 cciss/c0d0 1 0 2 3 4 0 5 6 7 8\n");
	put_text("sys/block/nvme0n1/size", "1000\n");
	put_text("sys/block/cciss!c0d0/size", "1000\n");
	put_text("sys/block/loop0/size", "1000\n");
	own = open_source(&sample_host, &tree);
	read_tick(&sample_host, own);
	assert_int_equal(tick.nr_disks, 2);
	assert_string_equal(str_or(tick.disks[0].key, ""), "cciss!c0d0");
	assert_no_u64(tick.disks[0].queue_ms, VAL_ABSENT);
	assert_u64(tick.disks[1].reads, 11);
	assert_u64(tick.disks[1].read_bytes, 13 * 512);
	assert_u64(tick.disks[1].read_ms, 14);
	assert_u64(tick.disks[1].writes, 15);
	assert_u64(tick.disks[1].written_bytes, 17 * 512);
	assert_u64(tick.disks[1].write_ms, 18);
	assert_u64(tick.disks[1].in_flight, 3);
	assert_u64(tick.disks[1].busy_ms, 19);
	assert_u64(tick.disks[1].queue_ms, 20);
	assert_u64(tick.host.disks_left_out, 0);
	sample_host.close(own);
}

static void disks_are_bounded(void **state)
{
	STRBUF_AUTO text = STRBUF_INIT;
	void *own;

	(void)state;
	for (int i = 0; i < HOST_MAX_DISKS + 5; i++) {
		char path[64];

		strbuf_addf(&text, " 8 %d sd%d 1 1 1 1 1 1 1 1 1 1 1\n", i, i);
		snprintf(path, sizeof(path), "sys/block/sd%d/size", i);
		put_text(path, "8\n");
	}
	put_text("proc/diskstats", text.buf);
	own = open_source(&sample_host, &tree);
	read_tick(&sample_host, own);
	assert_int_equal(tick.nr_disks, HOST_MAX_DISKS);
	assert_u64(tick.host.disks_left_out, 5);
	sample_host.close(own);
}

/* ---- networks */

static void put_interfaces(void)
{
	struct network_interface *eth, *ib;

	eth = list_element(&sealed.arena, &sealed, network_interfaces, network_interface, "eth0");
	eth->rdma_device = val_str("mlx5_0");
	eth->rdma_port = val_u64(1);
	ib = list_element(&sealed.arena, &sealed, network_interfaces, network_interface, "mlx5_1");
	ib->rdma_device = val_str("mlx5_1");
	ib->rdma_port = val_u64(2);
	list_element(&sealed.arena, &sealed, network_interfaces, network_interface, "gone0");
	tell(&sample_host, &sealed);
	put_text("proc/net/dev", "Inter-|   Receive\n face |bytes\n  eth0.7: 1 1 1 1 0 0 0 0 1 1 1 1 0 0 0 0\n"
		 "  eth0: 1000 10 3 4 0 0 0 0 2000 20 5 6 0 0 0 0\n    lo: 1 1 1 1 0 0 0 0 1 1 1 1 0 0 0 0\n");
	put_text(PORT "port_rcv_data", "250\n");
	put_text(PORT "port_xmit_data", "4294967295\n");
	put_text(PORT "port_xmit_wait", "N/A (no PMA)\n");
}

static void interfaces_and_ports_of_the_snapshot(void **state)
{
	void *own;

	(void)state;
	put_interfaces();
	own = open_source(&sample_host, &tree);
	read_tick(&sample_host, own);
	assert_int_equal(tick.nr_networks, 2);
	assert_u64(tick.networks[0].received_bytes, 1000);
	assert_u64(tick.networks[0].sent_bytes, 2000);
	assert_u64(tick.networks[0].drops, 10);
	assert_no_u64(tick.networks[1].sent_bytes, VAL_ABSENT);
	assert_int_equal(tick.nr_rdma_ports, 2);
	assert_string_equal(str_or(tick.rdma_ports[0].key, ""), "mlx5_0/1");
	assert_u64(tick.rdma_ports[0].received_bytes, 1000);
	assert_no_u64(tick.rdma_ports[0].sent_bytes, VAL_UNSUPPORTED);
	assert_no_u64(tick.rdma_ports[0].transmit_waits, VAL_ERROR);
	assert_string_equal(str_or(tick.rdma_ports[1].key, ""), "mlx5_1/2");
	assert_no_u64(tick.rdma_ports[1].received_bytes, VAL_ABSENT);
	assert_string_equal(page.call, "read counters of RDMA port mlx5_1/2");
	sample_host.close(own);
}

/* A driver that was loaded again has new files. */
static void a_port_that_comes_back(void **state)
{
	void *own;

	(void)state;
	put_interfaces();
	own = open_source(&sample_host, &tree);
	read_tick(&sample_host, own);
	put_text("sys/class/infiniband/mlx5_1/ports/2/counters/port_rcv_data", "2\n");
	read_tick(&sample_host, own);
	assert_u64(tick.rdma_ports[1].received_bytes, 8);
	sample_host.close(own);
}

/* ---- network file systems */

#define NFS_COUNTS \
	"\topts:\trw,vers=4.2\n\tage:\t99\n\tbytes:\t1 2 3 4 5000 6000 7 8\n\tRPC iostats version: 1.1  p/v: 100003/4 (nfs)\n" \
	"\txprt:\ttcp 0 0 1 0 6 2081\n\tper-op statistics\n"                                                                   \
	"\t        NULL: 1 1 0 44 24 0 1 1 0\n\t        READ: 10 10 2 1 2 3 40 50 0\n"                                         \
	"\t   READ_PLUS: 5 5 0 1 2 3 4 5 0\n\t       WRITE: 100 100 1 1 2 3 400 500\n\t  BROKEN: 1 2\n"
#define NFS(point) "device srv:/data mounted on " point " with fstype nfs4 statvers=1.1\n" NFS_COUNTS "\n"

static void mounts_of_servers(void **state)
{
	void *own;

	(void)state;
	put_text(
		"proc/self/mountstats",
		"device proc mounted on /proc with fstype proc\nno device mounted on /x with fstype autofs\n" NFS(
			"/mnt/my\\040data")
			NFS("/container/data") "device old:/home mounted on /home with fstype nfs statvers=1.0\n\tage:\t5\n"
					       "device nfsd mounted on /proc/fs/nfsd with fstype nfsd\n");
	own = open_source(&sample_host, &tree);
	read_tick(&sample_host, own);
	assert_int_equal(tick.nr_mounts, 2);
	assert_string_equal(str_or(tick.mounts[0].key, ""), "/home");
	assert_no_u64(tick.mounts[0].operations, VAL_ABSENT);
	assert_no_u64(tick.mounts[0].read_bytes, VAL_ABSENT);
	assert_string_equal(str_or(tick.mounts[1].key, ""), "/mnt/my data");
	assert_string_equal(str_or(tick.mounts[1].device, ""), "srv:/data");
	assert_u64(tick.mounts[1].operations, 116);
	assert_u64(tick.mounts[1].reads, 15);
	assert_u64(tick.mounts[1].read_bytes, 5000);
	assert_u64(tick.mounts[1].written_bytes, 6000);
	assert_u64(tick.mounts[1].round_trip_ms, 445);
	assert_u64(tick.mounts[1].execute_ms, 556);
	assert_u64(tick.mounts[1].timeouts, 3);
	read_tick(&sample_host, own);
	assert_int_equal(tick.nr_mounts, 2);
	sample_host.close(own);
}

/* Without a network file system the list is looked at again some ticks later only. */
static void a_mount_that_comes_later(void **state)
{
	void *own;

	(void)state;
	put_text("proc/self/mountstats", "device proc mounted on /proc with fstype proc\n");
	own = open_source(&sample_host, &tree);
	read_tick(&sample_host, own);
	put_text("proc/self/mountstats", NFS("/data"));
	for (int i = 0; i < 5; i++) {
		read_tick(&sample_host, own);
		assert_int_equal(tick.nr_mounts, 0);
	}
	read_tick(&sample_host, own);
	assert_int_equal(tick.nr_mounts, 1);
	sample_host.close(own);
}

static void cut_statistics(void **state)
{
	static const char text[] = NFS("/data") NFS("/other");
	struct arena arena = { 0 };

	(void)state;
	for (size_t len = 0; len < sizeof(text); len++) {
		struct nfs_mounts mounts;

		nfs_stats_parse(&mounts, &arena, arena_strndup(&arena, text, len), 1);
		assert_in_range(mounts.nr, 0, 1);
	}
	arena_release(&arena);
}

/* ---- the kernel's log */

/* Each read gives one record, as of /dev/kmsg. */
static void say(int fd, const char *record)
{
	assert_int_equal(write(fd, record, strlen(record)), (ssize_t)strlen(record));
}

static void read_log(struct host_log *log)
{
	tick_release(&tick);
	memset(&tick, 0, sizeof(tick));
	host_log_read(log, &tick);
}

static void lines_of_the_log(void **state)
{
	struct host_log log;
	int fds[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds), 0);
	host_log_begin(&log, fds[0]);
	say(fds[1], "6,100,5000000,-;usb 1-1: new high-speed USB device\n");
	say(fds[1], "4,101,6000000,-;NVRM: Xid (PCI:0000:5d:00): 79, pid=1234, GPU has fallen off the bus.\n");
	say(fds[1], "12,102,7000000,-;NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, GPU has fallen off the bus.\n");
	read_log(&log);
	assert_int_equal(tick.nr_log_lines, 1);	/* the last was a program's: facility 1 */
	assert_u64(tick.log_lines[0].boot_ns, UINT64_C(6000000000));
	assert_u64(tick.log_lines[0].level, 4);
	assert_string_equal(str_or(tick.log_lines[0].text, ""),
			    "NVRM: Xid (PCI:0000:5d:00): 79, pid=1234, GPU has fallen off the bus.");
	assert_u64(tick.host.log_lines_left_out, 0);
	read_log(&log);
	assert_int_equal(tick.nr_log_lines, 0);
	for (unsigned i = 0; i < 40; i++) {
		char record[160];

		snprintf(record, sizeof(record), "4,%u,8000000,-;NVRM: Xid (PCI:0000:5d:00): 31, pid=%u, name=a\n",
			 200 + i, i);
		say(fds[1], record);
	}
	read_log(&log);
	assert_int_equal(tick.nr_log_lines, 32);
	assert_u64(tick.host.log_lines_left_out, 8);
	close(fds[1]);
	host_log_release(&log);
}

static void no_log(void **state)
{
	struct host_log log;

	(void)state;
	host_log_begin(&log, host_log_open(&tree));
	read_log(&log);
	assert_no_u64(tick.host.log_lines_left_out, VAL_ABSENT);
	host_log_release(&log);
	host_log_begin(&log, -EPERM);
	read_log(&log);
	assert_no_u64(tick.host.log_lines_left_out, VAL_DENIED);
	host_log_release(&log);
}

/* ---- this machine */

static void this_node(void **state)
{
	static const struct root live = ROOT_LIVE;
	void *own = open_source(&sample_host, &live);
	uint64_t before, spent_ns;

	(void)state;
	read_tick(&sample_host, own);
	assert_true(is_known(tick.host.cpu_busy_ns) && is_known(tick.host.memory_available_bytes));
	assert_int_equal(u64_or(tick.host.cpus, 0), sysconf(_SC_NPROCESSORS_ONLN));
	before = u64_or(tick.host.cpu_idle_ns, 0) + u64_or(tick.host.cpu_busy_ns, 0);
	clock_sleep_ns(UINT64_C(50000000));
	spent_ns = clock_cpu_ns();
	read_tick(&sample_host, own);
	spent_ns = clock_cpu_ns() - spent_ns;
	assert_true(u64_or(tick.host.cpu_idle_ns, 0) + u64_or(tick.host.cpu_busy_ns, 0) > before);
	print_message("a tick of the node: %llu us of CPU time, %zu files open\n",
		      (unsigned long long)(spent_ns / 1000), count_open_files());
	sample_host.close(own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(counters_are_raw, begin, end),
		cmocka_unit_test_setup_teardown(files_are_read_anew, begin, end),
		cmocka_unit_test_setup_teardown(the_size_of_a_page, begin, end),
		cmocka_unit_test_setup_teardown(a_node_without_files_is_refused, begin, end),
		cmocka_unit_test_setup_teardown(whole_disks_only, begin, end),
		cmocka_unit_test_setup_teardown(disks_are_bounded, begin, end),
		cmocka_unit_test_setup_teardown(interfaces_and_ports_of_the_snapshot, begin, end),
		cmocka_unit_test_setup_teardown(a_port_that_comes_back, begin, end),
		cmocka_unit_test_setup_teardown(mounts_of_servers, begin, end),
		cmocka_unit_test_setup_teardown(a_mount_that_comes_later, begin, end),
		cmocka_unit_test_setup_teardown(cut_statistics, begin, end),
		cmocka_unit_test_setup_teardown(lines_of_the_log, begin, end),
		cmocka_unit_test_setup_teardown(no_log, begin, end),
		cmocka_unit_test_setup_teardown(this_node, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
