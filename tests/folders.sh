# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# folders.sh - CONTRIBUTING.md's table of who may include whom, for the lints. To be sourced after tap.sh.

# folders: a line for each row, the folder as includes name it and those it may include: "probe sys klog snapshot base".
# "eval/*" in a row is each folder below eval. A folder that is not there, or a name that is no row's, is an offence.
folders() {
	awk -F '|' '
	# The folders that a name in a row means, each with a space before it.
	function matching(name,    other, found) {
		for (other in known)
			if (other == name || (name ~ /\/\*$/ && index(other, substr(name, 1, length(name) - 1)) == 1))
				found = found " " other
		return found
	}
	/^\| `[a-z]/ {
		folder = $2
		gsub(/[` ]|\/ *$/, "", folder)
		sub(/\/$/, "", folder)
		gsub(/^ +| +$/, "", $4)
		row[++nr] = folder
		may[folder] = $4
		short = folder
		sub(/^lib\//, "", short)
		known[short] = known["everything"] = 1
		if (system("test -d " folder) != 0) {
			print folder ": has a row, and is not there" > "/dev/stderr"
			bad = 1
		}
	}
	END {
		for (i = 1; i <= nr; i++) {
			short = row[i]
			sub(/^lib\//, "", short)
			line = short
			for (n = split(may[row[i]], name, /, */); n; n--) {
				names = matching(name[n])
				if (names == "") {
					print short " may include \"" name[n] "\", which has no row" > "/dev/stderr"
					bad = 1
				}
				line = line names
			}
			print line
		}
		if (!nr)
			print "no table of folders" > "/dev/stderr"
		exit bad || !nr
	}' CONTRIBUTING.md
}
