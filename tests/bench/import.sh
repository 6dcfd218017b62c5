#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Bug reports and other texts through gpudiag run --import, in one interleaved run with peers that do far less: wc -l,
# grep -c of one word, and grep -E -c (LC_ALL=C, into a pipe) of sixty patterns of the kernel log's catalogue; of a
# compressed report zcat and the same grep. Medians of user and system time and of the time on the clock, resident
# memory, and ratios to the peers. A text of ten times the size shows whether the time is linear, odd texts that none is
# far slower than the rest. Nothing is asserted: on a machine that does other work, too, figures differ by a factor of two.
# ROUNDS (5) rounds; MEGABYTES (5) of each text; LARGE (50): the larger report. KINDS: of import_make.py.
set -u
cd "$(dirname "$0")/../.." || exit 1

gpudiag=${GPUDIAG:-build/gpudiag}
bench=${BENCH:-build/bench/log}
rounds=${ROUNDS:-5}
megabytes=${MEGABYTES:-5} large=${LARGE:-50}
kinds=${KINDS:-report log query dmesg words empty short line json brackets}
for tool in "$gpudiag" "$bench"; do
	[ -x "$tool" ] || { echo "$tool is not there: make all $bench" >&2; exit 1; }
done

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
"$bench" patterns > "$work/patterns" || exit 1
awk -v nr="$(wc -l < "$work/patterns")" 'int(NR * 60 / nr) > int((NR - 1) * 60 / nr)' "$work/patterns" > "$work/sixty"

# measure NAME COMMAND…: appends "seconds of CPU, seconds, KiB" to the file of that name.
measure() {
	python3 - "$@" <<'PROGRAM'
import os, subprocess, sys, time
name, command = sys.argv[1], sys.argv[2:]
begin = time.monotonic()
child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
said = child.stderr.read()
_, status, used = os.wait4(child.pid, 0)
wall = time.monotonic() - begin
status = os.waitstatus_to_exitcode(status)
# Of gpudiag 64 says that there is nothing in it, as in a text of empty lines.
if status < 0 or status > 64:
    sys.exit("%s: exit status %d\n%s" % (" ".join(command), status, said.decode(errors="replace")))
with open(name, "a", encoding="ascii") as out:
    print(used.ru_utime + used.ru_stime, wall, used.ru_maxrss, file=out)
PROGRAM
}

run() {
	local file=$2
	case $1 in
	gpudiag) "$gpudiag" run --import "$file" -f json ;;
	wc) wc -l "$file" ;;
	grep) grep -c NVRM "$file" ;;
	sixty) LC_ALL=C grep -E -c -f "$work/sixty" "$file" | cat ;;
	zcat) zcat "$file" | LC_ALL=C grep -E -c -f "$work/sixty" | cat ;;
	esac
	return 0
}
export -f run
export gpudiag work

# tell TEXT PEER…: a line of figures for gpudiag and each peer.
tell() {
	local text=$1 name
	shift
	for ((round = 0; round < rounds; round++)); do
		measure "$work/gpudiag.$text" "$gpudiag" run --import "$work/$text" -f json || exit 1
		for name in "$@"; do
			measure "$work/$name.$text" bash -c 'run "$@"' run "$name" "$work/$text" || exit 1
		done
	done
	for name in gpudiag "$@"; do
		sort -g "$work/$name.$text" | awk -v name="$name" -v text="$text" '
			{ cpu[NR] = $1; wall[NR] = $2; kib = $3 > kib ? $3 : kib }
			END { print text, name, cpu[int((NR + 1) / 2)], wall[int((NR + 1) / 2)], kib }'
	done | awk -v bytes="$(stat -c %s "$work/$text")" '
		$2 == "gpudiag" { cpu = $3 }
		{
			printf "%-12s %6.1f MB  %-8s %8.3f s CPU %8.3f s", $1, bytes / 1e6, $2, $3, $4
			if ($2 == "gpudiag")
				printf " %6.0f MiB resident\n", $5 / 1024
			else
				printf "  gpudiag / %s: %.1f\n", $2, cpu / ($3 ? $3 : 0.001)
		}'
}

for kind in $kinds; do
	tests/bench/import_make.py "$kind" "$megabytes" > "$work/$kind" || exit 1
	tell "$kind" wc grep sixty
	[ "$kind" != report ] && [ "$kind" != log ] && [ "$kind" != query ] && continue
	gzip -k "$work/$kind"
	tell "$kind.gz" zcat
	tests/bench/import_make.py "$kind" "$large" > "$work/$kind-large" || exit 1
	tell "$kind-large" wc sixty
	rm "$work/$kind-large"
done
