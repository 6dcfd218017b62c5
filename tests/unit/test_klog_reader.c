// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "klog/reader.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define XID "NVRM: Xid (PCI:0000:01:00): 79, pid=1, name=x, GPU has fallen off the bus."
#define S "[    1.000000] "
#define NOISE "[    0.500000] usb 1-2: new device\n"

/* What came out, one line of text each: "NUMBER TEXT". */
struct seen {
	struct strbuf text;
	size_t nr;
	unsigned wants;			/* after each line that holds "Xid" */
	struct klog_line last;		/* without its text */
};

static unsigned see(void *to, const struct klog_line *line)
{
	struct seen *seen = to;

	seen->nr++;
	strbuf_addf(&seen->text, "%llu ", (unsigned long long)line->number);
	strbuf_add(&seen->text, line->text.at, span_len(line->text));
	strbuf_addch(&seen->text, '\n');
	seen->last = *line;
	return memmem(line->text.at, span_len(line->text), "Xid", 3) ? seen->wants : 0;
}

struct result {
	int error;
	const char *why;
	struct klog_coverage coverage;
};

/* Feeds it in pieces of so many bytes. */
static struct result feed(struct seen *seen, struct span log, size_t piece)
{
	const struct klog_sink sink = { .line = see, .to = seen };
	struct klog_reader *reader = klog_reader_new(&sink, INT64_C(1768000000000000));
	struct result result = { .error = 0, .why = NULL };
	int error;

	seen->nr = 0;
	strbuf_reset(&seen->text);
	while (span_len(log) && !result.error) {
		size_t len = span_len(log) < piece ? span_len(log) : piece;

		result.error = klog_reader_feed(reader, log.at, len, &result.why);
		log.at += len;
	}
	error = klog_reader_end(reader, &result.coverage, &result.why);
	assert_int_equal(error, result.error ? result.error : error);
	result.error = error;
	klog_reader_free(reader);
	return result;
}

/* Fed whole and in pieces of any size, it tells the same. */
static struct result read_span(struct span log, unsigned wants, const char *expected)
{
	struct seen seen = { .text = STRBUF_INIT, .wants = wants };
	struct result whole = feed(&seen, log, SIZE_MAX), other;

	if (strcmp(seen.text.buf, expected) != 0)
		fail_msg("is\n%s\nnot\n%s", seen.text.buf, expected);
	for (size_t piece = 1; piece < span_len(log) && piece < 70; piece++) {
		other = feed(&seen, log, piece);
		if (strcmp(seen.text.buf, expected) != 0)
			fail_msg("in pieces of %zu is\n%s\nnot\n%s", piece, seen.text.buf, expected);
		assert_int_equal(other.error, whole.error);
		if (!whole.error)
			assert_memory_equal(&other.coverage, &whole.coverage, sizeof(whole.coverage));
	}
	strbuf_release(&seen.text);
	return whole;
}

static struct klog_coverage reads(const char *log, const char *expected)
{
	struct result result = read_span(span_of(log), 0, expected);

	assert_int_equal(result.error, 0);
	return result.coverage;
}

static void finds_lines(void **state)
{
	struct klog_coverage coverage;

	(void)state;
	coverage = reads("", "");
	assert_int_equal(coverage.lines, 0);
	coverage = reads("\n\n", "");
	assert_int_equal(coverage.lines, 2);
	coverage = reads(NOISE S XID "\n" NOISE "\n" S XID, "2 " XID "\n5 " XID "\n");
	assert_int_equal(coverage.lines, 5);
	assert_int_equal(coverage.bytes, strlen(NOISE S XID "\n" NOISE "\n" S XID));
	assert_int_equal(coverage.first.boot_us, 500000);
	assert_int_equal(coverage.last.boot_us, 1000000);
	assert_int_equal(coverage.cut_lines, 0);
	reads(XID "\r\n" XID "\r\n", "1 " XID "\n2 " XID "\n");
	/* Only a host's name is of interest. */
	reads("Jan  7 14:25:56 nvidia-1 kernel: usb\n", "");
	/* Colours within what is looked for; journald's numbers. */
	reads("[    1.000000] \x1b[31mNVRM\x1b[m: Xid\n", "1 NVRM: Xid\n");
	reads("{\"MESSAGE\":[78,86,82,77,58,32,33],\"_TRANSPORT\":\"kernel\"}\n"
	      "{\"MESSAGE\":\"x\",\"_TRANSPORT\":\"kernel\"}\n"
	      "{\"MESSAGE\" : [78,86,82,77,58,32,33],\"_TRANSPORT\":\"kernel\"}\n", "1 NVRM: !\n3 NVRM: !\n");
	/* A record of several lines. */
	reads("6,1,2,-;NVRM: a\\x0aNVRM: b\n SUBSYSTEM=nvidia\n DEVICE=+nvidia:x\n", "1 NVRM: a\n1 NVRM: b\n");
}

static void knows_first_and_last(void **state)
{
	STRBUF_AUTO log = STRBUF_INIT;
	struct klog_coverage coverage;

	(void)state;
	coverage = reads("no stamp\n[    2.000000] a\n[    3.000000] b\nnone\n", "");
	assert_int_equal(coverage.first.boot_us, 2000000);
	assert_int_equal(coverage.last.boot_us, 3000000);
	coverage = reads("none\n", "");
	assert_false(coverage.first.has_boot || coverage.first.has_wall || coverage.last.has_boot);
	/* Much without a stamp before and after; one that is looked at counts in any place. */
	for (int i = 0; i < 1000; i++)
		strbuf_addstr(&log, "nothing of interest here\n");
	strbuf_addstr(&log, S XID "\n");
	for (int i = 0; i < 1000; i++)
		strbuf_addstr(&log, "nothing of interest here\n");
	coverage = reads(log.buf, "1001 " XID "\n");
	assert_int_equal(coverage.lines, 2001);
	assert_int_equal(coverage.first.boot_us, 1000000);
	assert_int_equal(coverage.last.boot_us, 1000000);
	strbuf_addstr(&log, "Jan  7 14:25:56 host sshd[1]: x");
	coverage = reads(log.buf, "1001 " XID "\n");
	assert_int_equal(coverage.last.wall_us, INT64_C(1767795956000000));
	assert_false(coverage.last.has_boot);
}

static void hands_over_what_is_wanted(void **state)
{
	struct result result;

	(void)state;
	result = read_span(span_of(S XID "\n" S "a\n" S "b\n" S "c\n"), 2, "1 " XID "\n2 a\n3 b\n");
	assert_int_equal(result.error, 0);
	read_span(span_of(S XID "\n" S "a\n" S XID "\n" S "b\n" S "c\n" S "d\n"), 2,
		  "1 " XID "\n2 a\n3 " XID "\n4 b\n5 c\n");
	/* What belongs to a record is no line of it. */
	read_span(span_of("4,1,2,-;" XID "\n DEVICE=x\n4,2,2,-;a\n4,3,2,-;b\n"), 1, "1 " XID "\n3 a\n");
	read_span(span_of("__CURSOR=a\nMESSAGE=" XID "\n_TRANSPORT=kernel\n\n__CURSOR=b\nMESSAGE=a\n\nMESSAGE=b\n\n"),
		  1,
		  "2 " XID "\n6 a\n");
	/* Nor is an entry that says nothing. */
	read_span(span_of("MESSAGE=" XID "\n\n__CURSOR=b\n\nMESSAGE=a\n\n"), 1, "1 " XID "\n5 a\n");
}

static void cuts_long_lines(void **state)
{
	STRBUF_AUTO log = STRBUF_INIT;
	struct klog_coverage coverage;
	struct seen seen = { .text = STRBUF_INIT };

	(void)state;
	/* What stands behind the cut is not seen, nor what the cut goes through. */
	strbuf_addstr(&log, S "x\n");
	strbuf_addchars(&log, 'x', MAX_LOG_LINE_BYTES - 2);
	strbuf_addstr(&log, XID "\n" S XID "\n");
	strbuf_addchars(&log, 'x', MAX_LOG_LINE_BYTES);
	strbuf_addstr(&log, "\n" S XID "\n");
	strbuf_addchars(&log, 'x', 3 * MAX_LOG_LINE_BYTES);
	strbuf_addstr(&log, "\n" S XID "\nNVRM: ");
	strbuf_addchars(&log, 'x', 2 * MAX_LOG_LINE_BYTES);
	for (size_t piece = 1; piece < log.len * 2; piece = piece * 3 + 1) {
		coverage = feed(&seen, (struct span){ log.buf, log.buf + log.len }, piece).coverage;
		assert_int_equal(coverage.lines, 8);
		assert_int_equal(coverage.cut_lines, 3);
		assert_int_equal(seen.nr, 4);
		assert_memory_equal(seen.text.buf, "3 " XID "\n5 " XID "\n7 " XID "\n", 3 * strlen("3 " XID "\n") - 1);
		assert_int_equal(span_len(seen.last.text), MAX_LOG_LINE_BYTES);
	}
	strbuf_release(&seen.text);
}

static void bears_bytes_that_are_no_text(void **state)
{
	static const char zeros[] = NOISE "\0\0\0\0\0\0\0" S XID "\n\xff\xfe\x80 NVRM: \xff\n";
	static const char filler[] = "[    1.000000] a line of text, of which there are enough\n";
	STRBUF_AUTO log = STRBUF_INIT;

	(void)state;
	read_span((struct span){ zeros, zeros + sizeof(zeros) - 1 }, 0, "2 " XID "\n3 \xff\xfe\x80 NVRM: \xff\n");
	/* Behind the first few thousand bytes anything goes. */
	for (int i = 0; i < 80; i++)
		strbuf_addstr(&log, filler);
	strbuf_addchars(&log, '\1', 5000);
	strbuf_addstr(&log, "\n" S XID "\n");
	assert_int_equal(reads(log.buf, "82 " XID "\n").cut_lines, 0);
}

static void tells_what_is_no_log(void **state)
{
#define BYTES(text) text, sizeof(text) - 1
	static const struct {
		const char *bytes;
		size_t len;
		const char *why;
	} foreign[] = {
		{ BYTES("\x1f\x8b\x08\x00NVRM: \n"), "zcat FILE | gpudiag logs -" },
		{ BYTES("\x1f\x9d\x90\n"), "zcat" },
		{ BYTES("\xfd" "7zXZ\0\0"), "xzcat" },
		{ BYTES("BZh91AY&SY"), "bzcat" },
		{ BYTES("\x28\xb5\x2f\xfdx\n"), "zstdcat" },
		{ BYTES("\x04\x22\x4d\x18x"), "lz4cat" },
		{ BYTES("PK\x03\x04x"), "unzip -p" },
		{ BYTES("LPKSHHRH\0\0"), "journalctl --file FILE -o export" },
		{ BYTES("\x7f" "ELF\2\1\1"), "program" },
		{ BYTES("\xff\xfe[\0 \0001\0"), "iconv -f UTF-16 -t UTF-8" },
		{ BYTES("\xfe\xff\0[\0 \0001"), "iconv" },
		{ BYTES("N\0V\0R\0M\0:\0 \0\r\0\n\0N\0"), "iconv" },
		{ BYTES("\0N\0V\0R\0M\0:\0 \0\r\0\n\0N"), "iconv" },
		{ BYTES("\1\2\3\4 some text\5\6\n"), "not text" },
	};
#undef BYTES
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(foreign); i++) {
		struct span bytes = { foreign[i].bytes, foreign[i].bytes + foreign[i].len };
		struct result result = read_span(bytes, 0, "");

		if (result.error != -EILSEQ || !strstr(result.why, foreign[i].why))
			fail_msg("%zu: %s", i, result.why ? result.why : "taken for a log");
	}
	/* No text of any length; none of these are far from text. */
	assert_int_equal(read_span(span_of("\x1b[mNVRM: a\n\x1e{}\n"), 0, "1 NVRM: a\n").error, 0);
}

/* What is no text is known by its first bytes: what was told before does not hang on the pieces. An export may be. */
static void judges_text_alike_however_it_came(void **state)
{
	struct strbuf log = STRBUF_INIT;
	struct result result;

	(void)state;
	for (size_t filled = 4090; filled <= 4100; filled++) {
		strbuf_reset(&log);
		strbuf_addstr(&log, S XID "\n");
		while (log.len + 1 < filled)
			strbuf_addch(&log, '\1');
		strbuf_addch(&log, '\n');
		result = read_span((struct span){ log.buf, log.buf + log.len }, 0, "1 " XID "\n");
		assert_int_equal(result.error, -EILSEQ);

		strbuf_reset(&log);
		strbuf_addstr(&log, "__CURSOR=a\nMESSAGE=NVRM: a\nJUNK=");
		while (log.len + 2 < filled)
			strbuf_addch(&log, '\1');
		strbuf_addstr(&log, "\n\n");
		result = read_span((struct span){ log.buf, log.buf + log.len }, 0, "2 NVRM: a\n");
		assert_int_equal(result.error, 0);
	}
	strbuf_release(&log);
}

static void stays_refused(void **state)
{
	struct seen seen = { .text = STRBUF_INIT };
	const struct klog_sink sink = { .line = see, .to = &seen };
	struct klog_reader *reader = klog_reader_new(&sink, 0);
	struct klog_coverage coverage;
	const char *why = NULL;

	(void)state;
	assert_int_equal(klog_reader_feed(reader, "\x1f\x8b\x08\n", 4, &why), -EILSEQ);
	assert_non_null(why);
	why = NULL;
	assert_int_equal(klog_reader_feed(reader, XID "\n", strlen(XID "\n"), &why), -EILSEQ);
	assert_non_null(why);
	klog_reader_pause(reader);
	assert_int_equal(klog_reader_end(reader, &coverage, &why), -EILSEQ);
	assert_int_equal(seen.nr, 0);
	klog_reader_free(reader);
	klog_reader_free(NULL);
}

static void reads_journals_exports(void **state)
{
	static const char binary[] = "__CURSOR=a\n__REALTIME_TIMESTAMP=1673101556000000\n_TRANSPORT=kernel\n"
				     "MESSAGE\n\x11\0\0\0\0\0\0\0NVRM: a\n\nNVRM: b\n\nCOREDUMP\n\x0a\0\0\0\0\0\0\0"
				     "MESSAGE=a\n\n\n_TRANSPORT=stdout\nMESSAGE=NVRM: c\n\nJUNK\n"
				     "\xff\xff\xff\xff\xff\xff\xff\xff\n\nMESSAGE=NVRM: d";
	struct result result;

	(void)state;
	result = read_span((struct span){ binary, binary + sizeof(binary) - 1 }, 0,
			   "4 NVRM: a\n4 NVRM: b\n15 NVRM: c\n20 NVRM: d\n");
	assert_int_equal(result.error, 0);
	assert_int_equal(result.coverage.first.wall_us, INT64_C(1673101556000000));
	assert_int_equal(result.coverage.lines, 20);
}

static void knows_who_speaks_in_an_export(void **state)
{
	static const struct {
		const char *fields;
		enum klog_origin origin;
		int level;
	} entries[] = {
		{ "MESSAGE=NVRM: \n_TRANSPORT=kernel\nPRIORITY=3\nSYSLOG_IDENTIFIER=x\n", KLOG_ORIGIN_KERNEL, 3 },
		{ "MESSAGE=NVRM: \nSYSLOG_IDENTIFIER=kernel\n", KLOG_ORIGIN_KERNEL, -1 },
		{ "MESSAGE=NVRM: \nSYSLOG_IDENTIFIER=kernel\n_TRANSPORT=syslog\n", KLOG_ORIGIN_USER, -1 },
		{ "MESSAGE=NVRM: \nSYSLOG_IDENTIFIER=sshd\n", KLOG_ORIGIN_USER, -1 },
		{ "MESSAGE=NVRM: \n", KLOG_ORIGIN_UNKNOWN, -1 },
	};
	struct seen seen = { .text = STRBUF_INIT };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(entries); i++) {
		feed(&seen, span_of(entries[i].fields), SIZE_MAX);
		assert_int_equal(seen.nr, 1);
		assert_int_equal(seen.last.origin, entries[i].origin);
		assert_int_equal(seen.last.level, entries[i].level);
	}
	feed(&seen, span_of("_BOOT_ID=0123456789abcdef0123456789abcdef\n__MONOTONIC_TIMESTAMP=7\n"
			    "_SOURCE_MONOTONIC_TIMESTAMP=5\n__REALTIME_TIMESTAMP=9\nMESSAGE=NVRM: \n"), SIZE_MAX);
	assert_string_equal(seen.last.boot_id, "0123456789abcdef0123456789abcdef");
	assert_int_equal(seen.last.time.boot_us, 5);
	assert_int_equal(seen.last.time.wall_us, 9);
	/* Which no clock shows. */
	feed(&seen, span_of("__REALTIME_TIMESTAMP=9223372036854775807\n__MONOTONIC_TIMESTAMP=9223372036854775807\n"
			    "MESSAGE=NVRM: \n"), SIZE_MAX);
	assert_false(seen.last.time.has_wall);
	assert_false(seen.last.time.has_boot);
	strbuf_release(&seen.text);
}

/* {"_source": {"long": …}, "message": …} of lines and of a long text. */
static void reads_around_long_objects(void **state)
{
	enum { LINES = 70000, BYTES = 100000 };
	struct strbuf log = STRBUF_INIT, expected = STRBUF_INIT;
	struct klog_coverage coverage;

	(void)state;
	strbuf_addstr(&log, "{\n\"a\": {");
	strbuf_addchars(&log, '\n', 5);
	strbuf_addchars(&log, 'x', BYTES);
	strbuf_addstr(&log, "\n},\n\"message\": \"NVRM: a\"},\n{\"message\": \"NVRM: b\"}\n");
	coverage = reads(log.buf, "9 NVRM: a\n10 NVRM: b\n");
	assert_int_equal(coverage.cut_lines, 1);
	/* No room is left of lines alone; what comes behind them does not take all there is. */
	strbuf_reset(&log);
	strbuf_addstr(&log, "{\n\"a\": {");
	strbuf_addchars(&log, '\n', LINES);
	strbuf_addstr(&log, "},\n\"message\": \"");
	strbuf_addchars(&log, 'x', BYTES);
	strbuf_addstr(&log, "\"},\n{\"message\": \"NVRM: b\"}\n");
	strbuf_addf(&expected, "%d NVRM: b\n", LINES + 4);
	coverage = reads(log.buf, expected.buf);
	assert_int_equal(coverage.cut_lines, 2);
	strbuf_release(&log);
	strbuf_release(&expected);
}

static void reads_objects_over_several_lines(void **state)
{
	/* util-linux tests/expected/dmesg/json */
	static const char dmesg[] = "{\n   \"dmesg\": [\n      {\n         \"pri\": 4,\n         \"time\":    "
				    " 8.000000,\n         \"msg\": \"NVRM: {\\\"\"\n      },{\n         \"pri\": 4,\n"
				    "         \"time\":    27.000000,\n         \"msg\": \"x\"\n      }\n   ]\n}\n";
	struct klog_coverage coverage = reads(dmesg, "6 NVRM: {\"\n");

	(void)state;
	assert_int_equal(coverage.first.boot_us, 8000000);
	assert_int_equal(coverage.last.boot_us, 27000000);
	assert_int_equal(coverage.lines, 13);
	reads("{\n\t\"MESSAGE\" : [ 78, 86, 82, 77,\n 58, 32, 33 ],\n\t\"_TRANSPORT\" : \"kernel\"\n}\n",
	      "2 NVRM: !\n");
	reads("[\n{\"MESSAGE\":[78,86,82,77,58,32,33]}\n]\n", "2 NVRM: !\n");
	reads("[\n{\"msg\":\"NVRM: a\"},\n{\"msg\":\"NVRM: b\"", "2 NVRM: a\n3 NVRM: b\n");
	reads("{\"dmesg\":[{\"msg\":\"NVRM: a\"},{\"msg\":\"NVRM: b\"}]}", "1 NVRM: a\n1 NVRM: b\n");
	/* What is around an object, where its message stands before or behind that. */
	reads("{\n\"hits\": [\n{\"_source\": {\n\"agent\": {\n\"name\": \"n\"\n},\n\"message\": \"NVRM: a\"\n}},\n"
	      "{\"_source\": {\"message\": \"NVRM: b\", \"host\": {\"name\": \"n\"}}}\n]\n}\n",
	      "7 NVRM: a\n9 NVRM: b\n");
	/* What an event has below it are records, not the objects around them. */
	read_span(span_of("{\n\"hits\": [\n{\"_source\": {\"a\": {}, \"message\": \"NVRM: Xid\"}, \"n\": 1},\n"
			  "{\"_source\": {\"a\": {}, \"message\": \"b\"}, \"n\": 1}\n]\n}\n"),
		  3, "3 NVRM: Xid\n4 b\n");
	/* Deeper than any is kept. */
	reads("{\n\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"msg\":\"NVRM: a\"}}}}}}}}}}\n{\"msg\":\"NVRM: b\"}",
	      "2 NVRM: a\n3 NVRM: b\n");
	/* A bracket that was pasted along is no JSON. */
	reads("{\n" S XID "\n", "2 " XID "\n");
	reads("[\n" S XID "\n", "2 " XID "\n");
	reads("\n [{\n\n" XID "\n", "4 " XID "\n");
	reads("{\n", "");
}

static void joins_lines_that_were_broken(void **state)
{
	(void)state;
	/* By a mail, at a blank. */
	reads(S "NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', name=<unknown>,\nGPU has fallen off the "
		"bus.\n" S "a\n",
	      "1 NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n");
	reads("> " S "NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>',\n> name=<unknown>, GPU has fallen "
		     "off the bus.\n",
	      "1 NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n");
	reads(S "NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', name=<unknown>,\n GPU has fallen off the "
		"bus.\n\nThis\n",
	      "1 NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n");
	/* With the blank left where it was. */
	reads(S "NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', name=<unknown>, \r\nGPU has fallen\r\n" S "a\n",
	      "1 NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen\n");
	reads(S "NVRM: Xid (PCI:0009:01:00): 45, pid=876767, name=ray::WorkerDict, Ch 00000011 caused \nby previous\n",
	      "1 NVRM: Xid (PCI:0009:01:00): 45, pid=876767, name=ray::WorkerDict, Ch 00000011 caused by previous\n");
	/* By a terminal, at 80 columns. */
	reads(S "NVRM: Xid (PCI:0000:01:00): 79, pid=4711, name=python3, GPU has f\nallen off the bus.\n" S "a\n",
	      "1 NVRM: Xid (PCI:0000:01:00): 79, pid=4711, name=python3, GPU has fallen off the bus.\n");
}

static void joins_nothing_else(void **state)
{
	(void)state;
	/* The next word would have fitted. */
	reads(S "NVRM: Xid (PCI:0000:01:00): 79, pid=1,\nname=x, GPU has fallen off\n" S "a\n",
	      "1 NVRM: Xid (PCI:0000:01:00): 79, pid=1,\n");
	/* It begins as a sentence does. */
	reads(S "NVRM: Xid (PCI:0000:01:00): 79, pid=4711, name=python3, GPU has fallen\nThen nothing\n" S "a\n",
	      "1 NVRM: Xid (PCI:0000:01:00): 79, pid=4711, name=python3, GPU has fallen\n");
	/* It is longer than any width that fits. */
	reads(S "NVRM: Xid (PCI:0000:01:00): 79, pid=1, name=x, GPU\nhas_fallen_off_the_bus, as I have told you in all "
	      "of the mails that I wrote to you this week\n" S "a\n",
	      "1 NVRM: Xid (PCI:0000:01:00): 79, pid=1, name=x, GPU\n");
	/* A whole sentence; a line with a stamp of its own; the kernel's words; dmesg's own indent. */
	reads(S XID "\nAs I have told you.\n" S "a\n", "1 " XID "\n");
	reads(S "NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', name=<unknown>,\n" S "GPU has\n",
	      "1 NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', name=<unknown>,\n");
	reads(S "NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', name=<unknown>,\nNVRM: GPU has\n" S "a\n",
	      "1 NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', name=<unknown>,\n2 NVRM: GPU has\n");
	reads(S "NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', name=<unknown>,\n               GPU has\n" S "a\n",
	      "1 NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', name=<unknown>,\n");
	/* More than one line breaks into. */
	reads(S "NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', name=<unknown>,\nGPU\nGPU\nGPU\nGPU\n" S "a\n",
	      "1 NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', name=<unknown>,\n");
	/* Without a stamp, none tells where a line begins. */
	reads("NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', name=<unknown>, abcdefgh,\nGPU has fallen\n",
	      "1 NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', name=<unknown>, abcdefgh,\n");
	/* What belongs to a record stands between lines, and counts. */
	read_span(span_of(S "NVRM: Xid (PCI:0000:01:00): 79, pid=1, name=x, no\n DEVICE=x\nb\n" S "c\n"), 1,
		  "1 NVRM: Xid (PCI:0000:01:00): 79, pid=1, name=x, no\n3 b\n");
	/* What was held back is wanted in its turn. */
	read_span(span_of(S "NVRM: Xid (PCI:0000:01:00): 79, pid=1, name=x, no\nlonger\nline\n" S "b\n" S "c\n"), 3,
		  "1 NVRM: Xid (PCI:0000:01:00): 79, pid=1, name=x, no\n2 longer\n3 line\n4 b\n");
}

static void lets_go_when_nothing_follows(void **state)
{
	static const char line[] = S "NVRM: Xid (PCI:0000:01:00): 43, Ch 00000020, engmask 00000101\n";
	struct seen seen = { .text = STRBUF_INIT };
	const struct klog_sink sink = { .line = see, .to = &seen };
	struct klog_reader *reader = klog_reader_new(&sink, 0);
	struct klog_coverage coverage;
	const char *why;

	(void)state;
	assert_int_equal(klog_reader_feed(reader, line, strlen(line), &why), 0);
	assert_int_equal(seen.nr, 0);
	klog_reader_pause(reader);
	assert_int_equal(seen.nr, 1);
	klog_reader_pause(reader);
	assert_int_equal(klog_reader_end(reader, &coverage, &why), 0);
	assert_int_equal(seen.nr, 1);
	klog_reader_free(reader);
	strbuf_release(&seen.text);
}

static void keeps_boots_apart(void **state)
{
	static const char log[] = "-- Boot 0123456789abcdef0123456789abcdef --\nJan  7 14:25:56 h kernel: NVRM: a.\n";
	struct seen seen = { .text = STRBUF_INIT };

	(void)state;
	feed(&seen, span_of(log), SIZE_MAX);
	assert_int_equal(seen.nr, 2);
	assert_string_equal(seen.last.boot_id, "0123456789abcdef0123456789abcdef");
	reads("Jan  7 14:25:56 h kernel: x\n-- Reboot --\nx\n", "2 -- Reboot --\n");
	reads("-- Logs begin at Mon 2020-01-27 19:27:15 CET. --\nx\n",
	      "1 -- Logs begin at Mon 2020-01-27 19:27:15 CET. --\n");
	strbuf_release(&seen.text);
}

static void takes_records(void **state)
{
	static const char record[] = "4,1227,437812449932,c;" XID "\n DEVICE=x\n", other[] = "6,1,5,-;a\n";
	struct seen seen = { .text = STRBUF_INIT };
	const struct klog_sink sink = { .line = see, .to = &seen };
	struct klog_reader *reader = klog_reader_new(&sink, 0);
	struct klog_coverage coverage;
	const char *why;

	(void)state;
	klog_reader_record(reader, other, strlen(other));
	klog_reader_record(reader, record, strlen(record));
	klog_reader_lost(reader, 3);
	assert_int_equal(klog_reader_end(reader, &coverage, &why), 0);
	assert_string_equal(seen.text.buf, "2 " XID "\n");
	assert_int_equal(coverage.lines, 2);
	assert_int_equal(coverage.lost_records, 3);
	assert_int_equal(coverage.first.boot_us, 5);
	assert_int_equal(coverage.last.boot_us, 437812449932);
	klog_reader_free(reader);
	strbuf_release(&seen.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_lines),
		cmocka_unit_test(knows_first_and_last),
		cmocka_unit_test(hands_over_what_is_wanted),
		cmocka_unit_test(cuts_long_lines),
		cmocka_unit_test(bears_bytes_that_are_no_text),
		cmocka_unit_test(tells_what_is_no_log),
		cmocka_unit_test(judges_text_alike_however_it_came),
		cmocka_unit_test(stays_refused),
		cmocka_unit_test(reads_journals_exports),
		cmocka_unit_test(knows_who_speaks_in_an_export),
		cmocka_unit_test(reads_objects_over_several_lines), cmocka_unit_test(reads_around_long_objects),
		cmocka_unit_test(joins_lines_that_were_broken),
		cmocka_unit_test(joins_nothing_else),
		cmocka_unit_test(lets_go_when_nothing_follows),
		cmocka_unit_test(keeps_boots_apart),
		cmocka_unit_test(takes_records),
	};

	return cmocka_run_group_tests_name("klog_reader", tests, NULL, NULL);
}
