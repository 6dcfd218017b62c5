#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What gpudiag measures on PoCL against clpeak and against plain C (native.c), alternating, ratios per round: median,
# lowest and highest beside the goal. Then how long a run takes, how well runs agree, the memory test, and event stamps
# that lie. ROUNDS (5), QUICK_RUNS (10), STANDARD_RUNS (4), PARTS (peers runs memory lies): which of them. Exit status 1
# where a goal is missed.
#
# Nothing else may run beside it: two processes on one CPU are a factor of two.
set -u
cd "$(dirname "$0")/../.." || exit 1

gpudiag=$(realpath "${GPUDIAG:-build/gpudiag}")
native=build/bench/native
shim=$PWD/build/fakes/shim/libshim.so
rounds=${ROUNDS:-5}
quick_runs=${QUICK_RUNS:-10}
standard_runs=${STANDARD_RUNS:-4}
parts=${PARTS:-peers runs memory lies}
for needed in "$native" "$shim"; do
	[ -e "$needed" ] || { echo "$needed is not there: make fakes bench" >&2; exit 1; }
done

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export GPUDIAG_RUNTIME_DIR=$work/run POCL_AFFINITY=1 POCL_CACHE_DIR=$work/pocl
unset OCL_ICD_VENDORS
mkdir "$POCL_CACHE_DIR"
: > "$work/missed"

# measure LEVEL FILE [OPTION…]: a run of stage 8 on PoCL; its snapshot goes into the file. Its time in ms is in $ms.
measure() {
	local level=$1 file=$2 begin=${EPOCHREALTIME/./} status=0
	shift 2
	"$gpudiag" run --level "$level" --opencl-type all --check known-answer --window 0 "$@" \
		--format "snapshot=$file" > /dev/null 2> "$work/error" || status=$?
	ms=$(((${EPOCHREALTIME/./} - begin) / 1000))
	if [ "$status" -ge 64 ] || [ "$(jq '[.ocl_devices[0].timings[]?] | length' "$file")" = 0 ]; then
		echo "gpudiag run --level $level: exit status $status" >&2
		cat "$work/error" >&2
		jq -c '.probes[] | select(.outcome != "ok") | [.key, .outcome, .why]' "$file" >&2
		exit 1
	fi
}

# figures FILE [SHARE]: "KEY RATE" lines of a snapshot's timings: GB/s, GFLOP/s, and µs of a launch; by the median time,
# or by that which this share of the samples is below.
figures() {
	jq -r --argjson share "${2:-0.5}" '.ocl_devices[0].timings[] | select((.samples_ns | length) > 0) |
		(.samples_ns | sort | .[length * $share | floor]) as $ns |
		"\(.key) \(if .operations then .operations / $ns elif .moved_bytes then .moved_bytes / $ns else $ns / 1000 end)"' "$1"
}

figure() {
	awk -v key="$2" '$1 == key { print $2 }' "$1"
}

# row NAME GOAL SIGN FILE: a ratio on each line of the file. SIGN: ge or le.
row() {
	[ -s "$4" ] || { printf '%-44s %8s\n' "$1" "not measured"; return; }
	sort -g "$4" | awk -v name="$1" -v goal="$2" -v sign="$3" -v missed="$work/missed" '
		{ all[NR] = $1 }
		END {
			median = NR % 2 ? all[(NR + 1) / 2] : (all[NR / 2] + all[NR / 2 + 1]) / 2
			ok = sign == "ge" ? median >= goal : median <= goal
			printf "%-44s %8.3f %8.3f %8.3f   %s %-6s %s\n", name, median, all[1], all[NR],
				sign == "ge" ? ">=" : "<=", goal, ok ? "ok" : "MISS"
			if (!ok)
				print name >> missed
		}'
}

header() {
	printf '\n%-44s %8s %8s %8s   %s\n' "$1" median lowest highest goal
}

# ratio FILE OURS PEER: a line of the file, where both are there.
ratio() {
	[ -z "$2" ] || [ -z "$3" ] || awk -v ours="$2" -v peer="$3" 'BEGIN { if (peer > 0) print ours / peer }' >> "$1"
}

# ---- peers

# The best of the widths of a stage, and single lines, as "NAME RATE".
clpeak_figures() {
	clpeak --global-bandwidth --compute-sp --transfer-bandwidth --kernel-latency | awk -F ' *: *' '
		/^ *Global memory bandwidth/ { stage = "memory" }
		/^ *Single-precision compute/ { stage = "fp32" }
		/^ *Transfer bandwidth/ { stage = "" }
		stage && $1 ~ /^ *float/ && $2 + 0 > best[stage] { best[stage] = $2 + 0 }
		$1 ~ /^ *enqueueWriteBuffer$/ { print "h2d", $2 + 0 }
		$1 ~ /^ *enqueueReadBuffer$/ { print "d2h", $2 + 0 }
		/Kernel launch latency/ { print "launch", $2 + 0 }
		END { for (stage in best) print stage, best[stage] }'
}

# The way of copying that a program would choose: the better of pinned and pageable.
best_of() {
	awk -v way="$2" '$1 == way "-pinned" || $1 == way "-pageable" { if ($2 > best) best = $2 } END { if (best) print best }' "$1"
}

peers() {
	local round bytes begin has_clpeak=1
	command -v clpeak > /dev/null || has_clpeak=0
	[ "$has_clpeak" = 1 ] || echo "clpeak is not installed: no ratios to it" >&2
	for ((round = 0; round < rounds; round++)); do
		measure standard "$work/seen"
		figures "$work/seen" > "$work/ours"
		bytes=$(jq '[.ocl_devices[0].timings[] | select(.test | startswith("h2d")) | .size_bytes] | max' "$work/seen")
		"$native" "$bytes" 15 > "$work/native"
		: > "$work/clpeak"
		begin=${EPOCHREALTIME/./}
		[ "$has_clpeak" = 0 ] || clpeak_figures > "$work/clpeak"
		echo $(((${EPOCHREALTIME/./} - begin) / 1000)) > "$work/clpeak.ms"
		for pair in read:memory-read:memory triad:memory-triad:memory fp32:fp32:fp32 launch:launch-latency:launch; do
			IFS=: read -r name ours peer <<< "$pair"
			ratio "$work/clpeak-$name" "$(figure "$work/ours" "$ours")" "$(figure "$work/clpeak" "$peer")"
		done
		for way in h2d d2h; do
			ratio "$work/clpeak-$way" "$(best_of "$work/ours" "$way")" "$(figure "$work/clpeak" "$way")"
			ratio "$work/native-$way" "$(best_of "$work/ours" "$way")" "$(figure "$work/native" memcpy)"
		done
		ratio "$work/native-triad" "$(figure "$work/ours" memory-triad)" "$(figure "$work/native" triad)"
		ratio "$work/native-nt" "$(figure "$work/ours" memory-triad)" "$(figure "$work/native" triad-nt)"
		ratio "$work/native-fp32" "$(figure "$work/ours" fp32)" "$(figure "$work/native" fp32)"
	done
	header "PoCL, $rounds rounds"
	row "device-memory read / clpeak's best width" 0.97 ge "$work/clpeak-read"
	row "triad / clpeak's best width" 1.00 ge "$work/clpeak-triad"
	row "triad / plain C" 1.00 ge "$work/native-triad"
	row "triad / C with non-temporal stores" 0.75 ge "$work/native-nt"
	row "FP32 / native vector peak" 0.93 ge "$work/native-fp32"
	row "FP32 / clpeak" 8 ge "$work/clpeak-fp32"
	row "H2D / clpeak" 0.97 ge "$work/clpeak-h2d"
	row "D2H / clpeak" 0.97 ge "$work/clpeak-d2h"
	row "H2D / memcpy of $((bytes >> 20)) MiB" 0.95 ge "$work/native-h2d"
	row "D2H / memcpy of $((bytes >> 20)) MiB" 0.95 ge "$work/native-d2h"
	row "launch latency p50 / clpeak's mean" 1.0 le "$work/clpeak-launch"
}

# ---- how long, and how well runs agree

# apart FILE FILE: how far each figure of the one is from the other's, "KEY SHARE" lines.
apart() {
	awk 'NR == FNR { of[$1] = $2; next } ($1 in of) && $2 > 0 { d = of[$1] / $2 - 1; print $1, d < 0 ? -d : d }' "$1" "$2"
}

# plain_c MIB ROUNDS: the same work in plain C, by the names of our figures: what the machine itself lets repeat.
plain_c() {
	"$native" $(($1 << 20)) "$2" | awk '
		$1 == "memcpy" { print "h2d-pageable", $2; print "d2h-pageable", $2; print "h2d-pinned", $2; print "d2h-pinned", $2 }
		$1 == "read" || $1 == "triad" { print "memory-" $1, $2 }
		$1 == "memset" { print "memory-write", $2 }
		$1 == "fp32" { print }'
}

# A machine that is shared drifts: the goal is not stricter than what plain C keeps in the same minutes. What is left of
# the drift in the best twentieth of the samples is ours.
standard_rows() {
	local key goal
	while read -r key; do
		awk -v key="$key" '$1 == key { print $2 }' "$work/standard.apart" > "$work/standard.key"
		awk -v key="$key" '$1 == key { print $2 }' "$work/best.apart" > "$work/best.key"
		goal=$(awk -v key="$key" '$1 == key { print $2 }' "$work/plain.apart" | sort -g |
			awk '{ all[NR] = $1 } END { m = all[int((NR + 1) / 2)]; printf "%.3f", (m > 0.03 ? m : 0.03) }')
		row "two standard runs, apart by: $key" "$goal" le "$work/standard.key"
		row "  the same, best twentieth" 0.03 le "$work/best.key"
	done < <(awk '{ print $1 }' "$work/standard.apart" | sort -u)
}

# near FILE KEY: the share of its lines of that key within 5 %; nothing where there are none.
near() {
	awk -v key="$2" '$1 == key { n++; near += $2 <= 0.05 } END { if (n) print near / n }' "$1"
}

quick_rows() {
	local key plain goal
	local -a keys
	mapfile -t keys < <(awk '{ print $1 }' "$work/quick.apart" | sort -u)
	for key in "${keys[@]}"; do
		near "$work/quick.apart" "$key" > "$work/near"
		plain=$(near "$work/plain-quick.apart" "$key")
		goal=$(awk -v plain="${plain:-1}" 'BEGIN { print plain < 0.9 ? plain : 0.9 }')
		row "quick within 5 % of a long one: $key" "$goal" ge "$work/near"
	done
}

runs() {
	local run
	: > "$work/standard.s"
	for ((run = 0; run < standard_runs; run++)); do
		measure standard "$work/seen"
		echo "$ms" | awk '{ print $1 / 1000 }' >> "$work/standard.s"
		figures "$work/seen" > "$work/again"
		figures "$work/seen" 0.05 > "$work/best-again"
		plain_c 256 40 > "$work/plain-again"
		if [ "$run" -gt 0 ]; then
			apart "$work/again" "$work/long" >> "$work/standard.apart"
			apart "$work/best-again" "$work/best-long" >> "$work/best.apart"
			apart "$work/plain-again" "$work/plain-long" >> "$work/plain.apart"
		fi
		for name in "" best- plain-; do
			mv "$work/${name}again" "$work/${name}long"
		done
	done
	# What a quick run would say if it had all the time.
	measure quick "$work/seen" --seconds 20
	figures "$work/seen" > "$work/long"
	plain_c 64 150 > "$work/plain-long"
	for ((run = 0; run < quick_runs; run++)); do
		measure quick "$work/seen"
		echo "$ms" | awk '{ print $1 / 1000 }' >> "$work/quick.s"
		figures "$work/seen" > "$work/quick"
		apart "$work/quick" "$work/long" >> "$work/quick.apart"
		plain_c 64 7 > "$work/plain"
		apart "$work/plain" "$work/plain-long" >> "$work/plain-quick.apart"
	done
	header "time and agreement, $standard_runs standard and $quick_runs quick runs"
	row "quick, s" 1.0 le "$work/quick.s"
	if [ -s "$work/clpeak.ms" ]; then
		awk 'NR == FNR { clpeak = $1 / 1000; next } { print $1 / clpeak }' "$work/clpeak.ms" "$work/quick.s" > "$work/quick.share"
		row "quick / clpeak's four stages" 0.05 le "$work/quick.share"
	fi
	row "standard, s" 10 le "$work/standard.s"
	standard_rows
	quick_rows
}

# ---- the memory test

memory() {
	local bytes round
	# Of much memory it would take its time: a device that says it has 512 MiB.
	vendors '{global_bytes: 536870912, largest_bytes: 134217728}'
	for ((round = 0; round < rounds; round++)); do
		OCL_ICD_VENDORS=$work/vendors timeout 60 "$gpudiag" run --level deep --opencl-type all --check memory-test --window 0 \
			${sustain[@]+"${sustain[@]}"} --format "snapshot=$work/seen" > /dev/null 2> "$work/error" || true
		bytes=$(jq '.ocl_devices[0].memory_test.tested_bytes // empty' "$work/seen" 2> /dev/null)
		[ -n "$bytes" ] || break
		"$native" $((bytes / 3)) 15 > "$work/native"
		ratio "$work/write" "$(jq .ocl_devices[0].memory_test.write_gbps "$work/seen")" "$(figure "$work/native" memset)"
		ratio "$work/verify" "$(jq .ocl_devices[0].memory_test.verify_gbps "$work/seen")" "$(figure "$work/native" read)"
	done
	header "memory test"
	row "pattern written / memset" 0.90 ge "$work/write"
	row "pattern verified / C read" 0.80 ge "$work/verify"
}

# ---- event stamps that lie

# vendors DEVICE: the shim alone, as one device of those words.
vendors() {
	mkdir -p "$work/vendors"
	echo "$shim" > "$work/vendors/shim.icd"
	jq -n "{device: $1, devices: [{}]}" > "$work/shim.json"
	export GPUDIAG_SHIM=$work/shim.json
}

lies() {
	local lie round
	header "stamps that lie: host-clock figure / honest one"
	for lie in constant us backwards; do
		for ((round = 0; round < rounds; round++)); do
			vendors '{type: "cpu"}'
			OCL_ICD_VENDORS=$work/vendors measure quick "$work/seen"
			figures "$work/seen" > "$work/honest"
			vendors "{type: \"cpu\", events: \"$lie\"}"
			OCL_ICD_VENDORS=$work/vendors measure quick "$work/seen"
			figures "$work/seen" > "$work/lying"
			apart "$work/lying" "$work/honest" | grep -v launch-latency | awk '{ print $2 }' | sort -g | tail -n 1 >> "$work/lie-$lie"
		done
		row "$lie: figure furthest from it, by" 0.10 le "$work/lie-$lie"
	done
}

sustain=()
if "$gpudiag" run --help | grep -q -e --sustain; then
	sustain=(--sustain 1s)
fi
for part in $parts; do
	"$part"
done
[ ! -s "$work/missed" ]
