// SPDX-License-Identifier: GPL-2.0-or-later
/* policy_rows.c - values of a policy file, each by what policy.def says of its key, and what is wrong with the file. */
#include "base/compat.h"
#include "eval/policy/policy_reading.h"

#include <math.h>
#include <stdarg.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "eval/nvidia/nvidia_branches.h"
#include "eval/policy/pins.h"
#include "snapshot/snapshot.h"

/* ---- what is wrong, by its line */

/* More at once are one mistake, made everywhere. */
enum { MAX_ERRORS = 50 };

void policy_add_error(struct arena *arena, struct policy_errors *errors, unsigned line, const char *what)
{
	size_t at = errors->nr;

	if (errors->nr == MAX_ERRORS)
		return;
	errors->items = arena_grow(arena, errors->items, errors->nr++, sizeof(*errors->items));
	for (; at && errors->items[at - 1].line > line; at--)
		errors->items[at] = errors->items[at - 1];
	errors->items[at] = (struct policy_error){ .line = line, .what = arena_strdup(arena, what) };
}

/* No more errors are kept: finding a line and the nearest word takes milliseconds, and there may be a million. */
static bool is_full(const struct policy_reading *r)
{
	return r->errors->nr == MAX_ERRORS;
}

void policy_refuse(struct policy_reading *r, const cJSON *at, const char *format, ...)
{
	STRBUF_AUTO what = STRBUF_INIT;
	va_list args;

	if (is_full(r))
		return;
	va_start(args, format);
	strbuf_vaddf(&what, format, args);
	va_end(args);
	policy_add_error(r->arena, r->errors, json_line(r->doc, at), what.buf);
}

void policy_refuse_line(struct policy_reading *r, unsigned line, const char *format, ...)
{
	STRBUF_AUTO what = STRBUF_INIT;
	va_list args;

	va_start(args, format);
	strbuf_vaddf(&what, format, args);
	va_end(args);
	policy_add_error(r->arena, r->errors, line, what.buf);
}

void policy_refuse_word(struct policy_reading *r, const cJSON *at, const char *what, const char *word,
			const char *const *near, size_t nr, const char *see)
{
	const char *nearest;

	if (is_full(r))
		return;
	nearest = nearest_word(word, near, nr);
	if (nearest)
		policy_refuse(r, at, "%s \"%s%.40s\" (did you mean \"%s\"?)", what, r->prefix, word, nearest);
	else
		policy_refuse(r, at, "%s \"%s%.40s\"; %s", what, r->prefix, word, see);
}

const char *policy_origin_of(struct policy_reading *r, const cJSON *value)
{
	return arena_printf(r->arena, "%s:%u", r->path, json_line(r->doc, value));
}

static void PRINTF_LIKE(4, 5) refuse_value(struct policy_reading *r, unsigned row, const cJSON *at, const char *format,
					   ...)
{
	STRBUF_AUTO what = STRBUF_INIT;
	va_list args;

	va_start(args, format);
	strbuf_vaddf(&what, format, args);
	va_end(args);
	policy_refuse(r, at, "\"%s%s\": %s", r->prefix, policy_rows[row].key, what.buf);
}

/* ---- numbers */

/* "30s" and "85 %": the unit stands in the key, and the number is bare. */
static void refuse_text_for_number(struct policy_reading *r, unsigned row, const cJSON *value)
{
	const char *unit = unit_symbol(policy_rows[row].unit);

	if (policy_rows[row].unit == UNIT_RATIO)
		refuse_value(r, row, value, "a number expected, a share without quotes, as in 0.85");
	else if (cJSON_IsString(value) && *unit)
		refuse_value(r, row, value, "a number expected, in %s, without quotes and without the unit", unit);
	else
		refuse_value(r, row, value, "a number expected%s%s", *unit ? ", in " : "", unit);
}

static void refuse_range(struct policy_reading *r, unsigned row, const cJSON *value, double min, double max)
{
	char low[32], high[32];

	json_format_f64(min, low);
	json_format_f64(max, high);
	if (policy_rows[row].unit == UNIT_RATIO && max <= 1.0 && value->valuedouble > 1.0 &&
	    value->valuedouble <= 100.0)
		refuse_value(r, row, value, "a share from 0 to 1 expected: %g %% is %g", value->valuedouble,
			     value->valuedouble / 100.0);
	else if (policy_rows[row].unit == UNIT_RATIO && max <= 1.0)
		refuse_value(r, row, value, "a share from 0 to 1 expected");
	else if (!isfinite(max))
		refuse_value(r, row, value, "%s or more expected", low);
	else
		refuse_value(r, row, value, "a number from %s to %s expected", low, high);
}

static void read_number(struct policy_reading *r, unsigned row, const cJSON *value, double *ret)
{
	double min, max;

	policy_range(row, &min, &max);
	if (!cJSON_IsNumber(value))
		refuse_text_for_number(r, row, value);
	else if (!isfinite(value->valuedouble) || value->valuedouble < min || value->valuedouble > max)
		refuse_range(r, row, value, min, max);
	else
		*ret = value->valuedouble;
}

static void read_wish(struct policy_reading *r, unsigned row, const cJSON *value, struct val_u64 *ret)
{
	uint64_t number;

	if (cJSON_IsNull(value))
		*ret = (struct val_u64){ .state = VAL_UNSET };
	else if (json_u64(r->doc, value, &number))
		refuse_value(r, row, value, "a whole number expected, or null for none");
	else
		*ret = val_u64(number);
}

/* ---- texts */

static void refuse_check(struct policy_reading *r, const cJSON *value)
{
	enum finding_id finding = finding_by_name(value->valuestring);
	struct policy_reading bare = *r;

	if (finding != NO_FINDING) {
		policy_refuse(r, value, "\"%s\" is a finding; use its check, \"%.*s\"", value->valuestring,
			      (int)strcspn(value->valuestring, "."), value->valuestring);
		return;
	}
	bare.prefix = "";
	policy_refuse_word(&bare, value, "unknown check", value->valuestring, r->checks->v, r->checks->nr,
			   "see gpudiag list checks");
}

/* Versions of these are words, or numbers of base 16. */
static bool has_no_order(unsigned row)
{
	return row == POLICY_ROW_pins_vbios || row == POLICY_ROW_pins_nvidia_flavour ||
	       row == POLICY_ROW_inventory_model;
}

/* "~550", "^3.0", "535 || 550", "535, 550": what other tools read. A ~ within is a packager's ("1.14.6~rc.1"). */
static bool is_other_syntax(const char *pin)
{
	return (*pin && strchr("~^!", *pin)) || strchr(pin, '|') || (!pin_is_range(pin) && strchr(pin, ','));
}

static bool is_sound_pin(struct policy_reading *r, unsigned row, const cJSON *value)
{
	const char *pin = value->valuestring;

	if (row == POLICY_ROW_pins_nvidia_flavour && *pin && !glob_match(pin, "open") &&
	    !glob_match(pin, "proprietary"))
		refuse_value(r, row, value, "\"%.40s\" is neither open nor proprietary", pin);
	else if (pin_is_range(pin) && has_no_order(row))
		refuse_value(r, row, value, "only patterns allowed, as in \"96.00.*\": these versions have no order");
	else if (row != POLICY_ROW_inventory_model && is_other_syntax(pin))
		refuse_value(
			r, row, value,
			"\"%.40s\": not supported: use * and ? in patterns, <, <=, >, >= and = in ranges, and a list for several",
			pin);
	else if (pin_fault(pin) == PIN_NO_RANGE)
		refuse_value(r, row, value, "\"%.40s\" is not a range; use the form \">=550.54.14 <580\"", pin);
	else if (pin_fault(pin) == PIN_EMPTY)
		refuse_value(r, row, value, "no version is in the range \"%.60s\"", pin);
	else
		return true;
	return false;
}

static void read_text(struct policy_reading *r, unsigned row, const cJSON *value, struct strs *ret)
{
	enum policy_kind kind = policy_rows[row].kind;

	if (!cJSON_IsString(value)) {
		refuse_value(r, row, value, "a text or a list of texts expected");
		return;
	}
	if (kind == POLICY_IS_CHECKS && !strs_has(r->checks, value->valuestring)) {
		refuse_check(r, value);
		return;
	}
	/* A policy holds wherever gpudiag is started. */
	if (kind == POLICY_IS_PATHS && *value->valuestring != '/') {
		refuse_value(r, row, value, "\"%.60s\" is not an absolute path", value->valuestring);
		return;
	}
	/* An empty pattern is none: "pins.kernel": "" pins nothing. */
	if (!*value->valuestring || (kind == POLICY_IS_PATTERNS && !is_sound_pin(r, row, value)))
		return;
	ret->v = arena_grow(r->arena, ret->v, ret->nr, sizeof(*ret->v));
	ret->v[ret->nr++] = arena_strdup(r->arena, value->valuestring);
}

/* One text stands for a list of one. */
static void read_texts(struct policy_reading *r, unsigned row, const cJSON *value, struct strs *ret)
{
	*ret = (struct strs){ .nr = 0 };
	if (!cJSON_IsArray(value))
		read_text(r, row, value, ret);
	else
		for (const cJSON *item = value->child; item; item = item->next)
			read_text(r, row, item, ret);
}

/* As a number 1.10 would be 1.1. */
static void read_version(struct policy_reading *r, unsigned row, const cJSON *value, const char **ret)
{
	if (!cJSON_IsString(value) || (*value->valuestring && !version_valid(value->valuestring)))
		refuse_value(r, row, value, "a version in quotes expected, as in \"3.0\"");
	else /* An empty one is none. */
		*ret = *value->valuestring ? arena_strdup(r->arena, value->valuestring) : NULL;
}

static void read_bool(struct policy_reading *r, unsigned row, const cJSON *value, bool *ret)
{
	if (!cJSON_IsBool(value))
		refuse_value(r, row, value, "true or false expected");
	else
		*ret = cJSON_IsTrue(value);
}

void policy_read_row(struct policy_reading *r, unsigned row, const cJSON *value)
{
	void *member = (char *)r->policy + policy_rows[row].offset;

	if (r->of == READING_MODEL && policy_row_is_of_node(row)) {
		refuse_value(r, row, value, "applies to the whole machine: use \"nodes\", not \"models\"");
		return;
	}
	r->policy->lines[row] = json_line(r->doc, value);
	switch (policy_rows[row].kind) {
	case POLICY_IS_NUMBER:
		read_number(r, row, value, member);
		break;
	case POLICY_IS_BOOL:
		read_bool(r, row, value, member);
		break;
	case POLICY_IS_VERSION:
		read_version(r, row, value, member);
		break;
	case POLICY_IS_WISH:
		read_wish(r, row, value, member);
		break;
	default:
		read_texts(r, row, value, member);
		break;
	}
}
