/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bmc_sign.h - what an entry of a management controller's log says. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum bmc_is {
	BMC_WELL,	/* what was before is over */
	BMC_NOTED,	/* corrected, or of no consequence by itself */
	BMC_PREDICTED,	/* a part expects its own end */
	BMC_LIMIT,	/* a temperature, a voltage or a fan */
	BMC_SUPPLY,	/* a power supply, or that there is one less */
	BMC_MEMORY,	/* memory that was not corrected */
	BMC_HOST,	/* what else stops a host */
	BMC_REDUNDANCY,	/* of the row: of supplies or fans by the sensor's type, else noted */
	BMC_BY_TYPE,	/* of the row: what it is the sensor's type tells */
};

struct bmc_sign {
	const char *words, *with;
	enum bmc_is is;
	const char *topic;
};

/* That of a sensor whose reading is. */
extern const struct bmc_sign bmc_beyond_limit;

/* The sign in what is said, of an entry in all its words; NULL: none that is known. */
const struct bmc_sign *bmc_sign_in(const char *said, const char *entry);

/* What it is, by the entry. */
enum bmc_is bmc_sign_is(const struct bmc_sign *sign, const char *entry);

/* ---- bmc_type.c */

/* Is it a type of sensors of IPMI's, "Power Supply", in any case of letters? */
bool bmc_is_type(const char *type, size_t len);
