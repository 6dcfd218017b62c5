// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/nvidia/nvidia_requirement.h"

#include "base/text.h"
#include "eval/nvidia/nvidia_branches.h"
#include "eval/nvidia/nvidia_targets.h"

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

/* Does the driver offer that CUDA or a newer one? */
static enum requirement_answer offers_cuda(const char *cuda, const char *driver)
{
	const char *least = nvidia_driver_least_for_cuda(cuda);

	if (!least)
		return REQUIREMENT_UNSURE;
	/* A beta of that branch is older than its first release, and may offer what that does. */
	if (nvidia_version_is_older(driver, least))
		return strtoul(driver, NULL, 10) == strtoul(least, NULL, 10) ? REQUIREMENT_UNSURE :
									       REQUIREMENT_NOT_MET;
	/* A CUDA that the table lacks may want more than the one before it. */
	return nvidia_driver_for_cuda(cuda) ? REQUIREMENT_MET : REQUIREMENT_UNSURE;
}

static enum requirement_answer judge_cuda(const struct condition *condition, const char *driver)
{
	enum requirement_answer offers = offers_cuda(condition->version, driver);

	if (!strcmp(condition->comparison, ">="))
		return offers;
	if (!strcmp(condition->comparison, "<") && offers != REQUIREMENT_UNSURE)
		return answer_of(offers == REQUIREMENT_NOT_MET);
	return REQUIREMENT_UNSURE;
}

static enum requirement_answer judge_driver(const struct condition *condition, const char *driver)
{
	bool is_older = nvidia_version_is_older(driver, condition->version);
	bool is_branch = !strchr(driver, '.');
	bool is_same = !is_branch && !version_compare(driver, condition->version);

	if (!strcmp(condition->comparison, ">="))
		return answer_of(!is_older);
	/* Which version of the branch it will be is open: older than the one that is named, newer or just that. */
	if (is_branch && strchr(condition->version, '.') &&
	    strtoul(driver, NULL, 10) == strtoul(condition->version, NULL, 10))
		return REQUIREMENT_UNSURE;
	if (!strcmp(condition->comparison, "<"))
		return answer_of(is_older);
	if (!strcmp(condition->comparison, ">"))
		return answer_of(!is_older && !is_same);
	if (!strcmp(condition->comparison, "<="))
		return answer_of(is_older || is_same);
	if (!strcmp(condition->comparison, "="))
		return answer_of(is_same);
	if (!strcmp(condition->comparison, "!="))
		return answer_of(!is_same);
	return REQUIREMENT_UNSURE;
}

/* What stands before the next of the separators, which is passed over; false: nothing is left. */
static bool next_part(const char **at, size_t *left, char separator, const char **part, size_t *len)
{
	while (*left && **at == separator) {
		++*at;
		--*left;
	}
	*part = *at;
	for (*len = 0; *len < *left && (*part)[*len] != separator; ++*len)
		;
	*at += *len;
	*left -= *len;
	return *len;
}

static enum requirement_answer judge_one(const char *text, size_t len, const char *driver)
{
	struct condition condition;

	if (!parse_condition(text, len, &condition))
		return REQUIREMENT_UNSURE;
	if (is_named(&condition, "cuda"))
		return judge_cuda(&condition, driver);
	return is_named(&condition, "driver") ? judge_driver(&condition, driver) : REQUIREMENT_UNSURE;
}

/* Those that commas part: one that does not hold is enough. */
static enum requirement_answer judge_all(const char *text, size_t left, const char *driver)
{
	enum requirement_answer all = REQUIREMENT_MET;
	const char *part;
	size_t len;

	while (next_part(&text, &left, ',', &part, &len)) {
		enum requirement_answer one = judge_one(part, len, driver);

		if (one == REQUIREMENT_NOT_MET)
			return one;
		if (one == REQUIREMENT_UNSURE)
			all = one;
	}
	return all;
}

enum requirement_answer nvidia_requirement_by(const char *requirement, const char *driver_version)
{
	enum requirement_answer best = REQUIREMENT_NOT_MET;
	size_t left = strlen(requirement), len, nr = 0;
	const char *part;

	while (next_part(&requirement, &left, ' ', &part, &len)) {
		enum requirement_answer one = judge_all(part, len, driver_version);

		nr++;
		if (one == REQUIREMENT_MET)
			return one;
		if (one == REQUIREMENT_UNSURE)
			best = one;
	}
	return nr ? best : REQUIREMENT_UNSURE;
}

/* The newest CUDA among those that commas part: all of them must hold. */
static bool newest_cuda(const char *text, size_t left, char ret[MAX_VERSION_CHARS])
{
	bool has_one = false;
	const char *part;
	size_t len;

	while (next_part(&text, &left, ',', &part, &len)) {
		struct condition condition;

		if (!parse_condition(part, len, &condition) || !is_named(&condition, "cuda") ||
		    strcmp(condition.comparison, ">=") != 0)
			continue;
		if (!has_one || version_compare(condition.version, ret) > 0)
			memcpy(ret, condition.version, MAX_VERSION_CHARS);
		has_one = true;
	}
	return has_one;
}

const char *nvidia_requirement_cuda(struct arena *arena, const char *requirement)
{
	char least[MAX_VERSION_CHARS] = "", version[MAX_VERSION_CHARS];
	size_t left = strlen(requirement), len;
	const char *part;

	while (next_part(&requirement, &left, ' ', &part, &len))
		if (newest_cuda(part, len, version) && (!*least || version_compare(version, least) < 0))
			memcpy(least, version, sizeof(least));
	return *least ? arena_strdup(arena, least) : NULL;
}
