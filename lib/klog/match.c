// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "klog/match.h"

#include "base/all_ones.h"
#include "base/text.h"
#include "klog/nvidia.h"
#include "klog/pattern_index.h"

typedef bool fits_fn(const struct klog_step *steps, size_t nr, struct span text, struct klog_fields *ret);

static bool match_pattern(const struct klog_pattern *pattern, fits_fn *fits, struct klog_match *ret)
{
	const struct klog_prepared *prepared = klog_prepared_pattern(pattern);
	struct klog_fields fields;

	/* Of hundreds of numbers one is this line's: nothing is copied for the others. */
	if (pattern->family == KLOG_FAMILY_XID && (!prepared->has_code || prepared->code != ret->source.fields.code))
		return false;
	if (pattern->driver && !span_is(ret->source.driver, pattern->driver))
		return false;
	if (fits == klog_steps_match && !klog_steps_may_match(prepared->steps, prepared->nr, ret->source.body))
		return false;
	fields = ret->source.fields;
	memcpy(fields.pci, ret->source.pci, sizeof(fields.pci));
	if (!fits(prepared->steps, prepared->nr, ret->source.body, &fields))
		return false;
	/* What PCI says of a GPU in its driver's name stays the driver's. */
	if (ret->source.family == KLOG_FAMILY_DRM)
		ret->source.family = pattern->family;
	ret->pattern = pattern;
	ret->role = pattern->role;
	ret->row = pattern->row;
	ret->mark = pattern->mark;
	ret->fields = fields;
	return true;
}

static bool match_family(enum klog_family family, struct klog_match *ret)
{
	struct klog_pattern_list patterns = klog_family_patterns(family);
	struct span body = ret->source.body;

	for (size_t i = 0; i < patterns.nr; i++) {
		/* Most say at their first letter that they are none. */
		if (patterns.firsts[i] && (body.at == body.end || *body.at != patterns.firsts[i]) &&
		    family != KLOG_FAMILY_XID)
			continue;
		if (match_pattern(&klog_patterns[patterns.indexes[i]], klog_steps_match, ret))
			return true;
	}
	return false;
}

/* Whose a bare [drm] is, only what it says can tell. */
static const enum klog_family of_drm[] = { KLOG_FAMILY_AMDGPU, KLOG_FAMILY_INTEL, KLOG_FAMILY_RADEON,
					   KLOG_FAMILY_NOUVEAU, KLOG_FAMILY_NVIDIA };

static bool match_families(struct klog_match *ret)
{
	if (ret->source.family == KLOG_FAMILY_DRM) {
		for (size_t i = 0; i < ARRAY_SIZE(of_drm); i++)
			if (match_family(of_drm[i], ret))
				return true;
		return false;
	}
	return match_family(ret->source.family, ret) ||
	       (ret->source.is_device_line && match_family(KLOG_FAMILY_PCI, ret));
}

/* "… changed from 0x0 (None) to 0x1" whose words were cut off: the number says what the driver asks for. */
static void refine_action(struct klog_match *ret)
{
	static const enum klog_row_id rows[] = { KLOG_ROW_XID_154_NONE, KLOG_ROW_XID_154_RESET, KLOG_ROW_XID_154_REBOOT,
						 KLOG_ROW_XID_154_DRAIN_P2P, KLOG_ROW_XID_154_DRAIN_AND_RESET,
						 KLOG_ROW_XID_154_IMEX };
	struct span at = ret->source.body;
	uint64_t action;
	const char *to;

	if (ret->row != KLOG_ROW_XID_154 || !(to = memmem(at.at, span_len(at), " to 0x", strlen(" to 0x"))))
		return;
	at.at = to + strlen(" to ");
	if (!span_take_hex(&at, &action) || action >= ARRAY_SIZE(rows))
		return;
	ret->row = rows[action];
	if (ret->row == KLOG_ROW_XID_154_NONE)
		ret->mark = KLOG_MARK_RESET_OK;
}

enum klog_family klog_gpu_tool_family(struct span name)
{
	static const struct { const char *name; enum klog_family family; } tools[] = {
#define GPU_TOOL(name_, family_) { .name = name_, .family = KLOG_FAMILY_##family_ },
#include "klog/gpu_tools.def"
	};

	for (size_t i = 0; i < ARRAY_SIZE(tools); i++)
		if (span_is(name, tools[i].name))
			return tools[i].family;
	return KLOG_FAMILY_HOST;
}

/* What numbers and names tell beyond the words around them. */
static void refine(struct klog_match *ret)
{
	if (ret->role != KLOG_ROLE_EVENT)
		return;
	if (ret->source.family == KLOG_FAMILY_XID)
		ret->row = klog_nvlink_row(ret->row, ret->fields.code, ret->source.body);
	else if (ret->source.family == KLOG_FAMILY_SXID)
		ret->row = klog_sxid_row(ret->row, ret->fields.code);
	else if (ret->row == KLOG_ROW_HUNG_TASK && klog_gpu_tool_family(ret->fields.process) != KLOG_FAMILY_HOST)
		ret->row = KLOG_ROW_HUNG_TOOL;
	refine_action(ret);
	if (klog_rows[ret->row].kind == KLOG_AMDGPU_RAS && ret->fields.has_count &&
	    is_all_ones_errors(ret->fields.count))
		ret->row = KLOG_ROW_AMDGPU_READS_ONES;
	/* The same event without its number: "GPU has fallen off the bus". */
	if (!ret->fields.has_code && klog_rows[ret->row].code >= 0) {
		ret->fields.has_code = true;
		ret->fields.code = (uint64_t)klog_rows[ret->row].code;
	}
}

/* What fits a line that was cut, if that is of one row only: others may begin so, too. */
static bool match_family_cut(enum klog_family family, struct klog_match *ret)
{
	struct klog_pattern_list patterns = klog_family_patterns(family);
	bool has_any = false;

	for (size_t i = 0; i < patterns.nr; i++) {
		struct klog_match match = { .source = ret->source };

		if (!match_pattern(&klog_patterns[patterns.indexes[i]], klog_steps_match_cut, &match))
			continue;
		if (has_any && (match.row != ret->row || match.role != ret->role))
			return false;
		*ret = match;
		has_any = true;
	}
	return has_any;
}

/* "… previous comm…" of journalctl, "… previous comm>" of less -S: the rest had no room on the screen. */
static bool match_cut(struct klog_match *ret)
{
	static const char ellipsis[] = "…";
	const size_t len = strlen(ellipsis);
	struct span *body = &ret->source.body;

	if (span_len(*body) > len && !memcmp(body->end - len, ellipsis, len))
		body->end -= len;
	else if (span_len(*body) > 1 && body->end[-1] == '>' && !memchr(body->at, '<', span_len(*body)))
		body->end--;
	else
		return false;
	if (ret->source.family != KLOG_FAMILY_DRM)
		return ret->source.family != KLOG_FAMILY_XID && match_family_cut(ret->source.family, ret);
	for (size_t i = 0; i < ARRAY_SIZE(of_drm); i++)
		if (match_family_cut(of_drm[i], ret))
			return true;
	return false;
}

/* "0 uncorrectable hardware errors detected in umc block": what was counted has not happened. */
static bool is_of_none(const struct klog_match *match)
{
	return match->role == KLOG_ROLE_EVENT && match->fields.has_count && !match->fields.count;
}

bool klog_match(const struct klog_line *line, struct klog_match *ret)
{
	struct klog_source source;

	if (line->origin == KLOG_ORIGIN_USER)
		return false;
	klog_source_find(line->text, &source);
	return klog_match_spoken(&source, ret);
}

bool klog_match_spoken(const struct klog_source *source, struct klog_match *ret)
{
	*ret = (struct klog_match){ .source = *source };
	if (match_families(ret) || match_cut(ret)) {
		refine(ret);
		return ret->role != KLOG_ROLE_HARMLESS && !is_of_none(ret);
	}
	if (ret->source.family != KLOG_FAMILY_XID)
		return false;
	ret->role = KLOG_ROLE_EVENT;
	ret->row = klog_xid_row(ret->source.fields.code);
	ret->fields = ret->source.fields;
	memcpy(ret->fields.pci, ret->source.pci, sizeof(ret->fields.pci));
	refine(ret);
	return true;
}

/* Is a line with this match about the device of an event, or about its reporter? */
static bool is_about(const struct klog_match *match, const struct klog_open *open)
{
	const char *device = match->fields.pci;

	if (match->fields.has_link && open->has_link && match->fields.link != open->link)
		return false;
	return !device[0] || !open->device[0] || !strcmp(device, open->device) || !strcmp(device, open->reporter);
}

/* May the upper one be a bridge above the lower one? Buses are counted downwards. */
static bool may_be_above(const char *upper, const char *lower)
{
	struct pci_address up, down;

	return !parse_pci_address(upper, &up) && !parse_pci_address(lower, &down) && up.domain == down.domain &&
	       up.bus < down.bus;
}

/* Is it a bridge, and may it stand above the device of an event? */
static bool is_spoken_above(const struct klog_source *source, const struct klog_open *open)
{
	return span_is(source->driver, "pcieport") && may_be_above(source->pci, open->device);
}

/* Most lines are of another device, as their prefix shows. */
static bool is_spoken_about(const struct klog_source *source, const struct klog_open *open)
{
	return !source->pci[0] || !open->device[0] || !open->reporter[0] || !strcmp(source->pci, open->device) ||
	       !strcmp(source->pci, open->reporter);
}

bool klog_match_reclassify(const struct klog_source *source, const struct klog_open *open, struct klog_match *ret)
{
	struct klog_pattern_list turns = klog_reclassify_patterns(open->row);
	bool is_above;

	if (!turns.nr)
		return false;
	is_above = is_spoken_above(source, open);
	if (!is_above && !is_spoken_about(source, open))
		return false;
	*ret = (struct klog_match){ .source = *source };
	for (size_t i = 0; i < turns.nr; i++) {
		const struct klog_pattern *pattern = &klog_patterns[turns.indexes[i]];

		if (pattern <= open->pattern)
			continue;
		/* A bare [drm] goes on with whatever driver says that. */
		if (pattern->family != ret->source.family && ret->source.family != KLOG_FAMILY_DRM &&
		    (pattern->family != KLOG_FAMILY_PCI || !ret->source.is_device_line))
			continue;
		if (!match_pattern(pattern, klog_steps_match, ret))
			continue;
		ret->is_from_above = !is_about(ret, open);
		if (!ret->is_from_above || (is_above && pattern->is_said_above))
			return true;
	}
	return false;
}

bool klog_match_means_other(const struct klog_match *turn, const struct klog_open *open,
			    const struct klog_open *other)
{
	const char *bridge = turn->source.pci;

	if (!turn->is_from_above || (other->row != KLOG_ROW_AER_FATAL && other->row != KLOG_ROW_PCIE_DPC &&
				     other->row != KLOG_ROW_PCIE_RESET_FAILED))
		return false;
	return !strcmp(bridge, other->device) || !strcmp(bridge, other->reporter) ||
	       (may_be_above(bridge, other->device) && !may_be_above(open->device, other->device));
}

unsigned klog_follow(const struct klog_match *match)
{
	unsigned follow, details;

	if (match->role == KLOG_ROLE_MARK)
		return 0;
	follow = klog_reclassify_lines(match->row);
	details = klog_detail_follow(match->source.family);
	if (match->source.is_device_line && klog_detail_follow(KLOG_FAMILY_PCI) > details)
		details = klog_detail_follow(KLOG_FAMILY_PCI);
	return follow > details ? follow : details;
}
