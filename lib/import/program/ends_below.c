// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/program/ends_below.h"

#include "import/dump/log_time.h"

#include "base/text.h"
#include "base/text_scan.h"

enum {
	MOST_ENDS = 64,		/* of a log of several nodes */
	MOST_BELOW = 16384,	/* lines of further parts that are gone through */
};

struct ends_below {
	struct ending v[MOST_ENDS];
	size_t nr;
};

static bool is_same(struct word a, struct word b)
{
	return a.len == b.len && !memcmp(a.at ? a.at : "", b.at ? b.at : "", a.len);
}

static bool matches(struct word a, struct word b, enum ends_match match)
{
	return is_same(a, b) || (match == ENDS_WHERE_NAMED && (!a.at || !b.at));
}

const char host_signs[] = "abcdefghijklmnopqrstuvwxyz"
			  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

struct word word_of(const char *at, const char *signs)
{
	struct word ret = { at, strspn(at, signs) };

	return ret.len ? ret : (struct word){ .at = NULL };
}

/* "gpu01: …" of pdsh, "gpu01 nvidia-device-plugin: …": a name with a number at its end, which a program hardly has. */
static struct word host_at_begin(const char *text)
{
	const size_t len = strspn(text, host_signs);
	const char *behind = text + len;

	if (!len || is_digit(*text) || !is_digit(behind[-1]))
		return (struct word){ .at = NULL };
	if (*behind == ' ') {
		behind = past_blanks(behind);
		/* A time of day, as behind "E0304" of klog's. */
		behind += is_digit(*behind) ? 0 : strspn(behind, host_signs);
	}
	return *behind == ':' ? (struct word){ text, len } : (struct word){ .at = NULL };
}

/* As tools that gather logs have it, in front of all that a line says or in a field of its own. */
static struct word gathered_host(const char *text)
{
	static const char *const fields[] = { "host=", "hostname=", "\"host\":", "\"hostname\":", "\"_HOSTNAME\":" };
	struct word ret = host_at_begin(text);

	for (size_t i = 0; !ret.at && i < ARRAY_SIZE(fields); i++) {
		const char *at = strstr(text, fields[i]);

		if (!at)
			continue;
		at += strlen(fields[i]);
		at += strspn(at, " \"");
		ret = word_of(at, host_signs);
	}
	return ret;
}

static bool is_gathered_of_another(const char *a, const char *b)
{
	const struct word host = gathered_host(a), other = gathered_host(b);

	return host.at && other.at && !is_same(host, other);
}

/* Of ends of the same, the last is below what any of them is below. */
void ends_below_add(struct ends_below *ends, const struct ending *end)
{
	size_t i = 0;

	while (i < ends->nr && (strcmp(ends->v[i].what, end->what) || ends->v[i].of != end->of ||
				ends->v[i].line->label != end->line->label ||
				!is_same(ends->v[i].host, end->host) || !is_same(ends->v[i].subject, end->subject) ||
				is_gathered_of_another(ends->v[i].line->text, end->line->text)))
		i++;
	if (i == MOST_ENDS)
		return;
	ends->nr += i == ends->nr;
	ends->v[i] = *end;
}

static void read_part(struct ends_below *ends, const struct dump_part *part, read_ends reader)
{
	for (size_t i = 0; i < part->nr_lines; i++)
		reader(ends, &part->lines[i]);
}

struct ends_below *ends_below_in(struct arena *arena, const struct dump_part *part, read_ends reader)
{
	struct ends_below *ret = arena_alloc(arena, sizeof(*ret));

	ret->nr = 0;
	read_part(ret, part, reader);
	return ret;
}

/* What a file says of one machine. */
static bool is_of_same(const struct dump_part *part, const struct dump_part *of)
{
	if (part != of && part->kind == DUMP_LEFT_OUT)
		return false;
	return !part->host.text || !of->host.text || !strcmp(part->host.text, of->host.text);
}

struct ends_below *ends_below_of(const struct reading *reading, struct ends_below **ends, read_ends reader)
{
	const struct dump_part *of = reading->part, *part = of;
	const struct dump_part *last = reading->parts ? reading->parts->v + reading->parts->nr : of + 1;
	struct ends_below *ret = *ends;
	size_t nr_below = 0;

	if (ret)
		return ret;
	ret = arena_alloc(reading->arena, sizeof(*ret));
	ret->nr = 0;
	for (; part < last && nr_below < MOST_BELOW && !strcmp(part->file, of->file); part++) {
		nr_below += part == of ? 0 : part->nr_lines;
		if (is_of_same(part, of))
			read_part(ret, part, reader);
	}
	*ends = ret;
	return ret;
}

bool line_is_below(const struct dump_line *line, const struct dump_line *other)
{
	return line->number != other->number ? line->number > other->number : line > other;
}

static bool is_label_of(const struct dump_line *end, const struct dump_line *failed, enum ends_match match)
{
	return end->label == failed->label || (match == ENDS_WHERE_NAMED && (!end->label || !failed->label));
}

static bool ends_it(const struct ending *end, const struct ending *failed, enum ends_match match)
{
	return !strcmp(end->what, failed->what) && (!end->of || strstr(failed->line->text, end->of)) &&
	       line_is_below(end->line, failed->line) && is_label_of(end->line, failed->line, match) &&
	       matches(end->host, failed->host, match) && matches(end->subject, failed->subject, match) &&
	       !is_gathered_of_another(end->line->text, failed->line->text) &&
	       !log_time_is_earlier(end->line->text, failed->line->text);
}

bool ends_below_has(const struct ends_below *ends, const struct ending *failed, enum ends_match match)
{
	for (size_t i = 0; i < ends->nr; i++)
		if (ends_it(&ends->v[i], failed, match))
			return true;
	return false;
}

struct word host_before_speaker(const char *text, const char *speaker)
{
	const char *at;

	while (speaker && speaker > text && speaker[-1] == ' ')
		speaker--;
	for (at = speaker; at && at > text && at[-1] != ' '; at--)
		continue;
	return at && at < speaker ? (struct word){ at, (size_t)(speaker - at) } : (struct word){ .at = NULL };
}
