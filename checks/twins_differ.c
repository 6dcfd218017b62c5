// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"

#include <stddef.h>

#include "checks/playbook.h"
#include "eval/facts/throttle.h"
#include "eval/facts/twins.h"
#include "eval/judge/field_words.h"
#include "eval/judge/unknown.h"
#include "eval/nvidia/nvml_error.h"

/* Fields whose difference another check judges: nothing is reported twice. */
static const char *const told_elsewhere[] = {
	"pci.driver",			/* gpu-bound */
	"pci.max_payload_bytes",	/* pcie-settings: a path of its own may be the reason */
	"pci.max_read_request_bytes",	/* pcie-settings */
	"nvml.nvlinks_active",		/* gpu-link, which knows a link that is asleep from one that is down */
	"amdgpu.xgmi_links_active",	/* gpu-link */
	"nvml.mig_enabled",		/* sharing: nodes are divided in part on purpose */
};

/* One fact from two sources: the first is left out if the second is known. */
static const struct {
	const char *name, *told_by;
} same_thing[] = {
	{ "nvml.name", "nvidia.model" },
	{ "nvml.vbios", "nvidia.vbios" },
	{ "nvml.gsp_firmware", "nvidia.firmware" },
	{ "nvml.link_generation_able", "pci.link_speed_able_mtps" },
	{ "nvml.bar1_total_bytes", "bar_bytes" },
	{ "amdgpu.visible_vram_bytes", "bar_bytes" },
};

/* Shorter is a moment, in which calls fail on GPUs that are well. */
enum { LONG_ENOUGH_MS = 5000 };

static bool is_field_known(const struct gpu *gpu, const struct twin_fields *fields, const char *name)
{
	for (size_t i = 0; i < fields->nr; i++)
		if (!strcmp(fields->items[i].name, name))
			return twin_value(gpu, &fields->items[i]).head.state == VAL_OK;
	return false;
}

static bool is_any_prohibited(const struct twin_list *twins)
{
	for (size_t i = 0; i < twins->nr; i++)
		if (str_is(twins->items[i]->nvml.compute_mode, "prohibited"))
			return true;
	return false;
}

/* A command set the power limit of this one, or of all that have another one, and said so. */
static bool is_limit_asked(const struct judgement *j, const struct twin_list *twins, const struct twin_field *field)
{
	const union any_value own = twin_value(j->gpu, field);
	size_t nr_other = 0, nr_asked = 0;

	for (size_t i = 0; i < twins->nr; i++) {
		const union any_value other = twin_value(twins->items[i], field);

		if (other.head.state != VAL_OK || u64_or(other.u64, 0) == u64_or(own.u64, 0))
			continue;
		nr_other++;
		nr_asked += bool_or(twins->items[i]->power_limit_asked, false) ? 1 : 0;
	}
	return bool_or(j->gpu->power_limit_asked, false) || (nr_other && nr_asked == nr_other);
}

static bool is_told_elsewhere(struct judgement *j, const struct twin_list *twins, const struct twin_fields *fields,
			      const struct twin_field *field)
{
	for (size_t i = 0; i < ARRAY_SIZE(told_elsewhere); i++)
		if (!strcmp(field->name, told_elsewhere[i]))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(same_thing); i++)
		if (!strcmp(field->name, same_thing[i].name) &&
		    is_field_known(j->gpu, fields, same_thing[i].told_by))
			return true;
	/* Somebody asked for it. */
	if (strstr(field->name, ".power_limit_mw") && is_limit_asked(j, twins, field))
		return true;
	/* sharing */
	if (!strcmp(field->name, "nvml.compute_mode") && is_any_prohibited(twins))
		return true;
	/* throttle-power and throttle-clocks: lowered on one of them. */
	return throttle_tells_difference(j, twins, field);
}

static void note_value(struct judgement *j, const char *name, const struct field *field, const union any_value *value)
{
	switch (field->kind) {
	case FIELD_U64:
		derive(j, name, field->unit, (double)u64_or(value->u64, 0), field->source);
		break;
	case FIELD_F64:
		derive(j, name, field->unit, f64_or(value->f64, 0.0), field->source);
		break;
	case FIELD_BOOL:
		derive_str(j, name, bool_or(value->boolean, false) ? "yes" : "no", field->source);
		break;
	default:
		derive_str(j, name, str_or(value->str, "?"), field->source);
		break;
	}
}

/* True where there was something to compare; that twins are of one make and model goes without saying. */
static bool judge_field(struct judgement *j, const struct twin_list *twins, const struct twin_field *field)
{
	union any_value own = twin_value(j->gpu, field);
	struct twin_look look;

	question(j);
	twins_look(j->arena, twins, j->gpu, field, &look);
	if (look.nr < 2)
		return false;
	derive_str(j, "field", field->name, "the field");
	derive_str(j, "meaning", field->field->doc, "the field");
	note_value(j, "value", field->field, &own);
	if (look.has_majority) {
		note_value(j, "twin_value", field->field, &look.majority);
		finding_add_of(j, TWINS_DIFFER_ODD_ONE, field->name);
	} else if (look.nr_other * 2 >= look.nr) {
		/* No majority: it is open which of them is right. */
		derive_str(j, "values", look.values, "of all GPUs of this model");
		finding_add_of(j, TWINS_DIFFER_NO_MAJORITY, field->name);
	}
	return field->field->class != CLASS_IDENTITY;
}

static struct val_str uuid_of(const struct gpu *gpu)
{
	return is_known(gpu->nvml.uuid) ? gpu->nvml.uuid : gpu->nvidia.uuid;
}

/* Chips of one board may share its serial number (A16, K80); a UUID is a GPU's alone, and schedulers go by it. */
static void judge_uuid(struct judgement *j)
{
	const char *own = str_or(uuid_of(j->gpu), NULL);
	bool is_shared = false;

	for (size_t i = 0; i < j->snapshot->nr_gpus && own; i++)
		is_shared |= &j->snapshot->gpus[i] != j->gpu && str_is(uuid_of(&j->snapshot->gpus[i]), own);
	if (!is_shared)
		return;
	question(j);
	if (is_known(j->gpu->nvml.uuid))
		want(j, nvml_gpu, &j->gpu->nvml, uuid);
	else
		want(j, nvidia_files, &j->gpu->nvidia, uuid);
	finding_add(j, TWINS_DIFFER_SAME_UUID);
}

/* Sources of a GPU's values, and the values that stand for each. */
static const struct source {
	const struct record *record;
	size_t offset;			/* in struct gpu */
	const char *name, *address;	/* the place of its steps that names the GPU */
} sources[] = {
	{ &record_nvml_gpu, offsetof(struct gpu, nvml), "NVIDIA's library", "nvidia_address" },
	{ &record_amdgpu_files, offsetof(struct gpu, amdgpu), "amdgpu", "amd_address" },
	{ &record_intel_files, offsetof(struct gpu, intel), "i915, xe", "intel_address" },
};

static struct val_head head_of(const struct gpu *gpu, const struct source *source, const struct field *field)
{
	return *(const struct val_head *)(const void *)((const char *)gpu + source->offset + field->offset);
}

/* Two of its twins or more have that value. */
static bool do_twins_answer(const struct judgement *j, const struct twin_list *twins, const struct source *source,
			    const struct field *field)
{
	size_t nr = 0;

	for (size_t i = 0; i < twins->nr; i++)
		nr += twins->items[i] != j->gpu && head_of(twins->items[i], source, field).state == VAL_OK;
	return nr >= 2;
}

/* Of a table of amd-smi's or rocm-smi's its reader saw that nothing of the GPU answered. */
static bool is_told_mute(const struct judgement *j, const struct source *source)
{
	return source->record == &record_amdgpu_files && str_is(j->snapshot->run.source, "import");
}

/* Is that an answer which a source that was asked again and again still owes? */
static bool is_owed(const struct judgement *j, const struct source *source, const struct field *field,
		    struct val_head head)
{
	const struct unknown_place place = { .snapshot = j->snapshot, .policy = j->policy, .gpu = j->gpu };

	if (source->record != &record_nvml_gpu)
		return val_failed_for_now(head) || (is_told_mute(j, source) && head.state == VAL_ERROR);
	return head.state == VAL_ERROR && !nvml_error_is(head.why, "INVALID_ARGUMENT") &&
	       unknown_kind(&place, field, head) >= UNKNOWN_LISTED;
}

/* It was asked again and again, and fails on this GPU alone. */
static void judge_source(struct judgement *j, const struct twin_list *twins, const struct source *source,
			 uint64_t unanswered_ms)
{
	const uint64_t whole_s = unanswered_ms / 1000;
	const char *error = NULL, *first = NULL, *address = str_or(j->gpu->key, "?");
	size_t nr = 0;

	if (unanswered_ms < LONG_ENOUGH_MS && !is_told_mute(j, source))
		return;
	for (size_t i = 0; i < source->record->nr; i++) {
		const struct field *field = &source->record->fields[i];
		struct val_head head;

		if (!field_is_value(field))
			continue;
		head = head_of(j->gpu, source, field);
		if (!is_owed(j, source, field, head) || !do_twins_answer(j, twins, source, field))
			continue;
		if (!nr++) {
			first = field_words(j->arena, field);
			error = head.why;
		}
	}
	if (!nr)
		return;
	question(j);
	if (!is_told_mute(j, source))
		derive(j, "unanswered_s", UNIT_S, (double)whole_s, "unanswered_ms");
	phrase(j, "long",
	       is_told_mute(j, source) ? ""
				       : arena_printf(j->arena, " for %s", figure_words(j, UNIT_S, (double)whole_s)));
	derive_str(j, "values", nr == 1 ? first : arena_printf(j->arena, "%s and %zu more", first, nr - 1),
		   source->name);
	derive_str(j, "error", error ? error : "an error", source->name);
	derive_str(j, "gpu_address", address, "the bus");
	phrase(j, is_told_mute(j, source) ? "amd_number" : source->address, address);
	finding_add(j, TWINS_DIFFER_NO_ANSWER);
}

static void judge_answers(struct judgement *j, const struct twin_list *twins)
{
	const uint64_t unanswered_ms[ARRAY_SIZE(sources)] = {
		u64_or(j->gpu->nvml.unanswered_ms, 0), u64_or(j->gpu->amdgpu.unanswered_ms, 0),
		u64_or(j->gpu->intel.unanswered_ms, 0),
	};

	for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
		judge_source(j, twins, &sources[i], unanswered_ms[i]);
}

static void eval(struct judgement *j)
{
	const struct twin_fields *fields = j->twin_fields;
	struct twin_list twins;
	size_t nr = 0;

	judge_uuid(j);
	twins_of(j->arena, j->snapshot, j->gpu, &twins);
	if (twins.nr < 2) {
		skip_check(j, "no twin to compare with");
		return;
	}
	judge_answers(j, &twins);
	for (size_t i = 0; i < fields->nr; i++)
		if (!is_told_elsewhere(j, &twins, fields, &fields->items[i]))
			nr += judge_field(j, &twins, &fields->items[i]);
	question(j);
	if (!nr) {
		skip_check(j, "no value to compare with its twins");
		return;
	}
	want(j, pci_function, &j->gpu->pci, device_id);
	derive(j, "fields_compared", UNIT_COUNT, (double)nr, "fields known of it and of a twin");
}

const struct check check_twins_differ = {
	.name = "twins-differ",
	.title = "Same as its twins",
	.doc = "Do GPUs of one model and board have the same firmware, settings, capabilities and sizes? One that "
	       "differs from a majority of three or more is named, with the field. Without a majority it is a note. A "
	       "value that could not be read is no difference, unless NVIDIA's library, amdgpu, i915 or xe fails to "
	       "report it for one GPU for 5 s while two of its twins have it: a warning. A UUID that two GPUs report "
	       "is a note.",
	.per = SUBJECT_GPU,
	.needs = NEEDS_LINKS | NEEDS_VENDOR,
	.says = "same as its twins ({fields_compared|setting|settings})",
	.may_emit = IDS(TWINS_DIFFER_ODD_ONE, TWINS_DIFFER_NO_MAJORITY, TWINS_DIFFER_NO_ANSWER, TWINS_DIFFER_SAME_UUID),
	.eval = eval,
};
