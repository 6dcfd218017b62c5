/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words.h - what the words of a line tell beside its form: they outrank a number, and where nothing fits they are not
 * passed over.
 */
#pragma once

#include "klog/span.h"

/* The Xid that the words of a line are always said with; code, where they are any's. */
uint64_t klog_xid_of_words(struct span body, uint64_t code);

/* "… caused by previous Xid 149": which one; false: the line does not say. */
bool klog_previous_xid(const char *text, uint64_t *ret);

/*
 * An error of a GPU that a line names in whatever form: its device and the number of its Xid, where they can be made
 * out.
 */
struct klog_named_error {
	char pci[PCI_TEXT_BYTES];	/* or "" */
	bool has_code;
	uint64_t code;
	const char *words;		/* of words.def, that alone say so; NULL: an Xid does */
};
/* Does it name one? A search command that a person typed does not count. */
bool klog_names_error(struct span text, struct klog_named_error *ret);
