// SPDX-License-Identifier: GPL-2.0-or-later
/* smi_value.c - values of nvidia-smi -q in its words, to fields. */
#include "base/compat.h"
#include "import/nvidia/smi_value.h"

#include "base/text.h"
#include "base/text_scan.h"

/* ---- texts that are no values */

/* As nvidia-smi words what NVML returned, in brackets or without (drivers 352 to 610). */
static const struct { const char *text; enum val_state state; const char *why;
} no_values[] = {
	{ "N/A", VAL_UNSUPPORTED, "N/A" },
	{ "Not Supported", VAL_UNSUPPORTED, "N/A" },
	{ "Not Available", VAL_UNSUPPORTED, "N/A" },
	{ "Requested functionality has been deprecated", VAL_UNSUPPORTED, "NVML_ERROR_DEPRECATED" },
	{ "Function Not Found", VAL_UNSUPPORTED, "NVML_ERROR_FUNCTION_NOT_FOUND" },
	{ "Unknown Error", VAL_ERROR, "NVML_ERROR_UNKNOWN" },
	{ "ERR!", VAL_ERROR, "NVML_ERROR_UNKNOWN" },
	{ "GPU is lost", VAL_LOST, "NVML_ERROR_GPU_IS_LOST" },
	{ "GPU requires reset", VAL_ERROR, "NVML_ERROR_RESET_REQUIRED" },
	{ "Insufficient Permissions", VAL_DENIED, "NVML_ERROR_NO_PERMISSION" },
	{ "Insufficient External Power", VAL_ERROR, "NVML_ERROR_INSUFFICIENT_POWER" },
	{ "Unable to communicate with GPU because it is insufficiently powered", VAL_ERROR,
	  "NVML_ERROR_INSUFFICIENT_POWER" },
	/* Older drivers break the sentence after these words: "… module detected an issue with GPU interrupts". */
	{ "The NVIDIA kernel", VAL_ERROR, "NVML_ERROR_IRQ_ISSUE" },
	{ "Interrupt Request Issue", VAL_ERROR, "NVML_ERROR_IRQ_ISSUE" },
	{ "Not Found", VAL_ERROR, "NVML_ERROR_NOT_FOUND" },
};

bool smi_is_no_value(const char *text, struct val_head *ret)
{
	size_t len = strlen(text);

	if (!len) {
		*ret = (struct val_head){ .state = VAL_UNSUPPORTED, .why = "empty" };
		return true;
	}
	if (*text == '[' && text[len - 1] == ']')
		text++;
	for (size_t i = 0; i < ARRAY_SIZE(no_values); i++) {
		if (strncmp(text, no_values[i].text, strlen(no_values[i].text)) != 0)
			continue;
		*ret = (struct val_head){ .state = no_values[i].state, .why = no_values[i].why };
		return true;
	}
	return false;
}

/* ---- numbers and words */

bool smi_take_number(const char *text, const char *unit, double *ret)
{
	size_t len = strspn(text, "-0123456789.");
	char digits[32];

	if (!len || len >= sizeof(digits))
		return false;
	memcpy(digits, text, len);
	digits[len] = '\0';
	text += len;
	text += strspn(text, " ");
	if (*digits == '-') {
		if (parse_f64(digits + 1, ret))
			return false;
		*ret = -*ret;
	} else if (parse_f64(digits, ret)) {
		return false;
	}
	return !unit || !strncmp(text, unit, strlen(unit));
}

enum form {
	FORM_TEXT, FORM_NUMBER, FORM_LANES, FORM_MIB, FORM_KB_PER_S, FORM_WATT, FORM_MHZ, FORM_CELSIUS, FORM_PERCENT,
	FORM_MICROSECONDS, FORM_YES, FORM_ENABLED, FORM_STATE, FORM_HYPHENS,
};

/* Of those that are numbers: the unit that follows, and how many of the field's are one of it. */
static const struct { const char *unit; double factor; } scales[] = {
	[FORM_NUMBER] = { NULL, 1 },	   [FORM_LANES] = { "x", 1 },	      [FORM_MIB] = { "MiB", 1024 * 1024 },
	[FORM_KB_PER_S] = { "KB/s", 1000 }, [FORM_WATT] = { "W", 1000 },	      [FORM_MHZ] = { "MHz", 1 },
	[FORM_CELSIUS] = { "C", 1 },	   [FORM_PERCENT] = { "%", 1 },	      [FORM_MICROSECONDS] = { "us", 1e-6 },
};

/* Where the word for a field differs from nvidia-smi's by more than letters and hyphens. */
static const struct { const char *smi, *field; } words[] = {
	{ "reset", "reset-gpu" },	     { "gpu-reset", "reset-gpu" },   { "reboot", "reboot-node" },
	{ "node-reboot", "reboot-node" },     { "node-reboot-required", "reboot-node" },
	{ "pass-through", "passthrough" },
};

static const char *hyphens(struct arena *arena, const char *text)
{
	char *ret = arena_small_letters(arena, text, strlen(text));

	for (char *at = ret; *at; at++)
		if (*at == ' ' || *at == '_')
			*at = '-';
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(ret, words[i].smi))
			return words[i].field;
	return ret;
}

bool smi_first_word_is(const char *text, const char *word)
{
	size_t len = strcspn(text, " <(");

	return len == strlen(word) && !strncasecmp(text, word, len);
}

static bool put_bool(struct reading *reading, struct dump_line *line, struct val_bool *to, const char *text,
		     const char *yes, const char *no)
{
	if (!smi_first_word_is(text, yes) && !smi_first_word_is(text, no))
		return false;
	put(reading, line, *to, val_bool(smi_first_word_is(text, yes)));
	return true;
}

static bool put_number(struct reading *reading, struct dump_line *line, const struct field *field, void *member,
		       const char *text, enum form form)
{
	double number;

	if (!smi_take_number(text, scales[form].unit, &number))
		return false;
	number *= scales[form].factor;
	if (field->kind == FIELD_F64) {
		struct val_f64 *to = member;

		put(reading, line, *to, val_f64(number));
		return true;
	}
	if (number < 0 || number > 1e18)
		return false;
	struct val_u64 *to = member;

	put(reading, line, *to, val_u64((uint64_t)(number + 0.5)));
	return true;
}

void smi_put_version(struct reading *reading, struct dump_line *line, const char *label, struct val_str *to)
{
	const char *at = strstr(line->text, label);
	size_t len;

	at = at ? past_blanks(at + strlen(label)) : "";
	len = strspn(at, "0123456789.");
	if (len)
		put(reading, line, *to, val_str(arena_strndup(reading->arena, at, len)));
}

static bool put_text(struct reading *reading, struct dump_line *line, struct val_str *to, const char *text)
{
	put(reading, line, *to, val_str(arena_strdup(reading->arena, text)));
	return true;
}

static bool put_value(struct reading *reading, struct dump_line *line, const struct field *field, void *member,
		      const char *text, enum form form)
{
	struct val_head head, *to = member;

	if (smi_is_no_value(text, &head)) {
		to->state = head.state;
		to->why = head.why;
		to->from = value_from(reading->part->number, line->number);
		line->is_taken = true;
		return true;
	}
	switch (form) {
	case FORM_TEXT:
		return put_text(reading, line, member, text);
	case FORM_HYPHENS:
		return put_text(reading, line, member, hyphens(reading->arena, text));
	case FORM_YES:
		return put_bool(reading, line, member, text, "Yes", "No");
	case FORM_ENABLED:
		return put_bool(reading, line, member, text, "Enabled", "Disabled");
	case FORM_STATE:
		return *text == 'P' && put_number(reading, line, field, member, text + 1, FORM_NUMBER);
	default:
		return put_number(reading, line, field, member, text, form);
	}
}

/* ---- the table */

static const struct smi_key {
	size_t offset;			/* in struct gpu */
	const struct record *record;
	unsigned field;
	enum form form;
	const char *paths[2];		/* by enum smi_output */
} keys[] = {
#define OFFSET_nvml_gpu offsetof(struct gpu, nvml)
#define OFFSET_throttle offsetof(struct gpu, throttle)
#define KEY(of, name, form_, text, xml) { OFFSET_##of, &record_##of, FIELD_##of##_##name, FORM_##form_, { text, xml } },
#include "import/nvidia/smi_keys.def"
};

bool smi_path_ends(const char *path, const char *end)
{
	size_t len = strlen(path), end_len = end ? strlen(end) : 0;

	return end && len >= end_len && !strcmp(path + len - end_len, end) &&
	       (len == end_len || path[len - end_len - 1] == '/');
}

bool smi_take_key(struct reading *reading, struct gpu *gpu, enum smi_output output, const char *path,
		     const char *value, struct dump_line *line)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const struct field *field = &keys[i].record->fields[keys[i].field];

		if (smi_path_ends(path, keys[i].paths[output]))
			return put_value(reading, line, field, (char *)gpu + keys[i].offset + field->offset, value,
					 keys[i].form);
	}
	return false;
}

const char *smi_path_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}
