// SPDX-License-Identifier: GPL-2.0-or-later
/* input_dump.c - a snapshot from a file: one of gpudiag's, or made of what other tools printed. */
#include "base/compat.h"
#include "cmd/input.h"

#include <stdarg.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/input_document.h"
#include "cmd/input_folder.h"
#include "cmd/input_tree.h"
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
	die(EXIT_USAGE,
	    "%s: no output that gpudiag knows, as of nvidia-smi -q, nvidia-bug-report.sh, lspci -vvv or dmesg, and no "
	    "snapshot of gpudiag; gpudiag-import(1) lists what is read",
	    name);
}

/* Where the file lies that was unpacked last: what is missing is missing at its end. */
static size_t last_offset(const struct unpacked *unpacked)
{
	size_t ret = 0;

	for (size_t i = 0; i < unpacked->nr; i++)
		if (unpacked->files[i].offset > ret)
			ret = unpacked->files[i].offset;
	return ret;
}

/* On standard error, and in the report. */
static void PRINTF_LIKE(2, 3) tell_note(struct import *import, const char *format, ...)
{
	STRBUF_AUTO said = STRBUF_INIT;
	va_list args;

	va_start(args, format);
	input_tell(&said, format, args);
	va_end(args);
	import_note(import, said.buf);
}

/* A file out of several that is a picture or the like, or neither text nor packed. */
static void tell_unread(struct import *import, const char *name, const char *path, const char *bytes, size_t len)
{
	const char *what = input_document(bytes, len);

	if (what)
		tell_note(import, "%s: %s: " INPUT_DOCUMENT_ADVICE, name, what);
	else
		import_unread(import, name, path);
}

/* What is missing at its end is no reason not to read the rest. */
static void add_packed(struct import *import, const char *name, const char *path, const struct strbuf *packed)
{
	struct unpacked unpacked = { .nr = 0 };
	size_t last;

	/* One of many may be damaged, or a picture's: the others tell what they tell. */
	input_unpack(name, packed, !path, &unpacked);
	if (unpacked.nothing)
		tell_note(import, "%s: %s", name, unpacked.nothing);
	if (unpacked.cut)
		tell_note(import, "%s: not all of it could be unpacked: %s", name, unpacked.cut);
	last = last_offset(&unpacked);
	input_unpacked_trees(import, name, &unpacked);
	for (size_t i = 0; i < unpacked.nr; i++) {
		const struct unpacked_file *file = &unpacked.files[i];
		const char *inner = arena_printf(&unpacked.arena, "%s%s", name, file->name);

		if (input_document(file->bytes, file->len) || !input_is_text(file->bytes, file->len)) {
			tell_unread(import, inner, *file->name ? file->name : path, file->bytes, file->len);
			continue;
		}
		import_add(import, &(struct dump_text){
			.name = inner,
			.path = *file->name ? file->name : path, .bytes = file->bytes, .len = file->len,
			.is_cut = unpacked.cut && file->offset == last,
		});
	}
	unpacked_release(&unpacked);
}

/*
 * What is empty or begins as a JSON object may be a snapshot, or a damaged one, also after a byte order mark: its
 * errors are told as such.
 */
static bool may_be_snapshot(const struct strbuf *text)
{
	static const char mark[] = "\xef\xbb\xbf";
	const char *at = text->buf + (!strncmp(text->buf, mark, strlen(mark)) ? strlen(mark) : 0);

	at += strspn(at, " \t\r\n");

	return !*at || *at == '{';
}

/*
 * Other tools print JSON as well: what has a mark of ours is a snapshot or report, or a damaged one.
 */
static bool is_ours(const struct strbuf *text)
{
	static const char mark[] = "\"gpudiag.";

	return may_be_snapshot(text) && memmem(text->buf, text->len, mark, strlen(mark));
}

/* Takes the text over where it can. is_alone: there is no other file. */
static void add_text(struct import *import, const char *name, bool is_alone, struct strbuf *text)
{
	const char *document = input_document(text->buf, text->len);

	if (!text->len)
		die(EXIT_USAGE, "%s: empty", name);
	if (is_ours(text))
		die(EXIT_USAGE, "%s: a file of gpudiag's: --snapshot takes snapshots", name);
	if (document && is_alone)
		die(EXIT_USAGE, "%s: %s: " INPUT_DOCUMENT_ADVICE, name, document);
	if (document)
		tell_unread(import, name, NULL, text->buf, text->len);
	else if (unpack_is_packed(text->buf, text->len))
		add_packed(import, name, NULL, text);
	else
		import_add(import,
			   &(struct dump_text){ .name = name, .bytes = text->buf, .len = text->len, .own = text });
}

static void add_file_of_folder(void *to, const char *path, const char *inside, const struct strbuf *text)
{
	if (input_document(text->buf, text->len))
		tell_unread(to, path, inside, text->buf, text->len);
	else if (unpack_is_packed(text->buf, text->len))
		add_packed(to, path, inside, text);
	else
		import_add(to,
			   &(struct dump_text){ .name = path, .path = inside, .bytes = text->buf, .len = text->len });
}

static void pass_file_of_folder(void *to, const char *path, const char *inside, const struct strbuf *first)
{
	tell_unread(to, path, inside, first->buf, first->len);
}

static void take_tree(void *to, const char *folder)
{
	input_tree(to, folder);
}

static void take_note(void *to, const char *text)
{
	import_note(to, text);
}

const char *input_add(struct import *import, const char *path, bool is_alone)
{
	STRBUF_AUTO text = STRBUF_INIT;
	const char *name;

	if (input_is_folder(path)) {
		input_folder(path, &(struct input_folder_sink){
			.take = add_file_of_folder, .pass = pass_file_of_folder, .tree = take_tree, .note = take_note,
			.to = import,
		});
		return path;
	}
	name = input_dump_text(path, &text);
	add_text(import, name, is_alone, &text);
	return name;
}

static void end_import(struct import *import, const char *names, struct snapshot *ret, struct import_account *account)
{
	const char *why;

	input_pasted_files(import);
	if (import_end(import, ret, account, &why)) {
		if (why)
			die(EXIT_USAGE, "%s", why);
		die_unknown(names);
	}
	for (size_t i = 0; i < account->unread.nr; i++)
		complain("%s", account->unread.v[i]);
	import_free(import);
	describe(ret);
}

void input_dumps(const struct strs *paths, struct snapshot *ret, struct import_account *account)
{
	struct import *import = import_new();
	const char *name = NULL;

	for (size_t i = 0; i < paths->nr; i++)
		name = input_add(import, paths->v[i], paths->nr == 1);
	end_import(import, name, ret, account);
}

/* JSON without a mark of ours is a dump if anything in it is known, and if not a damaged snapshot. */
static bool read_json_dump(const char *name, const struct strbuf *text, struct snapshot *ret)
{
	struct import *import;
	struct import_account account;
	const char *why = NULL;
	bool is_known;

	if (is_ours(text))
		return false;
	import = import_new();
	is_known = import_add(import, &(struct dump_text){ .name = name, .bytes = text->buf, .len = text->len }) &&
		   !import_end(import, ret, &account, &why);
	import_free(import);
	if (why)
		die(EXIT_USAGE, "%s", why);
	if (is_known)
		describe(ret);
	else
		snapshot_release(ret);
	return is_known;
}

bool input_dump(const char *path, struct snapshot *ret, struct strbuf *ret_text, const char **ret_name)
{
	struct import *import;
	struct import_account account;

	*ret_name = path;
	if (input_is_folder(path)) {
		input_dumps(&(struct strs){ .v = &path, .nr = 1 }, ret, &account);
		return true;
	}
	*ret_name = input_dump_text(path, ret_text);
	if (may_be_snapshot(ret_text))
		return read_json_dump(*ret_name, ret_text, ret);
	import = import_new();
	add_text(import, *ret_name, true, ret_text);
	end_import(import, *ret_name, ret, &account);
	return true;
}

void input_snapshot(const char *path, struct snapshot *ret, struct merge_unknown *unknown)
{
	STRBUF_AUTO text = STRBUF_INIT;
	struct json_error error = { .line = 0 };
	const char *name;

	if (!input_dump(path, ret, &text, &name) && snapshot_load(ret, text.buf, text.len, unknown, &error))
		die_input(name, &error);
}
