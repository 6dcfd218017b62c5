// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/nvidia_requirement.h"

#include "base/text.h"
#include "eval/nvidia_branches.h"
#include "eval/nvidia_targets.h"

enum { MAX_VERSION_CHARS = 32 };

/* One condition, "driver>=535". */
struct condition {
	const char *name;
	size_t name_len;
	const char *comparison;		/* of operators[] */
	char version[MAX_VERSION_CHARS];
};

/* Longer ones before those that begin them. */
static const char *const operators[] = { ">=", "<=", "!=", "==", ">", "<", "=" };

static bool parse_version(const char *text, size_t len, char ret[MAX_VERSION_CHARS])
{
	if (len >= MAX_VERSION_CHARS)
		return false;
	snprintf(ret, MAX_VERSION_CHARS, "%.*s", (int)len, text);
	return version_valid(ret);
}

static bool parse_condition(const char *text, size_t len, struct condition *ret)
{
	size_t name = 0;

	while (name < len && !strchr("<>=!", text[name]))
		name++;
	for (size_t i = 0; i < ARRAY_SIZE(operators); i++) {
		size_t before = name + strlen(operators[i]);

		if (before < len && !strncmp(text + name, operators[i], strlen(operators[i]))) {
			*ret = (struct condition){ .name = text, .name_len = name, .comparison = operators[i] };
			return parse_version(text + before, len - before, ret->version);
		}
	}
	return false;
}

static bool is_named(const struct condition *condition, const char *name)
{
	return condition->name_len == strlen(name) && !strncmp(condition->name, name, condition->name_len);
}

static enum requirement_answer answer_of(bool is_met)
{
	return is_met ? REQUIREMENT_MET : REQUIREMENT_NOT_MET;
}

static enum requirement_answer judge_cuda(const struct condition *condition, const char *driver)
{
	const char *least = nvidia_driver_least_for_cuda(condition->version);

	if (strcmp(condition->comparison, ">=") != 0 || !least)
		return REQUIREMENT_UNSURE;
	/* A beta of that branch is older than its first release, and may offer what that does. */
	if (nvidia_version_is_older(driver, least))
		return strtoul(driver, NULL, 10) == strtoul(least, NULL, 10) ? REQUIREMENT_UNSURE :
									       REQUIREMENT_NOT_MET;
	/* A CUDA that the table lacks may want more than the one before it. */
	return nvidia_driver_for_cuda(condition->version) ? REQUIREMENT_MET : REQUIREMENT_UNSURE;
}

static enum requirement_answer judge_driver(const struct condition *condition, const char *driver)
{
	bool is_older = nvidia_version_is_older(driver, condition->version);
	bool is_same = !version_compare(driver, condition->version);

	if (!strcmp(condition->comparison, ">="))
		return answer_of(!is_older);
	if (!strcmp(condition->comparison, "<"))
		return answer_of(is_older);
	if (!strcmp(condition->comparison, ">"))
		return answer_of(!is_older && !is_same);
	if (!strcmp(condition->comparison, "<="))
		return answer_of(is_older || is_same);
	return REQUIREMENT_UNSURE;
}

/* Those that commas part: one that does not hold is enough. */
static enum requirement_answer judge_all(const char *text, size_t len, const char *driver)
{
	enum requirement_answer all = REQUIREMENT_MET;

	for (size_t at = 0; at < len;) {
		size_t part = 0;
		struct condition condition;
		enum requirement_answer one = REQUIREMENT_UNSURE;

		while (at + part < len && text[at + part] != ',')
			part++;
		if (parse_condition(text + at, part, &condition))
			one = is_named(&condition, "cuda") ? judge_cuda(&condition, driver) :
			      is_named(&condition, "driver") ? judge_driver(&condition, driver) : REQUIREMENT_UNSURE;
		if (one == REQUIREMENT_NOT_MET)
			return one;
		if (one == REQUIREMENT_UNSURE)
			all = one;
		at += part + 1;
	}
	return all;
}

enum requirement_answer nvidia_requirement_by(const char *requirement, const char *driver_version)
{
	enum requirement_answer best = REQUIREMENT_NOT_MET;
	size_t nr = 0;

	for (const char *at = requirement + strspn(requirement, " "); *at; at += strspn(at, " ")) {
		size_t len = strcspn(at, " ");
		enum requirement_answer one = judge_all(at, len, driver_version);

		nr++;
		at += len;
		if (one == REQUIREMENT_MET)
			return one;
		if (one == REQUIREMENT_UNSURE)
			best = one;
	}
	return nr ? best : REQUIREMENT_UNSURE;
}

const char *nvidia_requirement_cuda(struct arena *arena, const char *requirement)
{
	static const char key[] = "cuda>=";
	const char *at = strstr(requirement, key);
	char version[MAX_VERSION_CHARS];

	if (!at || !parse_version(at + strlen(key), strcspn(at + strlen(key), " ,"), version))
		return NULL;
	return arena_strdup(arena, version);
}
