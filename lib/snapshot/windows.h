/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * windows.h - a dump of another machine's Windows: its nvidia-smi prints the driver model (WDDM, TCC, MCDM) where Linux
 * has persistence, which is not supported there and has this as its reason.
 */
#pragma once

#define WINDOWS_DRIVER "the driver is one for Windows"
