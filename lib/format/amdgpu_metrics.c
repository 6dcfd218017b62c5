// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * amdgpu_metrics.c - the versions of gpu_metrics as data, and the one reader
 * that goes through them.
 */
#include "base/compat.h"
#include "format/amdgpu_metrics.h"

#include <errno.h>

/* Of several numbers for one value: */
enum combine {
	HIGHEST,	/* clocks of a chip's parts */
	SUM,		/* counters of several reasons of one kind */
	EACH,		/* one value for each */
};

/* Where a value goes, and what its numbers are multiplied by to have its unit. */
struct target {
	uint16_t member;	/* of struct amdgpu_metrics */
	bool is_f64;
	enum combine combine;
	uint16_t times;
	uint16_t per;
};

#define U64(member_, times_) \
	{ .member = offsetof(struct amdgpu_metrics, member_), .times = (times_), .per = 1 }
#define F64(member_, per_) \
	{ .member = offsetof(struct amdgpu_metrics, member_), .is_f64 = true, .times = 1, .per = (per_) }
#define SUMMED(member_) \
	{ .member = offsetof(struct amdgpu_metrics, member_), .combine = SUM, .times = 1, .per = 1 }
#define LINKS \
	{ .member = offsetof(struct amdgpu_metrics, xgmi_link_status), .combine = EACH, .times = 1, .per = 1 }

/* A field of a table: where it is, of how many bytes, how many of them. */
struct field_place {
	struct target target;
	uint16_t at;
	uint8_t bytes;
	uint8_t nr;
};

#define AT(at_, bytes_, target_) { .target = target_, .at = (at_), .bytes = (bytes_), .nr = 1 }
#define AT_MANY(at_, bytes_, nr_, target_) { .target = target_, .at = (at_), .bytes = (bytes_), .nr = (nr_) }

static const struct field_place fields_1_0[] = {
	AT(16, 2, F64(edge_c, 1)),
	AT(18, 2, F64(hotspot_c, 1)),
	AT(20, 2, F64(memory_c, 1)),
	AT(28, 2, F64(gfx_busy_percent, 1)),
	AT(34, 2, U64(socket_power_mw, 1000)),
	AT(40, 2, U64(average_gfxclk_mhz, 1)),
	AT(54, 2, U64(current_gfxclk_mhz, 1)),
	AT(68, 4, U64(throttle_status, 1)),
	AT(74, 1, U64(pcie_link_width, 1)),
	AT(75, 1, U64(pcie_link_speed_mtps, 100)),
};

/* Of 1.1, 1.2 and 1.3: each has more at its end than the one before. */
#define FIELDS_SINCE_1_1 \
	AT(4, 2, F64(edge_c, 1)), \
	AT(6, 2, F64(hotspot_c, 1)), \
	AT(8, 2, F64(memory_c, 1)), \
	AT(16, 2, F64(gfx_busy_percent, 1)), \
	AT(22, 2, U64(socket_power_mw, 1000)), \
	AT(40, 2, U64(average_gfxclk_mhz, 1)), \
	AT(54, 2, U64(current_gfxclk_mhz, 1)), \
	AT(68, 4, U64(throttle_status, 1)), \
	AT(74, 2, U64(pcie_link_width, 1)), \
	AT(76, 2, U64(pcie_link_speed_mtps, 100))

static const struct field_place fields_1_1[] = { FIELDS_SINCE_1_1 };
static const struct field_place fields_1_3[] = { FIELDS_SINCE_1_1, AT(112, 8, U64(indep_throttle_status, 1)) };

/* Of 1.4 to 1.8, which have no edge of a chip but several chips. */
#define TEMPERATURES_SINCE_1_4 \
	AT(4, 2, F64(hotspot_c, 1)), \
	AT(6, 2, F64(memory_c, 1)), \
	AT(10, 2, U64(socket_power_mw, 1000)), \
	AT(12, 2, F64(gfx_busy_percent, 1))
/* PCIe's width, its speed and those of xGMI stand side by side. */
#define LINKS_AT(at_) \
	AT((at_), 2, U64(pcie_link_width, 1)), \
	AT((at_) + 2, 2, U64(pcie_link_speed_mtps, 100)), \
	AT((at_) + 4, 2, U64(xgmi_link_width, 1)), \
	AT((at_) + 6, 2, U64(xgmi_link_speed_mtps, 1000))
#define PCIE_ERRORS_AT(at_) \
	AT((at_), 8, U64(pcie_recoveries, 1)), \
	AT((at_) + 8, 8, U64(pcie_replays, 1))
#define RESIDENCIES_AT(at_) \
	AT((at_), 4, U64(accumulation_counter, 1)), \
	AT((at_) + 4, 4, U64(prochot_residency, 1)), \
	AT((at_) + 8, 4, U64(ppt_residency, 1)), \
	AT((at_) + 12, 4, U64(socket_thm_residency, 1)), \
	AT((at_) + 16, 4, U64(vr_thm_residency, 1)), \
	AT((at_) + 20, 4, U64(hbm_thm_residency, 1))
/* Data read and written by each link stand one after the other. */
#define TRAFFIC_AT(energy_, pcie_, xgmi_) \
	AT((energy_), 8, U64(energy_counts, 1)), \
	AT((pcie_), 8, U64(pcie_mbps, 1)), \
	AT_MANY((xgmi_), 8, AMDGPU_METRICS_XGMI_LINKS, SUMMED(xgmi_read_kib)), \
	AT_MANY((xgmi_) + 64, 8, AMDGPU_METRICS_XGMI_LINKS, SUMMED(xgmi_written_kib))
#define CLOCKS_AT(at_) AT_MANY((at_), 2, 8, U64(current_gfxclk_mhz, 1))

static const struct field_place fields_1_4[] = {
	TEMPERATURES_SINCE_1_4, AT(40, 4, U64(throttle_status, 1)), LINKS_AT(48), PCIE_ERRORS_AT(80), CLOCKS_AT(240),
	TRAFFIC_AT(24, 72, 104),
};
static const struct field_place fields_1_5[] = {
	TEMPERATURES_SINCE_1_4, AT(104, 4, U64(throttle_status, 1)), LINKS_AT(112), PCIE_ERRORS_AT(144), CLOCKS_AT(312),
	TRAFFIC_AT(88, 136, 176),
};
static const struct field_place fields_1_6[] = {
	TEMPERATURES_SINCE_1_4, RESIDENCIES_AT(32), LINKS_AT(60), PCIE_ERRORS_AT(96), CLOCKS_AT(264),
	TRAFFIC_AT(16, 88, 128),
};
static const struct field_place fields_1_7[] = {
	TEMPERATURES_SINCE_1_4, RESIDENCIES_AT(40), LINKS_AT(68), PCIE_ERRORS_AT(104),
	AT_MANY(264, 2, AMDGPU_METRICS_XGMI_LINKS, LINKS), CLOCKS_AT(296),
	TRAFFIC_AT(24, 96, 136),
};

/* APUs: hundredths of a degree; the unit of their power and use differs from chip to chip and is not reported. */
static const struct field_place fields_2_0[] = {
	AT(16, 2, F64(edge_c, 100)),
	AT(68, 2, U64(average_gfxclk_mhz, 1)),
	AT(80, 2, U64(current_gfxclk_mhz, 1)),
	AT(112, 4, U64(throttle_status, 1)),
};
#define FIELDS_SINCE_2_1 \
	AT(4, 2, F64(edge_c, 100)), \
	AT(64, 2, U64(average_gfxclk_mhz, 1)), \
	AT(76, 2, U64(current_gfxclk_mhz, 1)), \
	AT(108, 4, U64(throttle_status, 1))
static const struct field_place fields_2_1[] = { FIELDS_SINCE_2_1 };
static const struct field_place fields_2_2[] = { FIELDS_SINCE_2_1, AT(120, 8, U64(indep_throttle_status, 1)) };

static const struct field_place fields_3_0[] = {
	AT(4, 2, F64(edge_c, 100)),
	AT(42, 2, F64(gfx_busy_percent, 1)),
	AT(112, 4, U64(socket_power_mw, 1)),
	AT(174, 2, U64(average_gfxclk_mhz, 1)),
	AT(228, 4, U64(prochot_residency, 1)),
	AT_MANY(232, 4, 3, SUMMED(ppt_residency)),
	AT_MANY(244, 4, 3, SUMMED(socket_thm_residency)),
};

static const struct layout {
	const char *name;
	uint8_t format, content;
	uint16_t bytes;
	uint16_t nr;
	const struct field_place *fields;
} layouts[] = {
#define LAYOUT(format_, content_, bytes_, fields_) \
	{ .name = #format_ "." #content_, .format = (format_), .content = (content_), .bytes = (bytes_), \
	  .nr = ARRAY_SIZE(fields_), .fields = (fields_) }
	LAYOUT(1, 0, 80, fields_1_0),
	LAYOUT(1, 1, 96, fields_1_1),
	LAYOUT(1, 2, 104, fields_1_1),
	LAYOUT(1, 3, 120, fields_1_3),
	LAYOUT(1, 4, 288, fields_1_4),
	LAYOUT(1, 5, 360, fields_1_5),
	/* In some kernels 1.6 has a throttle_status in its midst: it is recognized by its size, and refused. */
	LAYOUT(1, 6, 1664, fields_1_6),
	LAYOUT(1, 7, 2208, fields_1_7),
	LAYOUT(1, 8, 3872, fields_1_7),
	LAYOUT(2, 0, 120, fields_2_0),
	LAYOUT(2, 1, 120, fields_2_1),
	LAYOUT(2, 2, 128, fields_2_2),
	LAYOUT(2, 3, 152, fields_2_2),
	LAYOUT(2, 4, 168, fields_2_2),
	LAYOUT(3, 0, 264, fields_3_0),
	/* Names its fields itself; of no size. */
	{ .name = "1.9", .format = 1, .content = 9 },
};

/* Fields of 1.9 by their number, enum amdgpu_metrics_attr_id. Its other fields are passed over. */
static const struct attribute {
	uint16_t id;
	struct target target;
} attributes[] = {
	{ .id = 0, .target = F64(hotspot_c, 1) },
	{ .id = 1, .target = F64(memory_c, 1) },
	{ .id = 3, .target = U64(socket_power_mw, 1000) },
	{ .id = 4, .target = F64(gfx_busy_percent, 1) },
	{ .id = 7, .target = U64(energy_counts, 1) },
	{ .id = 9, .target = U64(accumulation_counter, 1) },
	{ .id = 10, .target = U64(prochot_residency, 1) },
	{ .id = 11, .target = U64(ppt_residency, 1) },
	{ .id = 12, .target = U64(socket_thm_residency, 1) },
	{ .id = 13, .target = U64(vr_thm_residency, 1) },
	{ .id = 14, .target = U64(hbm_thm_residency, 1) },
	{ .id = 16, .target = U64(pcie_link_width, 1) },
	{ .id = 17, .target = U64(pcie_link_speed_mtps, 100) },
	{ .id = 18, .target = U64(xgmi_link_width, 1) },
	{ .id = 19, .target = U64(xgmi_link_speed_mtps, 1000) },
	{ .id = 23, .target = U64(pcie_mbps, 1) },
	{ .id = 24, .target = U64(pcie_recoveries, 1) },
	{ .id = 25, .target = U64(pcie_replays, 1) },
	{ .id = 29, .target = SUMMED(xgmi_read_kib) },
	{ .id = 30, .target = SUMMED(xgmi_written_kib) },
	{ .id = 31, .target = LINKS },
	{ .id = 33, .target = U64(current_gfxclk_mhz, 1) },
};

static uint64_t little_endian(const unsigned char *at, unsigned bytes)
{
	uint64_t value = 0;

	while (bytes)
		value = value << 8 | at[--bytes];
	return value;
}

static uint64_t all_ones(unsigned bytes)
{
	return UINT64_MAX >> (64 - 8 * bytes);
}

/* How a field's numbers are held. */
struct form {
	unsigned bytes;
	uint64_t unfilled;	/* this number and all above it are no values: all ones, or what is negative */
};

static void set_u64(struct val_u64 *value, enum combine combine, uint64_t number)
{
	if (is_known(*value) && combine == SUM)
		number += u64_or(*value, 0);
	else if (is_known(*value) && number < u64_or(*value, 0))
		return;
	*value = val_u64(number);
}

/* One value of nr numbers from there on. Returns how many of them were filled in. */
static size_t take(struct amdgpu_metrics *ret, const struct target *target, struct form form,
		   const unsigned char *at, size_t nr)
{
	void *member = (char *)ret + target->member;
	size_t filled = 0;

	for (size_t i = 0; i < nr && (target->combine != EACH || i < AMDGPU_METRICS_XGMI_LINKS); i++) {
		uint64_t number = little_endian(at + i * form.bytes, form.bytes);
		struct val_u64 *u64 = (struct val_u64 *)member + (target->combine == EACH ? i : 0);

		if (number < form.unfilled) {
			filled++;
			if (target->is_f64)
				*(struct val_f64 *)member = val_f64((double)number / target->per);
			else if (number <= UINT64_MAX / target->times)
				set_u64(u64, target->combine, number * target->times);
		} else if (target->is_f64) {
			*(struct val_f64 *)member = no_f64(VAL_UNSUPPORTED, AMDGPU_METRICS_NOT_FILLED);
		} else if (!is_known(*u64)) {
			*u64 = no_u64(VAL_UNSUPPORTED, AMDGPU_METRICS_NOT_FILLED);
		}
	}
	return filled;
}

static const struct target *attribute_target(unsigned id)
{
	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++)
		if (attributes[i].id == id)
			return &attributes[i].target;
	return NULL;
}

/*
 * Version 1.9: a count, then for each field 8 bytes that say what it is, and
 * its numbers, with nothing between them. Bits 20 to 23 are the type: U8, S8,
 * U16 … S64; 10 to 19 which field; 0 to 9 how many numbers.
 */
static int take_attributes(struct amdgpu_metrics *ret, const unsigned char *buf, size_t len, size_t *filled,
			   const char **why)
{
	size_t at = 8;
	uint64_t nr = len >= at ? little_endian(buf + 4, 4) : 0;

	*why = "its list of fields runs past its end";
	for (uint64_t i = 0; i < nr; i++) {
		const struct target *target;
		uint64_t what;
		struct form form;
		unsigned type;
		size_t count;

		if (len - at < 8)
			return -EPROTO;
		what = little_endian(buf + at, 8);
		at += 8;
		type = what >> 20 & 0xf;
		form.bytes = 1u << (type >> 1 & 3);
		form.unfilled = all_ones(form.bytes) >> (type & 1);
		count = what & 0x3ff;
		if (type > 7 || len - at < count * form.bytes)
			return -EPROTO;
		target = attribute_target(what >> 10 & 0x3ff);
		if (target)
			*filled += take(ret, target, form, buf + at, count);
		at += count * form.bytes;
	}
	return 0;
}

static const struct layout *layout_of(unsigned format, unsigned content)
{
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		if (layouts[i].format == format && layouts[i].content == content)
			return &layouts[i];
	return NULL;
}

/* Every value absent: what a version does not have stays so. */
static void set_absent(struct amdgpu_metrics *ret)
{
	*ret = (struct amdgpu_metrics){ .format = ret->format, .content = ret->content };
	for (size_t at = offsetof(struct amdgpu_metrics, edge_c); at < sizeof(*ret); at += sizeof(union any_value))
		*(struct val_head *)((char *)ret + at) = (struct val_head){
			.state = VAL_ABSENT, .why = "not in this version of gpu_metrics",
		};
}

static int take_fields(const struct layout *layout, const unsigned char *buf, struct amdgpu_metrics *ret,
		       const char **why)
{
	size_t filled = 0;
	int error = 0;

	if (!layout->nr)
		error = take_attributes(ret, buf, little_endian(buf, 2), &filled, why);
	for (size_t i = 0; i < layout->nr; i++) {
		const struct field_place *field = &layout->fields[i];
		struct form form = { .bytes = field->bytes, .unfilled = all_ones(field->bytes) };

		filled += take(ret, &field->target, form, buf + field->at, field->nr);
	}
	if (!error && !filled) {
		*why = "the firmware filled nothing in";
		error = -ENODATA;
	}
	if (error)
		set_absent(ret);
	return error;
}

int amdgpu_metrics_decode(const unsigned char *buf, size_t len, struct amdgpu_metrics *ret, const char **why)
{
	const struct layout *layout;
	size_t bytes;

	*ret = (struct amdgpu_metrics){ .format = 0 };
	set_absent(ret);
	*why = "cut short before its version";
	if (len < 4)
		return -EMSGSIZE;
	bytes = little_endian(buf, 2);
	ret->format = buf[2];
	ret->content = buf[3];
	if (little_endian(buf, 4) == all_ones(4)) {
		*why = "all ones: the firmware filled nothing in";
		return -ENODATA;
	}
	layout = layout_of(ret->format, ret->content);
	if (!layout) {
		*why = "its version is not known";
		return -EPROTONOSUPPORT;
	}
	if (bytes > len) {
		*why = "cut short";
		return -EMSGSIZE;
	}
	if (layout->nr ? bytes != layout->bytes : bytes < 8) {
		*why = "its size is not that of its version";
		return -EMSGSIZE;
	}
	return take_fields(layout, buf, ret, why);
}

const char *amdgpu_metrics_version(const struct amdgpu_metrics *metrics)
{
	const struct layout *layout = layout_of(metrics->format, metrics->content);

	return layout ? layout->name : NULL;
}

/* Every value of the table gets the reason why there is none. */
static void set_unknown(struct amdgpu_metrics *metrics, struct val_head head)
{
	for (size_t at = offsetof(struct amdgpu_metrics, edge_c); at < sizeof(*metrics); at += sizeof(union any_value))
		*(struct val_head *)(void *)((char *)metrics + at) = head;
}

/* Bytes that begin with no version have none. */
static const char *describe(struct arena *arena, const struct amdgpu_metrics *metrics, size_t len, const char *why)
{
	if (!metrics->format || metrics->format == UINT8_MAX)
		return arena_printf(arena, "%zu bytes: %s", len, why);
	return arena_printf(arena, "version %u.%u, %zu bytes: %s", metrics->format, metrics->content, len, why);
}

/* A version of newer firmware is nothing that failed, nor is a table that firmware does not fill. */
static enum val_state state_of_table(int error)
{
	return error == -EPROTONOSUPPORT ? VAL_UNSUPPORTED : error == -ENODATA ? VAL_ABSENT : VAL_ERROR;
}

struct val_str amdgpu_metrics_table(struct arena *arena, struct val_head head, const unsigned char *buf, size_t len,
				    struct amdgpu_metrics *ret)
{
	const char *why;
	int error;

	*ret = (struct amdgpu_metrics){ .format = 0 };
	if (head.state == VAL_OK) {
		error = amdgpu_metrics_decode(buf, len, ret, &why);
		if (!error)
			return val_str(amdgpu_metrics_version(ret));
		head = (struct val_head){ .state = state_of_table(error), .why = describe(arena, ret, len, why) };
	}
	set_unknown(ret, head);
	return no_str(head.state, head.why);
}
