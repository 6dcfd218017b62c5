// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "render/axis.h"

#include <math.h>

/* By its digits: pow() needs a newer glibc than the rest of gpudiag. */
static double power_of_ten(int exponent)
{
	char text[16];

	snprintf(text, sizeof(text), "1e%d", exponent);
	return strtod(text, NULL);
}

double axis_step(double least)
{
	double ten = power_of_ten((int)floor(log10(least))), digit = least / ten;

	return ten * (digit <= 1.0 ? 1.0 : digit <= 2.0 ? 2.0 : digit <= 5.0 ? 5.0 : 10.0);
}
