// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "klog/line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define XID "NVRM: Xid (PCI:0000:01:00): 79, pid=1, name=x, GPU has fallen off the bus."
#define NONE INT64_MIN
#define NOW_US INT64_C(1768000000000000)	/* 2026-01-09T23:06:40Z */

#define U KLOG_ORIGIN_UNKNOWN
#define K KLOG_ORIGIN_KERNEL
#define P KLOG_ORIGIN_USER

struct form {
	const char *raw;
	const char *text;
	enum klog_origin origin;
	int level;
	int64_t boot_us, wall_us;	/* or NONE */
	bool is_local;
};

static struct klog_line parse(struct klog_line_context *context, struct span raw)
{
	struct klog_line line;

	klog_line_parse(context, raw, &line);
	return line;
}

static void check_form(const struct form *form)
{
	struct klog_line_context context = { .now_us = NOW_US, .scratch = STRBUF_INIT };
	struct klog_line line = parse(&context, span_of(form->raw));

	if (!span_is(line.text, form->text))
		fail_msg("%s\nis \"%.*s\"", form->raw, (int)span_len(line.text), line.text.at);
	if (line.origin != form->origin || line.level != form->level)
		fail_msg("%s\norigin %d, level %d", form->raw, (int)line.origin, line.level);
	if (line.time.has_boot != (form->boot_us != NONE) ||
	    (line.time.has_boot && line.time.boot_us != (uint64_t)form->boot_us))
		fail_msg("%s\nboot %d %llu", form->raw, line.time.has_boot, (unsigned long long)line.time.boot_us);
	if (line.time.has_wall != (form->wall_us != NONE) ||
	    (line.time.has_wall && (line.time.wall_us != form->wall_us || line.time.wall_is_local != form->is_local)))
		fail_msg("%s\nwall %d %lld", form->raw, line.time.has_wall, (long long)line.time.wall_us);
	klog_line_context_release(&context);
}

#define CHECK_ALL(forms) do { for (size_t i = 0; i < ARRAY_SIZE(forms); i++) check_form(&(forms)[i]); } while (0)

static void reads_what_dmesg_prints(void **state)
{
	static const struct form forms[] = {
		{ XID, XID, U, -1, NONE, NONE, 0 },
		/* open-gpu-kernel-modules#461, #1030 */
		{ "[155044.078590] " XID, XID, K, -1, 155044078590, NONE, 0 },
		{ "[ 130.456250] [ T1946] " XID, XID, K, -1, 130456250, NONE, 0 },
		{ "[    0.000000] [    T0] " XID, XID, K, -1, 0, NONE, 0 },
		{ "[   12.345678][  C12] " XID, XID, K, -1, 12345678, NONE, 0 },
		{ "[  T291] " XID, XID, K, -1, NONE, NONE, 0 },
		{ "  [   12.345678] " XID "  \r\n", XID, K, -1, 12345678, NONE, 0 },
		{ "kern  :warn  : [   12.345678] " XID, XID, K, 4, 12345678, NONE, 0 },
		{ "user  :notice: [   12.345678] " XID, XID, P, 5, 12345678, NONE, 0 },
		{ "daemon:info  : [   12.345678] systemd[1]: up", "up", P, 6, 12345678, NONE, 0 },
		/* gpud components/memory/testdata/dmesg.decode.iso.log */
		{ "kern  :warn  : 2025-01-21T04:41:44,283302+00:00 " XID, XID, K, 4, NONE, 1737434504283302, 0 },
		{ "2025-01-21T04:41:44,283302+01:00 " XID, XID, U, -1, NONE, 1737430904283302, 0 },
		/* grondo/edac-utils#10; util-linux, in Portuguese, Finnish, Chinese and what no one knows */
		{ "[Mon Jan 27 19:27:15 2020] mce: x", "mce: x", K, -1, NONE, 1580153235000000, 1 },
		{ "[Ter Set 19 06:01:41 2017] " XID, XID, K, -1, NONE, 1505800901000000, 1 },
		{ "[la marras  1 00:00:00 2025] " XID, XID, K, -1, NONE, 1761955200000000, 1 },
		{ "[六 1月  7 14:25:56 2023] " XID, XID, K, -1, NONE, 1673101556000000, 1 },
		{ "[Xxx Yyy  7 14:25:56 2023] " XID, XID, K, -1, NONE, NONE, 0 },
		{ "[Sat Feb 30 14:25:56 2023] " XID, XID, K, -1, NONE, NONE, 0 },
		{ "[Sat Jan  7 14:25:56 2023 <    0.000001>] " XID, XID, K, -1, NONE, 1673101556000000, 1 },
		{ "[Dez26 08:58] " XID, XID, K, -1, NONE, 1766739480000000, 1 },
		{ "[Jan 7 08:58] " XID, XID, K, -1, NONE, 1767776280000000, 1 },
		{ "[  +0.000844] " XID, XID, K, -1, NONE, NONE, 0 },
		{ "[<    0.000001>] " XID, XID, K, -1, NONE, NONE, 0 },
		{ "[   12.345678 <    0.000001>] " XID, XID, K, -1, 12345678, NONE, 0 },
		{ "<4>[   12.345678] " XID, XID, K, 4, 12345678, NONE, 0 },
		{ "<12>[   12.345678] " XID, XID, P, 4, 12345678, NONE, 0 },
		/* util-linux tests/expected/dmesg: cid-decode, timestamp-format-multiple, -delta-ctime, kmsg-colors */
		{ "res0  :emerg : [884736.000000] [   T96] x", "x", P, 0, 884736000000, NONE, 0 },
		{ "local2:info  : [4557523.000000] [  T105] x", "x", P, 6, 4557523000000, NONE, 0 },
		{ "[    1.000000] [Fri Feb 13 23:31:31 2009] 2009-02-13T23:31:31,123456+00:00 x", "x", K, -1, 1000000,
		  1234567891123456, 0 },
		{ "[Apr 7 17:30] [Tue Apr  7 17:30:13 2009 <3432659.000000>] x", "x", K, -1, NONE,
		  1239125413000000, 1 },
		{ "syslog:info  : [   18.820000] systemd-journald[723]: x", "x", P, 6, 18820000, NONE, 0 },
		{ "kern  :warn  : [    0.209670]   #1  #3  #5  #7", "#1  #3  #5  #7", K, 4, 209670, NONE, 0 },
		/* cut short by a person */
		{ "[ 123.456] " XID, XID, U, -1, 123456000, NONE, 0 },
		/* coloured, as by dmesg --color=always and by grep */
		{ "\x1b[32m[   12.345678] \x1b[0m\x1b[33mNVRM: \x1b[0m\x1b[31mXid\x1b[0m (x)", "NVRM: Xid (x)", K, -1,
		  12345678, NONE, 0 },
		{ "[   12.345678] \x1b[01;31m\x1b[KNVRM\x1b[m\x1b[K: x", "NVRM: x", K, -1, 12345678, NONE, 0 },
		{ "\x1b]0;title\a\x1b(B" XID, XID, U, -1, NONE, NONE, 0 },
		/* the kernel's own brackets stay */
		{ "[   12.345678] [drm:x [amdgpu]] *ERROR* y", "[drm:x [amdgpu]] *ERROR* y", K, -1, 12345678, NONE, 0 },
		{ "[drm] y", "[drm] y", U, -1, NONE, NONE, 0 },
		{ "[Hardware Error]: y", "[Hardware Error]: y", U, -1, NONE, NONE, 0 },
		{ "{12}[Hardware Error]: y", "{12}[Hardware Error]: y", U, -1, NONE, NONE, 0 },
		{ "[   12.3456789", "[   12.3456789", U, -1, NONE, NONE, 0 },
		{ "[", "[", U, -1, NONE, NONE, 0 },
		{ "", "", U, -1, NONE, NONE, 0 },
	};

	(void)state;
	CHECK_ALL(forms);
}

static void reads_records(void **state)
{
	static const struct form forms[] = {
		/* DCGM's DcgmKmsgReaderTests.cpp */
		{ "4,1227,437812449932,c;" XID, XID, K, 4, 437812449932, NONE, 0 },
		{ "6,339,5140900,-,caller=T1;NET: x\n SUBSYSTEM=net\n DEVICE=+net:lo\n", "NET: x", K, 6,
		  5140900, NONE, 0 },
		{ "30,340,5690716,-;systemd[1]: " XID, "systemd[1]: " XID, P, 6, 5690716, NONE, 0 },
		{ "12,340,5690716,-;" XID, XID, P, 4, 5690716, NONE, 0 },
		/* As a service of Docker Compose writes its lines, who said it would be forgotten. */
		{ "12,340,5690716,-;x | " XID, "x | " XID, P, 4, 5690716, NONE, 0 },
		{ "4,340,5690716,-;x | y", "x | y", K, 4, 5690716, NONE, 0 },
		{ "6,1,0,-;a\\x0ab\\x5cx41\\x1\\q", "a\nb\\x41\\x1\\q", K, 6, 0, NONE, 0 },
		{ "6,1,0,-;a\\", "a\\", K, 6, 0, NONE, 0 },
		/* No kernel counts so far. */
		{ "6,1,18446744073709552,-;x", "x", K, 6, NONE, NONE, 0 },
		{ "6,1,18446744073709551,-;x", "x", K, 6, 18446744073709551, NONE, 0 },
		{ "6,1,0;x", "6,1,0;x", U, -1, NONE, NONE, 0 },
	};

	(void)state;
	CHECK_ALL(forms);
}

static void reads_syslog(void **state)
{
	static const struct form forms[] = {
		/* pop-os/pop#2132, #3363, QubesOS/qubes-issues#6647, clearlinux/distribution#2907, llama.cpp#21724 */
		{ "Feb  2 08:03:20 kernel: [37932.038809] " XID, XID, K, -1, 37932038809, 1738483400000000, 1 },
		{ "Sep 19 16:18:02 bubz kernel: [68183.615790] " XID, XID, K, -1, 68183615790, 1758298682000000, 1 },
		{ "Jul 28 11:13:09 dom0 kernel: amdgpu 0000:03:00.0: amdgpu: x",
		  "amdgpu 0000:03:00.0: amdgpu: x", K, -1, NONE, 1753701189000000, 1 },
		{ "22:39:31 kernel: " XID, XID, K, -1, NONE, NONE, 0 },
		{ "maj 08 19:27:35 RX-78-FPC kernel: " XID, XID, K, -1, NONE, 1746732455000000, 1 },
		{ "led 08 19:27:35 host kernel: " XID, XID, K, -1, NONE, 1767900455000000, 1 },
		{ "xyz 08 19:27:35 host kernel: " XID, XID, K, -1, NONE, NONE, 0 },
		/* at most a day after now, else the year before; the 29th of a leap year */
		{ "Jan 10 23:06:40 host kernel: x", "x", K, -1, NONE, 1768086400000000, 1 },
		{ "Jan 10 23:06:41 host kernel: x", "x", K, -1, NONE, 1736550401000000, 1 },
		{ "Dec 31 23:59:59 host kernel: x", "x", K, -1, NONE, 1767225599000000, 1 },
		{ "Feb 29 00:00:00 host kernel: x", "x", K, -1, NONE, 1709164800000000, 1 },
		{ "Jan  7 14:25:56.123456 host kernel: " XID, XID, K, -1, NONE, 1767795956123456, 1 },
		{ "<4>Jan  7 14:25:56 host kernel: " XID, XID, K, 4, NONE, 1767795956000000, 1 },
		{ "<13>Jan  7 14:25:56 host kernel: " XID, XID, K, 5, NONE, 1767795956000000, 1 },
		{ "Jan  7 14:25:56 host kern.warn kernel: [    1.000000] " XID, XID, K, -1, 1000000,
		  1767795956000000, 1 },
		{ "2023-01-07T14:25:56+0100 host kernel: " XID, XID, K, -1, NONE, 1673097956000000, 0 },
		{ "2023-01-07T14:25:56.123456-07:00 host kernel: " XID, XID, K, -1, NONE, 1673126756123456, 0 },
		{ "2023-01-07T14:25:56Z host kernel: " XID, XID, K, -1, NONE, 1673101556000000, 0 },
		{ "2023-01-07 14:25:56 host kernel: " XID, XID, K, -1, NONE, 1673101556000000, 1 },
		{ "2024-02-03T04:05:06.789012+02:00 host kernel: [    1.000000] [   T12] " XID, XID, K, -1, 1000000,
		  1706925906789012, 0 },
		{ "Sat 2023-01-07 14:25:56 CET host kernel: " XID, XID, K, -1, NONE, 1673101556000000, 1 },
		{ "Sat 2023-01-07 14:25:56 UTC host kernel: " XID, XID, K, -1, NONE, 1673101556000000, 0 },
		{ "Sat 2023-01-07 14:25:56 +03 host kernel: " XID, XID, K, -1, NONE, 1673101556000000, 1 },
		{ "1673101556.123456 host kernel: " XID, XID, K, -1, NONE, 1673101556123456, 0 },
		{ "[   12.345678] host kernel: " XID, XID, K, -1, 12345678, NONE, 0 },
		{ "<4>1 2026-01-02T03:04:05.678Z host kernel - - - " XID, XID, K, 4, NONE, 1767323045678000, 0 },
		{ "<4>1 - host kernel 1 ID7 [a b=\"]\\\"\"][c d=\"e\"] \xef\xbb\xbf[    1.000000] " XID, XID,
		  K, 4, 1000000, NONE, 0 },
		{ "<13>1 2026-01-02T03:04:05Z host app 77 - - " XID, XID, P, 5, NONE, 1767323045000000, 0 },
		/* forum 292539 */
		{ "kernel: " XID, XID, K, -1, NONE, NONE, 0 },
		{ "bubz kernel: [    1.000000] " XID, XID, K, -1, 1000000, NONE, 0 },
	};

	(void)state;
	CHECK_ALL(forms);
}

static void reads_what_shippers_add(void **state)
{
	static const struct form forms[] = {
		{ "2024-02-03T04:05:06.789012345Z stderr F [    1.000000] " XID, XID, K, -1, 1000000,
		  1706933106789012, 0 },
		{ "2024-02-03T04:05:06.789012345Z stdout P " XID, XID, U, -1, NONE, 1706933106789012, 0 },
		{ "{\"log\":\"[    1.000000] " XID "\\n\",\"stream\":\"stdout\",\"time\":\"2024-02-03T04:05:06.789Z\"}",
		  XID, K, -1, 1000000, 1706933106789000, 0 },
		{ "dmesg-1  | [    1.000000] " XID, XID, K, -1, 1000000, NONE, 0 },
		{ "[pod/dmesg-x7f/dmesg] [    1.000000] " XID, XID, K, -1, 1000000, NONE, 0 },
		{ "2024-02-03T04:05:06Z {app=\"k\", host=\"a}b\"} Jan  7 14:25:56 host kernel: " XID, XID, K, -1, NONE,
		  1767795956000000, 1 },
		{ "2024-02-03T04:05:06Z {} " XID, XID, U, -1, NONE, 1706933106000000, 0 },
		{ "{\"labels\":{\"a\":\"b\",\"line\":\"no\"},\"line\":\"" XID "\","
		  "\"timestamp\":\"2024-02-03T04:05:06Z\"}", XID, U, -1, NONE, 1706933106000000, 0 },
		{ "data: {\"MESSAGE\":\"" XID "\",\"_TRANSPORT\":\"kernel\"}", XID, K, -1, NONE, NONE, 0 },
		{ "\x1e{\"MESSAGE\":\"" XID "\",\"_TRANSPORT\":\"kernel\"}", XID, K, -1, NONE, NONE, 0 },
		{ "> [    1.000000] " XID, XID, K, -1, 1000000, NONE, 0 },
		{ ">> > " XID, XID, U, -1, NONE, NONE, 0 },
		{ "| " XID " |", XID, U, -1, NONE, NONE, 0 },
		{ "`[    1.000000] " XID "`", XID, K, -1, 1000000, NONE, 0 },
		{ "\xef\xbb\xbf" XID, XID, U, -1, NONE, NONE, 0 },
		{ "```", "", U, -1, NONE, NONE, 0 },
	};

	(void)state;
	CHECK_ALL(forms);
}

static void reads_what_viewers_show(void **state)
{
	static const struct form forms[] = {
		{ "[30709s] " XID, XID, U, -1, 30709000000, NONE, 0 },
		{ "[30709 s] " XID, "[30709 s] " XID, U, -1, NONE, NONE, 0 },
		{ "15.848000 " XID, XID, U, -1, 15848000, NONE, 0 },
		{ "15.848 " XID, "15.848 " XID, U, -1, NONE, NONE, 0 },
		{ "node-7.example.org kernel: " XID, XID, K, -1, NONE, NONE, 0 },
		{ "Nov 20, 2026 @ 03:04:05.678\tnode7\tkernel\t" XID, XID, K, -1, NONE, 1795143845678000, 1 },
		{ "11/20/2026 3:04:05.678 PM\t" XID, XID, U, -1, NONE, 1795187045678000, 1 },
		{ "11/20/26 12:04:05.678 AM " XID, XID, U, -1, NONE, 1795133045678000, 1 },
		{ "11/20/26 13:04:05.678 AM " XID, "11/20/26 13:04:05.678 AM " XID, U, -1, NONE, NONE, 0 },
		{ "1795143845678\t" XID, XID, U, -1, NONE, 1795143845678000, 0 },
		{ "1795143845678 " XID, XID, U, -1, NONE, 1795143845678000, 0 },
		{ "2026-11-20 03:04:05.678 | node7 | kernel | " XID, XID, K, -1, NONE, 1795143845678000, 1 },
		{ "2026-11-20T03:04:05.678Z,node7," XID, XID, U, -1, NONE, 1795143845678000, 0 },
		{ "\"2026-11-20T03:04:05.678Z\",\"node7\",\"" XID "\"", XID, U, -1, NONE, 1795143845678000, 0 },
		{ "\"node7\",\"" XID "\"", "\"node7\",\"" XID "\"", U, -1, NONE, NONE, 0 },
		{ "10.0.0.5: kern: warning: [2026-11-20T03:04:05.678Z]: " XID, XID, K, 4, NONE, 1795143845678000, 0 },
		{ "kern: err: [2026-11-20T03:04:05.678Z]: " XID, XID, K, 3, NONE, 1795143845678000, 0 },
		{ "10.0.0.5: user: warning: [2026-11-20T03:04:05.678Z]: " XID, XID, P, 4, NONE, 1795143845678000, 0 },
		{ "/var/log/kern.log-1:1234:[    1.000000] " XID, XID, K, -1, 1000000, NONE, 0 },
		{ "1234:" XID, XID, U, -1, NONE, NONE, 0 },
		{ "  12  [    1.000000] " XID, XID, K, -1, 1000000, NONE, 0 },
		{ "12. " XID, XID, U, -1, NONE, NONE, 0 },
		{ "* " XID, XID, U, -1, NONE, NONE, 0 },
		{ "node7: [    1.000000] " XID, XID, K, -1, 1000000, NONE, 0 },
		{ "[node7] [    1.000000] " XID, XID, K, -1, 1000000, NONE, 0 },
		{ "node7: " XID, "node7: " XID, U, -1, NONE, NONE, 0 },
		{ "2026-11-20T03:04:05.678Z eks/i-0a/x [    1.000000] " XID, XID, K, -1, 1000000, 1795143845678000, 0 },
		{ "[0] kmsg.0: [1795143845.678000001, {\"priority\"=>4, \"msg\"=>\"" XID "\"}]", XID, U, 4, NONE,
		  1795143845678000, 0 },
		{ "[0] kmsg.0: [[1795143845.678000001, {}], {\"priority\"=>4, \"msg\"=>\"" XID "\"}]", XID, U, 4, NONE,
		  1795143845678000, 0 },
		{ "2026-11-20 03:04:05.678 +0100 kern.messages: {\"ident\":\"kernel\",\"message\":\"" XID "\"}", XID, K,
		  -1, NONE, 1795140245678000, 0 },
		/* what programs repeat */
		{ "2026-11-20T03:04:05.678Z node-problem-detector: " XID, XID, U, -1, NONE, 1795143845678000, 0 },
		{ "Jan  7 14:25:56 host gpud[77]: [    1.000000] " XID, XID, K, -1, 1000000, 1767795956000000, 1 },
		{ "Jan  7 14:25:56 host gpud[77]: saw " XID, "saw " XID, P, -1, NONE, 1767795956000000, 1 },
		{ "{\"level\":\"info\",\"ts\":1795143845.678,\"msg\":\"[    1.000000] " XID "\"}", XID, K, -1, 1000000,
		  1795143845678000, 0 },
	};

	(void)state;
	CHECK_ALL(forms);
}

static void reads_journalds_objects(void **state)
{
	static const struct form forms[] = {
		{ "{\"_SOURCE_MONOTONIC_TIMESTAMP\":\"9223372036854775812\",\"_TRANSPORT\":\"kernel\","
		  "\"MESSAGE\":\"x\"}",
		  "x", K, -1, NONE, NONE, 0 },
		{ "{\"__REALTIME_TIMESTAMP\":\"1673101556123456\",\"_SOURCE_MONOTONIC_TIMESTAMP\":\"12345678\","
		  "\"__MONOTONIC_TIMESTAMP\":\"9\",\"PRIORITY\":\"4\",\"_TRANSPORT\":\"kernel\","
		  "\"MESSAGE\":\"" XID "\"}",
		  XID, K, 4, 12345678, 1673101556123456, 0 },
		{ "{ \"MESSAGE\" : [78, 86,82,77,58,32,10,255], \"_TRANSPORT\" : \"kernel\" }", "NVRM: \n\xff", K, -1,
		  NONE, NONE, 0 },
		{ "{\"MESSAGE\":[\"NVRM: a\",\"b\"],\"_TRANSPORT\":\"kernel\"}", "NVRM: a", K, -1, NONE, NONE, 0 },
		{ "{\"MESSAGE\":null,\"_TRANSPORT\":\"kernel\"}", "", K, -1, NONE, NONE, 0 },
		{ "{\"MESSAGE\":\"" XID "\",\"_TRANSPORT\":\"stdout\"}", XID, P, -1, NONE, NONE, 0 },
		{ "{\"MESSAGE\":\"" XID "\",\"_TRANSPORT\":\"syslog\",\"SYSLOG_IDENTIFIER\":\"kernel\"}", XID, P, -1,
		  NONE, NONE, 0 },
		{ "{\"MESSAGE\":\"" XID "\",\"SYSLOG_IDENTIFIER\":\"sshd\"}", XID, P, -1, NONE, NONE, 0 },
		{ "{\"MESSAGE\":\"" XID "\",\"SYSLOG_IDENTIFIER\":\"kernel\"}", XID, K, -1, NONE, NONE, 0 },
		{ "{\"MESSAGE\":\"a\\u00e9\\ud83d\\ude00\\n\\t\\\"\\\\\\/\\ud83dz\\u12\"}",
		  "a\xc3\xa9\xf0\x9f\x98\x80\n\t\"\\/\xef\xbf\xbdz?", U, -1, NONE, NONE, 0 },
		/* dmesg --json */
		{ "{\n  \"pri\": 4,\n  \"time\":     8.000123,\n  \"msg\": \"" XID "\"\n}", XID, K, 4, 8000123, NONE,
		  0 },
		{ "{\"pri\":12,\"time\":1.000000,\"msg\":\"" XID "\"}", XID, P, 4, 1000000, NONE, 0 },
		/* what programs write of themselves, and what they pass on of a driver's */
		{ "{\"time\":\"2023-01-07T14:25:56Z\",\"level\":\"ERROR\",\"msg\":\"got " XID "\"}", "got " XID, P, -1,
		  NONE, 1673101556000000, 0 },
		{ "{\"time\":\"2023-01-07T14:25:56Z\",\"level\":\"ERROR\",\"msg\":\"" XID "\"}", XID, U, -1, NONE,
		  1673101556000000, 0 },
		/* nothing is said */
		{ "{\"ts\":\"2023-01-07T14:25:56Z\",\"level\":\"ERROR\"}", "", P, -1, NONE, 1673101556000000, 0 },
		/* cut short */
		{ "{\"MESSAGE\":\"" XID, XID, U, -1, NONE, NONE, 0 },
		{ "{\"MESSAGE\":", "", U, -1, NONE, NONE, 0 },
		{ "{\"a\":1}", "{\"a\":1}", U, -1, NONE, NONE, 0 },
		/* journald's in Docker's */
		{ "{\"log\":\"{\\\"MESSAGE\\\":\\\"" XID "\\\",\\\"_TRANSPORT\\\":\\\"kernel\\\"}\\n\"}", XID, K, -1,
		  NONE, NONE, 0 },
	};

	(void)state;
	CHECK_ALL(forms);
}

static void knows_who_quotes_the_kernel(void **state)
{
	static const struct form forms[] = {
		{ "Jan  7 14:25:56 host sshd[123]: " XID, XID, P, -1, NONE, 1767795956000000, 1 },
		{ "Jan  7 14:25:56 sshd[123]: " XID, XID, P, -1, NONE, 1767795956000000, 1 },
		{ "2023-01-07T14:25:56Z host run-parts(/etc)[1]: " XID, XID, P, -1, NONE, 1673101556000000, 0 },
		{ "python3[77]: " XID, XID, P, -1, NONE, NONE, 0 },
		{ "[   12.345678] host dockerd[9]: " XID, XID, P, -1, 12345678, NONE, 0 },
		{ "> Jan  7 14:25:56 host audit[1]: " XID, XID, P, -1, NONE, 1767795956000000, 1 },
		/* what follows does not begin with the kernel's words */
		{ "Jan  7 14:25:56 host sudo: " XID, "host sudo: " XID, U, -1, NONE, 1767795956000000, 1 },
		{ "the kernel: " XID, "the kernel: " XID, U, -1, NONE, NONE, 0 },
		{ "a b kernel: " XID, "a b kernel: " XID, U, -1, NONE, NONE, 0 },
		{ "type=USER_CMD msg=audit(1.2:3): cmd=" XID, "type=USER_CMD msg=audit(1.2:3): cmd=" XID, U,
		  -1, NONE, NONE, 0 },
		/* the kernel's own words with colons and processes */
		{ "[    1.000000] python3[77]: segfault at 8 ip 0", "python3[77]: segfault at 8 ip 0", K, -1,
		  1000000, NONE, 0 },
		{ "python3[77]: segfault at 8 ip 0", "python3[77]: segfault at 8 ip 0", U, -1, NONE, NONE, 0 },
		{ "Web Content[77]: segfault at 8 ip 0", "Web Content[77]: segfault at 8 ip 0", U, -1, NONE, NONE, 0 },
		{ "2025-01-21T04:41:44Z EDAC MC0: 1 CE", "EDAC MC0: 1 CE", U, -1, NONE, 1737434504000000, 0 },
		{ "2025-01-21T04:41:44Z pcieport 0000:00:01.0: AER: x", "pcieport 0000:00:01.0: AER: x", U, -1, NONE,
		  1737434504000000, 0 },
		{ "[    1.000000] usb 1-2: x", "usb 1-2: x", K, -1, 1000000, NONE, 0 },
		{ "INFO: task x:1 blocked for more than", "INFO: task x:1 blocked for more than", U, -1,
		  NONE, NONE, 0 },
		{ "traps: python3[12] trap x", "traps: python3[12] trap x", U, -1, NONE, NONE, 0 },
	};

	(void)state;
	CHECK_ALL(forms);
}

static void tells_boots_apart(void **state)
{
	static const char boundary[] = "-- Boot 0123456789abcdef0123456789abcdef --";
	struct klog_line_context context = { .now_us = 0, .scratch = STRBUF_INIT };
	struct klog_line line = parse(&context, span_of(boundary));

	(void)state;
	assert_true(span_is(line.text, boundary));
	assert_int_equal(line.origin, KLOG_ORIGIN_KERNEL);
	assert_string_equal(line.boot_id, "0123456789abcdef0123456789abcdef");
	line = parse(&context, span_of("-- Reboot --"));
	assert_int_equal(line.origin, KLOG_ORIGIN_KERNEL);
	assert_string_equal(line.boot_id, "");
	line = parse(&context, span_of("-- Logs begin at Mon 2020-01-27 --"));
	assert_int_equal(line.origin, KLOG_ORIGIN_KERNEL);
	line = parse(&context, span_of("-- No entries --"));
	assert_int_equal(line.origin, KLOG_ORIGIN_UNKNOWN);
	line = parse(&context, span_of("{\"MESSAGE\":\"x\",\"_BOOT_ID\":\"abcdef\"}"));
	assert_string_equal(line.boot_id, "abcdef");
	/* Nothing tells the year. */
	line = parse(&context, span_of("Jan  7 14:25:56 host kernel: x"));
	assert_false(line.time.has_wall);
	assert_true(span_is(line.text, "x"));
	klog_line_context_release(&context);
}

static void passes_zero_bytes(void **state)
{
	static const char raw[] = "\0\0\0\0[    1.000000] NVRM: x\0y\0";
	struct klog_line_context context = { .now_us = 0, .scratch = STRBUF_INIT };
	struct klog_line line = parse(&context, (struct span){ raw, raw + sizeof(raw) - 1 });

	(void)state;
	assert_int_equal(span_len(line.text), 9);
	assert_memory_equal(line.text.at, "NVRM: x\0y", 9);
	assert_int_equal(line.time.boot_us, 1000000);
	klog_line_context_release(&context);
}

/* Every beginning of every form is safe, and its text lies where it may. */
static void takes_anything_cut_short(void **state)
{
	static const char *const forms[] = {
		"<4>1 2026-01-02T03:04:05.678Z host kernel 1 - [a b=\"]\\\"\"] \xef\xbb\xbf[    1.000000] [ "
		"T1] NVRM: x",
		"{\"log\":\"{\\\"MESSAGE\\\":[78,86,82],\\\"pri\\\":3}\\u00e9\\n\",\"time\":1.000000}",
		"kern  :warn  : [Sat Jan  7 14:25:56 2023 <    0.000001>] x", "6,1,0,-,caller=T1;a\\x0ab\n DEVICE=x",
		"10.0.0.5: kern: warning: [2026-11-20T03:04:05.678Z]: NVRM: x",
		"[0] kmsg.0: [[1795143845.678000001, {}], {\"priority\"=>4, \"msg\"=>\"NVRM: x\"}]",
		"\"2026-11-20T03:04:05.678Z\",\"node7\",\"NVRM: x\"", "11/20/2026 3:04:05.678 PM | a | kernel | x",
		"/var/log/a.log:12:Nov 20, 2026 @ 03:04:05.678\ta\tgpud[1]: [1s] x", "[node7] [    1.000000] x",
		"> a-1 | 2024-02-03T04:05:06.7Z stderr F 2024-02-03T04:05:06Z {a=\"b\"} Feb  2 08:03:20 host "
		"sshd[12]: x",
	};
	struct klog_line_context context = { .now_us = NOW_US, .scratch = STRBUF_INIT };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		for (size_t len = 0; len <= strlen(forms[i]); len++) {
			char *raw = test_malloc(len + 1);
			struct klog_line line;

			memcpy(raw, forms[i], len);
			line = parse(&context, (struct span){ raw, raw + len });
			assert_true(line.text.at <= line.text.end && span_len(line.text) <= len);
			test_free(raw);
		}
	klog_line_context_release(&context);
}

static void names_the_node_of_an_event(void **state)
{
	static const struct { const char *raw, *node; } lines[] = {
		{ "2m14s  Warning  XfsHasShutdown  node/gpu008  XFS (nvme0n1p1): Shutting down filesystem.", "gpu008" },
		{ "Warning  Ext4Error  49m  kernel-monitor, gpu01  EXT4-fs error (device sda1): x", "gpu01" },
		{ "Warning  Ext4Error  49m  kernel-monitor  EXT4-fs error (device sda1): x", "" },
		{ "[    1.000000] nvme nvme0: I/O timeout", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct klog_line_context context = { .now_us = NOW_US, .scratch = STRBUF_INIT };
		struct klog_line line = parse(&context, span_of(lines[i].raw));

		assert_int_equal(span_len(line.node), strlen(lines[i].node));
		assert_memory_equal(line.node.at ? line.node.at : "", lines[i].node, strlen(lines[i].node));
		klog_line_context_release(&context);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_dmesg_prints),
		cmocka_unit_test(reads_records),
		cmocka_unit_test(reads_syslog),
		cmocka_unit_test(reads_what_shippers_add),
		cmocka_unit_test(reads_what_viewers_show),
		cmocka_unit_test(reads_journalds_objects),
		cmocka_unit_test(knows_who_quotes_the_kernel),
		cmocka_unit_test(tells_boots_apart),
		cmocka_unit_test(passes_zero_bytes),
		cmocka_unit_test(takes_anything_cut_short),
		cmocka_unit_test(names_the_node_of_an_event),
	};

	return cmocka_run_group_tests_name("klog_line", tests, NULL, NULL);
}
