/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bmc_status.h - the words in which ipmitool tells how a sensor is now. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* "cr", "ucr", or where it is verbose "Upper Critical", in any case of letters; text need not end behind it. */
bool bmc_status_is_critical(const char *status, size_t len);
/* "0 degrees C", also with the unit in a cell of its own: no temperature, but a sensor that measures nothing. */
bool bmc_reading_is_dead(const char *reading);
