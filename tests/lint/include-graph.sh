#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Who may include whom : a folder includes itself and what stands to its right.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

lint() {
	local -a files
	mapfile -t files < <(find lib cmd checks kernels -name '*.[ch]' -o -name '*.def' | sort)
	[ ${#files[@]} -gt 0 ] || { echo "no sources"; return 1; }
	# Names of checks that only cmd and checks may say.
	local names
	names=$(grep -hoE '^const struct check check_[a-z0-9_]+' checks/*.c 2> /dev/null | sed 's/.* //')

	awk -v names="$names" '
	BEGIN {
		may["base"] = ""
		may["sys"] = may["snapshot"] = may["klog"] = "base"
		may["eval"] = "klog snapshot base"
		may["render"] = "eval klog snapshot base"
		may["probe"] = "sys klog snapshot base kernels"
		may["checks"] = "eval snapshot base"
		may["kernels"] = ""
		may["cmd"] = "probe render eval klog snapshot sys base checks kernels"
		nr_names = split(names, name, "\n")
	}
	function offence(words) {
		print FILENAME ":" FNR ": " words
		bad = 1
	}
	function layer(path,    part) {
		split(path, part, "/")
		return part[1] == "lib" ? part[2] : part[1]
	}
	FNR == 1 { own = layer(FILENAME) }
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
			other = layer(path)
			if (!(other in may))
				offence("\"" path "\": no folder of the project")
			else if (other != own && index(" " may[own] " ", " " other " ") == 0)
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
			if (own != "probe")
				offence("<" path ">: only lib/probe may")
		} else if (path ~ /\// && path !~ /^(sys|linux)\//) {
			offence("<" path ">: neither libc nor known to this lint")
		}
	}
	END { exit bad }' "${files[@]}"
}

finds_nothing lint

plant() { echo '#include "snapshot/snapshot.h"' >> lib/base/text.h; }
finds "base including snapshot" 'text.h:.*base may not include snapshot' lint
plant() { echo '#include "probe/probe.h"' > lib/eval/planted.c; }
finds "eval including probe" 'planted.c:1:.*eval may not include probe' lint
plant() { echo '#include "sys/root.h"' > checks/planted.c; }
finds "a check including sys" 'checks/planted.c:1:.*checks may not include sys' lint
plant() { echo '#	include "checks/playbook.def"' > lib/eval/planted.h; }
finds "lib including the playbook" 'eval may not include checks' lint
plant() { echo '#include "../sys/root.h"' > lib/render/planted.c; }
finds "a path that climbs" 'planted.c:1:.*climbs' lint
plant() { echo '#include <dlfcn.h>' > lib/sys/planted.c; }
finds "dlfcn.h outside lib/probe" 'planted.c:1: <dlfcn.h>' lint
plant() { echo '#include <CL/cl.h>' > cmd/planted.c; }
finds "OpenCL outside lib/probe" 'planted.c:1: <CL/cl.h>' lint
plant() { echo '#include <cjson/cJSON.h>' > lib/snapshot/planted.c; }
finds "a second place that includes cJSON" 'planted.c:1: <cjson' lint
plant() {
	echo 'const struct check check_planted = { 0 };' > checks/planted.c
	echo 'int x(void) { return run(&check_planted); }' > lib/eval/planted.c
}
finds "lib naming a check" 'planted.c:1: names check_planted' lint
plant() {
	echo 'const struct check check_planted = { 0 };' > checks/planted.c
	echo ' * as check_planted does' > lib/eval/planted.h
}
spares "one named in a comment" 'planted.h' lint

done_testing
