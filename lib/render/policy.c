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
		return "Value: patterns with * and ?, one of which must match; none pins nothing. ";
	case POLICY_IS_VERSION:
		return "Value: a version in quotes, as in \"3.0\"; an empty one asks for none. ";
	case POLICY_IS_CHECKS:
		return "Value: names of checks (gpudiag list checks). ";
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
	strbuf_addstr(out, row + 1 < NR_POLICY_ROWS ? ",\n\n" : "\n");
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
	strbuf_addstr(out, "}\n");
}
