// SPDX-License-Identifier: GPL-2.0-or-later
/* input_dump.c - a snapshot from a file: one of gpudiag's, or made of what other tools printed. */
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

/* By the first bytes of a file (magic(5)): the program that unpacks it. */
static const struct {
	const char *magic;
	size_t len;
	const char *what, *unpack;
} packed[] = {
	{ "\x1f\x8b", 2, "compressed by gzip", "zcat" },
	{ "\xfd" "7zXZ", 5, "compressed by xz", "xzcat" },
	{ "\x28\xb5\x2f\xfd", 4, "compressed by zstd", "zstdcat" },
	{ "BZh", 3, "compressed by bzip2", "bzcat" },
	{ "PK\x03\x04", 4, "a zip archive", "unzip -p" },
};

static void refuse_packed(const char *name, const struct strbuf *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(packed); i++)
		if (text->len > packed[i].len && !memcmp(text->buf, packed[i].magic, packed[i].len))
			die(EXIT_USAGE, "%s: %s, which is not unpacked here: %s FILE | gpudiag run --import -", name,
			    packed[i].what, packed[i].unpack);
}

NORETURN static void die_unknown(const char *name)
{
	die(EXIT_USAGE, "%s: no output that gpudiag knows: neither of nvidia-smi (its table, or the text of -q), nor "
	    "nvidia-bug-report.log, nor a kernel log, nor a snapshot of gpudiag; --import in gpudiag-run(1) says what is read",
	    name);
}

static void add_text(struct import *import, const char *name, const struct strbuf *text)
{
	refuse_packed(name, text);
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

static void read_dump(const char *name, const struct strbuf *text, struct snapshot *ret)
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

/*
 * What is empty or begins as a JSON object is a snapshot, or a damaged one, also after a byte order mark: its errors are
 * told as such.
 */
static bool may_be_snapshot(const struct strbuf *text)
{
	static const char mark[] = "\xef\xbb\xbf";
	const char *at = text->buf + (!strncmp(text->buf, mark, strlen(mark)) ? strlen(mark) : 0);

	at += strspn(at, " \t\r\n");

	return !*at || *at == '{';
}

void input_snapshot(const char *path, struct snapshot *ret, struct merge_unknown *unknown)
{
	STRBUF_AUTO text = STRBUF_INIT;
	struct json_error error = { .line = 0 };
	const char *name = input_text(path, "a snapshot", &text);

	if (!may_be_snapshot(&text)) {
		read_dump(name, &text, ret);
		return;
	}
	if (!snapshot_load(ret, text.buf, text.len, unknown, &error))
		return;
	die_input(name, &error);
}
