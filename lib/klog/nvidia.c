// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "klog/nvidia.h"

const struct klog_sxid klog_sxids[] = {
#define SXID(code_, class_, what_) { .code = code_, .class = KLOG_SXID_##class_, .what = what_ },
#include "klog/nvidia_sxid.def"
#undef SXID
};
const size_t nr_klog_sxids = ARRAY_SIZE(klog_sxids);

const struct klog_sxid *klog_sxid_by_code(uint64_t code)
{
	for (size_t i = 0; i < nr_klog_sxids; i++)
		if (klog_sxids[i].code == code)
			return &klog_sxids[i];
	return NULL;
}

enum klog_row_id klog_sxid_class_row(enum klog_sxid_class class)
{
	static const enum klog_row_id rows[] = {
		[KLOG_SXID_NONFATAL] = KLOG_ROW_SXID_NONFATAL,
		[KLOG_SXID_LINK] = KLOG_ROW_SXID_LINK,
		[KLOG_SXID_PORT] = KLOG_ROW_SXID_PORT_FATAL,
		[KLOG_SXID_FABRIC] = KLOG_ROW_SXID_FABRIC_FATAL,
		[KLOG_SXID_THERMAL] = KLOG_ROW_SXID_THERMAL,
	};

	return rows[class];
}

enum klog_row_id klog_sxid_row(enum klog_row_id told, uint64_t code)
{
	const struct klog_sxid *sxid = klog_sxid_by_code(code);

	if (!sxid)
		return told;
	if (told == KLOG_ROW_SXID_OTHER || sxid->class == KLOG_SXID_THERMAL)
		return klog_sxid_class_row(sxid->class);
	if (told == KLOG_ROW_SXID_NONFATAL && sxid->class == KLOG_SXID_LINK)
		return KLOG_ROW_SXID_LINK;
	/* "Fatal" is used for a port and for the fabric; the code decides which. */
	if (told == KLOG_ROW_SXID_PORT_FATAL && sxid->class == KLOG_SXID_FABRIC)
		return KLOG_ROW_SXID_FABRIC_FATAL;
	return told;
}

/* ---- Xid 144 to 150 */

enum nvlink_test { NVLINK_TEST_BITS, NVLINK_TEST_STATUS, NVLINK_TEST_EVENT };

struct nvlink_rule {
	uint64_t xid;
	const char *unit;
	enum nvlink_test test;
	uint64_t value;
	const char *class;
	enum klog_row_id row;
};

#define NVLINK_RULE(xid_, unit_, test_, value_, class_)                                                                \
	{ .xid = xid_, .unit = unit_, .test = test_, .value = value_, .class = #class_,                                \
	  .row = KLOG_ROW_XID_##xid_##_##class_ },

static const struct nvlink_rule nvlink_rules[] = {
#define NVLINK_BITS(xid, unit, bits, class) NVLINK_RULE(xid, unit, NVLINK_TEST_BITS, bits, class)
#define NVLINK_STATUS(xid, unit, value, class) NVLINK_RULE(xid, unit, NVLINK_TEST_STATUS, value, class)
#define NVLINK_EVENT(xid, unit, code, class) NVLINK_RULE(xid, unit, NVLINK_TEST_EVENT, code, class)
#include "klog/nvidia_nvlink.def"
};

static bool fits(const struct nvlink_rule *rule, uint64_t intrinfo, uint64_t status)
{
	switch (rule->test) {
	case NVLINK_TEST_BITS: return status & rule->value;
	case NVLINK_TEST_STATUS: return status == rule->value;
	case NVLINK_TEST_EVENT: return (intrinfo >> 20 & 0x3f) == rule->value;
	}
	return false;
}

/* "… Link 13 (0x0409a0c2 0x00000008 …" */
static bool take_words(struct span body, uint64_t *intrinfo, uint64_t *status)
{
	const char *words = memmem(body.at, span_len(body), " (0x", strlen(" (0x"));

	if (!words)
		return false;
	body.at = words + strlen(" (");
	if (!span_take_hex(&body, intrinfo) || !span_take(&body, " "))
		return false;
	span_trim(&body);
	return span_take_hex(&body, status);
}

/* Classes that the words Fatal and Nonfatal tell as well: those words count. */
static bool is_class_of_words(const struct nvlink_rule *rule)
{
	return !strcmp(rule->class, "FATAL") || !strcmp(rule->class, "NONFATAL");
}

enum klog_row_id klog_nvlink_row(enum klog_row_id told, uint64_t xid, struct span body)
{
	uint64_t intrinfo, status;

	if (!take_words(body, &intrinfo, &status))
		return told;
	for (size_t i = 0; i < ARRAY_SIZE(nvlink_rules); i++) {
		const struct nvlink_rule *rule = &nvlink_rules[i];

		if (rule->xid != xid || !span_begins(body, rule->unit) || !fits(rule, intrinfo, status))
			continue;
		return is_class_of_words(rule) && told != klog_xid_row(xid) ? told : rule->row;
	}
	return told;
}
