#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Takes long: it compiles everything in its own way.
# clang-tidy over every source, by .clang-tidy. A file that was clean is not looked at again until
# it, something it includes, or .clang-tidy changes: build/lint/tidy holds a mark for each. Where there is none yet, those
# are looked at whose turn it is (tap.sh), and the rest the next time.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

has clang-tidy || skip_all "clang-tidy is not installed"
has clang || skip_all "clang is not installed"

marks=$TOP/build/lint/tidy
mkdir -p "$marks"
# How many states of a function the analyzer looks at before it gives up. Few functions have more than these, and they
# take nearly all of the time: 16 s for thirty files with 20000, 8 s with 8000. TIDY_NODES=225000 is its own default.
flags=(-std=gnu17 -D_GNU_SOURCE '-DGPUDIAG_VERSION="0"' -I. -Ilib "-I$TOP/build/gen"
	-Xclang -analyzer-config -Xclang "max-nodes=${TIDY_NODES:-8000}")
# None has a space in it.
TIDY_FLAGS="${flags[*]}"
export marks TIDY_FLAGS

# marks_of FILE…: the mark of each and its name, one a line: a digest of all it is made of, which are the flags,
# .clang-tidy, and the file with all that it includes; of the system's headers it is the size and the time of change.
marks_of() {
	python3 - "$(clang-tidy --version | tr '\n' ' ') ${flags[*]}" "$TOP/build/gen" "$@" <<- 'PYTHON'
		import functools, glob, hashlib, os, re, sys
		said, generated, *files = sys.argv[1:]
		INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<([^>]+)>)', re.M)
		SYSTEM = ["/usr/include", *glob.glob("/usr/include/*-linux-gnu")]

		@functools.cache
		def digest(path):
		    """Of the file's text, and what it includes."""
		    with open(path, "rb") as file:
		        text = file.read()
		    own = [os.fsdecode(quoted) for quoted, _ in INCLUDE.findall(text) if quoted]
		    system = {os.fsdecode(name) for _, name in INCLUDE.findall(text) if name}
		    places = [next(filter(os.path.exists, (os.path.normpath(f"{folder}/{name}") for folder in
		                                           (os.path.dirname(path) or ".", ".", "lib", generated))), None) for name in own]
		    return hashlib.sha256(text).hexdigest(), tuple(filter(None, places)), tuple(sorted(system))

		@functools.cache
		def of_system(name):
		    found = [os.stat(f"{folder}/{name}") for folder in SYSTEM if os.path.exists(f"{folder}/{name}")]
		    return f"{name} {[(about.st_size, about.st_mtime_ns) for about in found]}"

		with open(".clang-tidy", encoding="utf-8") as file:
		    said += file.read()
		for path in files:
		    seen, left = {}, [path]
		    while left:
		        at = left.pop()
		        if at not in seen:
		            seen[at] = digest(at)
		            left += seen[at][1]
		    whole = hashlib.sha256(said.encode())
		    for at, (text, _, system) in sorted(seen.items()):
		        whole.update(f"{at} {text} {[of_system(name) for name in system]}\n".encode())
		    print(whole.hexdigest()[:40], path)
	PYTHON
}

# tidy FILE…: what clang-tidy says of them. Who never ends is ended by the seconds of a processor: as one of the suites
# that take what all others leave, it may wait for half an hour in which it gets none.
tidy() {
	local -a flags
	read -ra flags <<< "$TIDY_FLAGS"
	(ulimit -t 120 && exec clang-tidy --quiet "$@" -- "${flags[@]}") 2>&1
}

# tidy_files [MARK FILE]…: by one process, as starting it takes as long as looking at a small file. Where there is
# something to say, file by file.
tidy_files() {
	local -a files=() these=()
	local out=$WORK/tidy.$BASHPID bad=0 status i
	while [ $# -gt 0 ]; do
		these+=("$marks/$1")
		files+=("$2")
		shift 2
	done
	if tidy "${files[@]}" > "$out"; then
		touch "${these[@]}"
		return 0
	fi
	for i in "${!files[@]}"; do
		status=0
		tidy "${files[$i]}" > "$out" || status=$?
		if [ "$status" -eq 0 ]; then
			touch "${these[$i]}"
		else
			bad=1
			[ "$status" -lt 128 ] || echo "${files[$i]}: clang-tidy was ended by signal $((status - 128))"
			grep -vE '^([0-9]+ warnings? (treated|generated)|Suppressed |Use -header-filter)' "$out"
		fi
	done > "$out.said"
	cat "$out.said"
	return "$bad"
}
export -f tidy tidy_files

# lint FILE…: without any, all of them.
lint() {
	local -a files=("$@") todo=()
	local mark file at_once
	if [ $# -eq 0 ]; then
		mapfile -t files < <(find lib cmd checks man -name '*.c' | sort)
		[ -n "$(ls "$marks")" ] || mapfile -t files < <(whose_turn "${files[@]}")
	fi
	marks_of "${files[@]}" > "$WORK/marks" || return 1
	while read -r mark file; do
		[ -e "$marks/$mark" ] || todo+=("$mark" "$file")
	done < "$WORK/marks"
	[ ${#todo[@]} -gt 0 ] || return 0
	at_once=$((${#todo[@]} / 2 / (4 * $(nproc)) + 1))
	# shellcheck disable=SC2016 # the inner shell is to expand it
	printf '%s\0' "${todo[@]}" |
		xargs -0 -P "$(nproc)" -n $((2 * (at_once < 12 ? at_once : 12))) bash -c 'tidy_files "$@"' tidy
}
export WORK

# 1l reads as 11: what cert-dcl16-c is about. "%12lu" in a text is something else.
lint_suffixes() {
	local number='(\<0[xX][0-9a-fA-F]+|(\<[0-9]+\.?|\.[0-9])[0-9]*([eE][-+]?[0-9]+)?)ll?[uU]?\>'

	! grep -rnE --include='*.[ch]' --include='*.def' "$number" lib cmd checks kernels |
		sed -E 's/"([^"\]|\\.)*"/""/g' | grep -E ":[0-9]+:.*$number"
}

PLANT_FOLDERS=(lib cmd checks kernels man .clang-tidy)
finds_nothing lint
# Marks of more than a thousand old states are swept.
find "$marks" -type f -printf '%T@ %p\n' | sort -rn | tail -n +1000 | cut -d' ' -f2- | xargs -r rm -f

plant() { printf 'int planted(int n);\nint planted(int n)\n{\n\tint *p = NULL_;\n\n\tif (n)\n\t\tp = &n;\n\treturn *p;\n}\n' | sed 's/NULL_/(int *)0/' > lib/base/planted.c; }
finds "a null pointer that is followed" 'planted.c:8:.*clang-analyzer-core.NullDereference' lint lib/base/planted.c
plant() { printf 'int planted(long n);\nint planted(long n)\n{\n\tint sum = 0;\n\n\tfor (short i = 0; i < n; i++)\n\t\tsum += i;\n\treturn sum;\n}\n' > lib/base/planted.c; }
finds "a loop that may never end" 'planted.c:6:.*bugprone-too-small-loop-variable' lint lib/base/planted.c

succeeds "no number that ends in a small l" lint_suffixes
plant() { printf 'static const long a = 1l;\n' > lib/base/planted.c; }
finds "a number that ends in a small l" 'planted.c:1:.*1l' lint_suffixes
plant() { printf '#define A "%%12llu"\nstatic const unsigned long long b = 10llu;\n' > checks/planted.h; }
finds "other numbers that do" 'planted.h:2:.*10llu' lint_suffixes
plant() { printf 'static const long double c = 1.5e-3l;\n' > lib/base/planted.c; }
finds "one with a fraction" 'planted.c:1:.*1.5e-3l' lint_suffixes

done_testing
