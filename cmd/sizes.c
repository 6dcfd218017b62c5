// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "cmd/sizes.h"

#include "base/text.h"
#include "bench/bench_plan.h"
#include "cmd/cmd.h"

/* The largest buffer of a device is far below. */
#define MAX_SIZE_BYTES ((uint64_t)64 << 30)

NORETURN static void die_no_sizes(const struct option_parser *parser)
{
	die(EXIT_USAGE, "%s: --%s: invalid sizes \"%s\": use 1 to 64G, e.g. 4K, 4K,1M or 4K..256M", parser->command,
	    parser->row->name, parser->argument);
}

/* "4K", "4KiB", "4096" */
static uint64_t size_of_text(const struct option_parser *parser, const char *text)
{
	static const char prefixes[] = "KMG";
	size_t digits = strspn(text, "0123456789");
	const char *suffix = text + digits, *prefix = NULL;
	char number[24];
	uint64_t size;

	if (!digits || digits >= sizeof(number))
		die_no_sizes(parser);
	snprintf(number, sizeof(number), "%.*s", (int)digits, text);
	if (*suffix)
		prefix = strchr(prefixes, *suffix >= 'a' && *suffix <= 'z' ? *suffix - 'a' + 'A' : *suffix);
	if (*suffix && (!prefix || (suffix[1] && strcmp(suffix + 1, "iB") != 0)))
		die_no_sizes(parser);
	if (parse_u64(number, &size) || !size || size > MAX_SIZE_BYTES)
		die_no_sizes(parser);
	if (prefix)
		size <<= 10 * (prefix - prefixes + 1);
	if (size > MAX_SIZE_BYTES)
		die_no_sizes(parser);
	return size;
}

static void add_size(const struct option_parser *parser, struct arena *arena, struct f64s *ret, uint64_t size)
{
	size_t at = 0;

	while (at < ret->nr && ret->v[at] < (double)size)
		at++;
	if (at < ret->nr && ret->v[at] <= (double)size)
		return;
	if (ret->nr == BENCH_MAX_SIZES)
		die(EXIT_USAGE, "%s: --%s: more than %d sizes", parser->command, parser->row->name, BENCH_MAX_SIZES);
	f64s_add(arena, ret, 0.0);
	memmove(ret->v + at + 1, ret->v + at, (ret->nr - 1 - at) * sizeof(*ret->v));
	ret->v[at] = (double)size;
}

static void add_range(const struct option_parser *parser, struct arena *arena, struct f64s *ret, char *word)
{
	char *dots = strstr(word, "..");
	uint64_t from, to;

	if (!dots) {
		add_size(parser, arena, ret, size_of_text(parser, word));
		return;
	}
	*dots = '\0';
	from = size_of_text(parser, word);
	to = size_of_text(parser, dots + 2);
	if (to < from)
		die_no_sizes(parser);
	for (uint64_t size = from; size <= to; size *= 2)
		add_size(parser, arena, ret, size);
}

void option_sizes(const struct option_parser *parser, struct arena *arena, struct f64s *ret)
{
	const char *rest = parser->argument;

	do {
		size_t len = strcspn(rest, ",");
		char word[64];

		if (len >= sizeof(word))
			die_no_sizes(parser);
		snprintf(word, sizeof(word), "%.*s", (int)len, rest);
		add_range(parser, arena, ret, word);
		rest += len;
	} while (*rest++);
}
