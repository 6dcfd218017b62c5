# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2016,SC2154
# bench.bats - gpudiag bench on PoCL: its formats, its options, and what it does where it cannot measure.
# Runs alone: it measures.

bats_require_minimum_version 1.5.0
load helpers.sh
setup_file() { is_timed; }

setup() {
	begin
	[ -e "$POCL" ] || skip "PoCL is not installed"
	mkdir vendors
	ln -s "$POCL" vendors/
	# Kernels are built once.
	export OCL_ICD_VENDORS=$BATS_TEST_TMPDIR/vendors POCL_CACHE_DIR=$BATS_FILE_TMPDIR/pocl
	# Under ASan: what PoCL's compiler never frees is not ours.
	export ASAN_OPTIONS=detect_leaks=0
}

# bench ARGUMENT…: of the processor, for a moment.
bench() {
	gpudiag bench --opencl-type cpu --seconds 50ms "$@"
}

# valid_bench: JSON by its schema.
valid_bench() {
	is "$(json .schema)" gpudiag.bench/1 schema
	valid_by bench "$OUT"
}

@test "a table: figures, their spread, and how they were come by; nothing on stderr" {
	bench memory latency
	is "$status" 0
	empty "$ERR"
	has "$OUT" opencl:pocl.icd:0 memory-triad GB/s launch-latency median p5–p95 'host clock' 'kernel a = b + s * c'
	hasnt "$OUT" h2d- $'\033' $'\r'
}

@test "JSON is valid by its schema, and says what was asked" {
	bench transfer latency --size 64K,1M --format json
	is "$status" 0
	empty "$ERR"
	is "$(json '.complete, .devices[0].measured, (.request.tests | join(" ")), (.request.sizes_bytes | join(" "))' | paste -sd' ')" \
		'true true transfer latency 65536 1048576'
	is "$(json '[.timings[] | select(.n < 1 or .median <= 0 or .min > .median or .max < .median)] | length')" 0
	is "$(json '[.timings[].test | select(startswith("memory") or startswith("fp"))] | length')" 0
	valid_bench
}

@test "CSV: the same number of cells in each row, texts in quotes where they need it" {
	bench kernel latency --format csv
	is "$status" 0
	empty "$ERR"
	python3 - "$OUT" <<- 'PYTHON'
		import csv, sys
		with open(sys.argv[1], newline="", encoding="utf-8") as file:
		    text = file.read()
		assert text.count("\r\n") == text.count("\n"), "a line ends without CR"
		rows = list(csv.DictReader(text.splitlines(), strict=True))
		assert len(rows) >= 2 and not any(None in row or None in row.values() for row in rows), rows
		launch = next(row for row in rows if row["test"] == "launch-latency")
		assert float(launch["median"]) > 0 and launch["unit"] == "ns" and "," in launch["method"], launch
	PYTHON
}

@test "a plot: bars, within 80 columns, in ASCII where that is asked" {
	bench memory latency --format plot
	is "$status" 0
	has "$OUT" █ memory-triad launch-latency
	is "$(python3 -c 'import sys; print(sum(len(line) > 81 for line in open(sys.argv[1], encoding="utf-8")))' "$OUT")" 0 \
		"lines that are too long"
	bench latency --format plot --ascii
	has "$OUT" '##' launch-latency
	is "$(LC_ALL=C grep -c '[^ -~]' "$OUT" || true)" 0 "lines beyond ASCII"
}

@test "SVG is well-formed, and is written whole or not at all" {
	command -v xmllint > /dev/null || skip "xmllint is not installed"
	bench kernel latency --plot bench.svg -o table.txt
	is "$status" 0
	empty "$OUT"
	has table.txt fp32
	xmllint --noout bench.svg
	has bench.svg '<svg xmlns="http://www.w3.org/2000/svg"' fp32 'empty kernel, enqueue to end of clFinish' GFLOP/s
	cp bench.svg before.svg
	bench latency --plot missing/bench.svg
	is "$status" 64
	has "$ERR" 'missing/bench.svg: cannot write'
	empty "$OUT"
	bench latency --plot /dev/full
	failed_to_write /dev/full
	has "$OUT" launch-latency
	same bench.svg before.svg
}

@test "on a terminal: progress with the time left, which goes away; colours unless NO_COLOR" {
	command -v script > /dev/null || skip "script is not installed"
	TERM=xterm LC_ALL=C.UTF-8 script -qec "'$GPUDIAG' bench latency --opencl-type cpu --seconds 50ms" /dev/null > "$OUT" < /dev/null
	has "$OUT" 'measuring opencl:pocl.icd:0 … about ' ' s left' $'\r\033[K' launch-latency
	NO_COLOR=1 TERM=xterm LC_ALL=C.UTF-8 script -qec "'$GPUDIAG' bench latency --opencl-type cpu --seconds 50ms 2> '$ERR'" \
		/dev/null > "$OUT" < /dev/null
	empty "$ERR"
	hasnt "$OUT" $'\033'
	TERM=xterm LC_ALL=C script -qec "'$GPUDIAG' bench latency --opencl-type cpu --seconds 50ms 2> /dev/null" /dev/null > "$OUT" < /dev/null
	is "$(LC_ALL=C grep -c $'[^ -~\r\033]' "$OUT" || true)" 0 "lines beyond ASCII"
	# It counts down.
	TERM=xterm LC_ALL=C.UTF-8 "$TOP/tests/cli/terminal.py" --limit 60 --size 100x10 typed 'wait=about 8 s' 'wait=about 7 s' 'key=^C' end \
		-- "$GPUDIAG" bench transfer --opencl-type cpu --seconds 8s -o written
	# A narrow terminal is not written beyond its edge, where the next line would stay.
	TERM=xterm LC_ALL=C.UTF-8 "$TOP/tests/cli/terminal.py" --limit 60 --size 20x10 typed wait=measuring end \
		-- "$GPUDIAG" bench latency --opencl-type cpu --seconds 1s -o written
	is "$(sed -n 's/^outside=//p' typed)" 0 "characters beyond the edge"
}

@test "--gpu chooses whom to measure, and names what there is where it means nothing" {
	bench latency --gpu opencl:pocl.icd:0
	is "$status" 0
	for selector in 7 0000:5d:00.0 5d:00.0 GPU-1234 opencl:pocl.icd:9 opencl:other.icd:0 x; do
		bench latency --gpu "$selector"
		refused "\"$selector\"" opencl:pocl.icd:0
	done
	bench latency --gpu opencl:pocl.icd:0,7
	refused '"7"'
	bench --gpu ,
	refused --gpu 'empty name'
}

@test "a run leaves alone what --gpu did not choose" {
	gpudiag run --opencl-type cpu --gpu 7
	refused '"7"' opencl:pocl.icd:0
	gpudiag run --opencl-type cpu --gpu opencl:pocl.icd:0 --seconds 50ms --format json
	is "$(json '.timings | length > 0')" true
	is "$(json '.request.gpus[0], .request.measure_ms' | paste -sd' ')" 'opencl:pocl.icd:0 50'
}

@test "wrong words, sizes and times" {
	bench transfers
	refused 'did you mean "transfer"'
	for size in 0 x 4K..1K 1,,2 ',' 4Q 65G 1..64G 4K.. ..4K '' 99999999999999999999; do
		bench --size "$size"
		refused --size
	done
	gpudiag bench --seconds 0
	refused --seconds
	gpudiag bench --seconds 2h
	refused --seconds
	bench --plot same -o same
	refused 'same file'
	bench --format text
	refused 'unknown value "text"' table
	bench --plot ''
	refused --plot
}

@test "where there is nothing to measure it says so, in every format" {
	rm vendors/*
	for format in table json csv plot; do
		gpudiag bench --opencl-type cpu --format "$format" --plot empty.svg
		is "$status" 1
		has "$ERR" 'nothing to measure'
	done
	gpudiag bench --opencl-type cpu --format json
	valid_bench
	is "$(json .complete)" false
}

@test "interrupted, it tells what it has and leaves nobody behind" {
	supervised --when 'probe--worker ocl-run' --signal INT gpudiag bench --opencl-type cpu --seconds 20 memory
	is "$status" 130
	has "$OUT" opencl:pocl.icd:0 'not measured'
	is "$left" "" "processes left behind"
}

@test "--timeout ends it" {
	supervised gpudiag bench --opencl-type cpu --seconds 20 --timeout 600ms memory
	is "$status" 1
	has "$OUT" 'not measured' --timeout
	at_most "$elapsed_ms" 4000 "a bench of 600 ms"
	is "$left" "" "processes left behind"
}
