// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "snapshot/snapshot.h"

static const char *const state_names[NR_VAL_STATES] = {
	[VAL_UNSET] = "nobody looked",
	[VAL_OK] = "ok",
	[VAL_ABSENT] = "absent",
	[VAL_UNSUPPORTED] = "unsupported",
	[VAL_DENIED] = "denied",
	[VAL_ASLEEP] = "asleep",
	[VAL_LOST] = "lost",
	[VAL_TIMEOUT] = "timeout",
	[VAL_ERROR] = "error",
	[VAL_SKIPPED] = "skipped",
};

bool val_failed_for_now(struct val_head head)
{
	const char *why = head.why;

	return head.state == VAL_ERROR && why && why[0] == 'E' && why[1] >= 'A' && why[1] <= 'Z' &&
	       strncmp(why, "EINVAL", strlen("EINVAL")) != 0 && strncmp(why, "EISDIR", strlen("EISDIR")) != 0;
}

const char *val_state_name(enum val_state state)
{
	return state_names[state];
}

enum val_state val_state_from_name(const char *name, size_t len)
{
	for (int i = VAL_ABSENT; i < NR_VAL_STATES; i++)
		if (strlen(state_names[i]) == len && !memcmp(state_names[i], name, len))
			return (enum val_state)i;
	return VAL_ERROR;
}

size_t value_size(const struct field *field)
{
	switch (field->kind) {
	case FIELD_U64:
		return sizeof(struct val_u64);
	case FIELD_F64:
		return sizeof(struct val_f64);
	case FIELD_BOOL:
		return sizeof(struct val_bool);
	default:
		return sizeof(struct val_str);
	}
}

void value_write(struct json_writer *w, const struct field *field, const void *value)
{
	const struct val_head *head = value;

	if (head->state != VAL_OK) {
		json_put_null(w);
		return;
	}
	switch (field->kind) {
	case FIELD_U64:
		json_put_u64(w, ((const struct val_u64 *)value)->v_);
		break;
	case FIELD_F64:
		json_put_f64(w, ((const struct val_f64 *)value)->v_);
		break;
	case FIELD_BOOL:
		json_put_bool(w, ((const struct val_bool *)value)->v_);
		break;
	default:
		json_put_str(w, ((const struct val_str *)value)->v_);
		break;
	}
}

bool value_equals(const struct field *field, const void *a, const void *b)
{
	const union any_value *one = a, *other = b;

	switch (field->kind) {
	case FIELD_U64:
		return one->u64.v_ == other->u64.v_;
	case FIELD_F64:
		return one->f64.v_ >= other->f64.v_ && one->f64.v_ <= other->f64.v_;
	case FIELD_BOOL:
		return one->boolean.v_ == other->boolean.v_;
	default:
		return !strcmp(one->str.v_, other->str.v_);
	}
}

void value_format(struct strbuf *out, const struct field *field, const void *value)
{
	const struct val_head *head = value;

	if (head->state != VAL_OK) {
		strbuf_addstr(out, val_state_name(head->state));
		if (head->why)
			strbuf_addf(out, ": %s", head->why);
		return;
	}
	switch (field->kind) {
	case FIELD_U64:
		unit_format_u64(out, field->unit, ((const struct val_u64 *)value)->v_);
		break;
	case FIELD_F64:
		unit_format(out, field->unit, ((const struct val_f64 *)value)->v_);
		break;
	case FIELD_BOOL:
		strbuf_addstr(out, ((const struct val_bool *)value)->v_ ? "yes" : "no");
		break;
	default:
		strbuf_addstr(out, ((const struct val_str *)value)->v_);
		break;
	}
}
