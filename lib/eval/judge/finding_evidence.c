// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/judge/finding_evidence.h"

const struct evidence *finding_evidence(const struct finding *finding, const char *name)
{
	for (size_t i = finding->evidence.nr; i-- > 0;)
		if (!strcmp(finding->evidence.items[i].field->name, name))
			return &finding->evidence.items[i];
	return NULL;
}

double finding_number(const struct finding *finding, const char *name)
{
	const struct evidence *evidence = finding_evidence(finding, name);

	if (!evidence)
		return 0.0;
	if (evidence->field->kind == FIELD_U64)
		return (double)u64_or(evidence->observed.u64, 0);
	return evidence->field->kind == FIELD_F64 ? f64_or(evidence->observed.f64, 0.0) : 0.0;
}

const char *finding_text(const struct finding *finding, const char *name)
{
	const struct evidence *evidence = finding_evidence(finding, name);

	return evidence && evidence->field->kind == FIELD_STR ? str_or(evidence->observed.str, "") : "";
}

bool id_begins(const struct finding *finding, const char *prefix)
{
	return !strncmp(finding->def->name, prefix, strlen(prefix));
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool name_listed(const char *name, const char *prefixes)
{
	for (const char *word = prefixes; *word; word += strspn(word, " ")) {
		size_t len = strcspn(word, " ");

		/* "nvidia-xid-7" is not the beginning of "nvidia-xid-79". */
		if (!strncmp(name, word, len) && !(is_digit(word[len - 1]) && is_digit(name[len])))
			return true;
		word += len;
	}
	return false;
}

bool id_listed(const struct finding *finding, const char *prefixes)
{
	return name_listed(finding->def->name, prefixes);
}
