# SPDX-License-Identifier: GPL-2.0-or-later
"""The shapes that kernel logs are pasted in, for tests/klog.py.

A shape is a function from records to the bytes of a log. A record is what the kernel said, when: its stamp in
microseconds since boot, the wall clock in microseconds since 1970, and its text as bytes.
"""
import collections
import datetime
import json
import re
import struct

Record = collections.namedtuple("Record", "boot_us wall_us text")

STAMP = re.compile(rb"^\[ *(\d+)\.(\d{6})\] ?(?:\[ *[TC]\d+\] ?)?")
START_US = 1_000_000_000  # of a log without stamps: no boot begins there
STEP_US = 1_000
BOOT_ID = "0123456789abcdef0123456789abcdef"


def records(lines):
    """Stamps of their own are kept, others rise; the wall clock rises also where stamps begin anew with a boot."""
    base_us = int(datetime.datetime(2026, 1, 7, 14, 25, 56, tzinfo=datetime.timezone.utc).timestamp()) * 1_000_000
    last_us, result = START_US - STEP_US, []
    for raw in lines:
        text = raw.rstrip(b"\r\n")
        stamp = STAMP.match(text)
        boot_us = int(stamp.group(1)) * 1_000_000 + int(stamp.group(2)) if stamp else last_us + STEP_US
        if boot_us < last_us and result:
            base_us += last_us - boot_us + 60_000_000
        last_us = boot_us
        result.append(Record(boot_us, base_us + boot_us, text[stamp.end():] if stamp else text))
    return result


def when(record, pattern):
    moment = datetime.datetime.fromtimestamp(record.wall_us // 1_000_000, datetime.timezone.utc)
    moment = moment.replace(microsecond=record.wall_us % 1_000_000)
    return moment.strftime(pattern).encode()


def boot(record):
    return b"%5d.%06d" % divmod(record.boot_us, 1_000_000)


def text(record):
    return record.text.decode("latin-1")


def per_line(wrap, end=b"\n"):
    return lambda log: b"".join(wrap(record) + end for record in log)


def dmesg(record):
    return b"[%s] %s" % (boot(record), record.text)


def quoted(value):
    """A string of JSON; bytes that are no ASCII stand as they are."""
    return json.dumps(value.decode("latin-1"), ensure_ascii=True).encode()


def escaped(value):
    return b"".join(b"\\x%02x" % byte if byte < 32 or byte > 126 or byte == 92 else bytes((byte,)) for byte in value)


def journal_json(record):
    return b'{"__REALTIME_TIMESTAMP":"%d","_BOOT_ID":"%s","_SOURCE_MONOTONIC_TIMESTAMP":"%d","PRIORITY":"4",' \
        b'"_TRANSPORT":"kernel","SYSLOG_IDENTIFIER":"kernel","MESSAGE":%s}' % (
            record.wall_us, BOOT_ID.encode(), record.boot_us, quoted(record.text))


def journal_bytes(record):
    numbers = b",".join(b"%d" % byte for byte in record.text)
    return b'{"__REALTIME_TIMESTAMP":"%d","MESSAGE":[%s],"_TRANSPORT":"kernel"}' % (record.wall_us, numbers)


def journal_export(log, binary=False):
    result = []
    for number, record in enumerate(log):
        message = b"MESSAGE\n" + struct.pack("<Q", len(record.text)) + record.text if binary else \
            b"MESSAGE=" + record.text
        result.append(b"__CURSOR=s=%d\n__REALTIME_TIMESTAMP=%d\n__MONOTONIC_TIMESTAMP=%d\n_BOOT_ID=%s\nPRIORITY=4\n"
                      b"_TRANSPORT=kernel\n%s\n\n" % (number, record.wall_us, record.boot_us, BOOT_ID.encode(), message))
    return b"".join(result)


def dmesg_json(log):
    entries = b",".join(b'{\n         "pri": 4,\n         "time": %s,\n         "msg": %s\n      }' % (
        b"%12s" % boot(record).strip(), quoted(record.text)) for record in log)
    return b'{\n   "dmesg": [\n      %s\n   ]\n}\n' % entries


def json_pretty(log):
    return b"".join(b'{\n\t"MESSAGE" : %s,\n\t"__REALTIME_TIMESTAMP" : "%d",\n\t"_TRANSPORT" : "kernel"\n}\n' % (
        quoted(record.text), record.wall_us) for record in log)


def docker(record):
    return b'{"log":%s,"stream":"stdout","time":"%s"}' % (quoted(dmesg(record) + b"\n"), when(record, "%FT%T.%fZ"))


def coloured(record):
    subject, colon, rest = record.text.partition(b": ")
    return b"\x1b[32m[%s] \x1b[0m\x1b[33m%s%s\x1b[0m%s" % (boot(record), subject, colon, rest)


def fluent_bit(record):
    """As its plugin stdout prints a record of kmsg; no program of today writes what Ruby would escape."""
    return b'[0] kmsg.0: [%d.%06d000, {"priority"=>4, "sequence"=>1, "msg"=>%s}]' % (
        *divmod(record.wall_us, 1_000_000), quoted(record.text))


def among_others(log):
    """Between lines of programs and of the kernel that say nothing."""
    result = []
    for record in log:
        stamp = when(record, "%b %d %T")
        result.append(b"%s node systemd[1]: Started session.\n%s node kernel: %s\n" % (stamp, stamp, record.text))
    return b"".join(result)


def hard_wrapped(log):
    """As copied from a terminal of 100 columns."""
    lines = []
    for record in log:
        line = dmesg(record)
        lines += [line[at:at + 100] for at in range(0, len(line), 100)]
    return b"".join(line + b"\n" for line in lines)


SAME_LINES = {
    "stamps": per_line(dmesg),
    "caller": per_line(lambda r: b"[%s] [ T1946] %s" % (boot(r), r.text)),
    "level": per_line(lambda r: b"kern  :warn  : " + dmesg(r)),
    "raw": per_line(lambda r: b"<4>" + dmesg(r)),
    "ctime": per_line(lambda r: b"[%s] %s" % (when(r, "%a %b %e %T %Y"), r.text)),
    "ctime-pt": per_line(lambda r: b"[Ter Jan%s] %s" % (when(r, " %e %T %Y"), r.text)),
    "iso": per_line(lambda r: b"kern  :warn  : %s %s" % (when(r, "%FT%T,%f+00:00"), r.text)),
    "delta": per_line(lambda r: b"[%s <    0.000844>] %s" % (boot(r), r.text)),
    "reltime": per_line(lambda r: b"[  +0.000844] " + r.text),
    "kmsg": per_line(lambda r: b"4,%d,%d,-,caller=T1;%s" % (r.boot_us // 1000, r.boot_us, escaped(r.text))),
    "syslog": per_line(lambda r: b"%s gpu-node-7 kernel: %s" % (when(r, "%b %e %T"), dmesg(r))),
    "syslog-no-host": per_line(lambda r: b"%s kernel: %s" % (when(r, "%b %e %T"), dmesg(r))),
    "syslog-priority": per_line(lambda r: b"<4>%s host kernel: %s" % (when(r, "%b %e %T"), r.text)),
    "rfc5424": per_line(lambda r: b"<4>1 %s host kernel - - - %s" % (when(r, "%FT%T.%fZ"), dmesg(r))),
    "rsyslog": per_line(lambda r: b"%s host kernel: %s" % (when(r, "%FT%T.%f+00:00"), dmesg(r))),
    "journal-short": per_line(lambda r: b"%s host kernel: %s" % (when(r, "%b %d %T"), r.text)),
    "journal-precise": per_line(lambda r: b"%s host kernel: %s" % (when(r, "%b %d %T.%f"), r.text)),
    "journal-iso": per_line(lambda r: b"%s host kernel: %s" % (when(r, "%FT%T+0000"), r.text)),
    "journal-full": per_line(lambda r: b"%s host kernel: %s" % (when(r, "%a %F %T CET"), r.text)),
    "journal-monotonic": per_line(lambda r: b"[%s] host kernel: %s" % (boot(r), r.text)),
    "journal-unix": per_line(lambda r: b"%d.%06d host kernel: %s" % (*divmod(r.wall_us, 1_000_000), r.text)),
    "journal-json": per_line(journal_json),
    "journal-json-bytes": per_line(journal_bytes),
    "journal-sse": per_line(lambda r: b"data: " + journal_json(r)),
    "cri": per_line(lambda r: b"%s stdout F %s" % (when(r, "%FT%T.%f000Z"), dmesg(r))),
    "docker": per_line(docker),
    "compose": per_line(lambda r: b"dmesg-1  | " + dmesg(r)),
    "kubectl": per_line(lambda r: b"[pod/dmesg-x7f2k/dmesg] " + dmesg(r)),
    "loki": per_line(lambda r: b'%s {app="klog", host="a"} %s' % (when(r, "%FT%TZ"), dmesg(r))),
    "loki-json": per_line(lambda r: b'{"labels":{"app":"klog"},"line":%s,"timestamp":"%s"}' % (
        quoted(dmesg(r)), when(r, "%FT%T.%fZ"))),
    "colours": per_line(coloured),
    "whole-seconds": per_line(lambda r: b"[%ds] %s" % (r.boot_us // 1_000_000, r.text)),
    "stamps-bare": per_line(lambda r: b"%s %s" % (boot(r).strip(), r.text)),
    "host-no-date": per_line(lambda r: b"gpu-node-7 kernel: " + r.text),
    "relay": per_line(lambda r: b"%s node-problem-detector: %s" % (when(r, "%FT%T.%fZ"), r.text)),
    "relay-pid": per_line(lambda r: b"%s host gpud[77]: %s" % (when(r, "%b %e %T"), dmesg(r))),
    "relay-json": per_line(lambda r: b'{"level":"info","ts":"%s","msg":%s}' % (when(r, "%FT%T.%fZ"), quoted(dmesg(r)))),
    "fluent-bit": per_line(fluent_bit),
    "fluentd": per_line(lambda r: b'%s +0000 kern.messages: {"host":"a","ident":"kernel","message":%s}' % (
        when(r, "%F %T.%f000"), quoted(r.text))),
    "vector": per_line(lambda r: b'{"appname":"kernel","host":"a","message":%s,"severity":"warning","timestamp":"%s"}' % (
        quoted(r.text), when(r, "%FT%T.%fZ"))),
    "kibana": per_line(lambda r: b"%s\tgpu-node-7\tkernel\t%s" % (when(r, "%b %d, %Y @ %T.%f"), r.text)),
    "pipes": per_line(lambda r: b"%s | gpu-node-7 | kernel | %s" % (when(r, "%F %T.%f"), r.text)),
    "cloudwatch": per_line(lambda r: b"%d\t%s" % (r.wall_us // 1000, r.text)),
    "splunk": per_line(lambda r: b"%s\t%s" % (when(r, "%m/%d/%Y %I:%M:%S.%f %p"), dmesg(r))),
    "csv": per_line(lambda r: b'"%s","gpu-node-7","%s"' % (when(r, "%FT%T.%fZ"), r.text)),
    "csv-bare": per_line(lambda r: b"%s,gpu-node-7,kernel,%s" % (when(r, "%FT%T.%fZ"), r.text)),
    "talos": per_line(lambda r: b"10.0.0.5: kern: warning: [%s]: %s" % (when(r, "%FT%T.%fZ"), r.text)),
    "cri-plain": per_line(lambda r: b"%s stderr F %s" % (when(r, "%FT%T.%f000Z"), r.text)),
    "docker-plain": per_line(lambda r: b'{"log":%s,"stream":"stderr","time":"%s"}' % (
        quoted(r.text + b"\n"), when(r, "%FT%T.%fZ"))),
    "grep": per_line(lambda r: b"/var/log/kern.log:12:%s node kernel: %s" % (when(r, "%b %e %T"), r.text)),
    "grep-numbers": lambda log: b"".join(b"%d:%s\n" % (nr, dmesg(r)) for nr, r in enumerate(log, 1)),
    "cat-numbers": lambda log: b"".join(b"%6d\t%s\n" % (nr, dmesg(r)) for nr, r in enumerate(log, 1)),
    "bullets": per_line(lambda r: b"- " + dmesg(r)),
    "pdsh": per_line(lambda r: b"gpu-node-7: " + dmesg(r)),
    "stream": per_line(lambda r: b"%s eks/i-0abc12/dmesg %s" % (when(r, "%FT%T.%f+00:00"), dmesg(r))),
    "windows": per_line(dmesg, b"\r\n"),
    "quoted": per_line(lambda r: b"> " + dmesg(r)),
    "table": per_line(lambda r: b"| %s |" % dmesg(r)),
    "indented": per_line(lambda r: b"    " + dmesg(r)),
    "no-last-feed": lambda log: per_line(dmesg)(log)[:-1],
}

# Those that add lines: where an event stands in them is theirs.
OTHER_LINES = {
    "journal-export": journal_export,
    "journal-export-binary": lambda log: journal_export(log, binary=True),
    "dmesg-json": dmesg_json,
    "journal-json-pretty": json_pretty,
    "among-others": among_others,
    "fenced": lambda log: b"```\n" + per_line(dmesg)(log) + b"```\n",
    "zeros-before": lambda log: b"\0" * 100 + b"\n" + per_line(dmesg)(log),
    "hard-wrapped": hard_wrapped,
}
