// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gres_null.c - "Gres=(null)" of scontrol show node, beside "Name=gpu Type=h100 File=/dev/nvidia0" of gres.conf. A line
 * of gres.conf that names nodes may be of others than the one that is shown, and so may one beside a node that has its
 * GPUs.
 */
#include "base/compat.h"
#include "import/program/gres_null.h"

#include "import/dump/error_put.h"

#include "base/text.h"
#include "base/text_scan.h"

static const char none[] = "Gres=(null)";

/* Where a line's own "Gres=" stands, as it was printed or set off by somebody; NULL: it has none. */
static const char *gres_of(const char *text)
{
	text += strspn(text, " \t*");
	return text_begins(text, "Gres=") ? text : NULL;
}

static bool names_gpu(const char *text)
{
	return text_begins(past_blanks(text), "Name=gpu ") && strstr(text, "File=/dev/") && !strstr(text, "NodeName=");
}

bool gres_null_begins(const char *text)
{
	const char *gres = gres_of(text);

	return gres && text_begins(gres, none);
}

/* Does the text name GPUs for this node, and show no node that has them? */
static bool are_missing(const struct reading *reading)
{
	bool ret = false;

	for (size_t i = 0; reading->parts && i < reading->parts->nr_texts; i++) {
		const struct dump_lines *text = &reading->parts->texts[i];

		for (size_t k = 0; !strcmp(text->file, reading->part->file) && k < text->nr; k++) {
			const char *line = text->v[k].text;

			if (strstr(line, "Gres=gpu"))
				return false;
			ret |= names_gpu(line);
		}
	}
	return ret;
}

void gres_null_read(struct reading *reading, struct dump_line *line)
{
	if (!gres_null_begins(line->text))
		return;
	line->is_taken = true;
	if (are_missing(reading))
		program_error_put(reading, line, "gres-config", none, NULL);
}
