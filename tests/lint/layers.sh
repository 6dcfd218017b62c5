#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Who links against whom: what an object calls or reads lies in its own folder, or in one that this may include, at first
# hand or by way of others (CONTRIBUTING.md's table). A header can stand below what it declares; this looks at the built
# objects, whose symbols tell where a thing is.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/folders.sh
. "$TOP/tests/folders.sh"

PLANT_FOLDERS=(lib cmd checks kernels CONTRIBUTING.md man)

# Those of sources that are still there; and what a copy has planted.
objects() {
	(cd "$TOP/build/obj" && find lib cmd checks man -name '*.o') | while read -r object; do
		[ ! -e "$TOP/${object%.o}.c" ] || echo "$TOP/build/obj/$object"
	done
	[ ! -d planted ] || find "$PWD/planted" -name '*.o'
}

lint() {
	local -a files
	mapfile -t files < <(objects | sort)
	[ ${#files[@]} -gt 1 ] || { echo "no objects in build/obj: make"; return 1; }
	folders > "$WORK/folders" || return 1
	nm -A -P -g "${files[@]}" > "$WORK/symbols" || return 1
	# A line: /…/obj/lib/sys/lock.o: lock_take T 0 2f
	awk '
	function folder(object) {
		sub(/:$/, "", object)
		sub(/^.*\/(obj|planted)\//, "", object)
		sub(/\/[^\/]*$/, "", object)
		sub(/^lib\//, "", object)
		return object
	}
	FILENAME ~ /\/folders$/ {
		known[$1] = 1
		for (i = 2; i <= NF; i++)
			may[$1, $i] = 1
		next
	}
	{ own = folder($1) }
	!(own in known) { lost[own] = 1 }
	$3 != "U" { place[$2] = own; next }
	{ from[++nr] = own; name[nr] = $2; object[nr] = $1 }
	END {
		# What may be included by way of others.
		for (b in known)
			for (a in known)
				for (c in known)
					if ((a, b) in may && (b, c) in may)
						may[a, c] = 1
		for (own in lost) {
			print own " has no row in the table of CONTRIBUTING.md"
			bad = 1
		}
		for (i = 1; i <= nr; i++) {
			other = place[name[i]]
			if (other == "" || other == from[i] || (from[i], other) in may || (from[i], "everything") in may)
				continue
			sub(/^.*\/(obj|planted)\//, "", object[i])
			print object[i] " " name[i] " is of " other ", which " from[i] " may not include"
			bad = 1
		}
		exit bad || !nr
	}' "$WORK/folders" "$WORK/symbols"
}

# What may go round: the table of commands, which completion prints and stands in; and a line that stands in another.
ROUND=" commands klog_parse_own "

lint_circles() {
	local -a files
	mapfile -t files < <(objects | sort)
	nm -A -P -g "${files[@]}" > "$WORK/symbols" || return 1
	awk -v round="$ROUND" '
	function file(object) {
		sub(/\.o:$/, "", object)
		sub(/^.*\/(obj|planted)\//, "", object)
		return object
	}
	$3 != "U" { place[$2] = file($1); next }
	!index(round, " " $2 " ") { from[++nr] = file($1); name[nr] = $2 }
	END {
		for (i = 1; i <= nr; i++)
			if (name[i] in place && place[name[i]] != from[i])
				print from[i], place[name[i]]
	}' "$WORK/symbols" | sort -u | tsort 2>&1 > "$WORK/order" |
		sed -n 's/^tsort: -: input contains a loop:$/a circle of files:/p; s/^tsort: \([a-z]*\/\)/  \1/p' | grep .
	# grep found one, or else nothing was sorted at all.
	[ "${PIPESTATUS[4]}" -ne 0 ] && [ -s "$WORK/order" ]
}

# object FOLDER TEXT: an object there, made of this text.
object() {
	mkdir -p "planted/$1" && printf '%s\n' "$2" | ${CC:-cc} -x c -c -o "planted/$1/planted.o" -
}

finds_nothing lint
plant() { object lib/base 'int snapshot_load(void); int planted(void); int planted(void) { return snapshot_load(); }'; }
finds "base calling snapshot" 'lib/base/planted.o: snapshot_load is of snapshot, which base may not include' lint
plant() { object lib/sys 'extern int command_run; int *planted(void); int *planted(void) { return &command_run; }'; }
finds "sys reading what is of a command" 'lib/sys/planted.o: command_run is of cmd' lint
plant() { object lib/render 'int arena_alloc(void); int planted(void); int planted(void) { return arena_alloc(); }'; }
spares "what a folder may call" 'planted' lint
plant() {
	sed -i '/^| \x60lib\/render\/\x60/s/| eval, .* |$/| eval |/' CONTRIBUTING.md
	object lib/render 'int arena_alloc(void); int planted(void); int planted(void) { return arena_alloc(); }'
}
spares "what it may include by way of others" 'planted' lint
plant() { object lib/new 'int planted(void); int planted(void) { return 0; }'; }
finds "a folder without a row" '^new has no row' lint
plant() { sed -i '/^| \x60lib\/probe\/\x60/s/sys, //' CONTRIBUTING.md; }
finds "a row that says less than is linked" 'is of sys, which probe may not include' lint

succeeds "no circle of files" lint_circles
plant() {
	object lib/base/one 'int two(void); int one(void); int one(void) { return two(); }'
	object lib/base/two 'int three(void); int two(void); int two(void) { return three(); }'
	object lib/base/three 'int one(void); int three(void); int three(void) { return one(); }'
}
finds "three files in a circle" 'lib/base/two/planted' lint_circles
plant() {
	object lib/base/one 'int two(void); int one(void); int one(void) { return two(); }'
	object lib/base/two 'int two(void); int two(void) { return 0; }'
}
spares "a file that needs another" 'planted' lint_circles

done_testing
