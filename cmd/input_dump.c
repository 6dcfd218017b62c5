// SPDX-License-Identifier: GPL-2.0-or-later
/* input_dump.c - a snapshot from a file: one of gpudiag's, or made of what other tools printed. */
#include "base/compat.h"
#include "cmd/input.h"

#include "cmd/cmd.h"
#include "cmd/input_unpack.h"
#include "import/import.h"
#include "probe/import/unpack.h"

/* Dumps have no end mark of their own: what they prove is theirs, and a run of them asks for nothing. */
static void describe(struct snapshot *snapshot)
{
	snapshot->run.tool = val_str(TOOL);
	snapshot->request.level = val_str("read");
	snapshot->request.opencl_type = val_str("gpu");
}

NORETURN static void die_unknown(const char *name)
{
	die(EXIT_USAGE, "%s: no output that gpudiag knows: neither of nvidia-smi (its table, or the text of -q), nor "
	    "nvidia-bug-report.log, nor a kernel log, nor a snapshot of gpudiag; gpudiag-import(1) lists what is read",
	    name);
}

static void add_bytes(struct import *import, const char *name, const char *bytes, size_t len)
{
	import_add(import, &(struct dump_text){ .name = name, .bytes = bytes, .len = len });
}

/* Programs and pictures in an archive: a text has no NUL, but for UTF-16, which begins with its mark. */
static bool is_text(const struct unpacked_file *file)
{
	size_t len = file->len < 4096 ? file->len : 4096;

	return (len >= 2 && (!memcmp(file->bytes, "\xff\xfe", 2) || !memcmp(file->bytes, "\xfe\xff", 2))) ||
	       !memchr(file->bytes, '\0', len);
}

/* What is missing at its end is no reason not to read the rest. */
static void add_packed(struct import *import, const char *name, const struct strbuf *packed)
{
	struct unpacked unpacked = { .nr = 0 };

	input_unpack(name, packed, &unpacked);
	if (unpacked.cut)
		complain("%s: not all of it could be unpacked: %s", name, unpacked.cut);
	for (size_t i = 0; i < unpacked.nr; i++) {
		const struct unpacked_file *file = &unpacked.files[i];

		if (file->len > 1 && is_text(file))
			add_bytes(import, arena_printf(&unpacked.arena, "%s%s", name, file->name), file->bytes, file->len);
	}
	unpacked_release(&unpacked);
}

static void add_text(struct import *import, const char *name, const struct strbuf *text)
{
	if (!text->len)
		die(EXIT_USAGE, "%s: empty", name);
	if (unpack_is_packed(text->buf, text->len))
		add_packed(import, name, text);
	else
		add_bytes(import, name, text->buf, text->len);
}

static void end_import(struct import *import, const char *names, struct snapshot *ret, struct import_account *account)
{
	const char *why;

	if (import_end(import, ret, account, &why)) {
		if (why)
			die(EXIT_USAGE, "%s", why);
		die_unknown(names);
	}
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

		name = input_dump_text(paths->v[i], &text);
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

bool input_dump(const char *name, const struct strbuf *text, struct snapshot *ret)
{
	if (may_be_snapshot(text))
		return false;
	read_dump(name, text, ret);
	return true;
}

void input_snapshot(const char *path, struct snapshot *ret, struct merge_unknown *unknown)
{
	STRBUF_AUTO text = STRBUF_INIT;
	struct json_error error = { .line = 0 };
	const char *name = input_dump_text(path, &text);

	if (!input_dump(name, &text, ret) && snapshot_load(ret, text.buf, text.len, unknown, &error))
		die_input(name, &error);
}
