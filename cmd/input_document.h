/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input_document.h - files that show a text to people and hold none that is read: pictures, PDFs, office documents. */
#pragma once

#include <stddef.h>

/* "a picture", "a PDF", …; NULL: the file is none of these. */
const char *input_document(const char *bytes, size_t len);

/* What is said of such a file behind its name. */
#define INPUT_DOCUMENT_ADVICE "not read; paste its text into a file, and give that"
