/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * firmware.h - what firmware tables say of a machine: hypervisors by their makers, and what is no name and no number.
 */
#pragma once

#include <stdbool.h>

/*
 * The hypervisor whose guests have these words, "kvm", or NULL. *ret_sells_metal: real machines of that maker bear the
 * same words.
 */
const char *firmware_hypervisor(const char *maker, const char *product, bool *ret_sells_metal);

/* "To be filled by O.E.M.": what board makers leave where a name or a number belongs. */
bool firmware_is_placeholder(const char *text);
