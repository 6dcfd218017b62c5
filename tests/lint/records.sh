#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The unit of a field stands in its name too, and both agree: so in every record and in the policy.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

# Rows as they are in the .def files, each on one line: FILE:LINE: MACRO(a, b, …)
rows() {
	awk '
	# The parentheses in a row, those in texts aside.
	function depth(text) {
		gsub(/\\"/, "", text)
		gsub(/"[^"]*"/, "", text)
		return gsub(/\(/, "", text) - gsub(/\)/, "", text)
	}
	open <= 0 && /^(F|A|S|L|RECORD|END|PRIVATE|POLICY)\(/ { row = ""; open = 0; at = FILENAME ":" FNR; in_row = 1 }
	in_row {
		row = row $0
		open += depth($0)
		if (open <= 0) {
			gsub(/[ \t]+/, " ", row)
			print at ": " row
			in_row = 0
		}
	}' "$@"
}

lint() {
	local -a files
	mapfile -t files < <(find lib/snapshot lib/eval -name '*.def' | sort)
	[ ${#files[@]} -gt 0 ] || { echo "no .def files"; return 1; }
	rows "${files[@]}" | awk '
	BEGIN {
		# Longer endings first: _bytes_per_s also ends in _s.
		nr = split("_bytes_per_s BYTES_PER_S,_bytes BYTES,_per_s PER_S,_ns NS,_ms MS,_s S,_mtps MTPS,_mhz MHZ,_mw MW,_mj MJ,_c CELSIUS,_pages PAGES," \
			"_gbps GBPS,_mbps MBPS,_gflops GFLOPS,_ratio RATIO", pair, ",")
		for (i = 1; i <= nr; i++) {
			split(pair[i], part, " ")
			ending[i] = part[1]
			unit_of[part[1]] = part[2]
			ending_of[part[2]] = part[1]
		}
	}
	function offence(words) {
		print at " " words
		bad = 1
	}
	# What the name says its unit is, "" for nothing.
	function unit_in(name,    i) {
		for (i = 1; i <= nr; i++)
			if (length(name) > length(ending[i]) &&
			    substr(name, length(name) - length(ending[i]) + 1) == ending[i])
				return unit_of[ending[i]]
		return ""
	}
	function agree(name, unit) {
		if (unit_in(name) == unit || (unit_in(name) == "" && !(unit in ending_of)))
			return
		if (unit in ending_of)
			offence(name " is in " unit ": its name ends in " ending_of[unit])
		else
			offence(name " says " unit_in(name) " and is in " unit)
	}
	{
		at = $1
		row = substr($0, length($1) + 2)
		macro = row
		sub(/\(.*/, "", macro)
		rest = substr(row, length(macro) + 2)
		nr_args = split(rest, arg, /, */)
		for (i = 1; i <= nr_args; i++)
			gsub(/^ +| +$|\).*$/, "", arg[i])
	}
	macro == "RECORD" { record = arg[1]; fields = 0 }
	macro ~ /^(F|A|S|L|PRIVATE|END)$/ && arg[1] != record {
		offence(macro "(" arg[1] ", …) in record " record)
	}
	macro ~ /^(F|A|S|L)$/ {
		rows++
		if (rest ~ /, ?""\)[^"]*$/)
			offence(arg[3] ": its doc is empty")
		if ((record, arg[3]) in seen)
			offence(arg[3] " is twice in " record)
		seen[record, arg[3]] = 1
	}
	macro ~ /^(F|A)$/ { agree(arg[3], arg[4]) }
	macro == "F" && arg[2] !~ /^(u64|f64|str|bool)$/ { offence(arg[3] ": no type " arg[2]) }
	macro == "F" && arg[2] ~ /^(str|bool)$/ && arg[4] != "NONE" { offence(arg[3] ": a text or truth has no unit") }
	macro == "POLICY" {
		key = arg[2]
		gsub(/"/, "", key)
		agree(key, arg[3])
	}
	END {
		if (!rows) {
			print "no rows"
			bad = 1
		}
		exit bad
	}'
}

PLANT_FOLDERS=(lib)
finds_nothing lint

# A row at the end of record memory.
row() {
	sed -i "s|^END(memory)|$1\n&|" lib/snapshot/host.def
}
plant() { row 'F(memory, u64, planted, BYTES, "", GAUGE, PUBLIC, ANY, "x")'; }
finds "a unit that the name lacks" 'host.def:[0-9]+: planted is in BYTES' lint
plant() { row 'F(memory, u64, planted_ms, NS, "", GAUGE, PUBLIC, ANY, "x")'; }
finds "a unit that the name denies" 'host.def:[0-9]+: planted_ms is in NS' lint
plant() { row 'F(memory, u64, planted_s, COUNT, "", GAUGE, PUBLIC, ANY, "x")'; }
finds "a name that says a unit for a count" 'planted_s says S' lint
plant() { row 'A(memory, f64s, planted, NS, "", GAUGE, PUBLIC, "x")'; }
finds "the same of a series" 'planted is in NS' lint
plant() { row 'F(host, u64, planted, NONE, "", GAUGE, PUBLIC, ANY, "x")'; }
finds "a row of another record" 'F\(host, …\) in record memory' lint
plant() { row 'F(memory, u64, planted, NONE, "", GAUGE, PUBLIC, ANY, "")'; }
finds "a row without doc" 'planted: its doc is empty' lint
plant() { row 'F(memory, u64, total_bytes, BYTES, "", GAUGE, PUBLIC, ANY, "x")'; }
finds "a row said twice" 'total_bytes is twice' lint
plant() { row 'F(memory, str, planted_ms, MS, "", GAUGE, PUBLIC, ANY, "x")'; }
finds "a text with a unit" 'has no unit' lint
plant() { printf 'POLICY(planted, "planted.wait", MS,\n       5, "x",\n       "y (z)")\n' >> "$(the_file policy.def)"; }
finds "a policy row over several lines" 'policy.def:[0-9]+: planted.wait is in MS' lint
plant() { row 'F(memory, f64, planted_reads_per_s, PER_S, "", GAUGE, PUBLIC, ANY, "x")'; }
spares "things a second" 'planted' lint
plant() { row 'F(memory, u64, planted_bytes_per_s, BYTES_PER_S, "a (b)", GAUGE, PUBLIC, ANY, "x (y), z")'; }
spares "a unit in a name that ends like another" 'planted' lint

done_testing
