/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aer.h - the error counters the kernel keeps for a PCIe function: files, no
 * configuration cycle goes out, so a function that sleeps may be asked.
 */
#pragma once

#include "probe/probe.h"

/*
 * The lines of aer_dev_correctable, aer_dev_nonfatal or aer_dev_fatal: a name,
 * which older kernels write with blanks in it, and a number at the end. Pure.
 */
struct aer_counts {
	bool is_whole;		/* the last line, the total, was there */
	uint64_t total;
	uint64_t unsupported;	/* of it, UnsupReq */
};
/* Adds "BadTLP 3, Timeout 1" to *kinds, whatever is above 0. Lines that hold no number are passed over. */
void aer_parse(const char *text, struct aer_counts *ret, struct strbuf *kinds);

/* Fills the aer_ fields of *ret. */
void aer_read(struct probe_env *env, struct arena *arena, const char *address, struct pci_function *ret);
/* One state for them. */
void aer_set_unknown(struct pci_function *ret, enum val_state state, const char *why);

/*
 * What functions have counted together, of a path both ends of each of its links: an error may be counted at either.
 * Known where any of them counts.
 */
struct aer_sums {
	struct val_u64 correctable, uncorrectable;
};
void aer_total(struct probe_env *env, const char *const *addresses, size_t nr, struct aer_sums *ret);
