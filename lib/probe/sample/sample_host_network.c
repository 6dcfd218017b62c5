// SPDX-License-Identifier: GPL-2.0-or-later
/* sample_host_network.c - network interfaces, TCP and network file systems in a tick: of this network namespace. */
#include "base/compat.h"
#include "probe/sample/sample_host_internal.h"

#include "base/alloc.h"
#include "base/text_scan.h"
#include "format/nfs_stats.h"
#include "probe/read.h"
#include "probe/window_rates.h"

enum {
	FILE_BYTES = 4 << 20,		/* 20,000 interfaces */
	NO_MOUNTS_S = 5,		/* how long it is believed that there is no network file system */
};
#define S_NS UINT64_C(1000000000)

void host_network_begin(struct host_network *network, const char *names)
{
	for (const char *word = names; *word && network->nr_names < HOST_MAX_INTERFACES;) {
		size_t len = strcspn(word, " ");
		char *name = xcalloc(1, len + 1);

		memcpy(name, word, len);
		network->names = xrealloc(network->names, (network->nr_names + 1) * sizeof(*network->names));
		network->names[network->nr_names++] = name;
		word += len + strspn(word + len, " ");
	}
}

static void read_interfaces(struct host_network *network, struct sample_env *env, struct tick *ret)
{
	struct kept_text *file = &network->interfaces;

	if (!network->nr_names)
		return;
	kept_text_read(file, env->root, "/proc/net/dev", FILE_BYTES);
	for (size_t i = 0; i < network->nr_names; i++) {
		struct tick_network *interface = list_element(&ret->arena, ret, networks, tick_network, network->names[i]);
		struct network_counts counts;

		if (!file->error && network_counts_find(file->text.buf, network->names[i], &counts)) {
			interface->received_bytes = val_u64(counts.received_bytes);
			interface->sent_bytes = val_u64(counts.sent_bytes);
			interface->drops = val_u64(counts.drops);
			continue;
		}
		/* An RDMA device without an interface, or one that was moved into a container's namespace. */
		interface->drops = file->error ? no_u64(state_of_errno(file->error), name_of_errno(file->error)) :
						 no_u64(VAL_ABSENT, "no such interface in this network namespace");
		interface->received_bytes = interface->sent_bytes = interface->drops;
	}
}

/* "Tcp: RtoAlgorithm RtoMin …", then "Tcp: 1 200 …". */
struct val_u64 snmp_value(const char *text, const char *protocol, const char *name)
{
	const char *names = strstr(text, protocol), *values = names ? strstr(names + 1, protocol) : NULL;
	uint64_t number;
	bool fits = true;

	while (values) {
		size_t name_len, value_len;
		const char *word = scan_word(&names, &name_len), *value = scan_word(&values, &value_len);

		if (!name_len || !value_len)
			break;
		if (name_len != strlen(name) || memcmp(word, name, name_len))
			continue;
		return scan_u64(&value, 10, &number, &fits) && fits ? val_u64(number) :
								       no_u64(VAL_ERROR, "reads no number");
	}
	return no_u64(VAL_ABSENT, "not in /proc/net/snmp");
}

static void read_tcp(struct host_network *network, struct sample_env *env, struct tick *ret)
{
	struct kept_text *file = &network->tcp;

	kept_text_read(file, env->root, "/proc/net/snmp", FILE_BYTES);
	if (file->error) {
		ret->host.segments_sent = no_u64(state_of_errno(file->error), name_of_errno(file->error));
		ret->host.segments_resent = ret->host.segments_sent;
		return;
	}
	ret->host.segments_sent = snmp_value(file->text.buf, "Tcp:", "OutSegs");
	ret->host.segments_resent = snmp_value(file->text.buf, "Tcp:", "RetransSegs");
}

static void add_mount(struct tick *ret, const struct nfs_mount *mount)
{
	static const char why[] = "no statistics of its requests";
	struct val_u64 missing = no_u64(VAL_ABSENT, why);
	bool has = mount->has_operations;
	struct tick_mount *to = list_element(&ret->arena, ret, mounts, tick_mount,
					     text_cleaned(&ret->arena, mount->point, strlen(mount->point)));

	to->device = text_value(&ret->arena, mount->device, strlen(mount->device));
	to->read_bytes = mount->read_bytes;
	to->written_bytes = mount->written_bytes;
	to->operations = has ? val_u64(mount->operations) : missing;
	to->reads = has ? val_u64(mount->reads) : missing;
	to->round_trip_ms = has ? val_u64(mount->round_trip_ms) : missing;
	to->execute_ms = has ? val_u64(mount->execute_ms) : missing;
	to->timeouts = has ? val_u64(mount->timeouts) : missing;
}

/* A node may have thousands of mounts, none of them of a server: then the list is not read in each tick. */
static void read_mounts(struct host_network *network, struct sample_env *env, struct tick *ret)
{
	struct kept_text *file = &network->mounts;
	struct arena scratch = { 0 };
	struct nfs_mounts mounts;

	ret->host.mounts_left_out = val_u64(0);
	if (network->mounts_pause) {
		network->mounts_pause--;
		return;
	}
	sample_step(env, "read /proc/self/mountstats", "");
	kept_text_read(file, env->root, "/proc/self/mountstats", FILE_BYTES);
	nfs_stats_parse(&mounts, &scratch, file->text.buf, HOST_MAX_MOUNTS);
	for (size_t i = 0; i < mounts.nr; i++)
		add_mount(ret, &mounts.items[i]);
	if (!mounts.nr && env->interval_ns)
		network->mounts_pause = (unsigned)(NO_MOUNTS_S * S_NS / env->interval_ns);
	if (file->error)
		ret->host.mounts_left_out = no_u64(state_of_errno(file->error), name_of_errno(file->error));
	else
		ret->host.mounts_left_out = val_u64(mounts.left_out);
	arena_release(&scratch);
}

void host_network_read(struct host_network *network, struct sample_env *env, struct tick *ret)
{
	read_interfaces(network, env, ret);
	read_tcp(network, env, ret);
	read_mounts(network, env, ret);
}

void host_network_release(struct host_network *network)
{
	for (size_t i = 0; i < network->nr_names; i++)
		free(network->names[i]);
	free(network->names);
	kept_text_release(&network->interfaces);
	kept_text_release(&network->tcp);
	kept_text_release(&network->mounts);
}
