/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nvml_values.h - a call of a GPU's that writes one number or one text, as a
 * value. Private to nvml_*.c, whose functions have a variable `number` or a
 * buffer `text` for it to write to.
 */
#pragma once

#include "probe/nvidia/nvml.h"

#define TEXT(session, call)                                                                              \
	nvml_text((session), nvml_call((session), call, (session)->device, text, sizeof(text)), text, sizeof(text))
#define NUMBER(session, call)                                                                            \
	nvml_u32((session), nvml_call((session), call, (session)->device, &number), &number)
#define NUMBER_OF(session, call, which)                                                                  \
	nvml_u32((session), nvml_call((session), call, (session)->device, (which), &number), &number)
#define WITHIN(session, call, least, most)                                                               \
	nvml_u32_in_range((session), nvml_call((session), call, (session)->device, &number), &number, (least), (most))
