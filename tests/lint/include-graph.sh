#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Who may include whom: a folder includes itself and what its row of CONTRIBUTING.md's table names.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/folders.sh
. "$TOP/tests/folders.sh"

PLANT_FOLDERS=(lib cmd checks kernels man CONTRIBUTING.md)

lint() {
	local -a files
	mapfile -t files < <(find lib cmd checks kernels man -name '*.[ch]' -o -name '*.def' | sort)
	[ ${#files[@]} -gt 0 ] || { echo "no sources"; return 1; }
	# Names of checks that only cmd and checks may say.
	local names
	names=$(grep -hoE '^const struct check check_[a-z0-9_]+' checks/*.c 2> /dev/null | sed 's/.* //')

	folders > "$WORK/folders" || return 1
	awk -v names="$names" '
	BEGIN { nr_names = split(names, name, "\n") }
	FILENAME ~ /\/folders$/ {
		own = $1
		$1 = ""
		may[own] = $0 " "
		next
	}
	function offence(words) {
		print FILENAME ":" FNR ": " words
		bad = 1
	}
	# Of a file, and of what is included, which is below lib where it is not of the top.
	function folder(path) {
		sub(/\/[^\/]*$/, "", path)
		sub(/^lib\//, "", path)
		return path
	}
	FNR == 1 {
		own = folder(FILENAME)
		if (!(own in may))
			offence(own " has no row in the table of CONTRIBUTING.md")
	}
	/check_/ && own != "cmd" && own != "checks" && !/^[ \t]*(\*|\/\*|\/\/)/ {
		for (i = 1; i <= nr_names; i++)
			if ($0 ~ "(^|[^a-zA-Z0-9_])" name[i] "([^a-zA-Z0-9_]|$)")
				offence("names " name[i] ": only cmd and checks may")
	}
	match($0, /^[ \t]*#[ \t]*include[ \t]*"[^"]*"/) {
		path = substr($0, RSTART, RLENGTH)
		sub(/^[^"]*"/, "", path)
		sub(/"$/, "", path)
		if (path ~ /\.\./) {
			offence("\"" path "\": a path that climbs")
		} else if (path !~ /\//) {
			offence("\"" path "\": without its folder")
		} else {
			other = folder(path)
			if (!(other in may))
				offence("\"" path "\": no folder of the project")
			else if (other != own && own in may && may[own] != " everything " && !index(may[own], " " other " "))
				offence(own " may not include " other " (\"" path "\")")
		}
	}
	match($0, /^[ \t]*#[ \t]*include[ \t]*<[^>]*>/) {
		path = substr($0, RSTART, RLENGTH)
		sub(/^[^<]*</, "", path)
		sub(/>$/, "", path)
		if (path ~ /^cjson\//) {
			if (FILENAME != "lib/base/json.h")
				offence("<" path ">: only lib/base/json.h may")
		} else if (path ~ /^(pci\/|CL\/|libudev\.h$|dlfcn\.h$)/) {
			# The names of registers are no call.
			if (own !~ /^(probe|bench)(\/|$)/ && path != "pci/header.h")
				offence("<" path ">: only lib/probe and lib/bench may")
		} else if (path ~ /\// && path !~ /^(sys|linux)\//) {
			offence("<" path ">: neither libc nor known to this lint")
		}
	}
	END { exit bad }' "$WORK/folders" "${files[@]}"
}

finds_nothing lint

plant() { echo '#include "snapshot/snapshot.h"' >> lib/base/text.h; }
finds "base including snapshot" 'text.h:.*base may not include snapshot' lint
plant() { echo '#include "probe/probe.h"' > lib/eval/judge/planted.c; }
finds "eval including probe" 'planted.c:1:.*eval/judge may not include probe' lint
plant() { echo '#include "sys/root.h"' > checks/planted.c; }
finds "a check including sys" 'checks/planted.c:1:.*checks may not include sys' lint
plant() { echo '#	include "checks/playbook.def"' > lib/eval/judge/planted.h; }
finds "lib including the playbook" 'eval/judge may not include checks' lint
plant() { echo '#include "../sys/root.h"' > lib/render/planted.c; }
finds "a path that climbs" 'planted.c:1:.*climbs' lint
plant() { echo '#include "probe/../sys/root.h"' > lib/probe/pci/planted.c; }
finds "one in a folder below" 'lib/probe/pci/planted.c:1:.*climbs' lint
plant() { mkdir -p lib/eval/planted && echo > lib/eval/planted/planted.h; }
finds "a folder without a row" 'planted.h:1: eval/planted has no row' lint
plant() {
	mkdir -p lib/eval/planted && echo '#include "eval/judge/report.h"' > lib/eval/planted/planted.h
	sed -i 's,^| \x60lib/eval/judge/\x60.*,&\n| \x60lib/eval/planted/\x60 | a test | base |,' CONTRIBUTING.md
}
finds "a folder including its neighbour" 'planted.h:1: eval/planted may not include eval/judge ' lint
plant() {
	mkdir -p lib/probe/planted && echo '#include "probe/probe.h"' > lib/probe/planted/planted.h
	sed -i 's,^| \x60lib/probe/\x60.*,&\n| \x60lib/probe/planted/\x60 | a test | base |,' CONTRIBUTING.md
}
finds "a folder including the one above it" 'planted.h:1: probe/planted may not include probe ' lint
plant() { sed -i '/^| \x60lib\/klog\/\x60/d' CONTRIBUTING.md; }
finds "a row that is gone" 'eval/log may include "klog", which has no row' lint
plant() { sed -i 's,^| \x60lib/klog/\x60.*,&\n| \x60lib/planted/\x60 | a test | base |,' CONTRIBUTING.md; }
finds "a row without its folder" 'lib/planted: has a row, and is not there' lint
plant() { sed -i 's,^\(| \x60lib/klog/\x60 .*\)| base |,\1| base and so on |,' CONTRIBUTING.md; }
finds "a row that names no folder" 'klog may include "base and so on", which has no row' lint
plant() { echo '#include <dlfcn.h>' > lib/sys/planted.c; }
finds "dlfcn.h outside lib/probe and lib/bench" 'planted.c:1: <dlfcn.h>' lint
plant() { echo '#include <CL/cl.h>' > cmd/planted.c; }
finds "OpenCL outside of them" 'planted.c:1: <CL/cl.h>' lint
plant() { echo '#include <cjson/cJSON.h>' > lib/snapshot/planted.c; }
finds "a second place that includes cJSON" 'planted.c:1: <cjson' lint
plant() {
	echo 'const struct check check_planted = { 0 };' > checks/planted.c
	echo 'int x(void) { return run(&check_planted); }' > lib/eval/judge/planted.c
}
finds "lib naming a check" 'planted.c:1: names check_planted' lint
plant() {
	echo 'const struct check check_planted = { 0 };' > checks/planted.c
	echo ' * as check_planted does' > lib/eval/judge/planted.h
}
spares "one named in a comment" 'planted.h' lint

done_testing
