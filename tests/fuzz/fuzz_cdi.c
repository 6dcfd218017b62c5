// SPDX-License-Identifier: GPL-2.0-or-later
/* fuzz_cdi.c - a CDI file: its first byte says whether it is JSON by its name. */
#include "base/compat.h"

#include "base/strbuf.h"
#include "format/cdi.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = { .blocks = NULL };
	STRBUF_AUTO text = STRBUF_INIT;
	struct cdi_content content;

	if (!size)
		return 0;
	strbuf_add(&text, (const char *)data + 1, size - 1);
	strbuf_addstr(&text, "");
	cdi_parse(&arena, text.buf, text.len, data[0] & 1, &content);
	/* What was not read says where and why. */
	if ((content.form == CDI_READ) != !content.what || (content.what && !content.line))
		abort();
	arena_release(&arena);
	return 0;
}
