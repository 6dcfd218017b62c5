/* SPDX-License-Identifier: GPL-2.0-or-later */
/* axis.h - round numbers along an axis. Private to lib/render. */
#pragma once

/* The next of 1, 2 and 5 with zeros that is not below least, which is above 0. */
double axis_step(double least);
