#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What people read is plain: nobody and somebody are no finding, software tells and sees nothing, a source that users
# cannot open is none. The texts are the strings of lib, checks and cmd, the manual and the README; what the kernel
# itself prints (patterns of lib/klog) and what stands in comments is left alone.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

PLANT_FOLDERS=(lib cmd checks man README.md)
WORDS='nobody|somebody|anew|for want of|mended|judging rules|nothing (says|tells)|(is|was) told|tells of'

# FILE:LINE: TEXT of each string, outside of comments. "nobody looked" is a state in the JSON, which stays as it is.
strings_of() {
	find lib checks cmd \( -name '*.c' -o -name '*.h' -o -name '*.def' \) -exec awk '
		FNR == 1 { comment = 0 }
		{
			line = $0
			while (1) {
				if (comment) {
					end = index(line, "*/")
					if (!end) next
					line = substr(line, end + 2)
					comment = 0
				}
				begin = match(line, /(^|[^"\/])\/\*/)
				if (!begin) break
				rest = substr(line, RSTART + RLENGTH)
				end = index(rest, "*/")
				line = substr(line, 1, RSTART - 1) (end ? substr(rest, end + 2) : "")
				if (!end) { comment = 1; break }
			}
		}
		line ~ /^[ \t]*(LINE|LINE_BY|LINE_QUOTED|DETAIL|TURN|TURN_ABOVE|TURN_MARK|MARK|LINE_MARK)\(/ { next }
		{
			while (match(line, /"([^"\\]|\\.)*"/)) {
				text = substr(line, RSTART + 1, RLENGTH - 2)
				line = substr(line, RSTART + RLENGTH)
				if (text ~ / / && text != "nobody looked")
					print FILENAME ":" FNR ": " text
			}
		}' {} +
}

lint() {
	! {
		strings_of
		grep -Hn . man/*.[157] man/*.in README.md
	} | grep -wiE "$WORDS"
}

finds_nothing lint
plant() { printf 'const char *a = "the page that nobody holds";\n' > checks/planted.c; }
finds "nobody" 'planted.c:1: the page that nobody holds' lint
plant() { printf '/* for nobody\n * at all */\nconst char *a = "well";\n' > checks/planted.c; }
spares "a comment" 'planted' lint
plant() { printf 'LINE("nobody cared (try booting with irqpoll)")\n' >> lib/klog/host.def; }
spares "a line of the kernel" 'nobody cared' lint
plant() { echo 'Write it anew.' >> README.md; }
finds "the README" 'README.md:.*anew' lint
plant() { printf 'POLICY(x, "x", MS, 1, "judging rules, stage 4", "y")\n' > lib/eval/policy/planted.def; }
finds "a source that users cannot open" 'planted.def:1: judging rules' lint
done_testing
