#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# demo.bats - gpudiag demo: each recorded node gets what is said of it, in every format, and can be played with.

load helpers.sh
setup() { begin; }

ALL='narrow-link xid-79 hung-driver starved-loader starved-storage healthy'

# demo_is NAME EXIT ACTION HEADLINE FINDING: what is judged of it, and what it shows.
demo_is() {
	gpudiag demo "$1" -f json
	is "$status" 0 "exit status"
	empty "$ERR"
	valid_report
	is "$(json .exit_status)" "$2" "exit status of a run there"
	is "$(json .decision.action)" "$3"
	# shellcheck disable=SC2053
	[[ $(json .headline) == $4 ]] || fail "headline: $(json .headline)"
	isnt "$(finding "$5")" ''
	has "$OUT" "a recorded node, not this one: gpudiag demo $1"
}

@test "a link of half the width among twins explains the slow copies" {
	demo_is narrow-link 2 drain-and-repair 'GPU 3 (0000:5d:00.0,*) runs its PCIe link at x8 of x16, its twins at x16.' \
		pcie-width.below-twins
	is "$(json '.findings[] | select(.id == "transfer-h2d.below-capable") | .caused_by')" pcie-width.below-twins
}

@test "a GPU that has fallen off the bus" {
	demo_is xid-79 2 drain-and-repair 'GPU 5 (0000:bb:00.0,*) has fallen off the bus (Xid 79*' klog-errors.nvidia-xid-79
	is "$(json '.decision.unusable_gpus | join(" ")')" 0000:bb:00.0
}

@test "a driver that hangs, and is not called" {
	demo_is hung-driver 2 reboot-node 'python3 (pid 30100) has been stuck in the nvidia driver for 41 min*' \
		driver-tasks-stuck.in-driver
	is "$(json '[.probes[] | select(.probe == "nvml").outcome] | join(" ")')" refused
}

@test "a job that waits for its loader, or for its disk: nothing is broken" {
	demo_is starved-loader 0 none 'Nothing broken. GPUs 0-1 wait for one thread: pid 18422 at 100 % of CPU 7.' \
		gpu-use.starved-cpu
	is "$(json '[.findings[] | select(.outcome != "note")] | length')" 0 "warnings and faults"
	demo_is starved-storage 0 none 'Nothing broken. GPUs 0-3 wait for storage*' gpu-use.starved-storage
	is "$(json '[.findings[] | select(.outcome != "note")] | length')" 0 "warnings and faults"
}

@test "the healthy one passes whole" {
	demo_is healthy 0 none 'Nothing broken found: 8 GPUs, *' driver-branch.end-of-life
	is "$(json '[.findings[] | select(.outcome != "note")] | length')" 0 "warnings and faults"
	is "$(json '[.checks[] | select(.result == "unknown")] | length')" 0 "checks not judged"
	is "$(json '[.gpus[] | select(.under_test).state] | unique | join(" ")')" usable
}

@test "without a name: the first, and what else there is" {
	local name
	gpudiag demo
	is "$status" 0
	empty "$ERR"
	is "$(head -1 "$OUT")" 'gpudiag demo narrow-link: one of eight PCIe links at x8, and the slow copies that it explains'
	has "$OUT" 'Nothing of this machine is read' 'FAIL  GPU 3' 'Try next' '-f snapshot | gpudiag run --snapshot -'
	for name in $ALL; do
		has "$OUT" "gpudiag demo $name"
	done
	is "$(awk 'length > 110' "$OUT")" '' "long lines"
	cp "$OUT" first
	gpudiag demo narrow-link
	same "$OUT" first
	gpudiag demo healthy
	hasnt "$OUT" 'FAIL'
}

@test "what stands around the report is for people: other formats are as a run prints them" {
	local name format
	for name in $ALL; do
		for format in json snapshot markdown html junit github nagios line; do
			gpudiag demo "$name" -f "$format"
			is "$status" 0 "exit status of $name as $format"
			hasnt "$OUT" 'Try next'
		done
		gpudiag demo -f snapshot "$name"
		jq -e '.schema == "gpudiag.snapshot/1"' "$OUT" > /dev/null
	done
	gpudiag demo xid-79 -f text=report -f json
	valid_report
	hasnt report 'Try next'
	has report 'FAIL  GPU 5' 'a recorded node, not this one'
	gpudiag demo xid-79 -o file
	empty "$OUT"
	same report file
}

@test "a demo's snapshot is judged the same from a pipe, and can be edited" {
	local name
	for name in $ALL; do
		gpudiag demo "$name" -f json
		json '{headline, decision, exit_status, findings: [.findings[].id]}' > demo
		gpudiag demo "$name" -f snapshot
		cp "$OUT" node
		gpudiag run --snapshot node -f json
		empty "$ERR"
		same demo <(json '{headline, decision, exit_status, findings: [.findings[].id]}')
	done
	"$GPUDIAG" demo narrow-link -f snapshot | "$GPUDIAG" run --snapshot - --check link -f json > "$OUT" || :
	is "$(json .exit_status)" 2
	gpudiag demo healthy -f snapshot
	jq '.gpus[2].nvml.power_limit_mw = 500000' "$OUT" > edited
	gpudiag run --snapshot edited -f json
	is "$status" 1
	[[ $(json .headline) == 'GPU 1 (0000:3b:00.0,'*'has a power limit of 500 W, its twins 700 W'* ]] || fail "$(json .headline)"
}

@test "a demo is judged by no file of this machine" {
	gpudiag demo narrow-link
	cp "$OUT" first
	with env -C / HOME=/nowhere gpudiag demo narrow-link
	same "$OUT" first
}

@test "a name that is none, two, and an option that does not belong" {
	gpudiag demo xid-97
	refused 'demo: unknown value "xid-97"' 'did you mean "xid-79"' 'starved-loader'
	gpudiag demo narowlink
	refused 'did you mean "narrow-link"'
	gpudiag demo ''
	refused 'unknown value ""'
	gpudiag demo healthy xid-79
	refused 'unexpected argument "xid-79": one demo at a time'
	gpudiag demo --level deep
	refused '--level'
	gpudiag demo -f jsn
	refused '"jsn"' 'did you mean "json"'
}

@test "a full disk is told" {
	[ -e /dev/full ] || skip "no /dev/full"
	status=0
	"$GPUDIAG" demo > /dev/full 2> "$ERR" || status=$?
	is "$status" 70
	has "$ERR" 'cannot write'
}

@test "completion knows the names" {
	local shell
	for shell in bash zsh fish; do
		gpudiag completion "$shell"
		has "$OUT" 'narrow-link xid-79 hung-driver starved-loader starved-storage healthy'
	done
}

# ----

@test "the JSON of these tests is valid by the schema" { reports_are_valid; }
