#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The case runner sees what is wrong: a stand-in for gpudiag says what each case's snapshot tells it to.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

has jq || skip_all "jq is not installed"

mkdir "$WORK/cases" "$WORK/expect" "$WORK/man"
export CASES=$WORK/cases EXPECT=$WORK/expect MAN=$WORK/man GPUDIAG=$WORK/gpudiag
# shellcheck disable=SC2016 # "$ref" is no variable
echo '{"type": "object", "required": ["checks"], "properties": { "checks": { "items": { "$ref": "#/$defs/check" } } },
	"$defs": { "check": { "properties": { "subject": { "type": "string" } } } } }' > "$WORK/man/report.schema.json"
echo '{"type": "object", "required": ["report"]}' > "$WORK/man/snapshot.schema.json"

cat > "$GPUDIAG" <<'STUB'
#!/usr/bin/env bash
targets=()
while [ $# -gt 0 ]; do
	case $1 in
	--snapshot) source=$2 && shift ;;
	--format) targets+=("$2") && shift ;;
	--exit) status=$2 && shift ;;
	esac
	shift
done
mapfile -t said < <(jq -rc '.report, .text + (if .wobbles and env.TZ == "Asia/Kathmandu" then "!" else "" end),
	.report.exit_status' "$source")
for target in "${targets[@]}"; do
	case $target in
	json=*) echo "${said[0]}" ;;
	text=*) echo "${said[1]}" ;;
	snapshot=*) cat "$source" ;;
	esac > "${target#*=}"
done
exit "${status:-${said[2]}}"
STUB
chmod +x "$GPUDIAG"

cat > "$WORK/snapshot" <<'JSON'
{
	"text": "FAIL  GPU 3 runs x8 of x16",
	"run": { "taken_at": "now", "elapsed_ms": 12 },
	"report": {
		"exit_status": 2,
		"headline": "GPU 3 runs x8 of x16.",
		"checks": [
			{ "check": "pcie-width", "subject": "GPU 3", "gpu": "0000:5d:00.0", "result": "fail", "reason": null },
			{ "check": "swap-used", "subject": "node", "gpu": null, "result": "pass", "reason": null }
		],
		"findings": [
			{ "id": "pcie-width.below-twins", "key": "0a", "outcome": "fail", "title": "runs x8 of x16", "evidence": [{ "what": "{x}" }] },
			{ "id": "pcie-width.platform-limit", "key": "0b", "outcome": "note", "title": "the slot has 8 lanes" }
		]
	}
}
JSON

# plan_case NAME EXTRA-LINES: a case that is right but for them. One that begins with "-" takes that key away.
plan_case() {
	local key
	printf '%s\n' "$2" > "$WORK/extra"
	{
		while read -r key; do
			if ! grep -Eq -- "^-?${key%% *}" "$WORK/extra"; then
				echo "$key"
			fi
		done <<- END
			from: nowhere
			snapshot: $(realpath --relative-to=tests/snapshots "$WORK/snapshot")
			exit: 2
			raises: pcie-width.below-twins
		END
		grep -v '^-' "$WORK/extra"
	} > "$WORK/cases/$1.case"
}

# accepts WHAT EXTRA-LINES, refuses WHAT PATTERN EXTRA-LINES: planned here, judged all at once by judge_cases.
whats=()
patterns=()
accepts() {
	whats+=("accepts $1")
	patterns+=("")
	plan_case "planted-${#whats[@]}-" "$2"
}
refuses() {
	whats+=("refuses $1")
	patterns+=("$2")
	plan_case "planted-${#whats[@]}-" "$3"
}

# found BEGINNING [PATTERN]: in what was said of one case.
found() {
	cat "$WORK/found"
	grep -q "^$1" "$WORK/found" && grep -Eq -- "${2:-}" "$WORK/found"
}

judge_cases() {
	local i
	tests/cases.py > "$WORK/all"
	for i in "${!whats[@]}"; do
		# The lines about this case: its own, and what explains it.
		awk -v name="planted-$((i + 1))-" '
			/^(not )?ok / { mine = index($0, name) }
			mine' "$WORK/all" > "$WORK/found"
		if ! [ -s "$WORK/found" ]; then
			not_ok "${whats[i]}: was not run" "$WORK/all"
		elif [ -z "${patterns[i]}" ]; then
			succeeds "${whats[i]}" found 'ok'
		else
			succeeds "${whats[i]}" found 'not ok' "${patterns[i]}"
		fi
	done
	rm -f "$WORK/cases/"*
	whats=()
	patterns=()
}

accepts "what is right" ''
accepts "a headline" 'headline: x8 of x1*'
accepts "a result, by name and by address" 'result: pcie-width GPU 3 fail
result: pcie-width 0000:5d:* fail'
accepts "a near miss" 'spares: swap-used.under-pressure'
accepts "an edit" 'edit: .report.exit_status = 1
exit: 1'
accepts "an option of judging, in the replay too" 'args: --exit 1
edit: .report.exit_status = 1
exit: 1'
accepts "a note that nobody announced" 'spares: pcie-width.below-able'

refuses "another exit status" 'exit status 2, not 1' 'exit: 1'
refuses "a report that says another" 'but the report says 3' 'args: --exit 2
edit: .report.exit_status = 3'
refuses "a finding that is not raised" 'does not raise swap-used.under-pressure' 'raises: pcie-width.below-twins swap-used.under-pressure'
refuses "a warning that nobody announced" 'also raises pcie-width.below-twins' 'raises: pcie-width.platform-limit'
refuses "a near miss that is raised" '# raises pcie-width.platform-limit: the slot' 'spares: pcie-width.platform-limit'
refuses "a near miss of a check that was not asked" 'gave no result at all' 'spares: numa-known.unknown'
refuses "another headline" 'not "x4"' 'headline: x4'
refuses "a headline of two lines" 'headline is not one line' 'edit: .report.headline = "a\nb"'
refuses "another result" 'pcie-width for GPU 3: fail' 'result: pcie-width GPU 3 pass'
refuses "a result of another subject" 'no result of pcie-width for GPU 4' 'result: pcie-width GPU 4 fail'
refuses "an unfilled place" 'unfilled \{width\}' 'edit: .report.findings[0].title = "runs {width}"'
refuses "two findings of one key" 'one key for "runs x8 of x16" and "the slot has 8 lanes"' 'edit: .report.findings[1].key = "0a"'
refuses "one in the text" 'unfilled \{is\|are\}' 'edit: .text = "it {is|are} so"'
refuses "a line that is too long" '101 columns' 'edit: .text = "x" * 101'
refuses "another text elsewhere" 'replay elsewhere: text: line 1' 'edit: .wobbles = true'
refuses "an edit that is none" 'edit: jq: error' 'edit: .report +'
refuses "a snapshot that is not there" 'no tests/snapshots/nosuch' 'snapshot: nosuch'
refuses "a tree that is not there" 'no tree build/nodes/nosuch' '-snapshot:
tree: nosuch'
refuses "a case without a machine" 'not one of "tree" and "snapshot"' '-snapshot:'
refuses "a case without origin" 'says no "from"' '-from:'
refuses "a key it does not know" 'no key "exists"' 'exists: 1'
refuses "a key said twice" '"exit" twice' 'exit: 2
exit: 2'
if python3 -c 'import jsonschema' 2> /dev/null; then
	refuses "a report against the schema" 'not valid by man/report.schema.json.*checks' 'edit: del(.report.checks)
raises: pcie-width.below-twins'
fi

refuses "a golden that is not there" 'text: is not there' 'golden: text'
judge_cases

# Goldens: written by REGOLD, compared after that.
plan_case planted 'golden: text'
succeeds "REGOLD writes a golden" env REGOLD=1 tests/cases.py
mv "$WORK/expect/planted.text" "$WORK/expect/planted-1-.text"
cp "$WORK/expect/planted-1-.text" "$WORK/expect/planted-2-.text"
rm "$WORK/cases/planted.case"
accepts "a golden" 'golden: text'
refuses "another golden" "text: line 1: expected 'FAIL  GPU 3" 'golden: text
edit: .text = "PASS"'
judge_cases

# Several in one file.
cat > "$WORK/cases/planted.case" <<- END
	from: nowhere
	snapshot: $(realpath --relative-to=tests/snapshots "$WORK/snapshot")
	exit: 2
	raises: pcie-width.below-twins
	case: second
	edit: .report.findings = [] | .report.exit_status = 0
	exit: 0
	spares: pcie-width.below-twins
	case: third
	edit: .report.checks[1].subject = 7
	raises: pcie-width.below-twins
	exit: 2
	case: fourth
	edit: .report.checks[1].subject = 7 | .text = "FAIL"
	raises: pcie-width.below-twins
	exit: 2
END
tests/cases.py > "$WORK/found"
succeeds "several cases in a file; the second takes the machine of the first" found 'ok [0-9] - planted/second'
if python3 -c 'import jsonschema' 2> /dev/null; then
	# What was valid in one case is not judged again in the next; what was not is.
	grep -A 1 'not ok.*planted/' "$WORK/found" > "$WORK/refused"
	succeeds "an invalid part beside valid ones is refused each time" test \
		"$(grep -c '# not valid by man/report.schema.json: /checks/1/subject: 7 ' "$WORK/refused")" = 2
fi

rm "$WORK/cases/planted.case"
if tests/cases.py > "$WORK/found"; then
	not_ok "no case at all is no success" "$WORK/found"
else
	ok "no case at all is no success"
fi

done_testing
