// SPDX-License-Identifier: GPL-2.0-or-later
/* fuzz_container_config.c - a runtime's configuration: its first byte says whose. */
#include "base/compat.h"

#include "base/strbuf.h"
#include "format/container_config.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct container_config config = { .owner = { .state = VAL_UNSET } };
	struct arena arena = { .blocks = NULL };
	struct strs imports = { .nr = 0 };
	STRBUF_AUTO text = STRBUF_INIT;

	if (!size)
		return 0;
	strbuf_add(&text, (const char *)data + 1, size - 1);
	strbuf_addstr(&text, "");
	container_config_parse(&arena, (enum container_config_kind)(data[0] % 4), text.buf, text.len, &config,
			       &imports);
	/* What is broken has its line. */
	if (is_known(config.broken) && !u64_or(config.broken_line, 0))
		abort();
	arena_release(&arena);
	return 0;
}
