// SPDX-License-Identifier: GPL-2.0-or-later
/* policy.c - a policy as a file that reads back: JSON, with comments that say what each value is. */
#include "base/compat.h"
#include "render/render.h"

#include "base/text.h"

enum { COLUMNS = 100 };

/* A comment, broken between words. */
static void put_comment(struct strbuf *out, const char *indent, const char *text)
{
	size_t column = strlen(indent) + strlen("//");

	strbuf_addf(out, "%s//", indent);
	while (*text) {
		size_t len = strcspn(text, " ");
		STRBUF_AUTO word = STRBUF_INIT;

		strbuf_add(&word, text, len);
		if (column + 1 + utf8_columns(word.buf) > COLUMNS) {
			strbuf_addf(out, "\n%s//", indent);
			column = strlen(indent) + strlen("//");
		}
		strbuf_addf(out, " %s", word.buf);
		column += 1 + utf8_columns(word.buf);
		text += len + strspn(text + len, " ");
	}
	strbuf_addch(out, '\n');
}

static const char *value_in_words(const struct policy_row *def)
{
	switch (def->kind) {
	case POLICY_IS_BOOL:
		return "Value: true or false. ";
	case POLICY_IS_PATTERNS:
		return "Value: patterns with * and ? or ranges as \">=550.54.14 <580\", one of which must match; none pins nothing. ";
	case POLICY_IS_VERSION:
		return "Value: a version in quotes, as in \"3.0\"; an empty one requires none. ";
	case POLICY_IS_CHECKS:
		return "Value: names of checks (gpudiag list checks). ";
	case POLICY_IS_PATHS:
		return "Value: absolute paths. ";
	case POLICY_IS_WISH:
		return "Value: a whole number, or null for none. ";
	default:
		return "";
	}
}

static void put_value(struct strbuf *out, const struct policy *policy, unsigned row)
{
	struct json_writer w = { .out = out };

	policy_value_write(&w, policy, row);
}

static void put_row(struct strbuf *out, const struct policy *policy, unsigned row)
{
	const struct policy_row *def = &policy_rows[row];
	const char *value = value_in_words(def);
	STRBUF_AUTO about = STRBUF_INIT;

	put_comment(out, "  ", def->doc);
	strbuf_addstr(&about, value);
	if (def->unit != UNIT_NONE)
		strbuf_addf(&about, "Unit: %s. ", unit_symbol(def->unit));
	strbuf_addstr(&about, "Built in: ");
	put_value(&about, &policy_built_in, row);
	strbuf_addf(&about, " (%s).", def->source);
	if (policy->lines[row])
		strbuf_addf(&about, " Set in line %u.", policy->lines[row]);
	put_comment(out, "  ", about.buf);
	strbuf_addf(out, "  \"%s\": ", def->key);
	put_value(out, policy, row);
	strbuf_addstr(out, ",\n\n");
}

/* ---- the parts */

static void put_text(struct strbuf *out, const char *text)
{
	struct json_writer w = { .out = out };

	json_put_str(&w, text);
}

static void put_regrades(struct strbuf *out, const char *indent, const struct policy *policy)
{
	strbuf_addstr(out, "{");
	for (size_t i = 0; i < policy->nr_regrades; i++) {
		const struct policy_regrade *regrade = &policy->regrades[i];

		strbuf_addf(out, "%s\n%s  ", i ? "," : "", indent);
		put_text(out, finding_defs[regrade->finding].name);
		strbuf_addf(out, ": \"%s\"", outcome_name(regrade->outcome));
	}
	strbuf_addf(out, "%s%s}", policy->nr_regrades ? "\n" : "", policy->nr_regrades ? indent : "");
}

static void put_override(struct strbuf *out, const struct policy_override *override)
{
	const struct policy *set = override->set;
	const char *between = "";

	strbuf_addstr(out, "\n    ");
	put_text(out, override->pattern);
	strbuf_addstr(out, ": {");
	for (unsigned row = 0; row < NR_POLICY_ROWS; row++) {
		if (!set->lines[row])
			continue;
		strbuf_addf(out, "%s\n      // Set in line %u.\n      \"%s\": ", between, set->lines[row],
			    policy_rows[row].key);
		put_value(out, set, row);
		between = ",";
	}
	if (set->nr_regrades) {
		strbuf_addf(out, "%s\n      \"regrade\": ", between);
		put_regrades(out, "      ", set);
	}
	strbuf_addstr(out, "\n    }");
}

static void put_overrides(struct strbuf *out, const struct policy *policy, bool of_models)
{
	const char *between = "";

	strbuf_addstr(out, "{");
	for (size_t i = 0; i < policy->nr_overrides; i++) {
		if (policy->overrides[i].is_of_models != of_models)
			continue;
		strbuf_addstr(out, between);
		put_override(out, &policy->overrides[i]);
		between = ",";
	}
	strbuf_addstr(out, *between ? "\n  }" : "}");
}

static void put_member(struct json_writer *w, const char *key, const char *text)
{
	if (text)
		json_str(w, key, text);
}

static void put_quiets(struct strbuf *out, const struct policy *policy)
{
	strbuf_addstr(out, "[");
	for (size_t i = 0; i < policy->nr_quiets; i++) {
		const struct policy_quiet *quiet = &policy->quiets[i];
		struct json_writer w = { .out = out };

		strbuf_addf(out, "%s\n    // Set in line %u.\n    ", i ? "," : "", quiet->line);
		json_object_begin(&w);
		put_member(&w, "finding", quiet->finding);
		put_member(&w, "gpu", quiet->gpu);
		put_member(&w, "node", quiet->node);
		put_member(&w, "until", quiet->until);
		put_member(&w, "reason", quiet->reason);
		json_object_end(&w);
	}
	strbuf_addstr(out, policy->nr_quiets ? "\n  ]" : "]");
}

static void put_parts(struct strbuf *out, const struct policy *policy)
{
	for (unsigned part = 0; part < NR_POLICY_PARTS; part++) {
		STRBUF_AUTO about = STRBUF_INIT;

		strbuf_addf(&about, "%s. Value: %s.", policy_parts[part].doc, policy_parts[part].form);
		put_comment(out, "  ", about.buf);
		strbuf_addf(out, "  \"%s\": ", policy_parts[part].key);
		switch (part) {
		case POLICY_PART_MODELS:
		case POLICY_PART_NODES:
			put_overrides(out, policy, part == POLICY_PART_MODELS);
			break;
		case POLICY_PART_REGRADE:
			put_regrades(out, "  ", policy);
			break;
		default:
			put_quiets(out, policy);
			break;
		}
		strbuf_addstr(out, part + 1 < NR_POLICY_PARTS ? ",\n\n" : "\n");
	}
}

void render_policy(struct strbuf *out, const struct policy *policy)
{
	STRBUF_AUTO head = STRBUF_INIT;
	STRBUF_AUTO clean = STRBUF_INIT;

	if (policy->path)
		strbuf_addf(&head, "The policy %s, which sets %zu of %d values; the others are built in.", policy->path,
			    policy_nr_set(policy), (int)NR_POLICY_ROWS);
	else
		strbuf_addstr(&head, "The policy that is built in.");
	strbuf_addstr(&head, " gpudiag --policy FILE reads this back; a file need name only what it changes.");
	/* A name of a file may hold anything, and a line feed would end the comment. */
	render_clean(&clean, head.buf, false);
	put_comment(out, "", clean.buf);
	strbuf_addstr(out, "{\n");
	for (unsigned row = 0; row < NR_POLICY_ROWS; row++)
		put_row(out, policy, row);
	put_parts(out, policy);
	strbuf_addstr(out, "}\n");
}
