// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/dump/named_gpu.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "klog/span.h"

enum { MAX_INDEX = 64, MOST_DIGITS = 2, UUID_CHARACTERS = 40 };

/*
 * before: what may stand before the word, besides blanks and signs of a sentence; between: before its number. A version
 * of CUDA has a blank there, and a count of GPUs ("gres/gpu:1", "nvidia.com/gpu: 8", "num_gpu=1", "GPU: 8") another word
 * before it, or a colon between.
 */
static const struct { const char *word, *before, *between; } names[] = {
	{ "device", ".", " =#:[\"(" }, { "gpu", ".-", " =#[\"(" }, { "device:gpu:", "/", "" },
	{ "gpu_id", ".", " =#:" }, { "gpu id", ".", " =#:" }, { "gpuid", ".", " =#:" }, { "gpu index", ".", " =#:" },
	{ "device_id", ".", " =#:" }, { "deviceid", ".", " =#:" }, { "cudadev", "", " =#:" },
	{ "cuda:", "'", "" }, { "hip:", "'", "" }, { "xpu:", "'", "" }, { "/nvidia", "v", "" },
};

static bool is_within_word(const char *text, const char *at)
{
	return at > text && (hex_digit(at[-1]) >= 0 || at[-1] == '-' ||
			     (at - text > 1 && at[-1] == ':' && hex_digit(at[-2]) >= 0));
}

/* "0c:00.0", as miners and lspci have it: the form of a time of day, but for the device and function of most GPUs. */
static bool take_short_address(struct span *span, char ret[PCI_TEXT_BYTES])
{
	char full[PCI_TEXT_BYTES];
	struct span in_domain;

	if (span->end - span->at < 7 || hex_digit(span->at[0]) < 0 || hex_digit(span->at[1]) < 0 ||
	    strncmp(span->at + 2, ":00.0", 5) != 0 || (span->end - span->at > 7 && is_letter_or_digit(span->at[7])))
		return false;
	snprintf(full, sizeof(full), "0000:%.7s", span->at);
	in_domain = span_of(full);
	return span_take_pci(&in_domain, ret);
}

/* The only one that stands there. */
static const char *address_of(struct arena *arena, const char *text, const char *end)
{
	char address[PCI_TEXT_BYTES], first[PCI_TEXT_BYTES] = "";

	for (const char *at = text; at < end; at++) {
		struct span span = { at, end };

		if (is_within_word(text, at) || (!span_take_pci(&span, address) && !take_short_address(&span, address)))
			continue;
		if (*first && strcmp(first, address) != 0)
			return NULL;
		memcpy(first, address, sizeof(first));
	}
	return *first ? arena_strdup(arena, first) : NULL;
}

static const char *uuid_of(struct arena *arena, const char *text, const char *end)
{
	const char *first = NULL;

	for (const char *at = text; (at = strstr(at, "GPU-")) && at < end; at++) {
		size_t len = strspn(at + 4, "0123456789abcdefABCDEF-") + 4;

		if (len != UUID_CHARACTERS)
			continue;
		if (first && memcmp(first, at, len) != 0)
			return NULL;
		first = at;
	}
	return first ? arena_strndup(arena, first, UUID_CHARACTERS) : NULL;
}

static bool begins_word(const char *text, const char *at, const char *before)
{
	return at == text || strchr(" \t([{\"<>,;|", at[-1]) || (*before && strchr(before, at[-1]));
}

/* "GPU 80%", "device 3.5", "GPU 24 GiB", "device 0x41": another number. */
static bool ends_index(const char *at)
{
	static const char *const units[] = { "MB", "MiB", "GB", "GiB", "KB", "KiB", "GHz", "MHz", "C", "W", "ms", "s",
					     "x", "GPU", "devices", "out of", "/" };
	const char *next = past_blanks(at);

	if ((*at && strchr("-x_/%", *at)) || is_letter_or_digit(*at) || (unsigned char)*at >= 0x80 ||
	    (*at == '.' && is_digit(at[1])))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (text_begins(next, units[i]) && !is_letter_or_digit(next[strlen(units[i])]))
			return false;
	return true;
}

/* Behind the word at `at`, and what may stand between. */
static bool number_behind(const char *at, const char *between, uint64_t *ret)
{
	bool fits = true;

	at += strspn(at, between);
	/* "GPU 0000:5d:00.0" */
	return strspn(at, "0123456789") <= MOST_DIGITS && scan_u64(&at, 10, ret, &fits) && fits && *ret < MAX_INDEX &&
	       ends_index(at);
}

static bool index_of(const char *text, const char *end, uint64_t *ret)
{
	bool has_one = false;
	uint64_t number;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		for (const char *at = text; (at = strcasestr(at, names[i].word)) && at < end; at++) {
			if (!begins_word(text, at, names[i].before) ||
			    !number_behind(at + strlen(names[i].word), names[i].between, &number))
				continue;
			if (has_one && number != *ret)
				return false;
			has_one = true;
			*ret = number;
		}
	return has_one;
}

bool named_gpu_number(const char *text, const char *end, const char *word, uint64_t *ret)
{
	for (const char *at = text; (at = strcasestr(at, word)) && at < end; at++)
		if (number_behind(at + strlen(word), " =#:[\"", ret))
			return true;
	return false;
}

struct named_gpu named_gpu_in(struct arena *arena, const char *text, const char *end)
{
	struct named_gpu ret = { .address = address_of(arena, text, end), .uuid = uuid_of(arena, text, end) };

	ret.has_index = index_of(text, end, &ret.index);
	return ret;
}
