// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/load/node_figures.h"

#define MBPS_BYTES 125000.0		/* a second, of 10^6 bit */

/* ---- disks and file servers */

static double rate(const struct track *track, size_t field, const struct watch_span *span)
{
	return f64_or(figure_mean(&track->figures[field], span), 0.0);
}

static double part_of(double sum, double nr)
{
	return nr > 0.0 ? sum / nr : 0.0;
}

static struct disk_figures disk_of(const struct track *track, const struct watch_span *span)
{
	double reads = rate(track, FIELD_tick_disk_reads, span), writes = rate(track, FIELD_tick_disk_writes, span);
	double read = rate(track, FIELD_tick_disk_read_bytes, span);
	double written = rate(track, FIELD_tick_disk_written_bytes, span);

	return (struct disk_figures){
		.name = track->key, .reads_per_s = reads, .writes_per_s = writes, .bytes_per_s = read + written,
		.read_bytes_per_s = read, .written_bytes_per_s = written,
		.read_ms = part_of(rate(track, FIELD_tick_disk_read_ms, span), reads),
		.write_ms = part_of(rate(track, FIELD_tick_disk_write_ms, span), writes),
		.read_bytes = part_of(read, reads), .queue = rate(track, FIELD_tick_disk_queue_ms, span) / 1e3,
	};
}

static void fill_disk(const struct fold *fold, const struct watch_span *span, struct node_figures *ret)
{
	double most = 0.0;

	ret->disks_are_known = fold->disks.nr;
	for (size_t i = 0; i < fold->disks.nr; i++) {
		struct disk_figures disk = disk_of(fold->disks.items[i], span);
		double time =
			disk.reads_per_s * disk.read_ms + disk.writes_per_s * disk.write_ms + disk.bytes_per_s / 1e9;

		if (time > most) {
			most = time;
			ret->disk = disk;
		}
	}
}

static struct mount_figures mount_of(const struct track *track, const struct watch_span *span)
{
	double operations = rate(track, FIELD_tick_mount_operations, span);
	double reads = rate(track, FIELD_tick_mount_reads, span);
	double read = rate(track, FIELD_tick_mount_read_bytes, span);

	return (struct mount_figures){
		.name = track->key, .operations_per_s = operations, .reads_per_s = reads, .read_bytes_per_s = read,
		.written_bytes_per_s = rate(track, FIELD_tick_mount_written_bytes, span),
		.round_trip_ms = part_of(rate(track, FIELD_tick_mount_round_trip_ms, span), operations),
		.read_bytes = part_of(read, reads),
	};
}

static void fill_mount(const struct fold *fold, const struct watch_span *span, struct node_figures *ret)
{
	double most = 0.0;

	ret->mounts_are_known = fold->mounts.nr;
	for (size_t i = 0; i < fold->mounts.nr; i++) {
		struct mount_figures mount = mount_of(fold->mounts.items[i], span);
		double time = mount.operations_per_s * mount.round_trip_ms + mount.read_bytes_per_s / 1e9;

		if (time > most) {
			most = time;
			ret->mount = mount;
		}
	}
}

/* ---- ports */

/* "mlx5_0/1" is port 1 of mlx5_0, which may stand in the snapshot under the name of its network interface. */
static double rdma_mbps(const struct snapshot *sealed, const char *key)
{
	size_t len = strcspn(key, "/");

	for (size_t i = 0; i < sealed->nr_network_interfaces; i++) {
		const struct network_interface *interface = &sealed->network_interfaces[i];
		const char *device = str_or(interface->rdma_device, str_or(interface->key, ""));

		if (strlen(device) != len || strncmp(device, key, len) != 0)
			continue;
		if (key[len] && is_known(interface->rdma_port) &&
		    interface->rdma_port.v_ != strtoull(key + len + 1, NULL, 10))
			continue;
		return (double)u64_or(interface->rdma_rate_mbps, u64_or(interface->speed_mbps, 0));
	}
	return 0.0;
}

static double network_mbps(const struct snapshot *sealed, const char *key)
{
	const struct network_interface *interface = list_find(sealed, network_interfaces, network_interface, key);

	return interface ? (double)u64_or(interface->speed_mbps, 0) : 0.0;
}

static void take_port(struct port_figures *most, const char *name, bool is_rdma, double bytes, double mbps,
		      double waits)
{
	struct port_figures port = {
		.name = name, .is_rdma = is_rdma, .bytes_per_s = bytes, .waits_per_s = waits,
		.limit = no_f64(VAL_UNSET, "its speed is not known"),
		.ratio = no_f64(VAL_UNSET, "its speed is not known"),
	};

	if (mbps > 0.0) {
		port.limit = val_f64(mbps * MBPS_BYTES);
		if (bytes <= 1.5 * port.limit.v_)
			port.ratio = val_f64(bytes / port.limit.v_);
	}
	if (bytes <= 0.0)
		return;
	if (!most->name || f64_or(port.ratio, 0.0) > f64_or(most->ratio, 0.0) ||
	    (f64_or(port.ratio, 0.0) >= f64_or(most->ratio, 0.0) && bytes > most->bytes_per_s))
		*most = port;
}

static double busier(double a, double b)
{
	return a > b ? a : b;
}

static void fill_port(const struct fold *fold, const struct watch_span *span, struct node_figures *ret)
{
	ret->ports_are_known = fold->networks.nr || fold->rdma_ports.nr;
	for (size_t i = 0; i < fold->rdma_ports.nr; i++) {
		const struct track *track = fold->rdma_ports.items[i];

		take_port(&ret->port, track->key, true,
			  busier(rate(track, FIELD_tick_rdma_received_bytes, span),
				 rate(track, FIELD_tick_rdma_sent_bytes, span)),
			  rdma_mbps(fold->sealed, track->key), rate(track, FIELD_tick_rdma_transmit_waits, span));
	}
	for (size_t i = 0; i < fold->networks.nr; i++) {
		const struct track *track = fold->networks.items[i];

		take_port(&ret->port, track->key, false,
			  busier(rate(track, FIELD_tick_network_received_bytes, span),
				 rate(track, FIELD_tick_network_sent_bytes, span)),
			  network_mbps(fold->sealed, track->key), 0.0);
	}
}

/* ---- CPUs and memory */

static void fill_cpus(const struct fold *fold, const struct watch_span *span, struct node_figures *ret)
{
	struct val_f64 busy = mean_of(&fold->host, tick_host, cpu_busy_ns, span);
	struct val_f64 idle = mean_of(&fold->host, tick_host, cpu_idle_ns, span);
	struct val_f64 iowait = mean_of(&fold->host, tick_host, cpu_iowait_ns, span);
	struct val_f64 steal = mean_of(&fold->host, tick_host, cpu_steal_ns, span);
	double all = f64_or(busy, 0.0) + f64_or(idle, 0.0) + f64_or(iowait, 0.0) + f64_or(steal, 0.0);

	ret->cpus = figure_newest(figure_of(&fold->host, tick_host, cpus));
	ret->cpu_busy = ret->steal = no_f64(busy.state, busy.why);
	if (!is_known(busy) || !is_known(idle) || all <= 0.0)
		return;
	ret->cpu_busy = val_f64(100.0 * busy.v_ / all);
	ret->steal = val_f64(100.0 * f64_or(steal, 0.0) / all);
}

double page_bytes_of(const struct fold *fold)
{
	return f64_or(figure_newest(figure_of(&fold->host, tick_host, page_bytes)), PAGE_BYTES);
}

void node_figures_of(const struct fold *fold, const struct watch_span *span, struct node_figures *ret)
{
	struct val_f64 swap = mean_of(&fold->host, tick_host, swap_in_pages, span);
	struct val_f64 faults = mean_of(&fold->host, tick_host, gpu_faults_ns, span);

	*ret = (struct node_figures){ .port = { .limit = no_f64(VAL_UNSET, NULL), .ratio = no_f64(VAL_UNSET, NULL) } };
	fill_disk(fold, span, ret);
	fill_mount(fold, span, ret);
	fill_port(fold, span, ret);
	fill_cpus(fold, span, ret);
	ret->cpu_some = share_percent(mean_of(&fold->host, tick_host, cpu_some_ns, span));
	ret->io_full = share_percent(mean_of(&fold->host, tick_host, io_full_ns, span));
	ret->memory_full = share_percent(mean_of(&fold->host, tick_host, memory_full_ns, span));
	ret->swap_in = is_known(swap) ? val_f64(swap.v_ * page_bytes_of(fold)) : swap;
	/* One thread for each GPU: more than one CPU's time is possible. */
	ret->gpu_fault_percent = is_known(faults) ? val_f64(faults.v_ / 1e7) : faults;
}
