// SPDX-License-Identifier: GPL-2.0-or-later
/* nvml_fabric.c - a GPU's place in the NVSwitch fabric, and its NVLinks. */
#include "base/compat.h"
#include "probe/nvidia/nvml.h"

#include "base/strbuf.h"
#include "probe/window_rates.h"

/* ---- fabric */

/* Its answer in the form of the newest version; has_health, has_summary: set by versions that have them. */
struct fabric {
	struct nvml_fabric_v3 v3;
	bool has_health, has_summary;
};

/* A version the driver does not know is answered so: then one version down. */
static int ask_fabric(struct nvml_session *session, struct fabric *ret)
{
	struct nvml_fabric_v1 v1 = { .state = 0 };
	int error;

	*ret = (struct fabric){ .has_health = true, .has_summary = true };
	ret->v3.v2.version = NVML_VERSION_WORD(struct nvml_fabric_v3, 3);
	error = nvml_call(session, nvmlDeviceGetGpuFabricInfoV, session->device, &ret->v3.v2);
	if (error == NVML_ERROR_ARGUMENT_VERSION_MISMATCH) {
		ret->has_summary = false;
		ret->v3.v2.version = NVML_VERSION_WORD(struct nvml_fabric_v2, 2);
		error = nvml_call(session, nvmlDeviceGetGpuFabricInfoV, session->device, &ret->v3.v2);
	}
	if (error != NVML_ERROR_ARGUMENT_VERSION_MISMATCH && error != NVML_ERROR_FUNCTION_NOT_FOUND)
		return error;
	*ret = (struct fabric){ .has_health = false };
	error = nvml_call(session, nvmlDeviceGetGpuFabricInfo, session->device, &v1);
	memcpy(ret->v3.v2.cluster, v1.cluster, sizeof(v1.cluster));
	ret->v3.v2.status = v1.status;
	ret->v3.v2.clique = v1.clique;
	ret->v3.v2.state = v1.state;
	return error;
}

/* NVML_GPU_FABRIC_HEALTH_MASK_*: pairs of bits, 1 is yes, 2 no, 0 not told; then four bits of the configuration. */
static struct val_str health_of(const struct nvml_session *session, const struct fabric *fabric)
{
	static const char *const troubles[] = {
		"degraded-bandwidth", "route-recovery", "route-unhealthy", "access-timeout",
	};
	static const char *const configurations[16] = {
		[2] = "wrong-system-guid", [3] = "wrong-chassis-serial", [4] = "no-partition", [5] = "too-few-nvlinks",
		[6] = "wrong-gpu-firmware", [7] = "invalid-location", [8] = "wrong-gpu-state",
	};
	static const char *const summaries[] = { [2] = "unhealthy", [3] = "limited-capacity" };
	unsigned mask = fabric->v3.v2.health_mask, configuration = mask >> 8 & 0xf;
	unsigned summary = fabric->has_summary ? fabric->v3.health_summary : 0;
	STRBUF_AUTO words = STRBUF_INIT;

	if (!fabric->has_health)
		return no_str(VAL_UNSUPPORTED, "not in this driver's library");
	for (unsigned i = 0; i < ARRAY_SIZE(troubles); i++)
		if ((mask >> 2 * i & 3) == 1)
			strbuf_addf(&words, "%s%s", words.len ? ", " : "", troubles[i]);
	if (configurations[configuration])
		strbuf_addf(&words, "%s%s", words.len ? ", " : "", configurations[configuration]);
	else if (configuration > 1)
		strbuf_addf(&words, "%swrong-configuration %u", words.len ? ", " : "", configuration);
	if (!words.len && summary < ARRAY_SIZE(summaries) && summaries[summary])
		strbuf_addstr(&words, summaries[summary]);
	if (words.len)
		return val_str(arena_strdup(&session->sink->facts.arena, words.buf));
	return (mask & 0xfff) || summary == 1 ? val_str("healthy") : no_str(VAL_ABSENT, "not reported by the driver");
}

static struct val_str cluster_of(const struct nvml_session *session, const unsigned char bytes[16])
{
	STRBUF_AUTO text = STRBUF_INIT;
	bool any = false;

	for (unsigned i = 0; i < 16; i++) {
		any |= bytes[i] != 0;
		strbuf_addf(&text, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", bytes[i]);
	}
	return any ? val_str(arena_strdup(&session->sink->facts.arena, text.buf)) : no_str(VAL_ABSENT, "all zeros");
}

static struct val_str status_of(const struct nvml_session *session, int status)
{
	const char *name = nvml_error_name(status);

	if (!status)
		return val_str("SUCCESS");
	return val_str(name ? name : arena_printf(&session->sink->facts.arena, "NVML error %d", status));
}

void nvml_read_fabric(struct nvml_session *session)
{
	struct fabric fabric;
	int error = ask_fabric(session, &fabric);
	struct nvml_gpu *ret = &nvml_facts(session)->nvml;
	struct val_head no = nvml_missing_value(error);

	ret->fabric_state = nvml_enum(session, error, fabric.v3.v2.state, &nvml_fabric_states);
	if (is_known(ret->fabric_state) && fabric.v3.v2.state < 2)
		no = (struct val_head){ .state = VAL_ABSENT, .why = "it is in no fabric, or not yet" };
	if (is_known(ret->fabric_state) && fabric.v3.v2.state >= 2) {
		ret->fabric_status = status_of(session, fabric.v3.v2.status);
		ret->fabric_health = health_of(session, &fabric);
		ret->fabric_clique = nvml_u64(session, 0, fabric.v3.v2.clique);
		ret->fabric_cluster = cluster_of(session, fabric.v3.v2.cluster);
	} else {
		ret->fabric_status = ret->fabric_health = ret->fabric_cluster = no_str(no.state, no.why);
		ret->fabric_clique = no_u64(no.state, no.why);
	}
	nvml_flush(session);
}

/* ---- links */

enum link_field {
	SPEED, STATE, REPLAYS, RECOVERIES, CRC, RECOVERED, FAILED,
	BAD_PACKETS,			/* six of them */
	NR_LINK_FIELDS = BAD_PACKETS + NVML_FIELD_LINK_INTEGRITY - NVML_FIELD_LINK_MALFORMED + 1
};

/* A link's counters. */
struct link_counts { struct val_u64 crc, replays, recoveries, failed, bad_packets; };

static void ask_link_fields(struct nvml_session *session, unsigned link, struct nvml_field fields[NR_LINK_FIELDS])
{
	static const unsigned ids[] = {
		[SPEED] = NVML_FIELD_LINK_SPEED, [STATE] = NVML_FIELD_LINK_STATE, [REPLAYS] = NVML_FIELD_LINK_REPLAYS,
		[RECOVERIES] = NVML_FIELD_LINK_RECOVERIES, [CRC] = NVML_FIELD_LINK_CRC,
		[RECOVERED] = NVML_FIELD_LINK_RECOVERED, [FAILED] = NVML_FIELD_LINK_FAILED_RECOVERIES,
	};

	for (unsigned i = 0; i < NR_LINK_FIELDS; i++)
		fields[i] = (struct nvml_field){
			.id = i < BAD_PACKETS ? ids[i] : NVML_FIELD_LINK_MALFORMED + i - BAD_PACKETS, .scope = link,
		};
	nvml_call_fields(session, fields, NR_LINK_FIELDS);
}

static struct val_u64 link_counter(struct nvml_session *session, unsigned link, int counter)
{
	uint64_t count = 0;
	int error = nvml_call(session, nvmlDeviceGetNvLinkErrorCounter, session->device, link, counter, &count);

	return nvml_u64(session, error, count);
}

/* Of those that are known; where none is, why the first is not. */
static struct val_u64 sum_of(const struct val_u64 *values, size_t nr)
{
	struct val_u64 sum = values[0];

	for (size_t i = 1; i < nr; i++) {
		if (!is_known(values[i]))
			continue;
		sum = val_u64(u64_or(sum, 0) + u64_or(values[i], 0));
	}
	return sum;
}

static struct val_u64 either(struct val_u64 one, struct val_u64 other)
{
	return is_known(one) || !is_known(other) ? one : other;
}

static void count_link(struct nvml_session *session, unsigned link, bool by_calls, const struct nvml_field *fields,
		       struct link_counts *ret)
{
	struct val_u64 bad[NR_LINK_FIELDS - BAD_PACKETS] = { 0 };

	for (unsigned i = 0; i < ARRAY_SIZE(bad); i++)
		bad[i] = nvml_field_u64(session, &fields[BAD_PACKETS + i]);
	ret->bad_packets = sum_of(bad, ARRAY_SIZE(bad));
	ret->failed = nvml_field_u64(session, &fields[FAILED]);
	ret->crc = nvml_field_u64(session, &fields[CRC]);
	ret->replays = nvml_field_u64(session, &fields[REPLAYS]);
	ret->recoveries =
		either(nvml_field_u64(session, &fields[RECOVERIES]), nvml_field_u64(session, &fields[RECOVERED]));
	if (by_calls) {
		struct val_u64 crc[] = {
			link_counter(session, link, NVML_LINK_CRC_FLIT),
			link_counter(session, link, NVML_LINK_CRC_DATA),
		};

		ret->crc = sum_of(crc, ARRAY_SIZE(crc));
		ret->replays = link_counter(session, link, NVML_LINK_REPLAY);
		ret->recoveries = link_counter(session, link, NVML_LINK_RECOVERY);
	}
}

static struct val_u64 errors_of(const struct link_counts *counts)
{
	const struct val_u64 all[] = {
		counts->crc, counts->replays, counts->recoveries, counts->failed, counts->bad_packets,
	};

	return sum_of(all, ARRAY_SIZE(all));
}

static void read_remote(struct nvml_session *session, unsigned link, struct gpu_link *ret)
{
	struct nvml_pci_info pci = { .domain = 0 };
	unsigned kind = 0;
	int error = nvml_call(session, nvmlDeviceGetNvLinkRemotePciInfo_v2, session->device, link, &pci);

	ret->remote = nvml_address(session, error, &pci);
	if (!error && !pci.domain && !pci.bus && !pci.device)
		ret->remote = no_str(VAL_ABSENT, "all zeros");
	error = nvml_call(session, nvmlDeviceGetNvLinkRemoteDeviceType, session->device, link, &kind);
	ret->remote_kind = !error && kind == 0xff ? no_str(VAL_ABSENT, "not known to the driver") :
						    nvml_enum(session, error, kind, &nvml_link_kinds);
}

static struct val_str state_of(const struct nvml_session *session, int error, unsigned active,
			       const struct nvml_field *field)
{
	struct val_u64 told = nvml_field_u64(session, field);

	/* All ones in either of them: the GPU does not answer, whatever the other says. */
	if (!error && !field->result && told.state == VAL_ERROR && field->value.u32 == NVML_ALL_ONES_32)
		return no_str(told.state, told.why);
	/* The call has two states, the field a third. */
	if (!error && active <= 1 && is_known(told) && u64_or(told, 0) == 2)
		return val_str(nvml_link_states.names[NVML_LINK_SLEEPS]);
	return nvml_enum(session, error, active, &nvml_link_states);
}

static struct val_f64 speed_of(const struct nvml_session *session, const struct nvml_field *field)
{
	struct val_u64 mb_per_s = nvml_field_u64(session, field);

	if (!is_known(mb_per_s))
		return no_f64(mb_per_s.state, mb_per_s.why);
	return val_f64((double)u64_or(mb_per_s, 0) / 1e3);
}

/* Its state comes back: how many are up is counted by it. */
static struct val_str read_link(struct nvml_session *session, unsigned link, int error, unsigned active,
				struct nvml_links *links)
{
	struct gpu *gpu = nvml_facts(session);
	struct gpu_link *ret = list_element(&session->sink->facts.arena, gpu, links, gpu_link,
					    arena_printf(&session->sink->facts.arena, "%u", link));
	struct nvml_field fields[NR_LINK_FIELDS];
	struct link_counts counts;
	unsigned version = 0;
	int no_version;

	ask_link_fields(session, link, fields);
	/* Drivers that have the fields and do not fill them: the older calls may. */
	if (!link)
		links->by_calls = fields[CRC].result && fields[RECOVERED].result;
	ret->kind = val_str("nvlink");
	ret->state = state_of(session, error, active, &fields[STATE]);
	no_version = nvml_call(session, nvmlDeviceGetNvLinkVersion, session->device, link, &version);
	ret->version = nvml_u64(session, no_version, version);
	ret->speed_gbps = speed_of(session, &fields[SPEED]);
	if (is_known(ret->state) && active) {
		read_remote(session, link, ret);
	} else {
		struct val_head no = { .state = ret->state.state, .why = ret->state.why };

		if (is_known(ret->state))
			no = (struct val_head){ .state = VAL_ABSENT, .why = "the link is not active" };

		ret->remote = no_str(no.state, no.why);
		ret->remote_kind = no_str(no.state, no.why);
	}
	count_link(session, link, links->by_calls, fields, &counts);
	ret->crc_errors = counts.crc;
	ret->replays = counts.replays;
	ret->recoveries = counts.recoveries;
	ret->failed_recoveries = counts.failed;
	ret->receive_errors = counts.bad_packets;
	links->errors[link] = errors_of(&counts);
	if (!is_known(links->errors[link]))
		links->errors[link].why = "errors not reported";
	return ret->state;
}

void nvml_read_links(struct nvml_session *session, struct nvml_links *ret)
{
	struct val_u64 nr_active = val_u64(0);
	unsigned active = 0, link;
	int first_error = 0, last_error = 0;

	*ret = (struct nvml_links){ .nr = 0 };
	for (link = 0; link < NVML_MOST_LINKS; link++) {
		int error = nvml_call(session, nvmlDeviceGetNvLinkState, session->device, link, &active);
		struct val_str state;

		first_error = link ? first_error : error;
		last_error = error;
		/* Their number is where they end. */
		if (error == NVML_ERROR_INVALID_ARGUMENT || error == NVML_ERROR_NOT_SUPPORTED ||
		    error == NVML_ERROR_FUNCTION_NOT_FOUND || error == NVML_ERROR_GPU_IS_LOST)
			break;
		state = read_link(session, link, error, active, ret);
		/* Of one that may be up or down: how many are up is not known either. */
		if (!is_known(state))
			nr_active = no_u64(state.state, state.why);
		else if (is_known(nr_active))
			nr_active = val_u64(u64_or(nr_active, 0) + active);
		ret->nr = link + 1;
	}
	/* A GPU without any reports that for the first. */
	if (!ret->nr && first_error == NVML_ERROR_INVALID_ARGUMENT)
		first_error = NVML_ERROR_NOT_SUPPORTED;
	if (session->is_lost)
		first_error = NVML_ERROR_GPU_IS_LOST;
	/* Errors of all possible links: their number is unknown. */
	if (link == NVML_MOST_LINKS && last_error)
		ret->nr = 0;
	nvml_facts(session)->nvml.nvlinks = nvml_u64(session, ret->nr && !session->is_lost ? 0 : first_error, ret->nr);
	nvml_facts(session)->nvml.nvlinks_active =
		ret->nr && !session->is_lost ? nr_active : nvml_u64(session, first_error, 0);
	sink_flush(session->sink);
}

void nvml_read_links_again(struct nvml_session *session, const struct nvml_links *before)
{
	for (unsigned link = 0; link < before->nr; link++) {
		struct gpu *gpu = nvml_facts(session);
		struct gpu_link *ret = list_element(&session->sink->facts.arena, gpu, links, gpu_link,
						    arena_printf(&session->sink->facts.arena, "%u", link));
		struct nvml_field fields[NR_LINK_FIELDS];
		struct link_counts counts;

		if (!is_known(before->errors[link])) {
			ret->new_errors = before->errors[link];
			continue;
		}
		/* Where the calls tell, no field does. */
		for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
			fields[i].result = NVML_ERROR_NOT_SUPPORTED;
		if (!before->by_calls)
			ask_link_fields(session, link, fields);
		count_link(session, link, before->by_calls, fields, &counts);
		ret->new_errors = growth_of(before->errors[link], errors_of(&counts));
	}
}
