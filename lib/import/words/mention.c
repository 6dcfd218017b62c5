// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/words/mention.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/words/mention_place.h"
#include "import/words/sentence.h"

static bool begins_quote(const char *text, const char *at)
{
	if (*at == '\'')
		return at == text || (!is_letter_or_digit(at[-1]) && (unsigned char)at[-1] < 0x80);
	return (*at == '"' || *at == '`') && (at == text || at[-1] != '\\');
}

static bool ends_quote(const char *at, char mark)
{
	return *at == mark && at[-1] != '\\' && (mark != '\'' || !is_letter_or_digit(at[1]));
}

static const char *past_quote(const char *end, char mark)
{
	while (*end && !ends_quote(end, mark))
		end++;
	return *end ? end + 1 : end;
}

/* The mark whose quotation is still open there, or NULL. An apostrophe opens none. */
static const char *open_quote(const char *text, const char *at)
{
	const char *open = NULL;

	for (const char *next = text; next < at; next++)
		if (open ? ends_quote(next, *open) : begins_quote(text, next))
			open = open ? NULL : next;
	return open;
}

static struct mention_place place_of(const char *text, const char *at, size_t len)
{
	struct mention_place ret = { .text = text, .at = at, .end = at + len, .quote = open_quote(text, at) };
	struct span near;

	ret.from = ret.quote ? ret.quote : at;
	ret.behind = ret.quote ? past_quote(ret.end, *ret.quote) : ret.end;
	/* Of a line as long as a file what stands near is looked at. */
	near = (struct span){ ret.from - text > MENTION_MOST_CHARACTERS ? ret.from - MENTION_MOST_CHARACTERS : text,
			      ret.behind };
	near.end += strnlen(ret.behind, MENTION_MOST_CHARACTERS);
	ret.before = (struct span){ sentence_of(near, ret.from).at, ret.from };
	ret.after = (struct span){ ret.behind, sentence_of((struct span){ ret.behind, near.end }, ret.behind).end };
	return ret;
}

/* ---- records of logs */

/* msg="…", "stderr": "…", and what NCCL and others quote themselves. */
static bool is_of_record(const struct mention_place *place)
{
	static const char *const keys[] = {
		"stdout\": ", "stderr\": ", "msg\": ", "message\": ", "MESSAGE\": ", "log\": ", "line\": ",
		"error\": ", "err\": ", "reason\": ", "output\": ", "Payload\": ", "stdout=", "stderr=", "msg=",
		"message=", "error=", "err=", "reason=", "output=", "exception=", "cause=",
		"detail\": ", "status\": ", "text\": ", "body\": ", "message: ", "msg: ", "Msg: ",
	};
	static const char *const failures[] = { "ailure ", "CUDA library: ", "NCCL WARN " };
	const char *text = place->text, *at = place->quote;

	if (at >= text + 6 && !strncmp(at - 6, "exec: ", 6))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		size_t len = strlen(keys[i]), bare = len - 1;

		if (((size_t)(at - text) >= len && !strncmp(at - len, keys[i], len)) ||
		    ((size_t)(at - text) >= bare && !strncmp(at - bare, keys[i], bare)))
			return true;
	}
	return *at == '\'' && mention_has_before(place, failures, ARRAY_SIZE(failures));
}

/* All that a line holds is the words, as people paste them; in a list of strings only a file has them so. */
static bool is_all_of_line(const struct mention_place *place)
{
	const char *first = place->text + strspn(place->text, " *->\t");

	return first == place->quote && !*past_blanks(place->behind) &&
	       (*place->quote == '`' || first == past_blanks(place->text));
}

/* `device marked unhealthy: GPU-…`: the form of a line, in which somebody left out a value. */
static bool is_form(const struct mention_place *place)
{
	static const char *const gaps[] = { "-…", "-...", "=…", "=..." };

	for (size_t i = 0; place->quote && i < ARRAY_SIZE(gaps); i++)
		if (memmem(place->end, (size_t)(place->behind - place->end), gaps[i], strlen(gaps[i])))
			return true;
	return false;
}

static const char *past_mention_in(const char *text, const char *at, size_t len)
{
	struct mention_place place = place_of(text, at, len);

	if (mention_is_source(&place))
		return at + strlen(at);
	if (is_form(&place))
		return place.behind;
	if (place.quote && is_of_record(&place))
		return NULL;
	if (place.quote && mention_is_literal(&place))
		return place.behind;
	return !(place.quote && is_all_of_line(&place)) && mention_is_of_prose(&place) ? place.after.end : NULL;
}

/* ---- strings of JSON and of sources, which are lines of their own */

/* Behind the mark where a string begins that is all of a line, but for a comma; NULL: there is more, or it is long. */
static const char *whole_string(const char *text, const char **ret_end)
{
	const char *mark = past_blanks(text), *end;

	if (*mark != '"' && *mark != '\'')
		return NULL;
	end = past_quote(mark + 1, *mark);
	*ret_end = end - 1;
	if (end <= mark + 2 || end[-1] != *mark || end - mark >= MENTION_MOST_CHARACTERS)
		return NULL;
	return *past_blanks(end + (*end == ',')) ? NULL : mark + 1;
}

/* The words in what the string holds: without the backslashes of its quotes. */
static bool is_mentioned_within(const char *string, const char *end, const char *at, size_t len)
{
	char line[MENTION_MOST_CHARACTERS];
	size_t nr = 0, place = 0;

	for (const char *next = string; next < end; next++) {
		if (next == at)
			place = nr;
		if (*next != '\\' || !strchr("\"'", next[1]))
			line[nr++] = *next;
	}
	line[nr] = '\0';
	return past_mention_in(line, line + place, len);
}

const char *past_mention(const char *text, const char *at, size_t len)
{
	const char *end, *string = whole_string(text, &end);

	if (!string || at < string || at + len > end)
		return past_mention_in(text, at, len);
	/* Of a list of such words a source has one in each string. */
	if (at == string && at + len == end && end[1] == ',')
		return end;
	return is_mentioned_within(string, end, at, len) ? end : NULL;
}
