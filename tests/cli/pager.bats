#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# pager.bats - what is longer than the screen goes through a pager; what is not, or ends a run, does not.

load helpers.sh
setup() {
	begin
	unset LESS LV PAGER GPUDIAG_PAGER
	export TERM=xterm LC_ALL=C.UTF-8
	cat > pager <<- 'END'
		#!/bin/sh
		echo "paged $LESS $LV"
		cat > seen
	END
	chmod +x pager
}

# on COLUMNSxROWS COMMAND...: gpudiag on a terminal; its status, and what the terminal showed in OUT.
on() {
	"$TOP/tests/cli/terminal.py" --limit 30 --size "$1" typed end -- "$GPUDIAG" "${@:2}" > "$OUT" 2> "$ERR" < /dev/null ||
		fail "$(cat "$ERR")"
	# shellcheck source=/dev/null
	. ./typed
}

@test "help, explain, list, policy and logs go through the pager where they are longer than the screen" {
	export PAGER=./pager
	local words gpu
	for gpu in {10..25}; do
		echo "[$gpu.000000] NVRM: Xid (PCI:0000:$gpu:00): 79, pid=7, name=python3, GPU has fallen off the bus."
	done > faults.log
	for words in "help run" "run --help" "explain pcie-width" "list findings" "policy" "schema report" \
		"integrate prometheus" "logs faults.log"; do
		rm -f seen
		# shellcheck disable=SC2086 # several words
		on 100x10 $words
		has "$OUT" "paged FRX -c"
		[ "$(wc -l < seen)" -ge 10 ] || fail "$words: the pager got $(wc -l < seen) lines"
	done
	is "$status" 2 "exit status of logs, with faults"
}

@test "what fits the screen is printed without a pager" {
	PAGER=./pager on 100x200 help diff
	is "$status" 0 "exit status"
	has "$OUT" "usage: gpudiag diff"
	[ ! -e seen ]
	# One line less than the screen has: the shell's prompt needs the last.
	local lines
	lines=$("$GPUDIAG" help diff | wc -l)
	PAGER=./pager on "100x$((lines + 1))" help diff
	[ ! -e seen ]
	PAGER=./pager on "100x$lines" help diff
	[ -e seen ]
}

@test "a report of a run, and what goes into a pipe or a file, never waits for a reader" {
	export PAGER=./pager
	on 100x10 run --root "$NODES/h100-8" --level read --window 0
	[ ! -e seen ]
	on 100x10 demo
	[ ! -e seen ]
	gpudiag help run
	has "$OUT" "usage: gpudiag"
	[ ! -e seen ]
}

@test "GPUDIAG_PAGER comes before PAGER; empty, cat and a dumb terminal: none" {
	PAGER=false GPUDIAG_PAGER=./pager on 100x10 help run
	has "$OUT" "paged"
	rm seen
	PAGER=./pager GPUDIAG_PAGER='' on 100x10 help run
	has "$OUT" "usage: gpudiag"
	PAGER="cat" on 100x10 help run
	has "$OUT" "usage: gpudiag"
	PAGER=./pager TERM=dumb on 100x10 help run
	has "$OUT" "usage: gpudiag"
	(unset TERM; PAGER=./pager on 100x10 help run; has "$OUT" "usage: gpudiag")
	[ ! -e seen ]
}

@test "LESS and LV stay as the user set them; a pager may have options" {
	LESS=M LV=-u PAGER='./pager --some "thing"' on 100x10 help run
	has "$OUT" "paged M -u"
}

@test "a pager that is missing, cannot be run or dies costs nothing of the text" {
	PAGER=no-such-pager on 100x10 help run
	is "$status" 0 "exit status"
	has "$OUT" "usage: gpudiag"
	has "$OUT" "no-such-pager: "
	PAGER=/etc/passwd on 100x10 help run
	has "$OUT" "usage: gpudiag"
	# shellcheck disable=SC2016 # for the pager's shell
	PAGER='kill -SEGV $$' on 100x10 help run
	is "$status" 0 "exit status"
	has "$OUT" "the pager died: Segmentation fault"
	has "$OUT" "gpudiag --expect-gpus 8:H100"
}

@test "a reader who leaves early is no failure, and the keyboard's interrupt is the pager's" {
	PAGER=true on 100x10 list findings
	is "$status" 0 "exit status"
	is "$(cat "$OUT")" ""
	cat > stays <<- 'END'
		#!/bin/sh
		trap 'echo left alone; exit 0' INT
		cat > seen
		echo waits
		while :; do sleep 0.1; done
	END
	chmod +x stays
	PAGER=./stays "$TOP/tests/cli/terminal.py" --limit 30 --size 100x10 typed wait=waits 'key=^C' end -- \
		"$GPUDIAG" list findings > "$OUT" 2> "$ERR" < /dev/null
	# shellcheck source=/dev/null
	. ./typed
	is "$status" 0 "exit status"
	has "$OUT" "left alone"
}

@test "lists are as wide as the terminal; a pipe gets each row as a line" {
	local words
	for words in "help run" "help" "explain pcie-link" "list findings" "list xids" "list checks" "list formats"; do
		# shellcheck disable=SC2086 # several words
		PAGER=./pager on 60x10 $words
		# shellcheck disable=SC2154 # of the file typed
		is "$outside" 0 "$words: written beyond the edge"
		is "$(awk '{ gsub(/[\200-\277]/, "") } length > 60' seen | head -1)" "" "$words: wider than the terminal"
	done
	# So is what stands around a report, but for its commands.
	PAGER=./pager on 60x400 demo xid-79
	is "$outside" 0 "demo: written beyond the edge"
	is "$(grep -vE '^  +(gpudiag|dmesg|lspci)' "$OUT" | awk '{ gsub(/[\200-\277]/, "") } length > 60' | head -1)" "" "demo: too wide"
	gpudiag list xids
	is "$(grep -c '^ *[0-9]' "$OUT")" "$(wc -l < "$OUT")"
}

@test "each command's help ends with examples, and each example is a command that is taken" {
	local command example bad=0
	while read -r command; do
		"$GPUDIAG" help "$command" | sed -n '/^Examples:/,$s/.*\bgpudiag\( .*\|$\)/&/p' |
			sed -e 's/^ *//' -e 's/  .*//' -e 's/^.*| //' -e 's/ >.*//' > examples
		[ -s examples ] || fail "help $command has no examples"
		grep -qvE "^gpudiag( $command| -|\$)" examples && fail "help $command: of another command"
		while read -r example; do
			takes_options "$command" "$example" || bad=1
		done < examples
	done < <("$GPUDIAG" help | awk '/^  [a-z]+ / { print $1 }')
	return $bad
}
