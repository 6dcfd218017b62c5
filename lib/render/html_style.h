/* SPDX-License-Identifier: GPL-2.0-or-later */
/* html_style.h - the one stylesheet of all pages. Private to html.c. */
#pragma once

extern const char html_style[];
