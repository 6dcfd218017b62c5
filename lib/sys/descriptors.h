/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * descriptors.h - what our caller left open is not for whom we start: one that hangs would hold a lock of it as long.
 */
#pragma once

/* Closes all descriptors from first on. */
void descriptors_close_from(int first);
