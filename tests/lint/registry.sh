#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Takes long: it looks at the whole tree again for each of what it plants.
# What is written twice agrees: checks and the playbook, probes and their table, findings with the
# checks that raise them, the cases that prove them and the words that explain them; what has an order
# is in it; and no recorded machine or golden file lies unused.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

PLANT_FOLDERS=(lib checks man tests)

# both WHAT-A-HAS FILE-A WHAT-B-HAS FILE-B: sorted names, one a line, must be the same.
both() {
	local bad=0 name
	while read -r name; do
		echo "$name is $1, and not $3"
		bad=1
	done < <(comm -23 "$2" "$4")
	while read -r name; do
		echo "$name is $3, and not $1"
		bad=1
	done < <(comm -13 "$2" "$4")
	if ! [ -s "$2" ] && ! [ -s "$4" ]; then
		echo "nothing is $1"
		bad=1
	fi
	return "$bad"
}

# Each check is a file of its name with a row in the playbook.
lint_checks() {
	local bad=0 file stem names
	sed -n 's/^CHECK([A-Z]*, *\([a-z0-9_]*\),.*/\1/p' checks/playbook.def | sort > "$WORK/rows"
	uniq -d "$WORK/rows" | sed 's/$/ has two rows in the playbook/' | grep . && bad=1
	sort -u -o "$WORK/rows" "$WORK/rows"
	for file in checks/*.c; do
		stem=${file##*/}
		stem=${stem%.c}
		names=$(sed -n 's/^const struct check check_\([a-z0-9_]*\) = .*/\1/p' "$file")
		if [ -z "$names" ] && [ "$stem" = playbook ]; then
			continue
		fi
		if [ "$names" != "$stem" ]; then
			echo "$file: defines ${names:-no check}, not check_$stem"
			bad=1
		elif ! grep -q "^[[:space:]]*\.name = \"${stem//_/-}\"," "$file"; then
			echo "$file: its .name is not \"${stem//_/-}\""
			bad=1
		fi
		echo "$stem"
	done > "$WORK/files.all"
	grep ': ' "$WORK/files.all" # offences
	grep -v ': ' "$WORK/files.all" | sort > "$WORK/files"
	both "a file in checks/" "$WORK/files" "a row of the playbook" "$WORK/rows" || bad=1
	return "$bad"
}

# The playbook's rows, and the findings by their checks, stand in the order of the stages.
lint_order() {
	local -a stages
	mapfile -t stages < <(sed -n '/^enum stage {/,/^}/p' "$(the_file check.h)" | grep -oE 'STAGE_[A-Z]+' | sed 's/^STAGE_//')
	sed -n 's/^CHECK(\([A-Z]*\), *\([a-z0-9_]*\),.*/\1 \2/p' checks/playbook.def > "$WORK/stages"
	findings | sed 's/^[^ ]* //' > "$WORK/names"
	awk -v stages="${stages[*]}" '
		BEGIN { for (n = split(stages, list, " "); n; n--) place[list[n]] = n }
		FILENAME ~ /stages$/ {
			gsub("_", "-", $2)
			of[$2] = place[$1]
			if (place[$1] < before) { print $2 ": stands after a check of a later stage in the playbook"; bad = 1 }
			before = place[$1]
			next
		}
		{
			check = $1
			sub(/\..*/, "", check)
			if (of[check] < at) { print $1 ": stands after a finding of a later stage in findings.def"; bad = 1 }
			at = of[check]
		}
		END { exit bad }' "$WORK/stages" "$WORK/names"
}

lint_probes() {
	grep -rhoE --include='*.c' '^const struct probe probe_[a-z0-9_]+ =' lib | sed 's/.*probe_\(.*\) =/\1/' |
		sort > "$WORK/defined"
	sed -n '/^const struct probe \*const probes\[\]/,/^}/s/.*&probe_\([a-z0-9_]*\),.*/\1/p' \
		"$(the_file probe_table.c)" | sort > "$WORK/listed"
	both "a probe" "$WORK/defined" "a row of probe_table.c" "$WORK/listed"
}

# ID NAME of every finding.
findings() {
	tr '\n' ' ' < "$(the_file findings.def)" | sed 's/FINDING(/\n&/g' |
		sed -n 's/^FINDING(\([A-Z0-9_]*\), *"\([^"]*\)",.*/\1 \2/p' | grep -v '^ID '
}

# Each finding is named after the check that may raise it, and that check does.
lint_emitted() {
	local bad=0 log_file
	log_file=$(the_file kernel_log.c lib/eval) || return 1
	findings > "$WORK/findings"
	[ -s "$WORK/findings" ] || { echo "no findings"; return 1; }
	awk -v log_file="$log_file" '
		# Counts the words of a text, under that name.
		function count(name, text, list, n) {
			for (n = split(text, list, /[^A-Za-z0-9_]+/); n; n--)
				seen[name, list[n]]++
		}
		# The part of a text that matches.
		function part(text, pattern) { return match(text, pattern) ? substr(text, RSTART, RLENGTH) : "" }

		FILENAME ~ /findings$/ { id[++nr] = $1; name[nr] = $2; next }
		{ text[FILENAME] = text[FILENAME] " " $0 }
		END {
			for (file in text) {
				count(file, text[file])
				count(file " may", part(text[file], "[.]may_emit =[ \t\n]*IDS[(][^)]*"))
				# Those of the kernel log stand with the rows of its catalogue.
				if (text[file] ~ /[.]may_emit = klog_may_emit,/)
					count(file " may", part(text[log_file], "klog_may_emit[[][]] = [{][^}]*"))
			}
			for (i = 1; i <= nr; i++) {
				file = name[i]
				sub(/[.].*/, "", file)
				gsub(/-/, "_", file)
				file = "checks/" file ".c"
				if (!(file in text)) {
					print name[i] ": there is no " file
					bad = 1
					continue
				}
				if (!seen[file " may", id[i]]) {
					print name[i] ": " file " has no " id[i] " in its .may_emit"
					bad = 1
				}
				# Beside the one in may_emit.
				if (seen[file, id[i]] + seen[log_file, id[i]] < 2) {
					print name[i] ": " file " never raises " id[i]
					bad = 1
				}
			}
			exit bad
		}' "$WORK/findings" checks/*.c "$log_file" || bad=1
	cut -d' ' -f2 "$WORK/findings" | sort | uniq -d | sed 's/$/ is there twice/' | grep . && bad=1
	return "$bad"
}

# The rows of the kernel log's catalogue, as findings are called.
catalogue_rows() {
	sed -n -e 's/^KLOG([A-Z0-9_]*, *"\([a-z0-9-]*\)",.*/klog-errors.\1/p' -e 's/^XID(\([0-9]*\),.*/klog-errors.nvidia-xid-\1/p' \
		lib/klog/*.def | sort
}

# Each row is raised by a line of tests/klog, and what is raised there is a row.
lint_catalogue() {
	local bad=0
	catalogue_rows > "$WORK/rows"
	[ -s "$WORK/rows" ] || { echo "no rows"; return 1; }
	uniq -d "$WORK/rows" | sed 's/$/ is there twice/' | grep . && bad=1
	sed -n 's/^#: event \([a-z0-9-]*\).*/klog-errors.\1/p' tests/klog/*.log | sort -u > "$WORK/lines"
	sort -u -o "$WORK/rows" "$WORK/rows"
	both "a row of the catalogue" "$WORK/rows" "raised by a line in tests/klog" "$WORK/lines" || bad=1
	return "$bad"
}

# said KEY: the words that cases say under a key.
said() {
	sed -n "s/^[[:space:]]*$1:[[:space:]]*//p" tests/cases/*.case 2> /dev/null | tr -s '[:space:]' '\n' |
		grep . | sort -u
}

# FILE ID for each finding that a case raises.
raised() {
	awk '
		FNR == 1 { file = FILENAME; sub(/^.*\//, "", file); sub(/\.case$/, "", file) }
		$1 == "raises:" { for (i = 2; i <= NF; i++) print file, $i }' tests/cases/*.case 2> /dev/null
}

# Each finding is raised by a case in the file of its check or in one of its own (pcie-width.case or
# pcie-width.below-twins.case for pcie-width.below-twins), and spared by a near miss anywhere.
lint_cases() {
	local bad=0
	findings > "$WORK/findings"
	said spares > "$WORK/spared"
	raised > "$WORK/raised"
	awk '
		FILENAME ~ /raised$/ { raises[$1, $2] = 1; next }
		FILENAME ~ /spared$/ { spared[$1] = 1; next }
		{
			check = $2
			sub(/[.].*/, "", check)
			if (!(($2, $2) in raises) && !((check, $2) in raises)) {
				print $2 ": no case in " check ".case raises it"
				bad = 1
			}
			if (!($2 in spared)) {
				print $2 ": no case spares it (a near miss)"
				bad = 1
			}
		}
		END { exit bad }' "$WORK/raised" "$WORK/spared" "$WORK/findings" || bad=1
	# A case may speak of findings that are no more.
	{
		cut -d' ' -f2 "$WORK/findings"
		catalogue_rows
	} | sort > "$WORK/names"
	{
		said raises
		said spares
	} | sort -u | comm -23 - "$WORK/names" |
		sed 's/$/: a case speaks of it, and there is no such finding/' | grep . && bad=1
	return "$bad"
}

# Keys of programs' errors: those that the check has findings for are those that the snapshot's field lists.
lint_error_keys() {
	local bad=0
	sed -n 's/^\t{ "\([a-z-]*\)", PROGRAM_ERRORS_[A-Z_]* },$/\1/p' checks/program_errors.c | sort -u > "$WORK/keys"
	sed -n '/^F(program_error, str, key, /{ s/.*"\([^"]*\)")$/\1/; s/ or /, /; s/, /\n/g; p; }' \
		"$(the_file tool.def)" | sort > "$WORK/listed"
	both "a key of checks/program_errors.c" "$WORK/keys" "listed in tool.def" "$WORK/listed" || bad=1
	# An error of another key would be read, and raise nothing.
	grep -hE '^(ERROR|NAME|WORDS|SHORT|NUMBER)\(' lib/import/program/*.def |
		sed -E 's/^NUMBER\([A-Z]+, -?[0-9]+, //; s/^[A-Z]+\(//; s/^"([a-z-]*)".*/\1/' | sort -u |
		comm -23 - "$WORK/keys" | sed 's|$|: a key of a row in lib/import/program, and none of checks/program_errors.c|' |
		grep . && bad=1
	return "$bad"
}

# missing FILE WORDS: for each finding that the file does not have, one a line.
missing() {
	sort -u -o "$1" "$1"
	sed 's/^[^ ]* //' "$WORK/findings" | sort -u | comm -23 - "$1" | sed "s|\$|: $2|" | grep .
}

# The binary lists and explains each finding, all of them at once, each after a line that is its name; so does
# gpudiag-checks(7), once it is there.
lint_documented() {
	local bad=0 name='[a-z0-9-]+\.[a-z0-9-]+'
	findings > "$WORK/findings"
	"$GPUDIAG" list findings | cut -d ' ' -f 1 > "$WORK/listed"
	if [ ! -e "$WORK/explained" ]; then
		xargs "$GPUDIAG" explain < "$WORK/listed" | grep -xE "$name" > "$WORK/explained"
	fi
	missing "$WORK/listed" "gpudiag list findings has it not" && bad=1
	missing "$WORK/explained" "gpudiag explain does not know it" && bad=1
	if [ -e man/gpudiag-checks.7 ]; then
		sed 's/\\-/-/g' man/gpudiag-checks.7 | grep -oE "$name" > "$WORK/manual"
		missing "$WORK/manual" "not in man/gpudiag-checks.7" && bad=1
	fi
	return "$bad"
}

# The golden files that cases name.
goldens() {
	awk '
		FNR == 1 { file = FILENAME; sub(/^.*\//, "", file); sub(/\.case$/, "", file); name = file }
		$1 == "case:" { name = file "." $2 }
		$1 == "golden:" { for (i = 2; i <= NF; i++) print name "." $i }' tests/cases/*.case 2> /dev/null
}

# Every recorded machine is one of a case's, or a healthy one that the matrix takes; every golden file is a case's.
lint_fixtures() {
	local bad=0 name
	goldens > "$WORK/goldens"
	{
		said tree
		python3 "$TOP/tests/nodes/mknodes.py" --healthy
	} > "$WORK/trees"
	said snapshot > "$WORK/snapshots"
	for name in "$TOP"/build/nodes/*/; do
		name=${name%/}
		name=${name##*/}
		if [ "$name" != '*' ] && ! grep -qxF "$name" "$WORK/trees"; then
			echo "tree $name is in no case"
			bad=1
		fi
	done
	for name in tests/expect/*; do
		name=${name%/}
		name=${name##*/}
		if [ "$name" != '*' ] && ! grep -qxF "$name" "$WORK/goldens"; then
			echo "tests/expect/$name is of no case"
			bad=1
		fi
	done
	for name in tests/snapshots/*; do
		name=${name%/}
		name=${name##*/}
		if [ "$name" != '*' ] && ! grep -qxF "$name" "$WORK/snapshots"; then
			echo "tests/snapshots/$name is in no case"
			bad=1
		fi
	done
	return "$bad"
}

succeeds "checks and the playbook agree" lint_checks
plant() { sed -i '/pcie_width/d' checks/playbook.def; }
finds "a check without a row" 'pcie_width is a file in checks/, and not a row' lint_checks
plant() { echo 'CHECK(LINK, planted, OPTIONAL)' >> checks/playbook.def; }
finds "a row without a check" 'planted is a row of the playbook, and not' lint_checks
plant() { echo 'CHECK(LINK, pcie_width, OPTIONAL)' >> checks/playbook.def; }
finds "two rows" 'pcie_width has two rows' lint_checks
plant() { mv checks/pcie_width.c checks/planted.c; }
finds "a file that is not named after its check" 'planted.c: defines pcie_width' lint_checks
plant() { sed -i 's/"pcie-width"/"planted"/' checks/pcie_width.c; }
finds "a check that calls itself otherwise" 'pcie_width.c: its .name is not "pcie-width"' lint_checks

succeeds "the playbook and the findings are in the order of the stages" lint_order
plant() { echo 'CHECK(DEVICE, planted, OPTIONAL)' >> checks/playbook.def; }
finds "a row after those of a later stage" 'planted: stands after a check of a later stage' lint_order
plant() { printf 'FINDING(PLANTED, "gpu-lost.planted", WARN, WATCH, HOST,\n\t"is planted",\n\t"A test.")\n' >> "$(the_file findings.def)"; }
finds "a finding after those of a later stage" 'gpu-lost.planted: stands after a finding' lint_order

succeeds "probes and their table agree" lint_probes
plant() { echo 'const struct probe probe_planted = {' > lib/probe/planted.c; }
finds "a probe without a row" 'planted is a probe, and not' lint_probes
plant() { echo 'const struct probe probe_planted = {' > lib/probe/pci/planted.c; }
finds "one in a folder below" 'planted is a probe, and not' lint_probes
plant() { sed -i '/&probe_pci,/d' "$(the_file probe_table.c)"; }
finds "a row that was lost" 'pci is a probe, and not' lint_probes
plant() { sed -i 's/&probe_pci,/&\n\&probe_planted,/' "$(the_file probe_table.c)"; }
finds "a row without a probe" 'planted is a row of probe_table.c, and not' lint_probes

# A finding that is nowhere but in the table.
plant_finding() {
	printf 'FINDING(PLANTED, "%s", WARN, WATCH, HOST,\n\t"is planted",\n\t"A (test).")\n' "$1" >> "$(the_file findings.def)"
}
succeeds "each finding is raised by the check it is named after" lint_emitted
plant() { plant_finding pcie-width.planted; }
finds "a finding that its check does not know" 'pcie-width.planted: checks/pcie_width.c has no PLANTED' lint_emitted
plant() {
	plant_finding pcie-width.planted
	sed -i 's/\.may_emit = IDS(/&PLANTED, /' checks/pcie_width.c
}
finds "a finding that its check never raises" 'pcie-width.planted: checks/pcie_width.c never raises' lint_emitted
plant() { plant_finding planted.finding; }
finds "a finding of no check" 'planted.finding: there is no checks/planted.c' lint_emitted
plant() { plant_finding pcie-width.below-twins; }
finds "a name that is taken" 'pcie-width.below-twins is there twice' lint_emitted

succeeds "each row of the kernel log's catalogue is raised by a line" lint_catalogue
plant() { printf 'KLOG(PLANTED, "planted-row", "", OOM_KILL, ERROR, HOST, WARN, WATCH, HOST,\n\t"A", "B.", "C")\n' >> lib/klog/host.def; }
finds "a row that no line raises" 'klog-errors.planted-row is a row of the catalogue, and not raised' lint_catalogue
plant() { printf '#: event planted-row\n' >> tests/klog/host.log; }
finds "a line of a row that is not there" 'klog-errors.planted-row is raised by a line in tests/klog, and not' lint_catalogue

succeeds "keys of programs' errors are listed" lint_error_keys
plant() { sed -i 's/^\t{ "ecc", .*/&\n\t{ "planted", PROGRAM_ERRORS_ECC },/' checks/program_errors.c; }
finds "a key that is not listed" 'planted is a key of checks/program_errors.c, and not listed in tool.def' lint_error_keys
plant() { sed -i '/^F(program_error, str, key, /s/ecc, /ecc, planted, /' "$(the_file tool.def)"; }
finds "a key that is no more" 'planted is listed in tool.def, and not a key' lint_error_keys
plant() { printf 'ERROR("planted", "words", NULL)\n' >> lib/import/program/program_error.def; }
finds "a row of no key" 'planted: a key of a row in lib/import/program' lint_error_keys

# A case for the planted finding, as it must be.
plant_case() {
	plant_finding pcie-width.planted
	printf '\ncase: planted\nraises: other pcie-width.planted\ncase: near-miss\nspares: pcie-width.planted\n' \
		>> tests/cases/pcie-width.case
}
succeeds "each finding is raised by a case, and spared by another" lint_cases
plant() { plant_case; }
spares "a finding with both" 'pcie-width.planted' lint_cases
plant() { plant_finding pcie-width.planted; printf 'raises: pcie-width.planted\n' > tests/cases/planted.case; }
finds "a finding that a case elsewhere raises" 'pcie-width.planted: no case in pcie-width.case raises it' lint_cases
plant() { plant_case; sed -i 's/ pcie-width.planted$//' tests/cases/pcie-width.case; }
finds "a case that does not raise it" 'pcie-width.planted: no case in pcie-width.case raises it' lint_cases
plant() { plant_case; sed -i '/^spares: pcie-width.planted/d' tests/cases/pcie-width.case; }
finds "a finding without a near miss" 'pcie-width.planted: no case spares it' lint_cases
plant() { plant_case; sed -i '/PLANTED/,$d' "$(the_file findings.def)"; }
finds "a case of a finding that is no more" 'pcie-width.planted: a case speaks of it' lint_cases

if [ -x "$GPUDIAG" ]; then
	succeeds "each finding is listed and explained" lint_documented
	plant() { plant_finding pcie-width.planted; }
	finds "a finding that is not listed" 'pcie-width.planted: gpudiag list findings has it not' lint_documented
	finds "a finding that is not explained" 'pcie-width.planted: gpudiag explain does not know it' lint_documented
	plant() { echo '.Dt GPUDIAG-CHECKS 7' > man/gpudiag-checks.7; }
	finds "a finding that is not in the manual" 'pcie-width.below-twins: not in man/gpudiag-checks.7' lint_documented
else
	not_ok "each finding is listed and explained: $GPUDIAG is not there"
fi

succeeds "every recorded machine is in a case" lint_fixtures
plant() { echo '{}' > tests/snapshots/planted.json; }
finds "a snapshot that no case uses" 'tests/snapshots/planted.json is in no case' lint_fixtures
plant() { touch tests/expect/pcie-width.planted.text; }
finds "a golden file that no case names" 'tests/expect/pcie-width.planted.text is of no case' lint_fixtures
if [ -e build/nodes.stamp ]; then
	plant() { rm -f tests/cases/*; }
	finds "a tree that no case uses" '^tree .* is in no case' lint_fixtures
else
	not_ok "finds a tree that no case uses: build/nodes is not there (make nodes)"
fi

done_testing
