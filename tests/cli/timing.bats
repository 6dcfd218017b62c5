#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2016,SC2154
# timing.bats - what is measured on a GPU whose speed the test decides (shim.sh).
# Runs alone: it measures.

load helpers.sh
load shim.sh
setup_file() { is_timed; }
setup() { begin_shim; }

# The median time of one operation, in µs: time_of PLACE TEST; TEST is the beginning of a name.
time_of() {
	device "$1" "[.timings[] | select(.key | startswith(\"$2\")) | .samples_ns | sort | .[length / 2 | floor]] |
		max / 1000 | floor"
}

# within PERCENT GOT WANTED WHAT
within() {
	if [ $(($2 * 100)) -lt $(($3 * (100 - $1))) ] || [ $(($2 * 100)) -gt $(($3 * (100 + $1))) ]; then
		fail "$4: $2, which is not within $1 % of $3" "$(show)"
	fi
}

@test "events that lie are found out, and the figure is the honest one's" {
	local place
	local -a lies=(honest zero constant backwards us double unavailable refused)
	# Transfers as slow as this take what they are told to take, whoever else is on the machine.
	world h100-8 '"19","3b","4c","5d","9b","bb","cb","db"' '
		.faults = [{call: "clEnqueueWriteBuffer", do: "gbps", rate: 0.15}] |
		.devices as $all | .devices = [["honest", "zero", "constant", "backwards", "us", "double", "unavailable", "refused"] |
		to_entries[] | $all[.key] + {events: .value}]'
	run_it --check known-answer
	is "$(device 0 '.timings[] | select(.key | startswith("h2d")) | .clock' | sort -u)" events
	for place in 1 2 3 4 5 6 7; do
		is "$(device "$place" '.timings[] | select(.key | startswith("h2d")) | .clock' | sort -u)" host "${lies[place]}"
		isnt "$(device "$place" '.timings[] | select(.key | startswith("h2d")) | .clock_why' | sort -u)" null
		within 10 "$(time_of "$place" h2d)" "$(time_of 0 h2d)" "${lies[place]}"
	done
	is "$(jq '[.ocl_devices[].timings[].samples_ns[] | select(. <= 0)] | length' seen)" 0 "samples that took no time"
	is "$(jq '[.timings[] | .median, .p5, .p95 | select(. == null or . <= 0 or . > 1e9)] | length' "$OUT")" 0 "figures that cannot be"
}

@test "where launches take milliseconds a kernel gets work for many times as long" {
	one '.faults = [{call: "clEnqueueNDRangeKernel", do: "sleep", ms: 6}]'
	run_it --check compute-rate
	# Half of the time or more is work: PoCL does more than 10 million operations in 6 ms.
	is "$(device 0 '[.timings[] | select(.test == "fp32") | .operations > 10000000] | all')" true "operations of a launch"
	is "$(device 0 '[.timings[] | select(.test == "fp32") | .samples_ns | length > 0] | all')" true "samples"
}

@test "a rate that would be the launch's own is no figure, and says launch-bound" {
	one '.faults = [{call: "clEnqueueNDRangeKernel", do: "sleep", ms: 80}]'
	run_it --check compute-rate
	is "$(device 0 '.timings[] | select(.test == "fp32") | .samples_ns // [] | length')" 0 "samples"
	is "$(device 0 '.timings[] | select(.test == "fp32") | .unknown.method')" \
		"unsupported: launch-bound: a launch takes about as long as the most work that fits into one" "reason"
}

@test "of eight GPUs the one with slow copies to it is named" {
	local all='"19","3b","4c","5d","9b","bb","cb","db"'
	# Links so narrow that copies on any machine do all they can; what pinned memory is good for is the shim's word.
	world h100-8 "$all" '.faults = [
		{call: "clEnqueueWriteBuffer", host: "ordinary", do: "gbps", rate: 0.12},
		{call: "clEnqueueWriteBuffer", do: "gbps", rate: 0.23},
		{call: "clEnqueueWriteBuffer", device: 3, do: "gbps", rate: 0.05}]'
	find tree/sys/devices -name '*_link_width' -exec sh -c 'echo 1 > "$1"' - {} \;
	find tree/sys/devices -name '*_link_speed' -exec sh -c 'echo "2.5 GT/s PCIe" > "$1"' - {} \;
	run_it --check transfer-h2d
	is "$(json '[.findings[] | select(.severity != "note") | "\(.id) \(.subject)"] | join(", ")')" "transfer-h2d.below-twins GPU 3"
}

@test "copies are waited for to their end, whatever the driver's clFinish does" {
	local both one_way
	one '.device += {finish: "unflushed", global_bytes: 1073741824, largest_bytes: 268435456}'
	run_it --level standard --seconds 500ms --check transfer-h2d
	both=$(time_of 0 both-pinned) one_way=$(time_of 0 h2d-pageable)
	[ "$both" -gt $((one_way / 4)) ] || fail "both ways in $both µs, one in $one_way µs"
}
