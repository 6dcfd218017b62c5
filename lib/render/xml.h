/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xml.h - texts in documents of XML 1.0. Private to lib/render. */
#pragma once

#include <stdbool.h>

#include "base/strbuf.h"

/*
 * Adds text as content or as the value of an attribute in double quotes. It
 * comes from render_clean(): what XML 1.0 has no character for (section 2.2)
 * and UTF-8 does is "?".
 */
void xml_add(struct strbuf *out, const char *text, size_t len);

/* Text from anywhere, cleaned first. */
void xml_text(struct strbuf *out, const char *text, bool ascii);

/* The same as an attribute, with the blank before it; nothing where text is NULL. */
void xml_attribute(struct strbuf *out, const char *name, const char *text, bool ascii);
