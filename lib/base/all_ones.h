/* SPDX-License-Identifier: GPL-2.0-or-later */
/* all_ones.h - numbers that come of registers which read as all ones. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Errors by such a register of 16, 32 or 64 bits; of AMD's memory controllers sixteen times 0xffff, and once more for
 * each of them or each question.
 */
static inline bool is_all_ones_errors(uint64_t errors)
{
	return (errors && errors % 0xffff0 == 0) || errors == UINT16_MAX || errors == UINT32_MAX ||
	       errors == UINT64_MAX;
}
