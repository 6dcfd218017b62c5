// SPDX-License-Identifier: GPL-2.0-or-later
/* import.c - texts to parts, parts to one snapshot. */
#include "base/compat.h"
#include "import/import.h"

#include <errno.h>

#include "base/text.h"
#include "format/report_tree.h"
#include "import/amd_counter.h"
#include "import/bug_report.h"
#include "import/log.h"
#include "import/log_parts.h"
#include "import/machines.h"
#include "import/overlay.h"
#include "import/program_error.h"
#include "import/sysfs.h"
#include "import/xid_claim.h"

struct import {
	struct snapshot snapshot;	/* its arena holds everything */
	struct dump_parts parts;
	struct import_file *files;	/* of /sys and /proc */
	size_t nr_files;
};

struct import *import_new(void)
{
	struct import *import = calloc(1, sizeof(*import));

	if (!import)
		abort();
	return import;
}

void import_free(struct import *import)
{
	snapshot_release(&import->snapshot);
	free(import);
}

/* ---- files of a report of the whole machine */

/* Its reader goes by its place on the machine: "/proc/cmdline" of "proc/cmdline". */
static void add_host_file(struct import *import, const struct dump_text *text, const char *inside,
			  struct dump_line *lines, size_t nr)
{
	struct arena *arena = &import->snapshot.arena;
	const char *place = arena_printf(arena, "/%s", inside);

	if (!nr || !recorded_file_is_read(place))
		return;
	dump_part_add(arena, &import->parts, &(struct dump_part){
		.kind = DUMP_RECORDED_FILE, .file = arena_strdup(arena, text->name), .about = place, .lines = lines, .nr_lines = nr,
	});
}

/* What repeats another log of the report counts where that does not have it. */
static void say_whose_log(struct dump_part *parts, size_t nr, enum report_file file)
{
	static const int boots_ago[] = {
		[REPORT_FILE_JOURNAL] = 0, [REPORT_FILE_JOURNAL_BEFORE] = 1, [REPORT_FILE_SYSLOG] = BOOTS_NOT_TOLD,
	};

	for (size_t i = 0; i < nr; i++) {
		if (parts[i].kind != DUMP_LOG || file < REPORT_FILE_JOURNAL)
			continue;
		parts[i].is_picked = true;
		parts[i].boots_ago = boots_ago[file];
	}
}

size_t import_add(struct import *import, const struct dump_text *text)
{
	struct arena *arena = &import->snapshot.arena;
	size_t nr, before = import->parts.nr;
	const char *inside = NULL;
	enum report_file file = text->path ? report_file(text->path, true, &inside) : REPORT_FILE_NONE;
	bool is_cut;
	struct dump_line *lines = dump_clean(arena, text, &nr, &is_cut);

	if (file == REPORT_FILE_HOST)
		add_host_file(import, text, inside, lines, nr);
	else
		dump_split(arena, arena_strdup(arena, text->name), lines, nr, &import->parts);
	if (import->parts.nr == before)
		return 0;
	if (is_cut || text->is_cut)
		import->parts.v[import->parts.nr - 1].is_cut = true;
	say_whose_log(&import->parts.v[before], import->parts.nr - before, file);
	return import->parts.nr - before;
}

void import_note(struct import *import, const char *text)
{
	struct arena *arena = &import->snapshot.arena;

	if (!strs_has(&import->snapshot.run.import_notes, text))
		strs_add(arena, &import->snapshot.run.import_notes, arena_strdup(arena, text));
}

/* ---- what others read */

typedef void value_fn(struct val_head *head, bool is_of_node, uint32_t from);

/* All values of a record and of what is in it. is_of_node: they are told of the node itself, and not of a part of it. */
static void each_value(const struct record *record, char *base, bool is_of_node, value_fn *fn, uint32_t from)
{
	for (size_t i = 0; i < record->nr; i++) {
		const struct field *field = &record->fields[i];
		char *at = base + field->offset;

		if (field->kind == FIELD_RECORD) {
			each_value(field->record, at, is_of_node, fn, from);
		} else if (field->kind == FIELD_LIST) {
			char *element = *(char **)(void *)at;
			size_t nr = *(size_t *)(void *)(base + field->offset_nr);

			for (size_t k = 0; k < nr; k++)
				each_value(field->record, element + k * field->record->size, false, fn, from);
		} else if (field_is_value(field)) {
			fn((struct val_head *)(void *)at, is_of_node, from);
		}
	}
}

/* Whose own line a value has keeps it. */
static void say_from(struct val_head *head, bool is_of_node, uint32_t from)
{
	(void)is_of_node;
	if (head->state == VAL_OK && !head->from)
		head->from = from;
}

/*
 * What was not pasted is no file that the machine lacks, and lists of nothing are not empty: what is told of the node, and
 * not by a line, was made of what is not there.
 */
static void forget_missing(struct val_head *head, bool is_of_node, uint32_t from)
{
	(void)from;
	if ((head->state != VAL_OK || is_of_node) && !head->from) {
		head->state = VAL_UNSET;
		head->why = NULL;
	}
}

/* Not the run's: what was read then and how. */
static const struct snapshot *take_told(struct import *import, struct snapshot *told, uint32_t from)
{
	struct arena *arena = &import->snapshot.arena;
	struct snapshot *ret;

	arena_join(arena, &told->arena);
	told->run = (struct run){ .tool = { .state = VAL_UNSET } };
	told->request = (struct request){ .level = { .state = VAL_UNSET } };
	each_value(&record_snapshot, (char *)told, true, say_from, from);
	ret = arena_alloc(arena, sizeof(*ret));
	*ret = *told;
	*told = (struct snapshot){ .run = { .tool = { .state = VAL_UNSET } } };
	return ret;
}

void import_tree_told(struct import *import, const char *name, struct snapshot *told)
{
	struct arena *arena = &import->snapshot.arena;
	struct dump_part *part = dump_part_add(arena, &import->parts, &(struct dump_part){
		.kind = DUMP_TREE, .file = arena_strdup(arena, name),
	});

	part->told = take_told(import, told, value_from(part->number, 0));
}

void import_files_told(struct import *import, struct snapshot *told)
{
	struct dump_part *part = import->parts.v;

	sysfs_settle(&told->arena, import->files, import->nr_files, told);
	each_value(&record_snapshot, (char *)told, true, forget_missing, 0);
	while (part->kind != DUMP_SYSFS)
		part++;
	part->told = take_told(import, told, value_from(part->number, part->lines[0].number));
}

/* ---- reading */

static void read_part(struct import *import, const struct dump_part *part, struct snapshot *ret)
{
	struct reading reading = {
		.part = part, .parts = &import->parts, .snapshot = ret, .arena = &ret->arena,
	};

	dump_source(part->kind)->read(&reading);
}

/* The better ones first; of one rank the later, as what was pasted last is the newer as a rule. */
static int by_rank(const void *a, const void *b)
{
	const struct dump_part *part_a = *(const struct dump_part *const *)a, *part_b = *(const struct dump_part *const *)b;
	int rank_a = dump_source(part_a->kind)->rank, rank_b = dump_source(part_b->kind)->rank;

	if (rank_a != rank_b)
		return rank_a > rank_b ? -1 : 1;
	return part_a > part_b ? -1 : 1;
}

/* Those that somebody reads by themselves; logs are joined first. */
static const struct dump_part **in_order(struct arena *arena, const struct dump_parts *parts, size_t *ret_nr)
{
	const struct dump_part **ret = arena_alloc(arena, (parts->nr + 1) * sizeof(*ret));

	*ret_nr = 0;
	for (size_t i = 0; i < parts->nr; i++)
		if (dump_source(parts->v[i].kind)->read)
			ret[(*ret_nr)++] = &parts->v[i];
	if (*ret_nr)
		qsort(ret, *ret_nr, sizeof(*ret), by_rank);
	return ret;
}

/* ---- GPUs without an address */

static bool same_text(struct val_str a, struct val_str b)
{
	return is_known(a) && is_known(b) && !strcmp(str_or(a, ""), str_or(b, ""));
}

static bool same_number(struct val_u64 a, struct val_u64 b)
{
	return is_known(a) && is_known(b) && u64_or(a, 0) == u64_or(b, 0);
}

static bool is_serial_shared(const struct gpu *gpus, size_t nr, const struct gpu *gpu)
{
	size_t nr_same = 0;

	for (size_t i = 0; i < nr; i++)
		nr_same += same_text(gpus[i].nvml.serial, gpu->nvml.serial) ? 1 : 0;
	return nr_same > 1;
}

/* The GPUs of a board, as an A16 has four, share its serial number: it tells none of them from the others. */
static bool same_card(const struct gpu *a, const struct gpu *b, bool is_of_board)
{
	if (dump_cards_match(a, b) != CARDS_SAME)
		return false;
	return !is_of_board || (is_known(a->nvml.uuid) && !strcasecmp(str_or(a->nvml.uuid, ""), str_or(b->nvml.uuid, "")));
}

/* Who is it, among those whose address is known: by UUID, by serial number, by its vendor's tools' index. */
static const struct gpu *known_gpu(const struct snapshot *base, const struct gpu *gpu, bool is_of_board)
{
	for (size_t i = 0; i < base->nr_gpus; i++)
		if (same_card(&base->gpus[i], gpu, is_of_board) ||
		    same_text(base->gpus[i].amdgpu.unique_id, gpu->amdgpu.unique_id))
			return &base->gpus[i];
	for (size_t i = 0; i < base->nr_gpus; i++)
		if (same_number(base->gpus[i].nvml.index, gpu->nvml.index) ||
		    same_number(base->gpus[i].amdgpu.index, gpu->amdgpu.index) ||
		    same_number(base->gpus[i].intel.index, gpu->intel.index))
			return &base->gpus[i];
	return NULL;
}

static bool has_address(const struct gpu *gpu)
{
	return strncmp(str_or(gpu->key, ""), "gpu", 3) != 0;
}

/*
 * Lines of lspci that were searched for, of which the command alone names the function, and functions of its tree: nothing
 * says that it is a GPU. Any other dump has a vendor or a driver, or a number or an identity.
 */
static bool may_be_no_gpu(const struct gpu *gpu)
{
	return !is_known(gpu->pci.vendor_id) && !is_known(gpu->pci.class_code) && !is_known(gpu->pci.driver) &&
	       !is_known(gpu->nvml.index) && !is_known(gpu->nvml.uuid) && !is_known(gpu->amdgpu.index) &&
	       !is_known(gpu->intel.index) &&
	       (gpu->nr_hops || gpu->pci.link_width.state != VAL_UNSET || gpu->pci.link_width_able.state != VAL_UNSET ||
		gpu->pci.max_payload_bytes.state != VAL_UNSET || gpu->pci.aspm.state != VAL_UNSET ||
		gpu->pci.config_all_ones.state != VAL_UNSET);
}

static void note_text(struct arena *arena, struct val_str *to, struct val_str value)
{
	if (!is_known(*to) && is_known(value))
		*to = val_str(arena_strdup(arena, str_or(value, "")));
}

/*
 * The GPUs of a part whose address is known; better parts come first, and their word stands. are_gpus: the part says so of
 * each.
 */
static void note_addresses(struct arena *arena, struct snapshot *named, const struct snapshot *part, bool are_gpus)
{
	for (size_t i = 0; i < part->nr_gpus; i++) {
		const struct gpu *gpu = &part->gpus[i];
		struct gpu *to;

		if (!has_address(gpu) || (!are_gpus && may_be_no_gpu(gpu)))
			continue;
		to = list_element(arena, named, gpus, gpu, str_or(gpu->key, ""));
		note_text(arena, &to->nvml.uuid, gpu->nvml.uuid);
		note_text(arena, &to->nvml.serial, gpu->nvml.serial);
		note_text(arena, &to->amdgpu.unique_id, gpu->amdgpu.unique_id);
		to->nvml.index = is_known(to->nvml.index) ? to->nvml.index : gpu->nvml.index;
		to->amdgpu.index = is_known(to->amdgpu.index) ? to->amdgpu.index : gpu->amdgpu.index;
		to->intel.index = is_known(to->intel.index) ? to->intel.index : gpu->intel.index;
	}
}

/*
 * Lines of a link alone, in a ticket that names no GPU: whose link it is that somebody asks about needs no name. It is
 * one that is narrowed, of as many lanes as GPUs have; "Width x2 (downgraded)" alone may be any device's, and at an
 * address of which nothing else is told there may be a network card.
 */
static bool is_link_asked_for(const struct gpu *gpu)
{
	enum { LANES_OF_GPUS = 16 };
	uint64_t able = u64_or(gpu->pci.link_width_able, 0);

	return able == LANES_OF_GPUS && u64_or(gpu->pci.link_width, able) < able && !gpu->nr_hops && !has_address(gpu);
}

/* are_any: texts tell of GPUs. */
static void name_by_address(struct arena *arena, const struct snapshot *named, bool are_any, struct snapshot *part)
{
	struct gpu *gpus = part->gpus;
	size_t nr = part->nr_gpus;

	part->gpus = NULL;
	part->nr_gpus = 0;
	for (size_t i = 0; i < nr; i++) {
		bool is_of_board = is_serial_shared(named->gpus, named->nr_gpus, &gpus[i]) || is_serial_shared(gpus, nr, &gpus[i]);
		const struct gpu *known = has_address(&gpus[i]) ? NULL : known_gpu(named, &gpus[i], is_of_board);
		const char *key;

		if (str_is(gpus[i].key, "gpu?") && is_link_asked_for(&gpus[i]) && named->nr_gpus == 1)
			known = &named->gpus[0];
		key = str_or(known ? known->key : gpus[i].key, "");
		if (may_be_no_gpu(&gpus[i]) && !list_find(named, gpus, gpu, key) && (are_any || !is_link_asked_for(&gpus[i])))
			continue;
		gpu_overlay(arena, list_element(arena, part, gpus, gpu, key), &gpus[i]);
	}
}

static bool is_any_taken(const struct dump_part *part)
{
	if (part->told)
		return true;
	for (size_t i = 0; i < part->nr_lines; i++)
		if (part->lines[i].is_taken)
			return true;
	return false;
}

/* Is each of its GPUs one for sure, with an address? Then no other part can tell more of who they are. */
static bool are_all_named(const struct snapshot *part)
{
	for (size_t i = 0; i < part->nr_gpus; i++)
		if (!has_address(&part->gpus[i]) || may_be_no_gpu(&part->gpus[i]))
			return false;
	return true;
}

/* Parts that were read, the better ones first. */
struct join {
	struct import *import;
	struct snapshot named;		/* GPUs by their addresses */
	struct waiting {
		const struct dump_part *part;
		struct snapshot *told;
	} *waiting;			/* for parts that tell who their GPUs are, and for those before them */
	size_t nr_waiting;
	struct machine_hosts hosts;
	const char *why;		/* the texts are of two machines; NULL: they are not */
};

static void overlay_part(struct join *join, const struct dump_part *part, const struct snapshot *told)
{
	struct snapshot *base = &join->import->snapshot;

	join->why = join->why ? join->why : machines_differ(&base->arena, &join->import->parts, base, told);
	join->why = join->why ? join->why : machines_of_prompts_differ(&base->arena, &join->hosts, base, part, told);
	snapshot_overlay(base, told);
}

/* In memory of its own, as most of what a part tells is told by others, too. */
static void join_part(struct join *join, const struct dump_part *part)
{
	struct arena *arena = &join->import->snapshot.arena;
	struct snapshot told = { .run = { .tool = { .state = VAL_UNSET } } };

	read_part(join->import, part, &told);
	if (is_any_taken(part)) {
		note_addresses(arena, &join->named, &told, part->told);
		if (!join->nr_waiting && are_all_named(&told)) {
			overlay_part(join, part, &told);
		} else {
			struct snapshot *kept = arena_alloc(arena, sizeof(told));

			join->waiting = arena_grow(arena, join->waiting, join->nr_waiting, sizeof(*join->waiting));
			join->waiting[join->nr_waiting++] = (struct waiting){ .part = part, .told = kept };
			snapshot_add(arena, kept, &told);
		}
	}
	snapshot_release(&told);
}

/* Does any part tell of something that is a GPU for sure, or several of links? Those are of several functions. */
static bool tells_of_gpus(const struct join *join)
{
	const struct dump_parts *parts = &join->import->parts;
	size_t nr_listings = 0;

	for (size_t i = 0; i < parts->nr; i++)
		nr_listings += parts->v[i].kind == DUMP_LSPCI ? 1 : 0;
	if (nr_listings > 1 || join->named.nr_gpus || join->import->snapshot.nr_gpus)
		return true;
	for (size_t i = 0; i < join->nr_waiting; i++)
		for (size_t k = 0; k < join->waiting[i].told->nr_gpus; k++)
			if (!may_be_no_gpu(&join->waiting[i].told->gpus[k]))
				return true;
	return false;
}

/* Of a GPU counts what the better parts tell, and the address that any of them tells. Returns why it is of two machines. */
static const char *join_parts(struct import *import)
{
	struct arena *arena = &import->snapshot.arena;
	struct join join = { .import = import };
	bool are_any;
	size_t nr;
	const struct dump_part **parts = in_order(arena, &import->parts, &nr);

	for (size_t i = 0; i < nr; i++)
		join_part(&join, parts[i]);
	are_any = tells_of_gpus(&join);
	for (size_t i = 0; i < join.nr_waiting; i++) {
		name_by_address(arena, &join.named, are_any, join.waiting[i].told);
		overlay_part(&join, join.waiting[i].part, join.waiting[i].told);
	}
	return join.why;
}

/* ---- sources */

static void count_taken(const struct dump_part *part, size_t *ret_lines, size_t *ret_taken)
{
	*ret_lines = *ret_taken = 0;
	for (size_t i = 0; i < part->nr_lines; i++) {
		*ret_lines += *part->lines[i].text ? 1 : 0;
		*ret_taken += *part->lines[i].text && part->lines[i].is_taken ? 1 : 0;
	}
}

static void add_source(struct snapshot *ret, const struct dump_part *part, size_t lines, size_t taken)
{
	struct arena *arena = &ret->arena;
	const struct dump_source *kind = dump_source(part->kind);
	struct import_source *source = list_element(arena, ret, sources, import_source, arena_printf(arena, "%u", part->number));

	source->file = val_str(part->file);
	source->kind = val_str(kind->id);
	source->title = val_str(kind->title);
	if (part->about)
		source->about = val_str(part->about);
	if (part->nr_lines)
		source->first_line = val_u64(part->lines[0].number);
	source->lines = val_u64(lines);
	source->lines_taken = val_u64(taken);
	source->is_cut = val_bool(part->is_cut);
	if (part->taken_at)
		source->taken_at = val_str(part->taken_at);
}

static void add_untaken(struct arena *arena, struct import_account *account, const struct dump_part *part)
{
	struct import_untaken *open = NULL;

	for (size_t i = 0; i < part->nr_lines; i++) {
		const struct dump_line *line = &part->lines[i];

		if (!*line->text)
			continue;
		if (line->is_taken) {
			open = NULL;
		} else if (open) {
			open->last_line = line->number;
		} else {
			account->untaken =
				arena_grow(arena, account->untaken, account->nr_untaken, sizeof(*account->untaken));
			open = &account->untaken[account->nr_untaken++];
			*open = (struct import_untaken){
				.file = part->file, .first_line = line->number, .last_line = line->number, .text = line->text,
			};
		}
	}
}

static void account_for(struct snapshot *ret, const struct dump_parts *parts, struct import_account *account)
{
	for (size_t i = 0; i < parts->nr; i++) {
		const struct dump_part *part = &parts->v[i];
		size_t lines, taken;

		count_taken(part, &lines, &taken);
		account->nr_lines += lines;
		account->nr_taken += taken;
		add_untaken(&ret->arena, account, part);
		if (!taken && !part->told)
			continue;
		account->nr_parts++;
		add_source(ret, part, lines, taken);
	}
}

/* The newest time that a part names is that of the import: ages are counted from it. */
static void take_time(struct snapshot *ret, const struct dump_parts *parts)
{
	for (size_t i = 0; i < parts->nr; i++)
		if (parts->v[i].taken_at && strcmp(parts->v[i].taken_at, str_or(ret->run.taken_at, "")) > 0)
			ret->run.taken_at = val_str(parts->v[i].taken_at);
}

/*
 * What one GPU of a model shows its twins are able to, as well. Where all have the same width nothing tells whether it is
 * all that they are able to.
 */
static void take_width_from_twins(const struct snapshot *snapshot, struct gpu *gpu)
{
	const struct gpu *widest = gpu;
	bool differs = false;

	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *twin = &snapshot->gpus[i];
		uint64_t width = u64_or(twin->amdgpu.link_width, 0), best = u64_or(widest->amdgpu.link_width, 0);

		if (!width || !same_text(twin->pci.device_id, gpu->pci.device_id))
			continue;
		differs |= width != best;
		widest = width > best ? twin : widest;
	}
	if (differs)
		gpu->pci.link_width_able = widest->amdgpu.link_width;
}

/*
 * Of the link nvidia-smi tells what the GPU sees of it; its maximum is what GPU and slot can do together. Of AMD's GPUs
 * the maximum is known only where the driver's view of the link is to be trusted.
 */
static void take_link_from_driver(struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		struct gpu *gpu = &snapshot->gpus[i];

		if (is_known(gpu->pci.link_width) && !is_known(gpu->pci.link_width_able) && !gpu->nr_hops)
			gpu->pci.link_width_able = gpu->nvml.link_width_max;
		if (is_known(gpu->pci.link_width) || (gpu->nr_hops && is_known(gpu->hops[0].pci.link_width)))
			continue;
		if (is_known(gpu->nvml.link_width)) {
			gpu->pci.link_width = gpu->nvml.link_width;
			gpu->pci.link_width_able = gpu->nvml.link_width_max;
			continue;
		}
		if (is_known(gpu->amdgpu.link_width) && !is_known(gpu->pci.link_width_able) && amd_is_instinct(gpu))
			take_width_from_twins(snapshot, gpu);
		if (is_known(gpu->amdgpu.link_width) && is_known(gpu->pci.link_width_able))
			gpu->pci.link_width = gpu->amdgpu.link_width;
	}
}

/* The GPUs that texts name by their addresses. */
static struct strs named_gpus(struct import *import)
{
	struct arena *arena = &import->snapshot.arena;
	struct strs ret = { .nr = 0 };

	for (size_t i = 0; i < import->parts.nr; i++) {
		struct snapshot scratch = { .run = { .tool = { .state = VAL_UNSET } } };

		if (dump_source(import->parts.v[i].kind)->read)
			read_part(import, &import->parts.v[i], &scratch);
		for (size_t k = 0; k < scratch.nr_gpus; k++)
			strs_add(arena, &ret, str_or(scratch.gpus[k].key, ""));
		snapshot_release(&scratch);
	}
	return ret;
}

const struct import_file *import_files(struct import *import, size_t *ret_nr)
{
	struct arena *arena = &import->snapshot.arena;
	bool has_any = false;
	struct strs gpus;

	*ret_nr = 0;
	for (size_t i = 0; i < import->parts.nr; i++)
		has_any |= import->parts.v[i].kind == DUMP_SYSFS;
	if (!has_any)
		return NULL;
	gpus = named_gpus(import);
	import->files = sysfs_files(arena, &import->parts, &gpus, &import->nr_files, &import->snapshot.run.import_notes);
	*ret_nr = import->nr_files;
	return import->files;
}

/* Last: what a reader took is none. */
static void take_claims(struct import *import)
{
	struct arena *arena = &import->snapshot.arena;
	struct dump_part part;

	if (xid_claims_part(arena, &import->parts, &part))
		read_part(import, dump_part_add(arena, &import->parts, &part), &import->snapshot);
}

int import_end(struct import *import, struct snapshot *ret, struct import_account *account, const char **why)
{
	struct snapshot *base = &import->snapshot;

	*account = (struct import_account){ .nr_parts = 0 };
	*why = join_parts(import);
	program_errors_end(base, &import->parts);
	take_link_from_driver(base);
	take_time(base, &import->parts);
	dump_logs_join(base, &import->parts);
	take_claims(import);
	account_for(base, &import->parts, account);
	base->run.source = val_str("import");
	*ret = *base;
	*base = (struct snapshot){ .run = { .tool = { .state = VAL_UNSET } } };
	if (*why)
		return -EXDEV;
	return account->nr_parts ? 0 : -ENODATA;
}

const char **import_log_lines(struct import *import, size_t *ret_nr)
{
	struct arena *arena = &import->snapshot.arena;
	struct log_origin *origins = log_parts_join(arena, &import->parts, 0, ret_nr);
	const char **ret = arena_alloc(arena, (*ret_nr + 1) * sizeof(*ret));

	for (size_t i = 0; i < *ret_nr; i++)
		ret[i] = origins[i].line ? origins[i].text : NULL;
	return ret;
}

bool import_is_report(const char *bytes, size_t len)
{
	static const char start[] = "Start of NVIDIA bug report log file";
	enum { FIRST_BYTES = 4096 };	/* a script's own words may stand before it */

	return memmem(bytes, len < FIRST_BYTES ? len : FIRST_BYTES, start, strlen(start));
}
