#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# replay.bats - a snapshot judged again gives the same bytes: text, JSON and the snapshot itself, wherever and by whomever.
# Runs beside one: it measures a little.

load helpers.sh
setup() { begin; }

# look ARGUMENT…: a run whose text, json and snapshot are kept as ./first.*
look() {
	gpudiag run "$@" --format text=first.text --format json=first.json --format snapshot=first.snapshot
	first_status=$status
	empty "$OUT"
	valid_report first.json
}

# What does not differ from look to look.
JUDGED='del(.taken_at, .elapsed_ms, .argv, .probes) | .checks |= map(select(.check != "probe-health"))'

# same_again [WRAPPER…]: replays it so, and compares.
same_again() {
	rm -f again.*
	# Another user may not write here.
	with "$@" gpudiag run --snapshot "$PWD/first.snapshot" --format text
	is "$status" "$first_status" "exit status"
	empty "$ERR"
	same first.text "$OUT"
	with "$@" gpudiag run --snapshot "$PWD/first.snapshot" --format json
	same first.json "$OUT"
	with "$@" gpudiag run --snapshot "$PWD/first.snapshot" --format snapshot
	same first.snapshot "$OUT"
}

# $IN_GERMAN COMMAND…: in a locale with a decimal comma, built where the machine has none and can.
comma_locale() {
	IN_GERMAN=(env LC_ALL=de_DE.UTF-8)
	if ! locale -a 2> /dev/null | grep -qix 'de_DE.utf-\?8' && mkdir -p locales &&
		localedef -i de_DE -f UTF-8 locales/de_DE.UTF-8 > /dev/null 2>&1; then
		IN_GERMAN+=("LOCPATH=$PWD/locales")
	fi
}

@test "this machine, read" {
	look --level read
	same_again
}

@test "this machine, measured on its CPU" {
	pocl_or_skip
	look --opencl-type cpu
	is "$(jq '.timings | length > 0' first.json)" true "anything measured"
	same_again
	comma_locale
	same_again "${IN_GERMAN[@]}"
}

@test "recorded machines, odd ones among them" {
	local tree
	for tree in power9 values-bad tasks-stuck laptop-asleep; do
		need_tree "$tree"
		look --root "$NODES/$tree"
		same_again
	done
}

@test "in another time zone" {
	need_tree h100-8-x8
	look --root "$NODES/h100-8-x8"
	same_again env TZ=Asia/Kathmandu
	same_again env TZ=America/St_Johns
	same_again env TZ=:nonsense
	same_again env -u TZ
}

@test "in a locale with a decimal comma" {
	need_tree swap-in-use
	look --root "$NODES/swap-in-use"
	comma_locale
	same_again "${IN_GERMAN[@]}"
	same_again "${IN_GERMAN[@]}" LC_NUMERIC=de_DE.UTF-8 LC_ALL= LANG=de_DE.UTF-8
	# And looked at in it: numbers are read and written alike.
	with "${IN_GERMAN[@]}" gpudiag run --root "$NODES/swap-in-use" --format json
	jq "$JUDGED" first.json > before
	json "$JUDGED" > after
	same before after
}

@test "in no locale, in plain C, in one that is not there" {
	need_tree h100-8-x8
	look --root "$NODES/h100-8-x8"
	same_again env -u LC_ALL -u LANG
	same_again env LC_ALL=C
	same_again env LC_ALL=xx_XX.nonsense
	same_again env LC_ALL=tr_TR.UTF-8
}

@test "without any environment" {
	need_tree h100-8-x8
	look --root "$NODES/h100-8-x8"
	same_again env -i ${ASAN_OPTIONS:+"ASAN_OPTIONS=$ASAN_OPTIONS"}
}

@test "by another user" {
	as_nobody_or_skip
	look --level read
	chmod 644 first.snapshot
	same_again "${AS_NOBODY[@]}"
}

@test "from another folder, from one that is gone" {
	need_tree h100-8-x8
	look --root "$NODES/h100-8-x8"
	same_again env -C /
	mkdir gone
	cd gone
	rmdir ../gone
	"$GPUDIAG" run --snapshot "$BATS_TEST_TMPDIR/first.snapshot" > "$OUT" || :
	cmp "$BATS_TEST_TMPDIR/first.text" "$OUT"
}

@test "under another name of the file, from a pipe" {
	need_tree h100-8-x8
	look --root "$NODES/h100-8-x8"
	mv first.snapshot $'of\nlast week'
	gpudiag run --snapshot $'of\nlast week'
	same first.text "$OUT"
	# shellcheck disable=SC2002
	cat $'of\nlast week' | "$GPUDIAG" run --snapshot - > "$OUT" || :
	same first.text "$OUT"
}

@test "with OpenCL drivers that hang, locks that are held and no home" {
	need_tree h100-8-x8
	look --root "$NODES/h100-8-x8"
	local holder
	vendors sleep_constructor
	hold_lock load 0 clFinish
	same_again env HOME=/nonexistent
	kill "$holder"
}

@test "of a snapshot that collect wrote" {
	need_tree h100-8-x8
	gpudiag collect --root "$NODES/h100-8-x8" -o collected
	is "$status" 0
	gpudiag run --snapshot collected --format json
	is "$status" 2
	valid_report
	is "$(json '.argv | join(" ")')" "gpudiag collect --root $NODES/h100-8-x8 -o collected"
	json "$JUDGED" > after
	look --root "$NODES/h100-8-x8"
	jq "$JUDGED" first.json > before
	same before after
}

@test "what was asked for is in the snapshot" {
	need_tree l40s-4
	look --root "$NODES/l40s-4" --expect-gpus 5 --skip numa-known --level read
	is "$first_status" 2
	same_again
}

@test "what is asked for now counts" {
	need_tree l40s-4
	look --root "$NODES/l40s-4" --expect-gpus 5
	is "$first_status" 2
	gpudiag run --snapshot first.snapshot --expect-gpus 4
	is "$status" 0
	gpudiag run --snapshot first.snapshot --expect-gpus 4 --format snapshot
	"$GPUDIAG" run --snapshot - < "$OUT" > asked_anew
	is "$(head -n 1 asked_anew)" "$(head -n 1 first.text)"
	hasnt asked_anew FAIL
	gpudiag run --snapshot first.snapshot --check swap-used --format json
	is "$(json '[.checks[].check] | unique | join(" ")')" swap-used
	gpudiag run --snapshot first.snapshot --skip gpu-visible
	is "$status" 0
}

@test "colour and ASCII are the reader's, not the snapshot's" {
	need_tree h100-8-x8
	look --root "$NODES/h100-8-x8" --color always --ascii
	has first.text $'\033['
	LC_ALL=C grep -aq $'[\200-\377]' first.text && fail "not ASCII"
	gpudiag run --snapshot first.snapshot
	hasnt "$OUT" $'\033'
	gpudiag run --snapshot first.snapshot --color always --ascii
	same first.text "$OUT"
	with env LC_ALL=C TERM=xterm NO_COLOR=1 gpudiag run --snapshot first.snapshot --color always --ascii
	same first.text "$OUT"
}

@test "nothing is looked at: it works where no process may be started" {
	need_tree h100-8-x8
	command -v strace > /dev/null || skip "strace is not installed"
	strace -o /dev/null true 2> /dev/null || skip "nothing may be traced here"
	look --root "$NODES/h100-8-x8"
	# A sanitizer looks for leaks by a process of its own.
	with env ASAN_OPTIONS=detect_leaks=0 strace -f -qq -e trace=clone,clone3,fork,vfork,execve,openat,open -o calls gpudiag run --snapshot first.snapshot
	same first.text "$OUT"
	is "$(grep -c 'exec' calls)" 1 "programs started"
	is "$(grep -cE '(clone3?|fork)\(' calls)" 0 "processes started"
	is "$(grep -oE '"/(sys|dev|run|proc)[^"]*"' calls | grep -v '^"/proc/self/' | sort -u)" '' "looked at"
}

# ----

@test "the JSON of these tests is valid by the schema" { reports_are_valid; }

@test "another process is judged than was asked about" {
	need_tree h100-8-busy
	look --root "$NODES/h100-8-busy"
	gpudiag run --snapshot first.snapshot --pid 18423 --format json
	is "$(json '.checks[] | select(.check == "numa-affinity") | .result')" note
	has "$OUT" '(pid 18423)'
	gpudiag run --snapshot first.snapshot --pid 4711 --format json
	is "$(json '.checks[] | select(.check == "numa-affinity") | .reason')" "no process 4711"
	gpudiag run --snapshot first.snapshot --pid self
	refused '--pid self'
}
