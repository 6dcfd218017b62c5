/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nvml_values.h - a call of a GPU's that writes one number or one text, as a
 * value. Private to nvml_*.c, whose functions have a variable `number` or a
 * buffer `text` for it to write to.
 */
#ifndef GPUDIAG_PROBE_NVML_VALUES_H
#define GPUDIAG_PROBE_NVML_VALUES_H

#include "probe/nvidia/nvml.h"

#define TEXT(asked, call)                                                                              \
	nvml_text((asked), nvml_ask((asked), call, (asked)->device, text, sizeof(text)), text, sizeof(text))
#define NUMBER(asked, call)                                                                            \
	nvml_u32((asked), nvml_ask((asked), call, (asked)->device, &number), &number)
#define NUMBER_OF(asked, call, which)                                                                  \
	nvml_u32((asked), nvml_ask((asked), call, (asked)->device, (which), &number), &number)
#define WITHIN(asked, call, least, most)                                                               \
	nvml_u32_within((asked), nvml_ask((asked), call, (asked)->device, &number), &number, (least), (most))

#endif
