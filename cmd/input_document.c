// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "cmd/input_document.h"

struct mark {
	size_t at;
	const char *bytes;
	const char *what;
};

/* By the first bytes, as magic(5) has them. */
static const struct mark marks[] = {
	{ 0, "\x89PNG\r\n", "a picture (PNG)" },
	{ 0, "\xff\xd8\xff", "a picture (JPEG)" },
	{ 0, "GIF8", "a picture (GIF)" },
	{ 8, "WEBPVP8", "a picture (WebP)" },
	{ 4, "ftypheic", "a picture (HEIC)" },
	{ 0, "II*", "a picture (TIFF)" },
	{ 0, "%PDF-", "a PDF" },
	{ 0, "{\\rtf", "a document (RTF)" },
	{ 0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an office document or mail (OLE)" },
};

/* A zip archive whose files have names that only such documents have. */
static const struct mark parts[] = {
	{ 0, "word/document.xml", "a Word document" },
	{ 0, "xl/workbook.xml", "an Excel sheet" },
	{ 0, "ppt/presentation.xml", "a PowerPoint presentation" },
	{ 0, "mimetypeapplication/vnd.oasis.opendocument", "an office document (OpenDocument)" },
};

const char *input_document(const char *bytes, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		const size_t mark_len = strlen(marks[i].bytes);

		if (len > marks[i].at + mark_len && !memcmp(bytes + marks[i].at, marks[i].bytes, mark_len))
			return marks[i].what;
	}
	if (len < 4 || memcmp(bytes, "PK\x03\x04", 4) != 0)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (memmem(bytes, len, parts[i].bytes, strlen(parts[i].bytes)))
			return parts[i].what;
	return NULL;
}
