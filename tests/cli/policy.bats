#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# policy.bats - the policy file, which one is in force, and what a verdict comes to as exit status.

load helpers.sh
setup() { begin; }

SWAP=$NODES/swap-in-use	# warns of its swap, and of nothing else but its memory

# ---- the file

@test "what is printed reads back" {
	gpudiag policy --default
	is "$status" 0
	cp "$OUT" kept
	gpudiag policy --policy kept
	is "$status" 0
	is "$(grep -v '^ *//' "$OUT")" "$(grep -v '^ *//' kept)"
	grep -v '^ *//' kept | jq -e '."swap.used_ratio" == 0.25' > /dev/null
	has kept 'Unit: ratio. Built in: 0.25 (gpudiag'
	is "$(awk 'length > 100' kept)" '' "lines too long"
}

@test "one value, with its line" {
	printf '{\n  // ours\n  "swap.used_ratio": 0.5\n}\n' > p.json
	gpudiag policy --policy p.json
	has "$OUT" '"swap.used_ratio": 0.5' 'Set in line 3' 'The policy p.json, which sets 1 of'
}

@test "what is wrong is refused with file, line and the nearest word" {
	need_tree l40s-4
	printf '{\n"swap.usde_ratio": 0.5}' > p.json
	gpudiag policy --policy p.json
	refused 'gpudiag: p.json:2: unknown key "swap.usde_ratio" (did you mean "swap.used_ratio"?)'
	gpudiag run --root "$NODES/l40s-4" --policy p.json -o report
	refused 'p.json:2'
	[ ! -e report ]
	gpudiag collect --root "$NODES/l40s-4" --policy p.json
	refused 'p.json:2'
	gpudiag policy --policy nosuch
	refused 'nosuch: No such file'
	gpudiag policy --policy .
	refused 'a folder'
	gpudiag policy --default --policy p.json
	refused 'one policy'
	gpudiag policy x
	refused '"x"'
	gpudiag run --snapshot - --policy -
	refused 'standard input'
}

@test "a file is checked, and all that is wrong is told" {
	printf '{\n"swap.used_ratio": 0.5,\n"models": {"*H100*": {"vram.warn_ratio": 0.9}},\n"require": []}' > p.json
	gpudiag policy --check p.json
	is "$status" 0
	has "$OUT" 'p.json: in order, sets 2 of ' ' values, 1 override'
	is "$(wc -l < "$OUT")" 1

	cat > p.json <<- 'END'
		{
		  "vram.warn_ratio": 85,
		  "probe.slow_ms": "30s",
		  "pins.nvidia_driver": ">=580 <570",
		  "models": {"*H100*": {"vram.warm_ratio": 0.9}},
		  "regrade": {"known-answer.wrong": "note"},
		  "quiet": [{"finding": "pcie-width.below-able", "until": "2026-02-30", "reason": "x"}]
		}
	END
	gpudiag policy --check p.json
	is "$status" 64
	empty "$OUT"
	is "$(wc -l < "$ERR")" 6
	has "$ERR" 'gpudiag: p.json:2: "vram.warn_ratio": a share from 0 to 1 expected: 85 % is 0.85' 'p.json:3: "probe.slow_ms": a number expected, in ms' \
		'p.json:4: "pins.nvidia_driver": no version is in the range ">=580 <570"' \
		'p.json:5: unknown key "models.*H100*.vram.warm_ratio" (did you mean "vram.warn_ratio"?)' \
		'p.json:6: "regrade.known-answer.wrong": stays fail: a GPU with wrong results' \
		'p.json:7: "quiet.until": "2026-02-30" is not a date'
	gpudiag run --policy p.json
	is "$status" 64
	empty "$OUT"
	has "$ERR" 'p.json:2: ' 'p.json:7: '

	gpudiag policy --check nosuch
	refused 'nosuch: No such file'
	gpudiag policy --check p.json --default
	refused '--check takes one file'
	gpudiag policy --default --check p.json
	refused '--check takes one file'
	status=0
	echo '{}' | "$GPUDIAG" policy --check - > "$OUT" || status=$?
	is "$status" 0
	has "$OUT" 'standard input: in order, sets 0 of'
}

@test "what a file says and hardly means is told, and it is in order" {
	cat > p.json <<- 'END'
		{
		  "throttle.percent": 0.1,
		  "quiet": [
		    {"finding": "pcie-width.below-able", "until": "2025-01-01", "reason": "riser is ordered"},
		    {"finding": "pcie-width.below-able", "until": "9999-12-31", "reason": "so it is built"}
		  ]
		}
	END
	gpudiag policy --check p.json
	is "$status" 0
	has "$OUT" 'p.json: in order, sets 1 of ' ', 2 quiet entries'
	is "$(wc -l < "$ERR")" 2
	has "$ERR" 'gpudiag: p.json:2: warning: "throttle.percent": 0.1 % looks wrong; did you mean 10 (a share of 0.1)?' \
		"gpudiag: p.json:4: warning: \"quiet\": the last day of pcie-width.below-able was 2025-01-01 (today is $(date -u +%F)"
}

@test "what a policy says beside values is printed, and reads back" {
	local file
	for file in overrides quiet regrade pins-range; do
		gpudiag policy --policy "$TOP/tests/policies/$file.json"
		is "$status" 0
		cp "$OUT" kept
		gpudiag policy --policy kept
		is "$status" 0
		is "$(grep -v '^ *//' "$OUT")" "$(grep -v '^ *//' kept)" "$file"
		is "$(awk 'length > 100' kept | grep -c '^ *//')" 0 "lines too long"
	done
	grep -v '^ *//' kept | jq -e '."pins.nvidia_driver"[0] == ">=550.54.14 <560"' > /dev/null
	gpudiag policy --policy "$TOP/tests/policies/quiet.json"
	is "$(grep -v '^ *//' "$OUT" | jq -r '.quiet[0].reason')" 'a riser is ordered, #4712'
	gpudiag policy --policy "$TOP/tests/policies/overrides.json"
	is "$(grep -v '^ *//' "$OUT" | jq -c '.models["*instinct mi210*"], .nodes["h100-*"]')" \
		'{"vram.warn_ratio":0.9}
{"inventory.gpus":8,"inventory.model":["*a100*","*h100*"]}'
}

@test "the report says what holds for this node, and who graded a finding" {
	need_tree h100-8-x8
	gpudiag run --root "$NODES/h100-8-x8" --policy "$TOP/tests/policies/overrides.json" --format json
	is "$(jq -c '[.policy.overrides[] | [.of, .pattern, .line, (.gpus // [] | length), .set[0].key, .set[0].line]]' "$OUT")" \
		'[["models","*instinct mi210*",5,0,"vram.warn_ratio",6],["models","*H100*",8,8,"pins.vbios",9],["nodes","h100-*",16,0,"inventory.gpus",17]]'
	is "$(jq -c '[.policy.set[] | [.key, .value, .line]]' "$OUT")" \
		'[["vram.warn_ratio",0.99,3],["inventory.gpus",8,17],["inventory.model",["*a100*","*h100*"],18]]'
	is "$(jq -r '.checks[] | select(.check == "gpu-visible") | .evidence[] | select(.what == "expected_by").observed' "$OUT")" \
		"$TOP/tests/policies/overrides.json:17"

	cp "$TOP/tests/policies/regrade.json" p.json
	gpudiag run --root "$NODES/h100-8-x8" --policy p.json --format json
	is "$status" 1
	is "$(jq -cS '.findings[] | [.outcome, .regraded]' "$OUT")" '["warn",{"from":"fail","place":"p.json:4","to":"warn"}]'
	is "$(jq -cS .policy.regrade[0] "$OUT")" '{"finding":"pcie-width.below-twins","line":8,"outcome":"fail"}'

	sed 's/"2026-12-31"/"2999-12-31"/' "$TOP/tests/policies/quiet.json" > p.json
	gpudiag run --root "$NODES/h100-8-x8" --policy p.json --format json
	is "$status" 0
	is "$(jq -cS '.findings[] | [.outcome, .quiet]' "$OUT")" \
		'["note",{"from":"fail","place":"p.json:4","reason":"a riser is ordered, #4712","until":"2999-12-31"}]'
	is "$(jq -r .decision.action "$OUT")" none
	is "$(jq .policy.quiet "$OUT")" 3
	gpudiag run --root "$NODES/h100-8-x8" --policy p.json
	is "$(tr -s ' \n' ' ' < "$OUT" | grep -c 'GPU 3 runs its PCIe link at x8 of x16, its twins at x16 (quiet until 2999-12-31 by p.json:4: a riser is ordered, #4712)')" 1
}

@test "it judges, and the report says so" {
	need_tree swap-in-use
	echo '{"swap.used_ratio": 0.9, "memory.pressure_percent": 90}' > p.json
	gpudiag run --root "$SWAP" --policy p.json --format json
	is "$status" 0
	is "$(jq -cS .policy "$OUT")" '{"set":[{"built_in":0.25,"key":"swap.used_ratio","line":1,"value":0.9},{"built_in":5,"key":"memory.pressure_percent","line":1,"value":90}],"source":"p.json"}'
	has "$OUT" 'judged by the policy p.json, which sets 2 of'
	gpudiag run --root "$SWAP" --format json
	is "$status" 1
	is "$(jq -cS .policy "$OUT")" '{"set":[],"source":"built-in"}'
}

@test "from standard input" {
	need_tree swap-in-use
	status=0
	echo '{"swap.used_ratio": 0.9, "memory.pressure_percent": 90}' |
		"$GPUDIAG" run --root "$SWAP" --policy - > "$OUT" || status=$?
	is "$status" 0
	has "$OUT" 'judged by the policy standard input'
}

# ---- the machine's own

# own_policy TEXT|fifo|nowhere COMMAND…: with that file as /etc/gpudiag/policy.json, which nobody else sees.
own_policy() {
	[ "$(id -u)" -eq 0 ] || skip "needs root, to have an /etc of its own"
	unshare -m true 2> /dev/null || skip "no mount namespace can be had here"
	rm -rf etc
	mkdir -p etc/gpudiag
	case $1 in
	fifo) mkfifo etc/gpudiag/policy.json ;;
	nowhere) ln -s nowhere etc/gpudiag/policy.json ;;
	*) echo "$1" > etc/gpudiag/policy.json ;;
	esac
	[ ! -e /etc/OpenCL ] || cp -a /etc/OpenCL etc/
	shift
	status=0
	unshare -m sh -c 'mount --bind etc /etc || exit 99; exec "$@"' sh timeout 20 "$GPUDIAG" "$@" > "$OUT" 2> "$ERR" < /dev/null ||
		status=$?
	[ "$status" -ne 99 ] || skip "nothing can be mounted here"
}

@test "the machine's own policy judges this machine, and no other" {
	need_tree swap-in-use
	own_policy '{"swap.used_ratio": 0.9, "memory.pressure_percent": 90}' policy
	is "$status" 0
	has "$OUT" 'The policy /etc/gpudiag/policy.json'
	own_policy '{"swap.used_ratio": 0.9}' run --level read --window 0 --format json
	is "$(jq -r .policy.source "$OUT")" /etc/gpudiag/policy.json
	own_policy '{"swap.used_ratio": 0.9}' run --level read --window 0 --format json --policy built-in
	is "$(jq -r .policy.source "$OUT")" built-in
	own_policy '{"swap.used_ratio": 0.9}' run --root "$SWAP" --format json
	is "$(jq -r .policy.source "$OUT")" built-in
	own_policy '{"swap.used_ratio": 9}' run --level read --window 0
	refused '/etc/gpudiag/policy.json:1: '
	own_policy '{"swap.used_ratio": 9}' policy --default
	is "$status" 0
}

@test "a pipe as the machine's own policy is refused, not waited for, and so is a link to nowhere" {
	own_policy nowhere run --level read --window 0
	refused '/etc/gpudiag/policy.json: No such file'

	own_policy fifo run --level read --window 0
	refused '/etc/gpudiag/policy.json: a pipe'
}

@test "thousands of pinned versions, told at once" {
	need_tree l40s-4
	jq -nc '{"pins.nvidia_driver": [range(100000) | tostring]}' > many.json
	with timeout 20 gpudiag run --root "$NODES/l40s-4" --policy many.json --format json
	is "$status" 2
	has "$OUT" 'or 99998 or 99999'
}

# ---- what a verdict comes to

# comes_to STATUS OPTION…: of the node that warns of its swap; the report says the same, and why where it is not 1.
comes_to() {
	local wanted=$1
	shift
	gpudiag run --root "$SWAP" --format json "$@"
	is "$status" "$wanted" "exit status with $*"
	is "$(jq .exit_status "$OUT")" "$wanted"
	is "$(jq -r .verdict "$OUT")" warn
	if [ "$wanted" -eq 1 ]; then
		hasnt "$OUT" 'by the verdict alone'
	else
		has "$OUT" "exit status $wanted by" 'by the verdict alone 1'
	fi
}

@test "fail-on, exit and strict" {
	need_tree swap-in-use
	comes_to 1
	comes_to 1 --fail-on fail
	comes_to 2 --fail-on warn
	comes_to 1 --fail-on none
	comes_to 2 --fail-on swap-used
	comes_to 2 --fail-on pcie-width,swap-used.short-of-memory
	comes_to 2 --fail-on pcie-width --fail-on swap-used
	comes_to 1 --fail-on pcie-width
	comes_to 2 --strict
	comes_to 1 --exit bool
	comes_to 0 --exit bool --fail-on pcie-width
	comes_to 1 --exit npd
	comes_to 0 --exit npd --fail-on fail
	comes_to 1 --exit npd --strict
}

@test "GPUs that are all asleep are in order, but for --strict" {
	need_tree laptop-asleep
	local wanted options
	while read -r wanted options; do
		# shellcheck disable=SC2086 # several options
		gpudiag run --root "$NODES/laptop-asleep" --format json $options
		is "$status" "$wanted" "exit status with $options"
		is "$(jq -r .verdict "$OUT")" unknown
	done <<- END
		0
		0 --exit npd
		3 --strict
		2 --strict --exit npd
	END
}

@test "what is required and skipped is not judged" {
	need_tree l40s-4
	gpudiag run --root "$NODES/l40s-4"
	is "$status" 0
	gpudiag run --root "$NODES/l40s-4" --require transfer-h2d --format json
	is "$status" 3
	is "$(jq -r '.checks[] | select(.check == "transfer-h2d") | .result, .reason' "$OUT" | head -n 2 | tr '\n' ' ')" \
		'unknown skipped: not possible on a recording '
	gpudiag run --root "$NODES/l40s-4" --require transfer-h2d --exit npd
	is "$status" 2
	echo '{"require": "transfer-h2d"}' > p.json
	gpudiag run --root "$NODES/l40s-4" --policy p.json
	is "$status" 3
	gpudiag run --root "$NODES/l40s-4" --policy p.json --skip transfer-h2d
	is "$status" 0
	gpudiag run --root "$NODES/l40s-4" --require transfer-h2d --skip transfer-h2d
	refused '--require' 'transfer-h2d'
}

@test "wrong words, with the nearest one" {
	gpudiag run --require pcie-widht
	refused '--require' 'did you mean "pcie-width"'
	gpudiag run --require pcie-width.below-twins
	refused '--require' 'unknown check "pcie-width.below-twins"'
	gpudiag run --fail-on wran
	refused '--fail-on' 'did you mean "warn"'
	gpudiag run --fail-on pcie-width.below-twin
	refused 'did you mean "pcie-width.below-twins"'
	gpudiag run --fail-on ''
	refused '--fail-on'
	gpudiag run --exit bolo
	refused '--exit' 'did you mean "bool"'
}

# ---- quiet

@test "quiet says one line or nothing" {
	need_tree l40s-4
	need_tree swap-in-use
	gpudiag run -q --root "$NODES/l40s-4"
	is "$status" 0
	empty "$OUT"
	gpudiag run --quiet --root "$SWAP"
	is "$status" 1
	is "$(wc -l < "$OUT")" 1
	has "$OUT" 'warn: Tasks wait for memory 12.3 %' 'decision: restart-app'
	gpudiag run -q --strict --root "$NODES/l40s-4" --require transfer-h2d
	is "$status" 3
	has "$OUT" 'unknown: Not judged: transfer-h2d'
	gpudiag run -q --root "$SWAP" --format snapshot=kept
	is "$(wc -l < "$OUT")" 1
	[ -s kept ]
	gpudiag run -q --format json --root "$SWAP"
	refused 'same place'
}

@test "two formats are not written to one place" {
	need_tree l40s-4
	echo 'as it was' > there
	gpudiag run --root "$NODES/l40s-4" --format text --format json=-
	refused 'text and json would go to the same place'
	gpudiag run --root "$NODES/l40s-4" --format text=there --format json=there
	refused 'text and json would go to the same place'
	gpudiag run --root "$NODES/l40s-4" -o there --format text --format json=there
	refused 'same place'
	is "$(cat there)" 'as it was'
	gpudiag run --root "$NODES/l40s-4" -o there --format text --format json=-
	is "$status" 0
	is "$(json .verdict)" pass
}

@test "a policy of megabytes is read, or refused, in a moment" {
	jq -n '{quiet: [range(30000) | {finding: "pcie-width.below-able", node: "n\(.)", until: "2126-01-01",
		reason: ("x" * 50)}]}' > p.json
	with timeout 10 gpudiag run --root "$NODES/h100-1" --window 0 --policy p.json --check pcie-width
	is "$status" 0 "exit status"
	sed -i 's/below-able/belwo/' p.json
	with timeout 10 gpudiag run --root "$NODES/h100-1" --window 0 --policy p.json --check pcie-width
	is "$status" 64 "exit status"
	is "$(wc -l < "$ERR")" 50 "errors"
}
