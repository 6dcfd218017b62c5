// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/load/fold.h"

#include "base/alloc.h"
#include "snapshot/sample_fold.h"
#include "snapshot/under_test.h"

/* Use from which a GPU is not idle. */
#define ANY_WORK_PERCENT 5.0

static void clear_gpu_slot(struct fold_gpu *gpu, size_t slot)
{
	gpu->low[slot] = 101.0F;
	gpu->high[slot] = -1.0F;
	gpu->reasons_told[slot] = 0.0F;
	memset(gpu->reason[slot], 0, sizeof(gpu->reason[slot]));
}

static struct track_list list_of(const struct record *record, size_t item_size, size_t max)
{
	return (struct track_list){ .record = record, .item_size = item_size, .max = max };
}

static void add_gpu(struct fold *fold, const struct gpu *gpu)
{
	static const struct moment start;
	struct fold_gpu *folded = &fold->gpus[fold->nr_gpus++];

	folded->gpu = gpu;
	folded->index = gpu_index(fold->sealed, gpu);
	track_init(&folded->track, &record_tick_gpu, gpu->key.v_, &start);
	folded->clients = list_of(&record_tick_client, sizeof(struct track), MAX_FOLDED_CLIENTS);
	folded->instances = list_of(&record_tick_instance, sizeof(struct track), MAX_FOLDED_CLIENTS);
	for (size_t i = 0; i < NR_SLOTS; i++)
		clear_gpu_slot(folded, i);
}

void load_fold_init(struct fold *fold, const struct snapshot *sealed, const struct policy *policy)
{
	static const struct moment start;

	memset(fold, 0, sizeof(*fold));
	fold->sealed = sealed;
	fold->span_s = policy->watch_span_s > 1.0 ? policy->watch_span_s : 1.0;
	fold->gpus = xcalloc(sealed->nr_gpus + 1, sizeof(*fold->gpus));
	for (size_t i = 0; i < sealed->nr_gpus && fold->nr_gpus < MAX_GPUS; i++)
		if (is_known(sealed->gpus[i].key) && gpu_is_judged(sealed, &sealed->gpus[i]))
			add_gpu(fold, &sealed->gpus[i]);
	track_init(&fold->host, &record_tick_host, "node", &start);
	fold->processes = list_of(&record_tick_process, sizeof(struct fold_process), MAX_LIST);
	fold->processes.release = fold_process_release;
	fold->threads = list_of(&record_tick_thread, sizeof(struct fold_thread), MAX_FOLDED_THREADS);
	fold->groups = list_of(&record_tick_group, sizeof(struct track), MAX_FOLDED_DEVICES);
	fold->disks = list_of(&record_tick_disk, sizeof(struct track), MAX_FOLDED_DEVICES);
	fold->mounts = list_of(&record_tick_mount, sizeof(struct track), MAX_FOLDED_DEVICES);
	fold->networks = list_of(&record_tick_network, sizeof(struct track), MAX_FOLDED_DEVICES);
	fold->rdma_ports = list_of(&record_tick_rdma, sizeof(struct track), MAX_FOLDED_DEVICES);
	fold->sources = list_of(&record_tick_source, sizeof(struct fold_source), MAX_FOLDED_DEVICES);
}

void load_fold_release(struct fold *fold)
{
	for (size_t i = 0; i < fold->nr_gpus; i++) {
		track_list_release(&fold->gpus[i].clients);
		track_list_release(&fold->gpus[i].instances);
		track_release(&fold->gpus[i].track);
	}
	free(fold->gpus);
	track_release(&fold->host);
	track_list_release(&fold->processes);
	track_list_release(&fold->threads);
	track_list_release(&fold->groups);
	track_list_release(&fold->disks);
	track_list_release(&fold->mounts);
	track_list_release(&fold->networks);
	track_list_release(&fold->rdma_ports);
	track_list_release(&fold->sources);
	reasons_release(&fold->reasons);
}

bool has_any_gpu(const struct fold_process *process)
{
	for (size_t i = 0; i < GPU_WORDS; i++)
		if (process->gpus[i])
			return true;
	return false;
}

struct val_f64 slots_share(const float *part, const float *whole, const struct watch_span *span)
{
	double sum = 0.0, of = 0.0;

	for (size_t i = 0; i < span->nr; i++) {
		sum += (double)part[span_slot(span, i)];
		of += (double)whole[span_slot(span, i)];
	}
	return of > 0.0 ? val_f64(100.0 * sum / of) : no_f64(VAL_UNSET, NULL);
}

/* ---- slots */

static void turn_all(struct fold *fold, size_t slot)
{
	for (size_t i = 0; i < fold->nr_gpus; i++) {
		track_turn(&fold->gpus[i].track, slot);
		track_list_turn(&fold->gpus[i].clients, slot);
		track_list_turn(&fold->gpus[i].instances, slot);
		clear_gpu_slot(&fold->gpus[i], slot);
	}
	track_turn(&fold->host, slot);
	fold_process_turn(fold, slot);
	track_list_turn(&fold->threads, slot);
	track_list_turn(&fold->groups, slot);
	track_list_turn(&fold->disks, slot);
	track_list_turn(&fold->mounts, slot);
	track_list_turn(&fold->networks, slot);
	track_list_turn(&fold->rdma_ports, slot);
	track_list_turn(&fold->sources, slot);
}

/*
 * A slot is full at a tenth of the span, a little less as ticks come a little early at times. As many slots count as
 * make a span: of long intervals fewer.
 */
static void begin_slot(struct fold *fold, double elapsed_s)
{
	struct watch_span *span = &fold->span;
	double full_s = 0.95 * fold->span_s / NR_SLOTS, sum = 0.0;
	size_t nr = 0;

	if (!span->nr || span->seconds[span->slot] >= full_s) {
		span->slot = (span->slot + 1) % NR_SLOTS;
		span->nr += span->nr < NR_SLOTS;
		span->seconds[span->slot] = 0.0;
		turn_all(fold, span->slot);
	}
	span->seconds[span->slot] += elapsed_s;
	while (nr < span->nr && sum < 0.95 * fold->span_s)
		sum += span->seconds[span_slot(span, nr++)];
	span->nr = nr;
}

/* ---- GPUs */

static struct fold_gpu *gpu_of(struct fold *fold, const char *address)
{
	for (size_t i = 0; i < fold->nr_gpus; i++)
		if (!strcmp(fold->gpus[i].track.key, address))
			return &fold->gpus[i];
	return NULL;
}

/* Of one tick: the driver's own least and most where it has finer samples, else the figure itself. */
static void add_use(struct fold_gpu *gpu, const struct tick_gpu *tick, const struct moment *now)
{
	double busy = f64_or(tick->busy_percent, -1.0), low, high;

	if (busy < 0.0 || busy > 100.5)
		return;
	low = f64_or(tick->busy_min_percent, busy);
	high = f64_or(tick->busy_max_percent, busy);
	if ((float)low < gpu->low[now->slot])
		gpu->low[now->slot] = (float)low;
	if ((float)high > gpu->high[now->slot])
		gpu->high[now->slot] = (float)high;
	if (busy >= ANY_WORK_PERCENT)
		gpu->worked_at_ns = now->at_ns;
}

/* Reasons at a moment count for the time since the tick before, if it was at work: idle GPUs report their limit too. */
static void add_reasons(struct fold_gpu *gpu, const struct tick_gpu *tick, const struct moment *now)
{
	unsigned kinds;

	if (!is_known(tick->throttle_reasons) || f64_or(tick->busy_percent, 100.0) < AT_WORK_PERCENT)
		return;
	kinds = throttle_kinds_parse(tick->throttle_reasons.v_);
	gpu->reasons_told[now->slot] += (float)now->elapsed_s;
	for (size_t i = 0; i < NR_THROTTLE_KINDS; i++)
		if (kinds & (1U << i))
			gpu->reason[now->slot][i] += (float)now->elapsed_s;
}

static void add_gpus(struct fold *fold, const struct tick *tick, const struct moment *now)
{
	for (size_t i = 0; i < fold->nr_gpus; i++)
		fold->gpus[i].track.unseen++;
	for (size_t i = 0; i < tick->nr_gpus; i++) {
		const struct tick_gpu *seen = &tick->gpus[i];
		struct fold_gpu *gpu = is_known(seen->key) ? gpu_of(fold, seen->key.v_) : NULL;

		if (!gpu)
			continue;
		gpu->track.unseen = 0;
		gpu->was_seen = true;
		track_add(&gpu->track, seen, now);
		add_use(gpu, seen, now);
		add_reasons(gpu, seen, now);
		track_list_add(&gpu->clients, seen->clients, seen->nr_clients, now);
		track_list_add(&gpu->instances, seen->instances, seen->nr_instances, now);
	}
}

/* ---- sources */

/* What is refused or still hangs from an earlier run; of what is not on this node there is nothing to say. */
static const char *why_not_read(const struct val_str *state)
{
	if (state->state != VAL_SKIPPED && state->state != VAL_TIMEOUT)
		return "";
	return state->why ? state->why : val_state_name(state->state);
}

static void add_sources(struct fold *fold, const struct tick *tick, const struct moment *now)
{
	bool is_late = false;

	track_list_add(&fold->sources, tick->sources, tick->nr_sources, now);
	for (size_t i = 0; i < tick->nr_sources; i++) {
		const struct tick_source *source = &tick->sources[i];
		const char *key = str_or(source->key, NULL), *state = str_or(source->state, "ok");
		struct fold_source *folded = key ? (struct fold_source *)track_find(&fold->sources, key) : NULL;

		if (!folded)
			continue;
		snprintf(folded->state, sizeof(folded->state), "%s", state);
		snprintf(folded->call, sizeof(folded->call), "%s", str_or(source->call, ""));
		snprintf(folded->lack, sizeof(folded->lack), "%s", why_not_read(&source->state));
		if (!strcmp(state, "ok") || !strcmp(state, "restarted"))
			folded->silent_ns = 0;
		else
			folded->silent_ns += (uint64_t)(now->elapsed_s * 1e9);
		is_late |= folded->silent_ns || strcmp(state, "ok") != 0;
	}
	fold->late += is_late;
}

/* ---- a tick */

void load_fold_tick(struct fold *fold, const struct tick *tick)
{
	static const uint64_t max_gap_ns = UINT64_C(600000000000);
	uint64_t at_ns = u64_or(tick->at_ns, fold->at_ns);
	struct moment now = { .at_ns = at_ns, .reasons = &fold->reasons };

	/* A stamp that goes back, or far ahead, gives no time: what is counted begins there again. */
	if (fold->ticks && at_ns > fold->at_ns && at_ns - fold->at_ns <= max_gap_ns) {
		now.elapsed_s = (double)(at_ns - fold->at_ns) / 1e9;
		fold->watched_ns += at_ns - fold->at_ns;
	}
	begin_slot(fold, now.elapsed_s);
	now.slot = fold->span.slot;
	fold->at_ns = at_ns;
	fold->ticks++;
	track_add(&fold->host, &tick->host, &now);
	add_gpus(fold, tick, &now);
	fold_log(fold, tick);
	fold_processes(fold, tick, &now);
	track_list_add(&fold->groups, tick->groups, tick->nr_groups, &now);
	track_list_add(&fold->disks, tick->disks, tick->nr_disks, &now);
	track_list_add(&fold->mounts, tick->mounts, tick->nr_mounts, &now);
	track_list_add(&fold->networks, tick->networks, tick->nr_networks, &now);
	track_list_add(&fold->rdma_ports, tick->rdma_ports, tick->nr_rdma_ports, &now);
	add_sources(fold, tick, &now);
}
