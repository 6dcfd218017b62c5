#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# compile_many.sh VARIABLE=VALUE… -- OBJECT…
#
# Compiles what a make with these variables (CC=clang, B=…) would, as far as it is not there: many files by one process,
# as clang takes longer to start than for most of them. What remains, what changed, and all that goes wrong here, is
# make's, which is to be called next. Headers are those that the build before this one noted in build/obj.
set -u
cd "$(dirname "$0")/.." || exit 1

variables=()
while [ "${1---}" != -- ]; do
	variables+=("$1")
	shift
done
shift
missing=()
for object; do
	case $object in
	*/obj/gen/*) ;;
	*) [ -e "$object" ] || missing+=("$object") ;;
	esac
done
# Few are not worth it.
[ ${#missing[@]} -gt 20 ] || exit 0

build=${missing[0]%%/obj/*}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# What does not depend on the object: IDS, and the flags that objects must be newer than.
read -ra generated < <(make -s "${variables[@]}" print-IDS)
make -s "${variables[@]}" "$build/flags" "${generated[@]}" || exit

# The compiler proper as the driver starts it, without what is of one file. It is quoted for a shell.
sources=("${missing[@]#"$build/obj/"}")
sources=("${sources[@]/%.o/.c}")
command=$(make -n CCACHE= "${variables[@]}" "${missing[0]}" | grep -e " -c -o ${missing[0]} " | head -n 1)
proper=$(eval "${command/ -c / -### -c }" 2>&1 | grep '^ "[^"]*" "-cc1" ' |
	sed -E 's/ "-main-file-name" "[^"]*"//; s/ "-(o|dependency-file|MT)" "[^"]*"//g; s/ "-(MP|sys-header-deps)"//g' |
	sed "s|\"${sources[0]}\"\$||")
[ -n "$proper" ] || exit 1

# It writes beside the sources.
cp -R lib checks cmd kernels tests/fuzz "$work" && ln -s "$PWD/build" "$work/build" || exit
jobs=$(nproc)
printf '%s\n' "${sources[@]}" | split -n "r/$((jobs * 4))" - "$work/part."
export proper work
# shellcheck disable=SC2016 # the inner shell is to expand it
printf '%s\0' "$work"/part.* |
	xargs -0 -P "$jobs" -n 1 bash -c 'cd "$work" && eval "$proper $(tr "\n" " " < "$0")"' > "$work/said" 2>&1

python3 - "$work" "$build" "${sources[@]%.c}" <<- 'PYTHON'
	import os, shutil, sys
	work, build, *stems = sys.argv[1:]
	for stem in stems:
	    made, noted, to = f"{work}/{stem}.o", f"build/obj/{stem}.d", f"{build}/obj/{stem}"
	    if os.path.exists(made) and os.path.exists(noted):
	        os.makedirs(os.path.dirname(to), exist_ok=True)
	        with open(noted, encoding="utf-8") as file, open(f"{to}.d", "w", encoding="utf-8") as out:
	            out.write(file.read().replace("build/", f"{build}/"))
	        shutil.move(made, f"{to}.o")
PYTHON
exit 0
