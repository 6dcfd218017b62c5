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

/* "(0c:00.0)", "GPU 0c:00.0", "0c:00.0 VGA …": of the form of a time, it is an address by what stands beside it. */
static bool take_short_address(const char *text, struct span *span, char ret[PCI_TEXT_BYTES])
{
	static const char *const before[] = { "(", "[", "PCI:", "PCI ", "pci ", "BDF ", "BDF: ", "GPU ", "GPU: ", "Bus " };
	static const char *const behind[] = { " VGA ", " 3D ", " Display " };
	char full[PCI_TEXT_BYTES];
	struct span in_domain;
	bool is_address = false;

	if (span->end - span->at < 7 || hex_digit(span->at[0]) < 0 || hex_digit(span->at[1]) < 0 ||
	    strncmp(span->at + 2, ":00.0", 5) != 0 || is_letter_or_digit(span->at[7]))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(before); i++) {
		size_t len = strlen(before[i]);

		is_address |= (size_t)(span->at - text) >= len && !strncmp(span->at - len, before[i], len);
	}
	if (!is_address && !text_begins_any(span->at + 7, behind, ARRAY_SIZE(behind)))
		return false;
	snprintf(full, sizeof(full), "0000:%.7s", span->at);
	in_domain = span_of(full);
	return span_take_pci(&in_domain, ret);
}

/* The only one that stands there. */
static const char *address_of(struct arena *arena, const char *text, const char *end, bool *ret_several)
{
	char address[PCI_TEXT_BYTES], first[PCI_TEXT_BYTES] = "";

	for (const char *at = text; at < end; at++) {
		struct span span = { at, end };

		if (is_within_word(text, at) ||
		    (!span_take_pci(&span, address) && !take_short_address(text, &span, address)))
			continue;
		if (*first && strcmp(first, address) != 0) {
			*ret_several = true;
			return NULL;
		}
		memcpy(first, address, sizeof(first));
	}
	return *first ? arena_strdup(arena, first) : NULL;
}

static const char *uuid_of(struct arena *arena, const char *text, const char *end, bool *ret_several)
{
	const char *first = NULL;

	for (const char *at = text; (at = strstr(at, "GPU-")) && at < end; at++) {
		size_t len = strspn(at + 4, "0123456789abcdefABCDEF-") + 4;

		if (len != UUID_CHARACTERS)
			continue;
		if (first && memcmp(first, at, len) != 0) {
			*ret_several = true;
			return NULL;
		}
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
					     "x", "GPU", "GPUs", "devices", "out of", "of", "/" };
	const char *next = past_blanks(at);

	if ((*at && strchr("-x_/%", *at)) || is_letter_or_digit(*at) || (unsigned char)*at >= 0x80 ||
	    (*at == '.' && is_digit(at[1])))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (text_begins(next, units[i]) && !is_letter_or_digit(next[strlen(units[i])]))
			return false;
	return true;
}

/* "gpu7", in small letters and without a sign between, is as often the name of a node. */
static bool may_be_node(const char *at, const char *word)
{
	return !strcmp(word, "gpu") && *at == 'g' && is_digit(at[strlen(word)]);
}

/* Behind the word at `at`, and what may stand between. */
static bool number_behind(const char *at, const char *between, uint64_t *ret)
{
	bool fits = true;

	/* "gpu03" is a node's name. */
	if (*at == '0' && is_digit(at[1]))
		return false;
	at += strspn(at, between);
	/* "GPU 0000:5d:00.0" */
	return strspn(at, "0123456789") <= MOST_DIGITS && scan_u64(&at, 10, ret, &fits) && fits && *ret < MAX_INDEX &&
	       ends_index(at);
}

static bool index_of(const char *text, const char *end, uint64_t *ret, bool *ret_several)
{
	bool has_one = false;
	uint64_t number;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		for (const char *at = text; (at = strcasestr(at, names[i].word)) && at < end; at++) {
			if (!begins_word(text, at, names[i].before) || may_be_node(at, names[i].word) ||
			    !number_behind(at + strlen(names[i].word), names[i].between, &number))
				continue;
			if (has_one && number != *ret) {
				*ret_several = true;
				return false;
			}
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
	struct named_gpu ret = { .are_several = false };

	ret.address = address_of(arena, text, end, &ret.are_several);
	ret.uuid = uuid_of(arena, text, end, &ret.are_several);
	ret.has_index = index_of(text, end, &ret.index, &ret.are_several);
	return ret;
}
