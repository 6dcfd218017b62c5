#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# hygiene.bats - a run leaves nothing behind, and what a machine calls itself does not steer a terminal.
# Runs beside one: it looks for processes and files that are left.

load helpers.sh

# What was made read-only is nobody's to remove otherwise.
teardown() {
	[ ! -e here/tree ] || chmod -R u+w here/tree
}

setup() {
	begin
	export TMPDIR=$PWD/tmp XDG_CACHE_HOME=$PWD/cache XDG_CONFIG_HOME=$PWD/config XDG_STATE_HOME=$PWD/state
	export XDG_DATA_HOME=$PWD/data
	mkdir "$TMPDIR" here
	# PoCL has a folder of its own, which it fills.
	export POCL_CACHE_DIR=$BATS_TEST_TMPDIR/.pocl
	mkdir "$POCL_CACHE_DIR"
}

# All there is but PoCL's, with sizes and times.
listing() {
	find "$BATS_TEST_TMPDIR" -path "$POCL_CACHE_DIR" -prune -o \
		\( -path "$OUT" -o -path "$ERR" -o -path "$REPORT" -o -path "$BATS_TEST_TMPDIR" \) -o -printf '%p %M %u %s %T@\n' | sort
}

# leaves_nothing COMMAND…: but the folder of its locks.
leaves_nothing() {
	local before after new
	before=$(listing)
	"$@"
	after=$(listing)
	new=$(diff <(echo "$before") <(echo "$after") | grep '^[<>]' | grep -v " ${GPUDIAG_RUNTIME_DIR}[ /]" || :)
	is "$new" '' "changed"
}

run_here() {
	with env -C here gpudiag "$@"
	[ "$status" -le 3 ] || fail "exit status $status" "$(show)"
}

@test "a run writes nothing" {
	leaves_nothing run_here run --level read
	leaves_nothing run_here run --level read --format json
	leaves_nothing run_here collect --level read
}

@test "nor one that measures" {
	pocl_or_skip
	leaves_nothing run_here run --opencl-type cpu
}

@test "nor a replay, a look at a tree, an explanation" {
	need_tree l40s-4
	gpudiag collect --root "$NODES/l40s-4" -o here/snapshot
	cp -a "$NODES/l40s-4" here/tree
	chmod -R a-w here/tree
	leaves_nothing run_here run --snapshot snapshot
	leaves_nothing run_here run --root tree
	leaves_nothing run_here list findings
	leaves_nothing run_here explain pcie-width
	# Not even a folder for locks: they take none.
	[ ! -e "$GPUDIAG_RUNTIME_DIR" ] || fail "$(find "$GPUDIAG_RUNTIME_DIR")"
}

@test "nor one whose workers crash, with core dumps allowed" {
	vendors segv_platforms abort_constructor
	ulimit -c unlimited
	leaves_nothing run_here run --level read
	is "$(find . -name 'core*')" '' "core dumps"
}

@test "nor one that is refused" {
	leaves_nothing gpudiag run --nonsense
	leaves_nothing gpudiag run --snapshot nosuch -o new
	leaves_nothing gpudiag run --format json=here/x --format nonsense
}

@test "nor one that was interrupted" {
	vendors sleep_devices
	leaves_nothing supervised --when 'probe--worker opencl sleep_devices' gpudiag run --level read
	# shellcheck disable=SC2154 # by supervised
	is "$left" ''
}

@test "its locks are its own: a folder of mode 700, files of mode 600, and few" {
	vendors control segv_platforms
	(umask 000 && gpudiag run --level read)
	is "$(stat -c %a "$GPUDIAG_RUNTIME_DIR")" 700
	is "$(find "$GPUDIAG_RUNTIME_DIR" -type f ! -perm 600)" ''
	find "$GPUDIAG_RUNTIME_DIR" | sort > before
	gpudiag run --level read
	find "$GPUDIAG_RUNTIME_DIR" | sort > after
	same before after
}

@test "recorded trees are read and nothing else is: their owner's machine is not in the report" {
	need_tree head-node
	gpudiag run --root "$NODES/head-node" --format json
	is "$(json .host.name)" head-node
	isnt "$(json .host.boot_id)" "$(cat /proc/sys/kernel/random/boot_id)"
	isnt "$(json .host.kernel)" "$(uname -r)"
}

@test "links in a tree do not lead out of it" {
	copy_of head-node
	echo "of the host" > secret
	ln -sf "$PWD/secret" tree/proc/sys/kernel/hostname
	gpudiag run --root tree --format json
	hasnt "$OUT" 'of the host'
	rm tree/proc/sys/kernel/hostname
	ln -s ../../../../../../../../../../../etc/hostname tree/proc/sys/kernel/hostname
	gpudiag run --root tree --format json
	is "$(json .host.name)" null
	# A pipe or a device in it is not waited for.
	rm tree/proc/meminfo
	mkfifo tree/proc/meminfo
	with timeout 20 gpudiag run --root tree --format json
	[ "$status" -le 3 ] || fail "exit status $status"
	is "$(result memory-available)" unknown
}

# ---- what would steer a terminal

# no_controls FILE: text of characters and line feeds.
no_controls() {
	! LC_ALL=C grep -naP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$1" || fail "control characters in ${1##*/}"
	iconv -f UTF-8 -t UTF-8 "$1" > /dev/null
}

# plain FILE: nor any that cannot be seen.
plain() {
	no_controls "$1"
	! LC_ALL=C grep -naP '\xe2\x80[\x8b-\x8f\xa8-\xae]|\xe2\x81[\xa0-\xaf]|\xef\xbb\xbf' "$1" ||
		fail "invisible ones in ${1##*/}"
}

BAD=$'\033[31mred\033]0;title\a\r\b\x7f\xc2\x9b1m\xe2\x80\xaeback\xff'

@test "escape sequences in a tree do not reach the text" {
	copy_of tasks-stuck
	local file
	chmod -R u+w tree
	for file in proc/sys/kernel/hostname proc/sys/kernel/osrelease sys/class/dmi/id/product_name sys/class/dmi/id/product_serial \
		etc/os-release proc/cmdline; do
		[ -f "tree/$file" ] || continue
		{ printf '%s' "$BAD" && cat "tree/$file"; } > new
		cat new > "tree/$file"
	done
	# What the tasks call themselves, and where they sleep.
	grep -rlF python3 tree/proc --include=stat --include=comm --include=status | while read -r file; do
		sed "s/python3/py$(printf '\033')[2J/" "$file" > new
		cat new > "$file"
	done
	find tree/proc -name wchan -size +0 -exec sh -c 'printf "\033[5mos_acquire_rwlock_write" > "$1"' sh {} \;
	gpudiag run --root tree --format text
	is "$status" 2
	plain "$OUT"
	plain "$ERR"
	has "$OUT" '\x1b['
	gpudiag run --root tree --format text --ascii
	plain "$OUT"
	! LC_ALL=C grep -naP '[\x80-\xff]' "$OUT" || fail "not ASCII"
	# JSON says it in JSON's way.
	gpudiag run --root tree --format json
	no_controls "$OUT"
	valid_report
}

@test "escape sequences in any text of a snapshot do not reach the text" {
	local tree
	for tree in tasks-stuck h100-8-x8 swap-in-use; do
		need_tree "$tree"
		gpudiag collect --root "$NODES/$tree" -o seen
		# All texts but those that must have a form (snapshot-input.bats has them); keys, which join records, alike.
		local formed='def formed: test("^([0-9a-f]{4,8}:[0-9a-f]{2}:|opencl:|[0-9]{4}-.*Z$|gpudiag.snapshot|(quick|gpu|files|library)$)");'
		jq "$formed"'walk(if type == "string" and (formed | not)
			then "\u001b[31m\u009b\u202e\r\u0007\u0085\ufeff" + . else . end)' seen > bad
		gpudiag run --snapshot bad --format text --format json=json
		[ "$status" -le 3 ] || fail "exit status $status" "$(show)"
		plain "$OUT"
		empty "$ERR"
		jq . json > /dev/null
		# Only here and there: then more of it is understood, and told.
		jq "$formed"'walk(if type == "object" then with_entries(if (.key | IN("name", "comm", "product", "wchan", "stack", "driver", "why",
			"call", "model", "node", "taken_at", "tool", "key", "gpu", "file")) and (.value | type) == "string" and (.value | formed | not)
			then .value += "\u001b[2J\u202e\u009b" else . end) else . end)' seen > bad
		gpudiag run --snapshot bad --format text
		[ "$status" -le 3 ] || fail "exit status $status" "$(show)"
		plain "$OUT"
	done
}

@test "lines stay within 100 columns, whatever the machine says" {
	need_tree tasks-stuck
	gpudiag collect --root "$NODES/tasks-stuck" -o seen
	jq 'walk(if type == "object" then with_entries(if (.key | IN("name", "comm", "product", "wchan", "driver"))
		and (.value | type) == "string" then .value = .value + "€" * 300 + " x" * 200 else . end) else . end)' seen > long
	gpudiag run --snapshot long
	[ "$status" -le 3 ] || fail "exit status $status" "$(show)"
	plain "$OUT"
	[ "$(LC_ALL=C.UTF-8 wc -L < "$OUT")" -le 100 ] || fail "$(LC_ALL=C.UTF-8 wc -L < "$OUT") columns"
}

@test "colour only where it is asked for" {
	need_tree head-node
	gpudiag run --root "$NODES/head-node"
	plain "$OUT"
	gpudiag run --root "$NODES/head-node" --color always
	has "$OUT" $'\033['
	gpudiag run --root "$NODES/head-node" --color never
	plain "$OUT"
}

@test "on a terminal: colour where it can, and ASCII where it cannot do more" {
	need_tree head-node
	command -v script > /dev/null || skip "script is not installed"
	local run="'$GPUDIAG' run --root '$NODES/head-node' 2> /dev/null"
	env TERM=xterm LC_ALL=C.UTF-8 script -qec "$run" typed > /dev/null || :
	has typed $'\033[' 'UNKNOWN' '·'
	env TERM=xterm LC_ALL=C.UTF-8 NO_COLOR=1 script -qec "$run" typed > /dev/null || :
	has typed 'UNKNOWN'
	hasnt typed $'\033['
	env TERM=dumb LC_ALL=C script -qec "$run" typed > /dev/null || :
	has typed 'UNKNOWN'
	hasnt typed $'\033[' '·'
}

# ----

@test "the JSON of these tests is valid by the schema" { reports_are_valid; }
