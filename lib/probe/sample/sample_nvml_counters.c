// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample_nvml_counters.c - what an NVIDIA GPU counts by itself: bytes over PCIe and NVLink, and time throttled. One
 * call asks for all; which fields a driver and GPU have shows in the first answer, and the others are asked for no
 * more.
 */
#include "base/compat.h"
#include "probe/sample/sample_nvml.h"

enum { ALL_LINKS = UINT32_MAX, KIB = 1024 };

static void add_field(struct nvml_counters *counters, unsigned id, unsigned scope, enum nvml_counter of)
{
	counters->fields[counters->nr] = (struct nvml_field){ .id = id, .scope = scope };
	counters->of[counters->nr++] = (unsigned char)of;
}

/* Since Blackwell bytes are counted for all links together (DCGM asks so), where a scope of one link may be refused. */
static void add_links(struct nvml_counters *counters)
{
	add_field(counters, NVML_FIELD_LINK_SENT, ALL_LINKS, COUNTER_LINKS_SENT);
	add_field(counters, NVML_FIELD_LINK_RECEIVED, ALL_LINKS, COUNTER_LINKS_RECEIVED);
	for (unsigned link = 0; link < NVML_MOST_LINKS; link++) {
		add_field(counters, NVML_FIELD_LINK_SENT_KIB, link, COUNTER_LINKS_SENT);
		add_field(counters, NVML_FIELD_LINK_RECEIVED_KIB, link, COUNTER_LINKS_RECEIVED);
		add_field(counters, NVML_FIELD_LINK_SENT, link, COUNTER_LINKS_SENT);
		add_field(counters, NVML_FIELD_LINK_RECEIVED, link, COUNTER_LINKS_RECEIVED);
	}
}

static void add_all(struct nvml_counters *counters, unsigned branch)
{
	unsigned throttled = branch >= NVML_BRANCH_13_1 ? NVML_FIELD_THROTTLED :
			     branch >= NVML_BRANCH_12_9 ? NVML_FIELD_THROTTLED_12_9 : 0;

	counters->nr = 0;
	for (unsigned counter = 0; counter < NR_COUNTERS; counter++)
		counters->missing[counter] = nvml_missing_value(NVML_ERROR_NOT_SUPPORTED);
	for (unsigned i = 0; i < 3; i++) {
		counters->missing[COUNTER_SW_HEAT + i] = nvml_missing_value(NVML_ERROR_FUNCTION_NOT_FOUND);
		if (throttled)
			add_field(counters, throttled + i, 0, COUNTER_SW_HEAT + i);
	}
	add_field(counters, NVML_FIELD_POLICY_POWER, 0, COUNTER_POWER_CAP);
	add_field(counters, NVML_FIELD_POLICY_THERMAL, 0, COUNTER_HEAT);
	add_field(counters, NVML_FIELD_PCIE_SENT, 0, COUNTER_SENT);
	add_field(counters, NVML_FIELD_PCIE_RECEIVED, 0, COUNTER_RECEIVED);
	add_links(counters);
}

static bool is_of_links(enum nvml_counter counter)
{
	return counter == COUNTER_LINKS_SENT || counter == COUNTER_LINKS_RECEIVED;
}

/* Which way links are counted: the first that answers, as another would count the same bytes again. */
static int rank_of(const struct nvml_field *field)
{
	if (field->id == NVML_FIELD_LINK_SENT_KIB || field->id == NVML_FIELD_LINK_RECEIVED_KIB)
		return 1;
	return field->scope == ALL_LINKS ? 2 : 3;
}

/* It answered, or failed as what may pass fails. */
static bool is_worth_asking(const struct nvml_counters *counters, unsigned i)
{
	int error = counters->fields[i].result;

	if (!error || is_of_links(counters->of[i]))
		return !error;
	return nvml_missing_value(error).state == VAL_ERROR && error != NVML_ERROR_INVALID_ARGUMENT;
}

/* After the first answer: false, if nothing can be told from it. */
static bool keep_answered(struct nvml_counters *counters)
{
	int best[NR_COUNTERS] = { 0 };
	unsigned kept = 0;

	for (unsigned i = 0; i < counters->nr; i++) {
		int rank = rank_of(&counters->fields[i]), *of = &best[counters->of[i]];

		if (is_of_links(counters->of[i]) && is_worth_asking(counters, i) && (!*of || rank < *of))
			*of = rank;
		if (counters->fields[i].result && counters->fields[i].result != NVML_ERROR_INVALID_ARGUMENT)
			counters->missing[counters->of[i]] = nvml_missing_value(counters->fields[i].result);
	}
	for (unsigned i = 0; i < counters->nr; i++) {
		if (!is_worth_asking(counters, i) ||
		    (is_of_links(counters->of[i]) && rank_of(&counters->fields[i]) != best[counters->of[i]]))
			continue;
		counters->fields[kept] = counters->fields[i];
		counters->of[kept++] = counters->of[i];
	}
	counters->nr = kept;
	return kept || counters->missing[COUNTER_POWER_CAP].state != VAL_ERROR;
}

/* Within a second it may wrap more than once: 4.3 GB. */
static bool is_too_narrow(const struct nvml_field *field)
{
	return (field->id == NVML_FIELD_PCIE_SENT || field->id == NVML_FIELD_PCIE_RECEIVED) && !field->result &&
	       field->type == NVML_TYPE_U32;
}

/* In bytes, or nanoseconds. What has another meaning in another header is taken only as the counter it should be. */
static struct val_u64 value_of(const struct nvml_session *session, const struct nvml_field *field)
{
	struct val_u64 value = nvml_field_u64(session, field);

	if (field->id >= NVML_FIELD_THROTTLED_12_9 && !field->result && field->type != NVML_TYPE_U64 &&
	    field->type != NVML_TYPE_ULONG)
		return no_u64(VAL_UNSUPPORTED, "not in this driver's library");
	if (is_too_narrow(field))
		return no_u64(VAL_UNSUPPORTED, "counts 32 bits only");
	if (is_known(value) && (field->id == NVML_FIELD_LINK_SENT_KIB || field->id == NVML_FIELD_LINK_RECEIVED_KIB))
		return val_u64(KIB * u64_or(value, 0));
	return value;
}

/* A sum without one of its links would seem to fall. */
static void add_up(const struct nvml_session *session, const struct nvml_counters *counters,
		   struct val_u64 ret[NR_COUNTERS])
{
	for (unsigned counter = 0; counter < NR_COUNTERS; counter++)
		ret[counter] = no_u64(counters->missing[counter].state, counters->missing[counter].why);
	for (unsigned i = 0; i < counters->nr; i++)
		ret[counters->of[i]] = val_u64(0);
	for (unsigned i = 0; i < counters->nr; i++) {
		struct val_u64 value = value_of(session, &counters->fields[i]), *sum = &ret[counters->of[i]];

		if (is_known(*sum))
			*sum = is_known(value) ? val_u64(u64_or(*sum, 0) + u64_or(value, 0)) : value;
	}
}

void nvml_read_counters(struct sample_nvml *own, struct nvml_gpu_watch *gpu, struct tick_gpu *ret)
{
	struct nvml_counters *counters = &gpu->counters;
	struct val_u64 values[NR_COUNTERS];

	if (!counters->is_planned)
		add_all(counters, own->branch);
	if (counters->nr)
		nvml_call_fields(&gpu->session, counters->fields, counters->nr);
	if (!counters->is_planned)
		counters->is_planned = keep_answered(counters);
	add_up(&gpu->session, counters, values);
	ret->power_cap_ns = values[COUNTER_POWER_CAP];
	/* The same counter by two numbers. */
	ret->thermal_ns = is_known(values[COUNTER_HEAT]) ? values[COUNTER_HEAT] : values[COUNTER_SW_HEAT];
	ret->hw_thermal_ns = values[COUNTER_HW_HEAT];
	ret->brake_ns = values[COUNTER_BRAKE];
	ret->link_sent_bytes = values[COUNTER_SENT];
	ret->link_received_bytes = values[COUNTER_RECEIVED];
	ret->peer_sent_bytes = values[COUNTER_LINKS_SENT];
	ret->peer_received_bytes = values[COUNTER_LINKS_RECEIVED];
}

/* ---- PCIe without counters */

#define HAS_A_COUNTER "it has a counter"
#define LATER "its turn comes in a later tick"

static struct val_f64 glimpse(struct nvml_gpu_watch *gpu, int direction)
{
	unsigned kb_per_s = 0;
	int error = gpu->throughput_off;
	struct val_u64 told;

	if (!error)
		error = nvml_call(&gpu->session, nvmlDeviceGetPcieThroughput, gpu->session.device, direction,
				  &kb_per_s);
	if (error && nvml_missing_value(error).state == VAL_UNSUPPORTED)
		gpu->throughput_off = error;
	told = nvml_u32(&gpu->session, error, &kb_per_s);
	return is_known(told) ? val_f64(1000.0 * (double)u64_or(told, 0)) : no_f64(told.state, told.why);
}

static void fill_without_glimpse(const struct nvml_gpu_watch *gpu, struct val_u64 counter, struct val_f64 *ret)
{
	if (is_known(*ret))
		return;			/* by GPM */
	if (is_known(counter))
		*ret = no_f64(VAL_ABSENT, HAS_A_COUNTER);
	else if (gpu->is_vgpu)
		*ret = no_f64(VAL_UNSUPPORTED, "not of a virtual GPU");
	else
		*ret = no_f64(VAL_SKIPPED, LATER);
}

void nvml_read_throughput(struct sample_nvml *own, struct tick *ret)
{
	size_t nr = 2 * own->nr_gpus, first = own->throughput_turn;
	bool has_asked = false;

	for (size_t i = 0; i < nr; i++) {
		size_t turn = (first + i) % nr;
		bool is_received = turn % 2;
		struct nvml_gpu_watch *gpu = &own->gpus[turn / 2];
		struct tick_gpu *told = list_find(ret, gpus, tick_gpu, gpu->address);
		struct val_f64 *value = is_received ? &told->link_received_bytes_per_s : &told->link_sent_bytes_per_s;

		if (!gpu->is_opened || gpu->session.is_lost || told->link_sent_bytes.state == VAL_UNSET)
			continue;
		fill_without_glimpse(gpu, is_received ? told->link_received_bytes : told->link_sent_bytes, value);
		if (value->state != VAL_SKIPPED || (has_asked && !gpu->throughput_off))
			continue;
		own->asking = gpu->address;
		if (!gpu->throughput_off) {
			own->throughput_turn = turn + 1;
			has_asked = true;
		}
		*value = glimpse(gpu, is_received ? NVML_PCIE_RECEIVED : NVML_PCIE_SENT);
	}
}
