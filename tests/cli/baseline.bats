#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# baseline.bats - what a node is like when it is well: saved, shown, and compared with.
# Runs beside one: it measures a little.

load helpers.sh
setup() { begin; }

H100=$TOP/tests/snapshots/h100-8-opencl.json	# eight GPUs, nothing wrong

# changed JQ: the snapshot with that done to it, as now.json.
changed() {
	jq "$1" "$H100" > now.json
}

slow() {
	changed '(.ocl_devices[3].timings[] | select(.key == "h2d-pinned")).samples_ns |= map(. * 1.2)'
}

saved() {
	gpudiag baseline save --snapshot "$H100" --snapshot "$H100" -o b.json
	is "$status" 0
}

@test "saved, shown, judged by" {
	saved
	is "$(jq -c '[.schema, .runs, .with_findings, (.figures | length), .snapshot.schema]' b.json)" \
		'["gpudiag.baseline/1",2,false,56,"gpudiag.snapshot/1"]'
	gpudiag baseline show b.json
	is "$status" 0
	has "$OUT" 'Baseline of gpu-17' 'of 2 runs' '8 GPUs' '0000:5d:00.0' 'h2d-pinned'
	slow
	gpudiag run --snapshot now.json --baseline b.json --format json
	is "$status" 1
	is "$(result baseline-drift 'GPU 3')" warn
	is "$(result baseline-drift 'GPU 2')" pass
	is "$(result baseline-inventory)" pass
	valid_report
}

@test "compare: as it was, worse, nothing to compare" {
	saved
	gpudiag baseline compare b.json --snapshot "$H100"
	is "$status" 0
	has "$OUT" 'as it was' 'Nothing found that differs.'
	slow
	gpudiag baseline compare --snapshot now.json b.json
	is "$status" 1
	has "$OUT" 'much worse' 'measures h2d-pinned at 45.83 GB/s'
	changed '.host.name = "gpu-18" | .host.machine_serial = "TEST0002"'
	gpudiag baseline compare b.json --snapshot now.json
	is "$status" 2
	has "$OUT" 'the baseline is of gpu-17 (serial TEST0001), this machine is gpu-18' '--baseline-of-another'
	has "$OUT" 'Nothing could be compared.'
	hasnt "$OUT" 'Nothing found that differs.'
	gpudiag baseline compare b.json --snapshot now.json --baseline-of-another
	is "$status" 0
	has "$OUT" 'compared by their slots'
}

@test "compare: parts, versions and settings that changed, as diff has them" {
	local line was='.memory.swappiness = 60 | .modules = [{key: "nvidia", version: "550.54.14"}]'
	changed "$was"
	mv now.json then.json
	gpudiag baseline save --snapshot then.json -o b.json
	is "$status" 0
	changed "$was"' | .host.kernel = "7.0.0" | .memory.swappiness = 10 | .modules[0].version = "550.90.07"'
	gpudiag diff then.json now.json
	cp "$OUT" diff
	gpudiag baseline compare b.json --snapshot now.json
	is "$status" 0
	has "$OUT" 'Kernel and distribution' 'Settings'
	hasnt "$OUT" 'Verdict' 'Nothing found that differs.' 'Changed in kernel'
	for line in 'host: kernel ' 'memory: swappiness ' 'module nvidia: version '; do
		is "$(grep -F "$line" "$OUT")" "$(grep -F "$line" diff)"
		grep -qF "$line" diff
	done
	gpudiag baseline compare b.json --snapshot now.json --ascii
	has "$OUT" ' -> 7.0.0'
	changed '.host.name = "gpu-18" | .host.machine_serial = "TEST0002" | .host.kernel = "7.0.0"'
	gpudiag baseline compare b.json --snapshot now.json
	hasnt "$OUT" '7.0.0'
}

@test "compare: a link that lost lanes since" {
	saved
	# Copies that passed would show that it is wide.
	changed '(.gpus[] | select(.key == "0000:5d:00.0")).pci.link_width = 8 | del(.ocl_devices[].timings)'
	gpudiag baseline compare b.json --snapshot now.json
	is "$status" 1
	has "$OUT" 'GPU 3 (0000:5d:00.0) runs its PCIe link at x8 of x16, its twins'
	# As it was then is no difference, though it is a fault.
	gpudiag baseline save --snapshot now.json -o narrow.json --even-with-findings
	gpudiag baseline compare narrow.json --snapshot now.json
	is "$status" 0
	has "$OUT" 'Nothing found that differs.'
}

@test "values of a GPU's model hold for what is saved, shown and compared" {
	saved
	slow
	echo '{ "models": { "*H100*": { "baseline.warn_ratio": 0.5, "baseline.noise_ratio": 1 } } }' > p.json
	gpudiag baseline compare b.json --snapshot now.json --policy p.json
	is "$status" 0
	hasnt "$OUT" 'much worse'
	changed '.ocl_devices[].timings[].samples_ns |= map(. * 1.4)'
	gpudiag baseline save --snapshot "$H100" --snapshot now.json -o noisy.json --policy p.json
	is "$status" 0
	gpudiag baseline show noisy.json --policy p.json
	is "$status" 0
	hasnt "$OUT" 'too noisy'
	gpudiag baseline show noisy.json
	has "$OUT" 'too noisy to judge by'
}

@test "a node with findings is refused, unless told" {
	changed '(.ocl_devices[3].timings[] | select(.key == "h2d-pinned")).samples_ns |= map(. * 2.1)'
	gpudiag baseline save --snapshot now.json -o b.json
	is "$status" 2
	has "$ERR" 'reaches 26.19 GB/s host to device' 'not saved'
	[ ! -e b.json ]
	gpudiag baseline save --snapshot now.json -o b.json --even-with-findings
	is "$status" 0
	is "$(jq .with_findings b.json)" true
	gpudiag run --snapshot "$H100" --baseline b.json
	has "$OUT" 'saved on a node with findings'
}

@test "a noisy hour is refused, unless told" {
	changed '.ocl_devices[].timings[].samples_ns |= map(. * 1.4)'
	gpudiag baseline save --snapshot "$H100" --snapshot now.json -o b.json
	is "$status" 2
	has "$ERR" 'save it when the node is quiet' 'not saved'
	[ ! -e b.json ]
}

@test "one figure that is noise refuses the rest too, unless told" {
	changed '(.ocl_devices[3].timings[] | select(.key == "launch-latency")).samples_ns |= map(. * 0.8)'
	gpudiag baseline save --snapshot "$H100" --snapshot now.json -o b.json
	is "$status" 2
	has "$ERR" 'launch-latency of ' 'nothing can be judged by 1 of ' 'save it when the node is quiet' 'not saved'
	[ ! -e b.json ]
	gpudiag baseline save --snapshot "$H100" --snapshot now.json -o b.json --even-with-findings
	is "$status" 0
	echo '{ "baseline.noise_ratio": 1 }' > p.json
	gpudiag baseline save --snapshot "$H100" --snapshot now.json -o b.json --policy p.json
	is "$status" 0
}

@test "what is no baseline is not written over" {
	echo '{ "mine": 1 }' > b.json
	gpudiag baseline save --snapshot "$H100" -o b.json
	refused 'b.json is no baseline'
	is "$(cat b.json)" '{ "mine": 1 }'
	gpudiag baseline save --snapshot "$H100" -o b.json --force
	is "$status" 0
	changed '.host.name = "gpu-18" | .host.machine_serial = "TEST0002"'
	gpudiag baseline save --snapshot now.json -o b.json
	is "$status" 64
	has "$ERR" "another machine's baseline"
	gpudiag baseline save --snapshot "$H100" -o b.json
	is "$status" 0
}

@test "a file that cannot be used is named with its line" {
	saved
	sed 's/"unit": "ns"/"unit": "s"/' b.json > wrong.json
	gpudiag run --snapshot "$H100" --baseline wrong.json
	refused 'wrong.json:' '"unit"'
	head -c 2000 b.json > cut.json
	gpudiag run --snapshot "$H100" --baseline cut.json
	refused 'cut.json:'
	sed 's,gpudiag.baseline/1,gpudiag.baseline/9,' b.json > newer.json
	gpudiag baseline show newer.json
	refused 'newer.json:2: schema "gpudiag.baseline/9" is unknown'
	gpudiag run --snapshot "$H100" --baseline nosuch.json
	refused nosuch.json
	gpudiag run --snapshot "$H100" --baseline "$H100"
	refused 'not a baseline of gpudiag'
}

@test "usage" {
	gpudiag baseline
	refused 'save, show or compare'
	gpudiag baseline sav
	refused '"sav" (did you mean "save"?)'
	gpudiag baseline save --snapshot "$H100"
	refused 'name the file with -o'
	gpudiag baseline save --snapshot "$H100" --runs 3 -o b.json
	refused 'each snapshot is a run'
	gpudiag baseline show --runs 3
	refused 'are for save'
	gpudiag baseline save --runs 0
	refused '--runs'
	changed '.host.name = "gpu-18" | .host.machine_serial = "TEST0002"'
	gpudiag baseline save --snapshot "$H100" --snapshot now.json -o b.json
	refused 'not snapshots of one machine'
	gpudiag run --snapshot - --baseline -
	refused 'cannot both be standard input'
}

@test "none is none, and standard input will do" {
	saved
	slow
	gpudiag run --snapshot now.json --baseline none --format json
	is "$status" 0
	is "$(result baseline-drift 'GPU 3')" skip
	status=0
	"$GPUDIAG" run --snapshot now.json --baseline - > "$OUT" 2> "$ERR" < b.json || status=$?
	is "$status" 1
}

@test "this machine, over several runs" {
	pocl_or_skip
	gpudiag baseline save --runs 2 --level quick --seconds 200ms --window 0 --expect-gpus 0 --opencl-type cpu \
		--even-with-findings -o b.json
	is "$status" 0
	is "$(jq .runs b.json)" 2
	jq -e '.figures | length > 2' b.json > /dev/null
	jq -e '.figures[0].gpu == null' b.json > /dev/null
}

@test "the schema holds" {
	saved
	valid_by baseline b.json
}

@test "the reports are valid" {
	reports_are_valid
}

# dump SED…: nvidia-smi -q of a healthy node, with that done to it, as now.txt.
dump() {
	sed -e '/^#:/d' "$@" "$TOP/tests/imports/smi-q-healthy.txt" > now.txt
}

@test "compare: dumps, by what both tell" {
	dump
	gpudiag baseline save --snapshot now.txt -o b.json
	is "$status" 0
	gpudiag baseline compare b.json --snapshot now.txt
	is "$status" 0
	has "$OUT" 'Nothing found that differs.'
	dump -e '/^Driver Version/s/: .*/: 535.183.06/'
	gpudiag baseline compare b.json --snapshot now.txt
	is "$status" 0
	has "$OUT" 'driver_version 550.90.07 → 535.183.06'
	dump -e '0,/^ *Pending  *: No/s/: No/: Yes/'
	gpudiag baseline compare b.json --snapshot now.txt
	is "$status" 1
	has "$OUT" 'remap_pending no → yes'
	# Without the last GPU: the library lists one less, or a part was pasted.
	# shellcheck disable=SC2016 # the last line of sed
	dump -e '/^Attached GPUs/s/: .*/: 1/' -e '/^GPU 00000000:43/,$d'
	gpudiag baseline compare b.json --snapshot now.txt
	is "$status" 1
	has "$OUT" "no longer listed by NVIDIA's library"
	gpudiag run --import now.txt --baseline b.json
	is "$status" 1
	# shellcheck disable=SC2016 # the last line of sed
	dump -e '/^GPU 00000000:43/,$d'
	gpudiag baseline compare b.json --snapshot now.txt
	is "$status" 0
	hasnt "$OUT" 'no longer listed'
	gpudiag baseline compare now.txt
	refused 'no baseline' 'gpudiag baseline compare BASELINE --snapshot now.txt'
}
