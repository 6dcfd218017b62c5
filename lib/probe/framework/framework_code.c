// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * framework_code.c - for which GPUs a framework's library has code: its heads alone are read, not the gigabytes
 * between.
 */
#include "base/compat.h"
#include "probe/framework/framework_internal.h"

#include <errno.h>
#include <unistd.h>

#include "format/gpu_code.h"
#include "probe/read.h"
#include "sys/clock.h"

enum {
	MAX_SECTIONS = 4096,
	MAX_KINDS = 128,		/* different GPUs a library names */
	MAX_MS = 2000,			/* of reading heads, on a disk that is slow */
	BUNDLE_BYTES = 64 * 1024,
};

struct code {
	struct arena *arena;
	int fd;
	uint64_t file_bytes, end_ns;
	size_t nr;
	const char *kinds[MAX_KINDS];	/* "sm_90", each once */
	const char *why;		/* it cannot be told; static */
	enum val_state state;
};

/* Returns false, for what could not be read on. */
static bool give_up(struct code *code, enum val_state state, const char *why)
{
	if (!code->why) {
		code->state = state;
		code->why = why;
	}
	return false;
}

static bool read_at(struct code *code, void *buf, size_t len, uint64_t at)
{
	ssize_t got = at > INT64_MAX ? -1 : pread(code->fd, buf, len, (off_t)at);

	if (got < 0)
		return give_up(code, VAL_ERROR, "it cannot be read");
	if (got < (ssize_t)len)
		return give_up(code, VAL_ERROR, "it ends too early");
	return clock_now_ns() < code->end_ns || give_up(code, VAL_TIMEOUT, "reading it takes too long");
}

static void add(struct code *code, const char *kind)
{
	for (size_t i = 0; i < code->nr; i++)
		if (!strcmp(code->kinds[i], kind))
			return;
	if (code->nr == MAX_KINDS)
		give_up(code, VAL_UNSUPPORTED, "it names too many GPUs");
	else
		code->kinds[code->nr++] = kind;
}

static bool read_blob(struct code *code, uint64_t at, uint64_t end)
{
	while (at < end) {
		unsigned char head[FATBIN_ENTRY_HEAD_BYTES];
		struct fatbin_entry entry;

		if (end - at < sizeof(head) || !read_at(code, head, sizeof(head), at) ||
		    fatbin_entry_parse(head, end - at, &entry))
			return give_up(code, VAL_UNSUPPORTED, "an entry of unknown form");
		add(code, arena_printf(code->arena, "%s_%u", entry.kind == FATBIN_PTX ? "compute" : "sm",
				       entry.architecture));
		at += entry.bytes;
	}
	return true;
}

/* Between blobs lie bytes of 0 up to where the next may begin. */
static bool read_fatbin(struct code *code, const struct elf_section *section)
{
	uint64_t at = section->offset, end = section->offset + section->size;

	while (end - at >= FATBIN_BLOB_HEAD_BYTES) {
		unsigned char head[FATBIN_BLOB_HEAD_BYTES];
		static const unsigned char zero[FATBIN_ALIGN_BYTES];
		uint64_t bytes;

		if (!read_at(code, head, sizeof(head), at))
			return false;
		if (!memcmp(head, zero, sizeof(zero))) {
			at += FATBIN_ALIGN_BYTES;
			continue;
		}
		if (fatbin_blob_parse(head, &bytes) || bytes > end - at - sizeof(head))
			return give_up(code, VAL_UNSUPPORTED, "a section of unknown form");
		if (!read_blob(code, at + sizeof(head), at + sizeof(head) + bytes))
			return false;
		at += sizeof(head) + bytes;
	}
	return true;
}

/* Bundles begin at pages. */
static bool read_bundles(struct code *code, const struct elf_section *section)
{
	enum { BUNDLE_ALIGN = 4096 };
	unsigned char *bytes = arena_alloc(code->arena, BUNDLE_BYTES);
	uint64_t at = section->offset, end = section->offset + section->size;

	while (at < end) {
		size_t len = end - at < BUNDLE_BYTES ? (size_t)(end - at) : BUNDLE_BYTES, within = 0, target_len;
		uint64_t bundle_bytes;
		const char *target;
		int more;

		if (!read_at(code, bytes, len, at))
			return false;
		while ((more = hip_bundle_next(bytes, len, &within, &target, &target_len, &bundle_bytes)) > 0)
			add(code, arena_strndup(code->arena, target, strcspn(target, ":") < target_len ?
					strcspn(target, ":") : target_len));
		if (more)
			return give_up(code, VAL_UNSUPPORTED,
				       more == -EOPNOTSUPP ? "its GPU code is compressed"
							   : "a section of unknown form");
		at += (bundle_bytes + BUNDLE_ALIGN - 1) / BUNDLE_ALIGN * BUNDLE_ALIGN;
	}
	return true;
}

static bool read_section(struct code *code, const char *name, const struct elf_section *section)
{
	if (!strcmp(name, ".nv_fatbin") || !strcmp(name, "__nv_relfatbin"))
		return read_fatbin(code, section);
	if (!strcmp(name, ".hip_fatbin"))
		return read_bundles(code, section);
	return true;
}

static bool read_sections(struct code *code)
{
	unsigned char head[ELF_HEAD_BYTES];
	struct elf_sections sections;
	struct elf_section names, section;

	if (!read_at(code, head, sizeof(head), 0))
		return false;
	if (elf_sections_parse(head, sizeof(head), &sections) || sections.nr > MAX_SECTIONS)
		return give_up(code, VAL_ERROR, "no library of a 64-bit system");
	if (!read_at(code, head, sizeof(head), sections.offset + sections.names * sizeof(head)))
		return false;
	if (elf_section_parse(head, code->file_bytes, &names))
		return give_up(code, VAL_ERROR, "it ends too early");
	for (size_t i = 0; i < sections.nr; i++) {
		char name[32] = "";

		if (!read_at(code, head, sizeof(head), sections.offset + i * sizeof(head)))
			return false;
		if (elf_section_parse(head, code->file_bytes, &section) || section.name >= names.size)
			continue;
		if (pread(code->fd, name, sizeof(name) - 1, (off_t)(names.offset + section.name)) <= 0)
			continue;
		if (!read_section(code, name, &section))
			return false;
	}
	return true;
}

static int compare_kinds(const void *a, const void *b)
{
	return strverscmp(*(const char *const *)b, *(const char *const *)a);
}

/* False: it could not be read, code->why says why. No such library is none to read. */
static bool read_library(struct probe_env *env, struct code *code, const char *path)
{
	struct stat st;
	bool is_read;

	code->fd = root_open_file(env->root, "%s", path);
	if (code->fd == -ENOENT)
		return true;
	if (code->fd < 0)
		return give_up(code, state_of_errno(code->fd), name_of_errno(code->fd));
	is_read = !fstat(code->fd, &st);
	code->file_bytes = is_read ? (uint64_t)st.st_size : 0;
	is_read = is_read && read_sections(code) && !code->why;
	close(code->fd);
	return is_read;
}

struct val_str gpu_code_read(struct probe_env *env, struct sink *sink, const char *folder, const char *const *libraries)
{
	struct code code = { .arena = &sink->facts.arena, .end_ns = clock_now_ns() + (uint64_t)MAX_MS * 1000000 };
	STRBUF_AUTO text = STRBUF_INIT;

	for (; *libraries; libraries++) {
		const char *path = arena_printf(code.arena, "%s/%s", folder, *libraries);

		sink_step(sink, path);
		if (!read_library(env, &code, path))
			return no_str(code.why ? code.state : VAL_ERROR,
				      arena_printf(code.arena, "%s: %s", *libraries,
						   code.why ? code.why : "it cannot be read"));
	}
	/* "sm_80 sm_90 compute_90": machine code first. */
	if (code.nr)
		qsort(code.kinds, code.nr, sizeof(*code.kinds), compare_kinds);
	for (size_t i = code.nr; i > 0; i--)
		if (strncmp(code.kinds[i - 1], "compute", strlen("compute")))
			strbuf_addf(&text, "%s%s", text.len ? " " : "", code.kinds[i - 1]);
	for (size_t i = code.nr; i > 0; i--)
		if (!strncmp(code.kinds[i - 1], "compute", strlen("compute")))
			strbuf_addf(&text, "%s%s", text.len ? " " : "", code.kinds[i - 1]);
	return code.nr ? val_str(arena_strdup(code.arena, text.buf)) : no_str(VAL_ABSENT, "no GPU code found");
}
