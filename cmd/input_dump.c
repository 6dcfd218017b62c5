// SPDX-License-Identifier: GPL-2.0-or-later
/* input_dump.c - what a user hands us of other tools' output. */
#include "base/compat.h"
#include "cmd/input.h"

#include "cmd/cmd.h"
#include "import/import.h"

/* Dumps have no end mark of their own: what they prove is theirs, and a run of them asks for nothing. */
static void describe(struct snapshot *snapshot)
{
	snapshot->run.tool = val_str(TOOL);
	snapshot->request.level = val_str("read");
	snapshot->request.opencl_type = val_str("gpu");
}

NORETURN static void die_unknown(const char *name)
{
	die(EXIT_USAGE, "%s: no output that gpudiag knows: neither nvidia-smi -q, nor lspci, nor a kernel log, nor a "
	    "snapshot of gpudiag; gpudiag-import(1) lists what is read", name);
}

static void add_text(struct import *import, const char *name, const struct strbuf *text)
{
	if (!import_add(import, &(struct dump_text){ .name = name, .bytes = text->buf, .len = text->len }))
		die(EXIT_USAGE, "%s: empty", name);
}

static void end_import(struct import *import, const char *names, struct snapshot *ret, struct import_account *account)
{
	const char *why;

	if (import_end(import, ret, account, &why))
		die_unknown(names);
	import_free(import);
	describe(ret);
}

void input_dump_text(const char *name, const struct strbuf *text, struct snapshot *ret)
{
	struct import *import = import_new();
	struct import_account account;

	add_text(import, name, text);
	end_import(import, name, ret, &account);
}

void input_dumps(const struct strs *paths, struct snapshot *ret, struct import_account *account)
{
	struct import *import = import_new();
	const char *name = NULL;

	for (size_t i = 0; i < paths->nr; i++) {
		STRBUF_AUTO text = STRBUF_INIT;

		name = input_text(paths->v[i], "a dump", &text);
		add_text(import, name, &text);
	}
	end_import(import, name, ret, account);
}
