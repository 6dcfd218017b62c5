// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/bmc/bmc_flat.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { LONGEST = 1000 };

struct form {
	char sign;			/* behind each name */
	const char *first, *when, *severity, *said;
	const char *others[5];		/* which fields may follow */
};

static const struct form forms[] = {
	{ ':', "Record", "Date/Time", "Severity", "Description", { "Source", NULL } },
	{ '=', "SeqNumber", "Timestamp", "Severity", "Message", { "Message ID", "Category", "AgentID", "FQDD", NULL } },
};

/* Where the field's name stands as one, before the form's sign; *ret_value: what is behind that. NULL: nowhere. */
static const char *find_field(const char *text, const char *name, char sign, const char **ret_value)
{
	for (const char *at = text; (at = strstr(at, name)); at++) {
		const char *end = past_blanks(at + strlen(name));

		if (*end != sign || (at > text && at[-1] != ' '))
			continue;
		*ret_value = past_blanks(end + 1);
		return at;
	}
	return NULL;
}

/* A field's value, up to the next one's name. */
static const char *value_of(struct arena *arena, const struct form *form, const char *text, const char *name)
{
	const char *value, *next, *end;
	size_t len;

	if (!find_field(text, name, form->sign, &value))
		return NULL;
	end = value + strlen(value);
	/* What is said is the last, and may have anything in it. */
	for (size_t i = 0; name != form->said && i < 3; i++) {
		const char *const names[] = { form->when, form->severity, form->said };
		const char *at = find_field(value, names[i], form->sign, &next);

		end = at && at < end ? at : end;
	}
	for (size_t i = 0; name != form->said && form->others[i]; i++) {
		const char *at = find_field(value, form->others[i], form->sign, &next);

		end = at && at < end ? at : end;
	}
	len = (size_t)(end - value);
	while (len && strchr(" ,;", value[len - 1]))
		len--;
	return len ? arena_strndup(arena, value, len) : NULL;
}

bool bmc_flat_read(struct arena *arena, const char *text, struct bmc_flat *ret)
{
	const char *value;

	text = past_blanks(text);
	if (strnlen(text, LONGEST + 1) > LONGEST)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		const struct form *form = &forms[i];

		if (find_field(text, form->first, form->sign, &value) != text)
			continue;
		*ret = (struct bmc_flat){
			.when = value_of(arena, form, text, form->when),
			.severity = value_of(arena, form, text, form->severity),
			.said = value_of(arena, form, text, form->said),
		};
		return ret->when && ret->severity && ret->said;
	}
	return false;
}
