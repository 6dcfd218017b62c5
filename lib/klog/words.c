// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "klog/words.h"

static const char *find(struct span text, const char *words)
{
	return memmem(text.at, span_len(text), words, strlen(words));
}

uint64_t klog_xid_of_words(struct span body, uint64_t code)
{
	static const struct {
		uint64_t code;
		const char *words;
	} told[] = {
#define XID_WORDS(number, words) { number, words },
#define FATAL_WORDS(words)
#include "klog/words.def"
	};

	for (size_t i = 0; i < ARRAY_SIZE(told); i++)
		if (find(body, told[i].words))
			return told[i].code;
	return code;
}

bool klog_previous_xid(const char *text, uint64_t *ret)
{
	static const char words[] = "caused by previous Xid ";
	const char *found = strstr(text, words);
	struct span at;

	if (!found)
		return false;
	at = span_of(found + strlen(words));
	return span_take_u64(&at, ret);
}

/*
 * "Xid (PCI:0000:5d:00): 79", with any address or what is left of one: "Xid (PCI:<hidden>): 79", and cut off before the
 * number.
 */
static const char *find_xid(struct span text, struct klog_named_error *ret)
{
	const char *xid = find(text, "Xid (PCI");
	const char *close = xid ? memmem(xid, (size_t)(text.end - xid), "):", 2) : NULL;
	struct span number;

	if (!close)
		return xid;
	number = (struct span){ close + 2, text.end };
	span_trim(&number);
	ret->has_code = span_take_u64(&number, &ret->code);
	return xid;
}

/* "Xid 79", "Xid: 79", "XID=79" of an NVIDIA GPU, without the device. */
static const char *find_bare_xid(struct span text, struct klog_named_error *ret)
{
	const char *xid = find(text, "Xid");
	struct span at;

	xid = xid ? xid : find(text, "XID");
	if (!xid || (!find(text, "NVRM") && !find(text, "GPU") && !find(text, "nvidia")))
		return NULL;
	at = (struct span){ xid + 3, text.end };
	while (at.at < at.end && memchr(" :=#", *at.at, 4))
		at.at++;
	ret->has_code = at.at > xid + 3 && span_take_u64(&at, &ret->code);
	return ret->has_code ? xid : NULL;
}

static const char *find_words(struct span text, const char **ret)
{
	static const char *const words[] = {
#define XID_WORDS(number, words)
#define FATAL_WORDS(words) words,
#include "klog/words.def"
	};
	const char *found = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(words) && !found; i++) {
		found = find(text, words[i]);
		*ret = found ? words[i] : NULL;
	}
	return found;
}

/* The first address in it. */
static void find_device(struct span text, char ret[PCI_TEXT_BYTES])
{
	bool may_begin = true;

	for (; text.at < text.end; text.at++) {
		struct span at = text;

		if (may_begin && span_take_pci(&at, ret))
			return;
		may_begin = hex_digit(*text.at) < 0;
	}
}

/* "grep '…'", "COMMAND=…", a record of the audit: a search for the words, not an event. */
static bool is_command(struct span before)
{
	static const char *const words[] = { "grep ", "COMMAND=", "audit(", "echo " };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (find(before, words[i]))
			return true;
	return false;
}

bool klog_names_error(struct span text, struct klog_named_error *ret)
{
	const char *found;

	*ret = (struct klog_named_error){ .pci = "" };
	found = find_xid(text, ret);
	if (!found)
		found = find_words(text, &ret->words);
	if (!found)
		found = find_bare_xid(text, ret);
	if (!found || is_command((struct span){ text.at, found }))
		return false;
	find_device(text, ret->pci);
	return true;
}
