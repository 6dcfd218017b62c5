#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# usage.bats - what is typed wrong is refused: status 64, one line on stderr, nothing on stdout, the nearest word.

load helpers.sh
setup() { begin; }

# ---- wrong words

@test "an unknown command, with the nearest one" {
	gpudiag rnu
	refused '"rnu"' 'did you mean "run"'
	gpudiag colect
	refused 'did you mean "collect"'
	gpudiag list-checks
	refused '"list-checks"' '--help'
	gpudiag ''
	refused 'unknown command ""'
}

@test "nothing far off is suggested" {
	gpudiag xyzzy
	refused '"xyzzy"' 'gpudiag --help'
	hasnt "$ERR" 'did you mean'
	gpudiag run --xyzzy
	refused '"--xyzzy"' 'gpudiag run --help'
	hasnt "$ERR" 'did you mean'
}

@test "a hidden command is not suggested" {
	gpudiag probe--workr
	refused
	hasnt "$ERR" 'did you mean'
}

@test "an unknown option, with the nearest one" {
	gpudiag run --fromat json
	refused '"--fromat"' 'did you mean "--format"'
	gpudiag --levle=read
	refused '"--levle"' 'did you mean "--level"'
	gpudiag collect --ouptut x
	refused 'collect' 'did you mean "--output"'
	gpudiag run -x
	refused '"-x"'
	gpudiag list --format json checks
	refused '"--format"'
}

@test "an unknown check, with the nearest one" {
	gpudiag run --check pcie-widht
	refused '--check' '"pcie-widht"' 'did you mean "pcie-width"'
	gpudiag run --skip pcie-width,gpu-visable
	refused '--skip' '"gpu-visable"' 'did you mean "gpu-visible"'
	gpudiag run --check pcie-width,
	refused '--check'
	gpudiag run --check ''
	refused '--check'
}

@test "an unknown format, with the nearest one" {
	gpudiag run --format jsno
	refused '--format' '"jsno"' 'did you mean "json"'
	gpudiag run --format snapshto=x
	refused 'did you mean "snapshot"'
	gpudiag run --format ''
	refused '--format'
	[ ! -e x ]
}

@test "an unknown level, with the nearest one" {
	gpudiag run --level raed
	refused '--level' '"raed"' 'did you mean "read"'
	gpudiag run --level deepest
	refused '--level' '"deepest"' 'read' 'quick'
}

@test "an unknown word for another option, with those there are" {
	gpudiag run --opencl-type cup
	refused '--opencl-type' '"cup"' 'cpu' 'gpu' 'all' 'auto'
	gpudiag run --color purple
	refused '--color' '"purple"' 'never'
}

@test "explain: a sentence as a report has it for one GPU, with the evidence in braces" {
	gpudiag explain pcie-width.below-twins edac.corrected
	is "$status" 0
	has "$OUT" 'says    {gpu} runs its PCIe link at {link_width} of {link_width_able}{where}, its twins at {twin_link_width}' \
		'says    Corrected errors of host memory on {controller}'
	gpudiag list findings
	cut -d ' ' -f 1 "$OUT" > names
	xargs "$GPUDIAG" explain < names > explained
	! grep -E '\{[a-z]*\|' explained || fail 'a choice of words is left'
}

@test "explain: which causes and effects a finding has, and by what arithmetic" {
	gpudiag explain transfer-h2d.slow
	is "$status" 0
	has "$OUT" 'causes  pcie-width.* (warn or fail, of the same GPU or the node)' \
		'          if its rate is at least 0.85 x (lanes / lanes it could have)' \
		'memory-available.exhausted, memory-available.stalled' \
		'effects baseline-drift.slow* (of the same GPU'
	gpudiag explain sharing.several-tenants
	hasnt "$OUT" 'causes  '
	has "$OUT" 'effects '
	gpudiag explain pcie-width.below-able
	has "$OUT" 'effects transfer-* (of the same GPU, or of any where this is of the node)'
	# A note explains nothing where the rule asks for a warning.
	gpudiag explain pcie-width.as-recorded
	hasnt "$OUT" 'effects '
	gpudiag explain klog-errors.nvidia-xid-79
	has "$OUT" 'causes  klog-errors.pcie-aer-fatal, ' 'effects gpu-lost.* (' 'driver-tasks-stuck.in-driver, klog-errors.hung-in-gpu-driver (of the node)' \
		'          if both are of one driver'
	gpudiag explain swap-used
	has "$OUT" 'causes  swap-used.short-of-memory: memory-available.exhausted' 'effects swap-used.short-of-memory: transfer-*'
}

@test "explain: on a terminal nothing is wider than a report, and no command is broken" {
	command -v script > /dev/null || skip "script is not installed"
	LC_ALL=C.UTF-8 script -qec "'$GPUDIAG' explain pcie-width klog-errors.nvidia-xid-79 nouveau-off.loaded xid" /dev/null < /dev/null |
		tr -d '\r' > "$OUT"
	has "$OUT" $'\nasks    Does each link between' $'\n        width under load counts too' \
		$'\n          dmesg -T | grep -iE \'{nvidia_address}|xid|AER|pciehp\' | tail -50\n'
	! sed '/^xid:/,$d' "$OUT" | grep -E '^.{101}' || fail 'wider than a page'
	# To a program each fact is a line.
	gpudiag explain pcie-width
	has "$OUT" 'could carry; a lower value has a second cause'
}

@test "explain: an unknown name, with the nearest one" {
	gpudiag explain pcie-width.below-twin
	refused 'did you mean "pcie-width.below-twins"'
	gpudiag explain pcie-wdith
	refused 'did you mean "pcie-width"'
	gpudiag explain pcie-width nonsense
	refused '"nonsense"'
	gpudiag explain
	refused
}

@test "list and schema: an unknown word" {
	gpudiag list chekcs
	refused '"chekcs"' 'checks'
	gpudiag list
	refused
	gpudiag list checks findings
	refused
	gpudiag schema reprot
	refused '"reprot"' 'report'
	gpudiag schema
	refused
}

# ---- wrong values

@test "numbers that are none" {
	local value
	for value in 0 -1 1x 1e3 '' 99999999999999999999 86401 25h 0.1ms '1 s' 1S; do
		gpudiag run --timeout "$value"
		refused '--timeout' "\"$value\""
	done
	for value in x 8x -1 '' ':H100' 99999999999999999999 8.0; do
		gpudiag run --expect-gpus "$value"
		refused '--expect-gpus' "\"$value\""
	done
}

@test "a value that is missing, or one too many" {
	local option
	for option in --level --format --output --snapshot --root --timeout --check --skip --expect-gpus --color; do
		gpudiag run "$option"
		refused "$option"
	done
	gpudiag run -o
	refused '--output'
	gpudiag run --ascii=yes
	refused '--ascii'
	gpudiag run --even-if-busy=1
	refused '--even-if-busy'
}

@test "a file without a name" {
	gpudiag run --level read --output ''
	refused '--output'
	gpudiag run --level read --format json=
	refused '--format'
	gpudiag collect --level read -o ''
	refused '--output'
	gpudiag run --snapshot ''
	refused
}

@test "words that are no options" {
	gpudiag run extra
	refused '"extra"'
	gpudiag collect extra
	refused '"extra"'
	gpudiag run --level read -
	refused '"-"'
}

@test "the beginning of an option will do, where it is the only one" {
	gpudiag run --s x
	refused '"--s"' '--storage' '--sustain'
	gpudiag run --snap nosuch
	refused 'nosuch'
	# A name that is the beginning of no other is never in doubt.
	gpudiag run --format=json --f
	refused '"--f"' '--framework' '--fail-on'
}

# ---- where output goes

@test "two formats to standard output" {
	gpudiag run --format json --format text
	refused 'json' 'text'
	gpudiag run --format text --format text
	refused 'text'
	gpudiag run --format json --format snapshot --format text=x
	refused 'json' 'snapshot'
	[ ! -e x ]
}

@test "two formats to one -o, and -o with nothing left for it" {
	gpudiag run --format json --format text -o both
	refused 'json' 'text'
	gpudiag run -o left --format json=right
	refused '-o'
	[ ! -e both ]
	[ ! -e left ]
	[ ! -e right ]
}

@test "several formats, each to its place" {
	need_tree head-node
	gpudiag run --root "$NODES/head-node" --format json=a --format snapshot=b --format text -o c
	is "$status" 3
	empty "$OUT"
	empty "$ERR"
	valid_report a
	is "$(jq -r .schema b)" gpudiag.snapshot/1
	has c 'UNKNOWN'
	gpudiag run --root "$NODES/head-node" --format json=a --format text
	has "$OUT" 'UNKNOWN'
	gpudiag run --root "$NODES/head-node" -fjson -o-
	valid_report
}

@test "a replay and a tree at once" {
	gpudiag run --snapshot x --root y
	refused '--snapshot' '--root'
}

@test "a tree that is none" {
	gpudiag run --root nosuch
	refused 'nosuch' 'No such file'
	mkdir folder
	gpudiag run --root folder
	refused 'folder' 'not a recorded tree'
	touch file
	gpudiag collect --root file
	refused 'file' 'Not a directory'
}

# ---- --

@test "-- ends the options" {
	need_tree head-node
	gpudiag run --root "$NODES/head-node" --
	is "$status" 3
	gpudiag run -- --help
	refused '"--help"'
	gpudiag run -- extra
	refused '"extra"'
	gpudiag explain -- pcie-width
	is "$status" 0
	has "$OUT" 'pcie-width: '
	gpudiag list -- checks
	is "$status" 0
	# A command's name after it is none.
	gpudiag -- run
	refused '"run"'
}

# ---- right words

@test "--help: what options mean begins in one column, also behind a dot that takes three bytes" {
	gpudiag run --help
	is "$(grep -E '^(  -.,|     ) ' "$OUT" | LC_ALL=C.UTF-8 grep -vE '^.{29} [^ ]')" ''
	has "$OUT" '--check ID,…'
}

@test "--help of the program names every command, and of every command its options" {
	gpudiag --help
	is "$status" 0
	empty "$ERR"
	has "$OUT" 'usage: gpudiag' run collect bench list explain schema
	hasnt "$OUT" 'probe--worker'
	cp "$OUT" all
	local word command
	for word in -h help; do
		gpudiag "$word"
		same "$OUT" all
	done
	mapfile -t commands < <(sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' all)
	[ "${#commands[@]}" -ge 5 ]
	for command in "${commands[@]}"; do
		gpudiag "$command" --help
		is "$status" 0 "gpudiag $command --help"
		empty "$ERR"
		has "$OUT" 'usage: gpudiag ' "$command" '--help'
		cp "$OUT" long
		gpudiag "$command" -h
		same "$OUT" long
		[ "$(wc -L < long)" -le 120 ] || fail "$command --help: more than 120 columns"
	done
	gpudiag run --help
	has "$OUT" --level --opencl-type --root --timeout --even-if-busy --touch-hung --wake --check --skip --expect-gpus \
		--snapshot --format --output --color --ascii '-o,' '-f,'
}

@test "--help beside anything else only helps" {
	gpudiag run --format json --help
	is "$status" 0
	has "$OUT" 'usage: gpudiag'
	gpudiag run --nonsense --help
	is "$status" 0
}

@test "--version" {
	gpudiag --version
	is "$status" 0
	empty "$ERR"
	# Scripts read the first line.
	head -n 1 "$OUT" | grep -Eqx 'gpudiag [0-9]+\.[0-9]+\.[0-9]+'
	grep -Eqx 'commit: ([0-9a-f]{40}(-modified)?|unknown)' "$OUT"
	is "$(sed -n 's/^libc: \(glibc [^ ]*\) .*/\1/p' "$OUT")" "$(getconf GNU_LIBC_VERSION)"
	grep -Eqx 'cJSON: [0-9.]+, (shared library|part of gpudiag) \(built against [0-9.]+\)' "$OUT"
	cp "$OUT" version
	gpudiag -V
	same "$OUT" version
}

# readme_report N: the Nth report in README.md.
readme_report() {
	awk -v wanted="$1" '/^    gpudiag [0-9.]+ ·/ { nr++; inside = 1 } /^[^ ]/ { inside = 0 } inside && nr == wanted' \
		"$TOP/README.md" | sed 's/^    //' | sed '${/^$/d}'
}

@test "README.md shows what is printed of a bug report" {
	grep -v '^#:' "$TOP/tests/imports/bug-report-xid79.txt" | gzip > nvidia-bug-report.log.gz
	gpudiag run --import nvidia-bug-report.log.gz
	is "$status" 2
	readme_report 2 > shown
	[ "$(wc -l < shown)" -gt 10 ]
	diff shown <(head -n "$(wc -l < shown)" "$OUT")
}

@test "README.md shows what is printed" {
	need_tree h100-8-x8
	gpudiag run --root "$NODES/h100-8-x8" --driver-root "$NODES/h100-8-x8/driver"
	is "$status" 2
	timeless() {
		sed -E 's/[0-9-]{10} [0-9:]{5} UTC/TIME/; s/ · [0-9.]+ m?s$/ · TIME/' "$1"
	}
	readme_report 1 > shown
	[ -s shown ] || fail 'no report in README.md'
	diff <(timeless shown) <(timeless "$OUT")
}

@test "list and explain know each other" {
	local what name
	for what in checks findings probes formats xids; do
		gpudiag list "$what"
		is "$status" 0
		empty "$ERR"
		[ -s "$OUT" ]
	done
	gpudiag list checks
	is "$(awk '{ print $3 }' "$OUT" | sort | uniq -d)" '' "checks listed twice"
	mapfile -t names < <(awk '{ print $3 }' "$OUT")
	gpudiag list findings
	mapfile -t -O "${#names[@]}" names < <(awk '{ print $1 }' "$OUT")
	[ "${#names[@]}" -gt 20 ]
	gpudiag explain "${names[@]}"
	is "$status" 0
	for name in "${names[@]}"; do
		grep -Eq -- "^$name(:|\$)" "$OUT" || fail "explain says nothing of $name"
	done
}

@test "schema prints JSON Schemas" {
	local which
	for which in report snapshot; do
		gpudiag schema "$which"
		is "$status" 0
		is "$(json .title)" "gpudiag.$which/1"
		has "$OUT" 'json-schema.org'
	done
}

@test "an option given twice with two values is refused, as one would be lost; lists add up" {
	need_tree head-node
	gpudiag run --snapshot one --snapshot two
	refused '--snapshot' '"one"' '"two"'
	gpudiag gate --level read --timeout 1 --level=quick
	refused '--level' '"read"' '"quick"'
	gpudiag diff -o a -o b c d
	refused '--output' '"a"' '"b"'
	gpudiag run --root "$NODES/head-node" --root "$NODES/head-node" --strict --strict --check gpu-visible --check swap-used -f json
	[ "$status" -lt 64 ] || fail "the same value twice" "$(show)"
	is "$(json '.request.only_checks | join(" ")')" 'gpu-visible swap-used'
}

@test "--check and --skip take stages and patterns" {
	need_tree h100-8
	local node=(--root "$NODES/h100-8" --driver-root "$NODES/h100-8/driver" -f json)
	gpudiag run --check link "${node[@]}"
	is "$(json '[.checks[].stage] | unique | join(" ")')" link
	is "$(json '[.checks[].check] | unique | contains(["pcie-width", "pcie-speed", "pcie-path"])')" true
	gpudiag run --check 'pcie-*,swap-used' --skip 'pcie-s*' "${node[@]}"
	is "$(json '[.checks[].check] | unique | map(select(startswith("pcie-s") or (startswith("pcie-") or . == "swap-used" | not)))')" '[]'
	is "$(json '[.checks[].check] | unique | contains(["pcie-width", "swap-used"])')" true
	# By each way once.
	gpudiag run --check swap,swap-used,'swap-use[d]' "${node[@]}"
	is "$(json '.request.only_checks | length == (unique | length)')" true
	gpudiag run --check lnik
	refused '--check' '"lnik"' 'did you mean "link"'
	gpudiag run --skip 'pcix-*'
	refused '--skip' 'no check matches "pcix-*"'
}

@test "options that change nothing with a snapshot are named" {
	need_tree head-node
	gpudiag run --root "$NODES/head-node" -f snapshot=s
	gpudiag run --snapshot s --window 2s --level read --wake
	has "$ERR" 'with --snapshot nothing is measured' '--level, --window, --wake'
	is "$(wc -l < "$ERR")" 1
	gpudiag run --snapshot s --expect-gpus 0
	empty "$ERR"
}

@test "-f nagios: what is typed wrong is UNKNOWN on standard output, with the exit status of that" {
	local words
	for words in '-f nagios --levle read' '--levle read -fnagios' 'gate --form=nagios --snapshot nosuch' \
		'run --format nagios extra|word'; do
		# shellcheck disable=SC2086 # words
		gpudiag $words
		is "$status" 3 "$words"
		empty "$ERR"
		is "$(wc -l < "$OUT")" 1
		has "$OUT" 'GPUDIAG UNKNOWN - '
		hasnt "$OUT" '|'
	done
	# Of others these words say nothing.
	gpudiag run --levle read -f text -o nagios
	refused
	gpudiag run --levle -- -f nagios
	refused
	gpudiag list -f nagios
	refused
}

@test "help and version are commands too" {
	gpudiag gate --help
	cp "$OUT" long
	gpudiag help gate
	is "$status" 0
	same "$OUT" long
	gpudiag help gaet
	refused 'did you mean "gate"'
	gpudiag help gate run
	refused '"run"'
	gpudiag --version
	cp "$OUT" long
	gpudiag version
	is "$status" 0
	same "$OUT" long
	gpudiag version 2
	refused '"2"'
}

# ---- what was typed is shown, not obeyed

@test "an argument's control characters do not reach the terminal" {
	local escape=$'\033[31m' word
	gpudiag "$escape"
	refused
	for word in "--$escape" "--check=$escape" "--skip=$escape" "--level=$escape" "--format=$escape" \
		"--snapshot=$escape" "--root=$escape" "--timeout=$escape" "--expect-gpus=$escape" "$escape"; do
		gpudiag run "$word"
		refused
	done
	gpudiag explain "$escape"
	refused
	gpudiag list $'\302\23331m'
	refused
	hasnt "$ERR" $'\302\233'
}

@test "an argument of no known characters is refused like any other" {
	gpudiag $'\377\376'
	refused
	iconv -f UTF-8 -t UTF-8 "$ERR" > /dev/null
	gpudiag run --check "$(printf '%0100000d' 0)"
	refused
}

# ----

@test "the JSON of these tests is valid by the schema" { reports_are_valid; }

@test "the quick tasks of gpudiag-checks(7) are commands that work" {
	need_tree h100-8
	mkdir data
	head -c 1000 /dev/urandom > data/file
	gpudiag run --root "$NODES/h100-8" --format snapshot=host.json
	cp host.json inside.json
	sed -n '/^\.Sh QUICK TASKS/,/^\.Sh STAGE/s/^gpudiag //p' "$TOP/man/gpudiag-checks.7" > commands
	[ "$(wc -l < commands)" -ge 17 ] || fail 'fewer commands than tasks'
	while read -r command; do
		local -a words=() where=()
		read -ra words <<< "${command//PATH/$PWD/data}"
		case ${words[0]} in
		run | topology) where=(--root "$NODES/h100-8") ;;
		bench) where=(--seconds 100ms) ;;
		esac
		gpudiag "${words[@]}" "${where[@]}"
		[ "$status" -lt 64 ] || fail "$command: status $status" "$(show)"
	done < commands
}
