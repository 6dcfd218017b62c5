#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# list-gpus.bats - gpudiag list gpus: a line per GPU, of a tree with a library, a snapshot, and a driver that hangs.

load helpers.sh
setup_file() { is_timed; }
setup() { begin; }

# h100: the GPUs of a node with NVIDIA's library, as the fake tells of them.
h100() { gpudiag list gpus --root "$NODES/h100-8" --driver-root "$NODES/h100-8/driver"; }

@test "each GPU has a line, with what its library says" {
	h100
	is "$status" 0 "exit status"
	is "$(wc -l < "$OUT")" 10 "lines: eight GPUs and a display"
	is "$(head -1 "$OUT" | xargs)" "GPU address name UUID serial driver"
	is "$(awk 'NR > 1 { print $1 }' "$OUT" | xargs)" "0 1 2 3 4 5 6 7 8"
	is "$(awk 'NR > 1 { print $2 }' "$OUT" | sort -u | wc -l)" 9 addresses
	is "$(grep -c ' GPU-[0-9a-f-]\{36\} ' "$OUT")" 8 "whole UUIDs"
	is "$(grep -cE ' nvidia [0-9]+\.[0-9.]+ *$' "$OUT")" 8 "drivers with their version"
	is "$(tail -1 "$OUT" | grep -c ' ast  *display$')" 1
	is "$(cat "$ERR")" ''
}

@test "a snapshot gives the same lines, from a file and from standard input" {
	h100
	cp "$OUT" live
	gpudiag collect --level read --root "$NODES/h100-8" --driver-root "$NODES/h100-8/driver" --window 0 -o seen
	gpudiag list gpus --snapshot seen
	is "$status" 0 "exit status"
	cmp live "$OUT"
	"$GPUDIAG" list --snapshot - gpus < seen > piped
	cmp live piped
}

@test "what is unknown has its reason in its place" {
	gpudiag collect --level read --root "$NODES/h100-8" --driver-root "$NODES/h100-8/driver" --window 0 -o seen
	jq '(.gpus[] | select(.key == "0000:19:00.0").nvml) |= (.serial = null |
			.unknown.serial = "denied: NVML_ERROR_NO_PERMISSION") |
		(.gpus[] | select(.key == "0000:3b:00.0").nvml) |= (.serial = null |
			.unknown.serial = "timeout: in nvmlDeviceGetSerial")' seen > edited
	gpudiag list gpus --snapshot edited
	is "$(sed -n 2p "$OUT" | grep -c ' permission denied ')" 1
	is "$(sed -n 3p "$OUT" | grep -c ' timed out ')" 1
}

@test "a GPU that is not checked comes last, and says what it is" {
	local node
	for node in "$NODES"/*; do
		[ -d "$node/sys" ] || continue
		"$GPUDIAG" list gpus --root "$node" > lines 2> /dev/null || continue
		[ -s lines ] || continue
		# Numbers rise without a gap, whatever kinds there are.
		is "$(awk 'NR > 1 { print $1 }' lines | xargs)" "$(seq -s ' ' 0 $(($(wc -l < lines) - 2)))" "$node"
	done
	gpudiag list gpus --root "$NODES/arc-a770"
	has "$OUT" i915
}

@test "a machine without a GPU is told so, and a bus that cannot be read is no empty list" {
	mkdir -p tree/sys/bus/pci/devices tree/proc
	gpudiag list gpus --root tree
	is "$status" 0 "exit status"
	is "$(cat "$OUT")" ''
	has "$ERR" 'no GPU on the PCI bus'
	rmdir tree/sys/bus/pci/devices
	gpudiag list gpus --root tree
	is "$status" 3 "exit status"
	is "$(cat "$OUT")" ''
	has "$ERR" 'the PCI bus could not be read'
}

@test "a library that hangs costs its own values alone" {
	mkdir driver
	cp -R "$NODES/h100-8/driver/." driver/
	h100
	jq --arg gpu "$(awk '$1 == 2 { print $2 }' "$OUT")" \
		'. + {faults: [{call: "nvmlDeviceGetSerial", gpu: $gpu, do: "hang"}]}' driver/usr/lib/*/nvml.json > hangs.json
	GPUDIAG_FAKE_NVML=$PWD/hangs.json gpudiag list gpus --root "$NODES/h100-8" --driver-root driver
	is "$(awk 'NR > 1 { print $1 }' "$OUT" | xargs)" "0 1 2 3 4 5 6 7 8"
	is "$(sed -n 4p "$OUT" | grep -c ' timed out ')" 1
	is "$(grep -c 'timed out' "$OUT")" 1 "GPUs with a value that timed out"
	is "$(cat "$ERR")" "gpudiag: nvml-gpu 0000:4c:00.0: timeout, in nvmlDeviceGetSerial"
	is "$(sed -n 5p "$OUT" | awk '{ print $NF }')" 550.54.14
}

@test "its options are its alone, and it takes one word" {
	gpudiag list checks --root /
	refused '--root' 'list gpus'
	gpudiag list gpus checks
	refused '"checks"' 'one list at a time'
	gpudiag list gpus --snapshot x --root y
	refused '--snapshot and --root'
	gpudiag list gpus --snapshot nowhere
	refused nowhere
	gpudiag list gpu
	refused 'did you mean "gpus"'
}
