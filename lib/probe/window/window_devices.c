// SPDX-License-Identifier: GPL-2.0-or-later
/* window_devices.c - disks and network interfaces over the window. */
#include "base/compat.h"
#include "probe/system/system_internal.h"
#include "probe/window/window_internal.h"

#include "probe/read.h"
#include "sys/clock.h"

#define MS_NS UINT64_C(1000000)
#define SECTOR_BYTES 512.0		/* whatever the disk's own are */

/* Slashes in a name are exclamation marks in /sys. */
static void name_in_sys(char *name)
{
	for (; *name; name++)
		*name = *name == '/' ? '!' : *name;
}

static void next_line(const char **line)
{
	*line = strchr(*line, '\n');
	*line = *line && (*line)[1] ? *line + 1 : NULL;
}

static bool find_disk(const char *text, const char *name, struct disk_counts *ret)
{
	char other[64];

	for (const char *line = text; line; next_line(&line))
		if (disk_counts_parse(line, other, ret)) {
			name_in_sys(other);
			if (!strcmp(other, name))
				return true;
		}
	return false;
}

static struct val_f64 mean_read_ms(struct val_u64 reads, struct val_u64 read_ms)
{
	if (!is_known(reads))
		return no_f64(reads.state, reads.why);
	if (!is_known(read_ms))
		return no_f64(read_ms.state, read_ms.why);
	if (!u64_or(reads, 0))
		return no_f64(VAL_ABSENT, "nothing was read");
	return val_f64((double)u64_or(read_ms, 0) / (double)u64_or(reads, 0));
}

static void fill_disk(struct disk_use *ret, const struct disk_counts *start, const struct disk_counts *end,
		      uint64_t elapsed_ns)
{
	struct val_u64 reads = growth_of(val_u64(start->reads), val_u64(end->reads));

	ret->reads_per_s = rate_of(reads, 1.0, elapsed_ns);
	ret->read_bytes_per_s = rate_of(growth_of(val_u64(start->sectors_read), val_u64(end->sectors_read)),
					SECTOR_BYTES, elapsed_ns);
	ret->written_bytes_per_s = rate_of(growth_of(val_u64(start->sectors_written), val_u64(end->sectors_written)),
					   SECTOR_BYTES, elapsed_ns);
	ret->busy_percent = share_of(growth_of_32_bits(val_u64(start->busy_ms), val_u64(end->busy_ms)), MS_NS,
				     elapsed_ns);
	ret->read_ms = mean_read_ms(reads, growth_of_32_bits(val_u64(start->read_ms), val_u64(end->read_ms)));
}

static void fill_missing_disk(struct disk_use *ret, const char *why)
{
	ret->reads_per_s = ret->read_bytes_per_s = ret->written_bytes_per_s = no_f64(VAL_ABSENT, why);
	ret->busy_percent = ret->read_ms = no_f64(VAL_ABSENT, why);
}

static void end_disks(struct device_watch *watch, struct snapshot *facts, const char *now, uint64_t elapsed_ns)
{
	struct disk_counts start, end;
	char name[64];

	for (const char *line = now; line; next_line(&line)) {
		struct disk_use *use;

		if (!disk_counts_parse(line, name, &end))
			continue;
		name_in_sys(name);
		if (!is_listed_disk(watch->env, name))
			continue;
		use = &list_element(&facts->arena, facts, disks, disk, name)->use;
		if (find_disk(watch->disks.buf, name, &start))
			fill_disk(use, &start, &end, elapsed_ns);
		else
			fill_missing_disk(use, "it appeared during the window");
	}
}

/* What /proc/net/dev adds to others, or has not. */
struct link_counts { struct val_u64 crc_errors, carrier_changes; };

struct watched_interface {
	const char *name;
	struct link_counts start;
};

static struct link_counts read_link(struct device_watch *watch, const char *name)
{
	return (struct link_counts){
		.crc_errors = read_u64(watch->env, &watch->arena, "/sys/class/net/%s/statistics/rx_crc_errors", name),
		.carrier_changes = read_u64(watch->env, &watch->arena, "/sys/class/net/%s/carrier_changes", name),
	};
}

static void begin_network(struct device_watch *watch, const char *plan)
{
	for (const char *word = plan; *word;) {
		size_t len = strcspn(word, " ");
		char *name = arena_strndup(&watch->arena, word, len);

		watch->interfaces = arena_grow(&watch->arena, watch->interfaces, watch->nr_interfaces,
					       sizeof(*watch->interfaces));
		watch->interfaces[watch->nr_interfaces++] =
			(struct watched_interface){ .name = name, .start = read_link(watch, name) };
		word += len;
		word += strspn(word, " ");
	}
}

static void fill_interface(struct network_use *ret, const struct network_counts *start,
			   const struct network_counts *end, uint64_t elapsed_ns)
{
	ret->received_bytes_per_s = rate_of(growth_of_32_bits(val_u64(start->received_bytes),
							      val_u64(end->received_bytes)), 1.0, elapsed_ns);
	ret->sent_bytes_per_s = rate_of(growth_of_32_bits(val_u64(start->sent_bytes), val_u64(end->sent_bytes)), 1.0,
					elapsed_ns);
	ret->errors = growth_of(val_u64(start->errors), val_u64(end->errors));
	ret->drops = growth_of(val_u64(start->drops), val_u64(end->drops));
}

static void fill_link(struct network_use *ret, const struct link_counts *start, const struct link_counts *end)
{
	ret->receive_crc_errors = growth_of(start->crc_errors, end->crc_errors);
	ret->carrier_changes = growth_of(start->carrier_changes, end->carrier_changes);
}

static void end_interface(struct device_watch *watch, struct snapshot *facts, const struct watched_interface *interface,
			  const char *now, uint64_t elapsed_ns)
{
	static const char why[] = "it appeared during the window";
	const struct link_counts link = read_link(watch, interface->name);
	struct network_counts start, end;
	struct network_use *use;

	if (!network_counts_find(now, interface->name, &end))
		return;
	use = &list_element(&facts->arena, facts, network_interfaces, network_interface, interface->name)->use;
	fill_link(use, &interface->start, &link);
	if (network_counts_find(watch->network.buf, interface->name, &start)) {
		fill_interface(use, &start, &end, elapsed_ns);
	} else {
		use->received_bytes_per_s = use->sent_bytes_per_s = no_f64(VAL_ABSENT, why);
		use->errors = use->drops = no_u64(VAL_ABSENT, why);
	}
}

static void end_network(struct device_watch *watch, struct snapshot *facts, const char *now, uint64_t elapsed_ns)
{
	for (size_t i = 0; i < watch->nr_interfaces; i++)
		end_interface(watch, facts, &watch->interfaces[i], now, elapsed_ns);
}

/* A file that cannot be read leaves an empty text: nothing is said of what it would have named. */
static void read_text(struct probe_env *env, struct strbuf *ret, const char *path)
{
	*ret = (struct strbuf)STRBUF_INIT;
	if (root_read(env->root, ret, "%s", path))
		strbuf_reset(ret);
}

void device_watch_begin(struct device_watch *watch, struct probe_env *env, const char *plan)
{
	*watch = (struct device_watch){ .env = env };
	begin_network(watch, plan);
	watch->start_ns = clock_now_ns();
	read_text(env, &watch->disks, "/proc/diskstats");
	read_text(env, &watch->network, "/proc/net/dev");
}

void device_watch_end(struct device_watch *watch, struct sink *sink)
{
	uint64_t elapsed_ns = clock_now_ns() - watch->start_ns;
	STRBUF_AUTO disks = STRBUF_INIT;
	STRBUF_AUTO network = STRBUF_INIT;

	read_text(watch->env, &disks, "/proc/diskstats");
	read_text(watch->env, &network, "/proc/net/dev");
	end_disks(watch, &sink->facts, disks.buf, elapsed_ns);
	end_network(watch, &sink->facts, network.buf, elapsed_ns);
	sink_flush(sink);
	arena_release(&watch->arena);
	strbuf_release(&watch->disks);
	strbuf_release(&watch->network);
}
