// SPDX-License-Identifier: GPL-2.0-or-later
/* reader_form.c - what a source is, by how it begins. */
#include "base/compat.h"
#include "klog/reader_internal.h"

#define UTF16 "text in UTF-16: iconv -f UTF-16 -t UTF-8 FILE | gpudiag logs -"

static const struct {
	const char *magic;
	size_t len;
	const char *why;
} foreign[] = {
#define MAGIC(bytes, why) { bytes, sizeof(bytes) - 1, why },
	MAGIC("\x1f\x8b", "gzip-compressed: zcat FILE | gpudiag logs -")
	MAGIC("\x1f\x9d", "compressed: zcat FILE | gpudiag logs -")
	MAGIC("\xfd"
	      "7zXZ\0", "xz-compressed: xzcat FILE | gpudiag logs -")
	MAGIC("BZh", "bzip2-compressed: bzcat FILE | gpudiag logs -")
	MAGIC("\x28\xb5\x2f\xfd", "zstd-compressed: zstdcat FILE | gpudiag logs -")
	MAGIC("\x04\x22\x4d\x18", "lz4-compressed: lz4cat FILE | gpudiag logs -")
	MAGIC("PK\x03\x04", "a zip archive: unzip -p FILE | gpudiag logs -")
	MAGIC("LPKSHHRH", "a journal of systemd: journalctl --file FILE -o export | gpudiag logs -")
	MAGIC("\x7f"
	      "ELF", "a program, not a log")
	MAGIC("\xff\xfe", UTF16)
	MAGIC("\xfe\xff", UTF16)
#undef MAGIC
};

/* Every other byte is zero, the rest is not: UTF-16 without its mark. */
static bool is_utf16(struct span head)
{
	size_t zeros[2] = { 0, 0 }, pairs = span_len(head) / 2;

	if (pairs < 4)
		return false;
	for (size_t i = 0; i < 2 * pairs; i++)
		zeros[i % 2] += head.at[i] == '\0';
	return (zeros[0] * 10 >= pairs * 9 && zeros[1] * 10 <= pairs) ||
	       (zeros[1] * 10 >= pairs * 9 && zeros[0] * 10 <= pairs);
}

const char *klog_foreign(struct span head)
{
	for (size_t i = 0; i < ARRAY_SIZE(foreign); i++)
		if (span_len(head) >= foreign[i].len && !memcmp(head.at, foreign[i].magic, foreign[i].len))
			return foreign[i].why;
	return is_utf16(head) ? UTF16 : NULL;
}

/* Blanks, line ends and what marks UTF-8 gone. */
static struct span first_line(struct span head)
{
	const char *stop;

	span_take(&head, "\xef\xbb\xbf");
	while (head.at < head.end && (*head.at == ' ' || *head.at == '\t' || *head.at == '\r' || *head.at == '\n'))
		head.at++;
	for (stop = head.at; stop < head.end && *stop != '\n'; stop++)
		;
	head.end = stop;
	while (head.end > head.at && (head.end[-1] == '\r' || head.end[-1] == ' ' || head.end[-1] == '\t'))
		head.end--;
	return head;
}

bool klog_is_bracket_alone(struct span head)
{
	struct span line = first_line(head);

	if (!span_begins(line, "{") && !span_begins(line, "["))
		return false;
	span_take(&line, "[");
	span_trim(&line);
	span_take(&line, "{");
	span_trim(&line);
	return !span_len(line);
}

/* An object over several lines: a bracket alone goes on with what JSON has next; of a log it is a scrap. */
static bool is_object_begun(struct span line, char next)
{
	if (klog_is_bracket_alone(line))
		return next == '"' || next == (line.end[-1] == '{' ? '}' : '{');
	span_take(&line, "[");
	span_trim(&line);
	if (!span_take(&line, "{"))
		return false;
	span_trim(&line);
	return span_begins(line, "\"dmesg\"");
}

enum klog_form klog_form_of(struct span head, char next, bool *is_json)
{
	static const char *const fields[] = { "__CURSOR=", "__REALTIME_TIMESTAMP=", "__MONOTONIC_TIMESTAMP=",
					      "_BOOT_ID=", "__SEQNUM=", "_TRANSPORT=", "SYSLOG_IDENTIFIER=",
					      "SYSLOG_FACILITY=", "PRIORITY=", "MESSAGE=",
					      "_SOURCE_MONOTONIC_TIMESTAMP=", "_MACHINE_ID=" };
	struct span line = first_line(head);

	*is_json = span_begins(line, "{") || span_begins(line, "\x1e{") || span_begins(line, "data: {");
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (span_begins(line, fields[i]))
			return KLOG_FORM_EXPORT;
	if ((!span_begins(line, "{") && !span_begins(line, "[")) || !is_object_begun(line, next))
		return KLOG_FORM_LINES;
	*is_json = true;
	return KLOG_FORM_OBJECTS;
}

size_t klog_count_control(struct span bytes)
{
	size_t nr = 0;

	/* Zero is not among them: a crash leaves blocks of it in logs. */
	for (const char *c = bytes.at; c < bytes.end; c++) {
		unsigned char byte = (unsigned char)*c;

		nr += (byte && byte < '\a') || (byte > '\r' && byte < ' ' && byte != 0x1b && byte != 0x1e) ||
		      byte == 0x7f;
	}
	return nr;
}
