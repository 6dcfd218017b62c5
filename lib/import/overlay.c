// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/overlay.h"

enum { MAX_CONTRADICTIONS = 50 };

struct overlay {
	struct arena *arena;
	struct snapshot *base;		/* NULL: nobody wants to know of contradictions */
};

/* The way to a record, from the snapshot down. */
struct way {
	const struct way *up;
	const char *name;
	const char *element;	/* of a list: its key; else NULL */
};

static void overlay_record(const struct overlay *overlay, const struct way *way, const struct record *record,
			   char *base, const char *part);

/*
 * Does what `part` tells say more? A failure of the device itself is kept: that other tools got an answer is no cure.
 */
static bool tells_more(const struct val_head *base, const struct val_head *part)
{
	if (part->state == VAL_UNSET)
		return false;
	if (base->state == VAL_UNSET)
		return true;
	return part->state == VAL_OK && base->state != VAL_OK && base->state != VAL_ERROR && base->state != VAL_LOST;
}

/* ---- contradictions */

static void add_way(struct strbuf *out, const struct way *way)
{
	if (!way)
		return;
	add_way(out, way->up);
	strbuf_addf(out, "%s%s%s ", way->name, way->element ? " " : "", way->element ? way->element : "");
}

static const char *element_of(const struct way *way)
{
	while (way && !way->element)
		way = way->up;
	return way ? way->element : NULL;
}

/* Tables cut what they have no room for: "NVIDIA A100-SXM4-…", and newer drivers append a remark to a version. */
static bool is_same_text(const char *a, const char *b)
{
	size_t len = strlen(a) < strlen(b) ? strlen(a) : strlen(b);

	while (len && strchr(". ", a[len - 1]) && a[len - 1] != b[len - 1])
		len--;
	return !strncmp(a, b, len);
}

static struct val_str told(const struct overlay *overlay, const struct strbuf *text, const struct val_head *head)
{
	struct val_str ret = val_str(arena_strdup(overlay->arena, text->buf));

	ret.from = head->from;
	return ret;
}

/* A value, or the word of a line that there is none. */
static bool is_told(const struct val_head *head)
{
	return head->state == VAL_OK || (head->state == VAL_ABSENT && head->from);
}

static void format_told(struct strbuf *out, const struct field *field, const struct val_head *head)
{
	if (head->state == VAL_OK)
		value_format(out, field, head);
	else
		strbuf_addstr(out, "none");
}

/*
 * Tools round what a GPU is able to and shorten its name, and figures change: what is left is versions, settings, and
 * of what GPUs of a kind have alike their numbers in lists.
 */
static bool is_compared(const struct field *field)
{
	if (field->privacy != PRIVACY_PUBLIC)
		return false;
	if (field->class == CLASS_IDENTITY)
		return field->twin && field->kind == FIELD_STR && strcmp(field->name, "name") != 0 &&
		       strcmp(field->name, "model") != 0;
	return field->class == CLASS_VERSION || field->class == CLASS_SETTING;
}

/* base: the value that counts. */
static void note_contradiction(const struct overlay *overlay, const struct way *way, const struct field *field,
			       const struct val_head *base, const struct val_head *part)
{
	STRBUF_AUTO key = STRBUF_INIT;
	STRBUF_AUTO used = STRBUF_INIT;
	STRBUF_AUTO other = STRBUF_INIT;
	struct contradiction *to;

	if (!overlay->base || !is_told(base) || !is_told(part) || !is_compared(field))
		return;
	format_told(&used, field, base);
	format_told(&other, field, part);
	if (is_same_text(used.buf, other.buf) || overlay->base->nr_contradictions == MAX_CONTRADICTIONS)
		return;
	add_way(&key, way);
	strbuf_addstr(&key, field->name);
	to = list_element(overlay->arena, overlay->base, contradictions, contradiction, key.buf);
	if (is_known(to->used))
		return;
	to->field = val_str(field->name);
	if (element_of(way))
		to->element = val_str(arena_strdup(overlay->arena, element_of(way)));
	to->used = told(overlay, &used, base);
	to->other = told(overlay, &other, part);
}

/* ---- records */

static void overlay_list(const struct overlay *overlay, const struct way *way, const struct field *field, char *base,
			 const char *part)
{
	const struct record *record = field->record;
	void **list = (void *)(base + field->offset);
	size_t *nr = (void *)(base + field->offset_nr);
	const char *element = *(const char *const *)(const void *)(part + field->offset);
	size_t nr_elements = *(const size_t *)(const void *)(part + field->offset_nr);

	for (size_t i = 0; i < nr_elements; i++, element += record->size) {
		/* "key" is the first field of every record that stands in a list. */
		const struct val_str *key = (const void *)(element + record->fields[0].offset);
		const struct way below = { .up = way, .name = field->name, .element = str_or(*key, "") };

		overlay_record(overlay, &below, record, list_element_(overlay->arena, record, list, nr, below.element),
			       element);
	}
}

static void copy_value(struct arena *arena, const struct field *field, struct val_head *to, const struct val_head *from)
{
	memcpy(to, from, value_size(field));
	if (field->kind == FIELD_STR && from->state == VAL_OK) {
		struct val_str *text = (void *)to;

		*text = val_str(arena_strdup(arena, str_or(*text, "")));
		text->from = from->from;
	}
	if (from->why)
		to->why = arena_strdup(arena, from->why);
}

static void overlay_value(const struct overlay *overlay, const struct way *way, const struct field *field,
			  struct val_head *to, const struct val_head *from)
{
	if (tells_more(to, from)) {
		note_contradiction(overlay, way, field, from, to);
		copy_value(overlay->arena, field, to, from);
	} else {
		note_contradiction(overlay, way, field, to, from);
	}
}

static void overlay_f64s(struct arena *arena, struct f64s *to, const struct f64s *from)
{
	for (size_t i = 0, nr = to->nr ? 0 : from->nr; i < nr; i++)
		f64s_add(arena, to, from->v[i]);
}

static void overlay_strs(struct arena *arena, struct strs *to, const struct strs *from)
{
	for (size_t i = 0, nr = to->nr ? 0 : from->nr; i < nr; i++)
		strs_add(arena, to, from->v[i]);
}

static void overlay_field(const struct overlay *overlay, const struct way *way, const struct field *field, char *base,
			  const char *part)
{
	const struct way below = { .up = way, .name = field->name };
	void *to = base + field->offset;
	const void *from = part + field->offset;

	switch (field->kind) {
	case FIELD_RECORD:
		overlay_record(overlay, &below, field->record, to, from);
		return;
	case FIELD_LIST:
		overlay_list(overlay, way, field, base, part);
		return;
	case FIELD_F64S:
		overlay_f64s(overlay->arena, to, from);
		return;
	case FIELD_STRS:
		overlay_strs(overlay->arena, to, from);
		return;
	default:
		overlay_value(overlay, way, field, to, from);
	}
}

static void overlay_record(const struct overlay *overlay, const struct way *way, const struct record *record,
			   char *base, const char *part)
{
	for (size_t i = 0; i < record->nr; i++)
		overlay_field(overlay, way, &record->fields[i], base, part);
}

void snapshot_overlay(struct snapshot *base, const struct snapshot *part)
{
	const struct overlay overlay = { .arena = &base->arena, .base = base };

	overlay_record(&overlay, NULL, &record_snapshot, (char *)base, (const char *)part);
}

void snapshot_add(struct arena *arena, struct snapshot *base, const struct snapshot *part)
{
	const struct overlay overlay = { .arena = arena };

	overlay_record(&overlay, NULL, &record_snapshot, (char *)base, (const char *)part);
}

void gpu_overlay(struct arena *arena, struct gpu *base, const struct gpu *part)
{
	const struct overlay overlay = { .arena = arena };

	overlay_record(&overlay, NULL, &record_gpu, (char *)base, (const char *)part);
}

/* ---- of another boot */

static bool outlives_boot(const struct record *record, size_t field)
{
	static const size_t of_nvml[] = {
		/* Without it nothing of the GPU is judged. */
		FIELD_nvml_gpu_handle,
		FIELD_nvml_gpu_ecc_corrected_lifetime, FIELD_nvml_gpu_ecc_uncorrected_lifetime,
		FIELD_nvml_gpu_sram_uncorrected_lifetime, FIELD_nvml_gpu_sram_threshold_exceeded,
		FIELD_nvml_gpu_rows_remapped_corrected, FIELD_nvml_gpu_rows_remapped_uncorrected,
		FIELD_nvml_gpu_remap_failed, FIELD_nvml_gpu_banks_all_spares, FIELD_nvml_gpu_banks_few_spares,
		FIELD_nvml_gpu_banks_no_spares, FIELD_nvml_gpu_pages_retired_single_bit,
		FIELD_nvml_gpu_pages_retired_double_bit, FIELD_nvml_gpu_memory_unrepairable,
	};
	static const size_t of_amd[] = {
		FIELD_amdgpu_files_bad_pages, FIELD_amdgpu_files_unretired_bad_pages,
		FIELD_amdgpu_files_bad_page_threshold_exceeded,
	};

	for (size_t i = 0; record == &record_nvml_gpu && i < ARRAY_SIZE(of_nvml); i++)
		if (of_nvml[i] == field)
			return true;
	for (size_t i = 0; record == &record_amdgpu_files && i < ARRAY_SIZE(of_amd); i++)
		if (of_amd[i] == field)
			return true;
	return false;
}

static void forget_moment(const struct record *record, char *base)
{
	for (size_t i = 0; i < record->nr; i++) {
		const struct field *field = &record->fields[i];
		char *at = base + field->offset;
		const size_t nr = field->kind == FIELD_LIST ? *(size_t *)(void *)(base + field->offset_nr) : 1;
		char *element = field->kind == FIELD_LIST ? *(char **)(void *)at : at;

		struct val_head *head = (void *)at;

		if (field_is_value(field) && (field->class == CLASS_COUNTER || field->class == CLASS_GAUGE) &&
		    (head->state != VAL_OK || !outlives_boot(record, i)))
			head->state = VAL_UNSET;
		for (size_t k = 0; field->record && k < nr; k++)
			forget_moment(field->record, element + k * field->record->size);
	}
}

void snapshot_forget_moment(struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		forget_moment(&record_gpu, (char *)&snapshot->gpus[i]);
}
