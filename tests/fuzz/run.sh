#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs each fuzz target for FUZZ_SECONDS, from the seeds in tests/fuzz/seeds/NAME where there are any, those of klog_line
# and klog_reader from the cases in tests/klog, those of import from the cases in tests/imports; and readers of
# lib/import/dump/source.def by themselves, for FUZZ_READER_SECONDS each. With FUZZ_SEED half of the targets have their
# turn, another one every day; of the other targets the seeds alone are tried. All have it with FULL=1 or without
# FUZZ_SEED. With FUZZ_SEED it starts anew and tries the same inputs on each machine, as many as there is time for: what
# holds up a change is one that it broke. Without, it goes on hunting. What it crashes on is left in build/fuzz/NAME/.
# Needs clang and its runtime.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

seconds=${FUZZ_SECONDS:-20}
reader_seconds=${FUZZ_READER_SECONDS:-5}
has clang || skip_all "clang is not installed"
echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return (void)d, (void)n, 0; }' > "$WORK/empty.c"
clang -fsanitize=fuzzer,address -o "$WORK/empty" "$WORK/empty.c" 2> /dev/null ||
	skip_all "clang's runtime for fuzzing is not installed"

shopt -s nullglob
targets=(tests/fuzz/fuzz_*.c)
[ ${#targets[@]} -gt 0 ] || skip_all "there are no fuzz targets"

names=()
for target in "${targets[@]}"; do
	name=${target##*/fuzz_}
	names+=("${name%.c}")
done

# needed: the objects of the library that the targets are linked with, as the library that make has built before tells;
# half of it is nothing to them. Nothing where there is none, or one older than a source.
needed() {
	[ -e build/libgpudiag.a ] && [ -z "$(find lib checks kernels tests/fuzz -name '*.[ch]' -newer build/libgpudiag.a -print -quit)" ] ||
		return
	# One program of all, whose entries have the same name: what is wanted is the list.
	{
		gcc -D_GNU_SOURCE -I. -Ilib -Ibuild/gen -std=gnu17 -nostartfiles -o "$WORK/linked" "${targets[@]}" \
			-Wl,-e,LLVMFuzzerTestOneInput,--allow-multiple-definition,-t,-t build/libgpudiag.a -lcjson -lm -ldl || echo wrong
	} 2> /dev/null | sed -nE 's/^\(build\/libgpudiag\.a\)//p; /^wrong$/p' | sort -u
}

# build OBJECT…: without any, all.
build() {
	local -a how=(B=build/fuzz CC=clang FORTIFY= "FUZZED=$*" "CFLAGS=-O1 -gline-tables-only -fno-omit-frame-pointer \
		-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined")

	# shellcheck disable=SC2046 # a list of names
	tests/compile_many.sh "${how[@]}" -- $(make -s "${how[@]}" print-FUZZ_OBJ)
	make -s -k -j"$(nproc)" "${how[@]}" "${names[@]/#/build/fuzz/fuzz_}" > "$WORK/build" 2>&1
}

built=1
mapfile -t objects < <(needed)
if [[ " ${objects[*]} " == *" wrong "* ]] || ! build "${objects[@]}"; then
	# Another compiler may need others.
	build || built=0
fi

python3 tests/klog.py --seeds "$WORK/seeds" || exit 1
mkdir -p "$WORK/seeds/import"
for case in tests/imports/*.txt; do
	grep -v '^#:' "$case" > "$WORK/seeds/import/${case##*/}"
done

# Those that log.c reads together have no reader of their own, nor has what others read.
mapfile -t readers < <(sed -nE 's/^SOURCE\([^"]*"([^"]+)".*/\1 &/p' lib/import/dump/source.def |
	grep -v ' NULL, "[^"]*")$' | grep -v 'told_read' | cut -d ' ' -f 1)
[ ${#readers[@]} -gt 30 ] || { echo "# lib/import/dump/source.def names too few readers" && exit 1; }

day=$(($(date +%s) / 86400))
# An input for which its reader takes longer is a failure. In a check fuzzing has what others leave of the processors.
longest_s=10
[ -z "${FUZZ_SEED:-}" ] || longest_s=60
turns=
if [ -n "${FUZZ_SEED:-}" ] && [ -z "${FULL-}" ]; then
	turns=yes
fi

# fuzz NAME TARGET SECONDS: 0 for the seeds alone.
fuzz() {
	local name=$1 target=$2 seconds=$3 folder=build/fuzz/$1 folder_of_seeds
	local -a seeds=() chance=()
	local corpus=$folder/corpus
	if [ -n "${FUZZ_SEED:-}" ]; then
		corpus=$WORK/corpus/$name
		chance=("-seed=$FUZZ_SEED")
	fi
	[ "$seconds" -gt 0 ] || chance+=(-runs=0)
	mkdir -p "$folder" "$corpus"
	for folder_of_seeds in "tests/fuzz/seeds/$target" "$WORK/seeds/$target"; do
		if [ -d "$folder_of_seeds" ]; then
			seeds+=("$folder_of_seeds")
		fi
	done
	"build/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout="$longest_s" -rss_limit_mb=2048 -max_len=65536 \
		-artifact_prefix="$folder/" -print_final_stats=1 "${chance[@]}" "$corpus" "${seeds[@]}" > "$WORK/$name.out" 2>&1
	echo $? > "$WORK/$name.status"
}

# No more at once than there are processors.
await_processor() {
	while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do
		wait -n
	done
}

runs=("${names[@]}")
for at in "${!names[@]}"; do
	name=${names[$at]}
	if [ $built = 1 ] || [ -x "build/fuzz/fuzz_$name" ]; then
		its=$seconds
		[ -z "$turns" ] || [ $(((at + day) % 2)) -eq 0 ] || its=0
		fuzz "$name" "$name" "$its" &
		await_processor
	fi
done
for reader in "${readers[@]}"; do
	runs+=("import-$reader")
	if [ $built = 1 ] || [ -x build/fuzz/fuzz_import ]; then
		FUZZ_READER=$reader fuzz "import-$reader" import "$reader_seconds" &
		await_processor
	fi
done
wait

for name in "${runs[@]}"; do
	if [ ! -e "$WORK/$name.status" ]; then
		not_ok "$name: builds" "$WORK/build"
	elif [ "$(cat "$WORK/$name.status")" = 0 ]; then
		ok "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$WORK/$name.out") inputs"
	else
		tail -n 60 "$WORK/$name.out" > "$WORK/tail"
		not_ok "$name" "$WORK/tail"
	fi
done

done_testing
