#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# formats.bats - markdown, html, junit, github and nagios, as those read them whom they are for. Pages: html.bats.

load helpers.sh

FORMATS=(markdown html junit github nagios svg)
TREES=(h100-8 h100-8-x8 l40s-4 a100-4-mig laptop-asleep bmc-only container-2-of-8 mi300x-8 tasks-stuck values-bad vfio wsl)

# Names that are markup, commands and ends of all sorts.
# shellcheck disable=SC2016 # they are meant as they stand
EVILS=(
	'a|b \| c `d` ``e`` | @octocat #12 GH-3 https://e.f'
	$'x\n::error title=y::z\r\n##[add-mask]q\n- one\n# two\n\n    three'
	'<script>alert(1)</script><!-- --> &amp; ]]> <b>'
	'**b** _i_ ~~s~~ [k](l) ![m](n) $x$ :+1: 0000:ab:00.0'
	$'\'x\'=1;2 | \'y\'=2 \e[31m \u202e \ufffe \x01 %0A %s'
	'```'
	'a|b `c` <i>_d_</i> *e* ~f~ [g](h)'
)

# report_of NAME [gate] ARGUMENT…: in each format, as files of folder NAME.
report_of() {
	local format place=$BATS_FILE_TMPDIR/reports/$1
	local -a targets=(--format "json=$place/json" --format "text=$place/text")
	mkdir -p "$place"
	for format in "${FORMATS[@]}"; do
		targets+=(--format "$format=$place/$format")
	done
	gpudiag "${@:2}" "${targets[@]}"
	for format in "${FORMATS[@]}"; do
		[ -s "$place/$format" ] || fail "no $format of $1" "$(show)"
	done
}

# A machine with such a name wherever it has one, as ./hostile.
make_hostile() {
	jq --arg evil "$1" '.host.name = $evil | .host.product = $evil | .host.os = $evil | .host.machine_serial = $evil
		| .gpus[3].pci.link_width = 8 | .gpus[].smbios_slot = $evil
		| .gpus[1].pci |= (.link_width = null | .unknown.link_width = "error: \($evil)")
		| .gpus[2].pci.driver = $evil | .run.tool = $evil | .run.redacted = true' seen > hostile
}

# The reports that all tests read.
setup_file() {
	local name i
	export BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR
	begin
	for name in "${TREES[@]}"; do
		need_tree "$name"
		report_of "$name" --root "$NODES/$name"
	done
	for name in "$TOP"/tests/snapshots/*.json; do
		report_of "snapshot-${name##*/}" --snapshot "$name"
	done
	report_of gate gate --root "$NODES/h100-8" --expect-gpus 8
	is "$status" 0
	report_of gate-open gate --root "$NODES/h100-8"
	is "$status" 3
	report_of gate-no gate --root "$NODES/h100-8-x8" --to-driver 580.95.05
	is "$status" 2
	report_of bool --root "$NODES/bmc-only" --exit bool
	report_of strict --root "$NODES/laptop-asleep" --strict
	gpudiag collect --root "$NODES/h100-8" -o seen
	for i in "${!EVILS[@]}"; do
		make_hostile "${EVILS[i]}"
		report_of "hostile-$i" --snapshot hostile
		is "$status" 2
	done
}

setup() {
	begin
	REPORTS=("$BATS_FILE_TMPDIR"/reports/*)
}

# judge_reports: Python from stdin, which hands a function to each_report() and may judge what it answers of them all.
judge_reports() {
	{
		cat <<- 'PYTHON'
			import json, os, sys

			def each_report(look):
			    """What look(its folder, its JSON) says of each; of one that it fails on, the name first."""
			    answers = []
			    for place in sys.argv[1:]:
			        try:
			            with open(f"{place}/json", encoding="utf-8") as file:
			                answers.append(look(place, json.load(file)))
			        except Exception:
			            print(os.path.basename(place))
			            raise
			    return answers

		PYTHON
		cat
	} | python3 - "${REPORTS[@]}"
}

# ---- svg

@test "svg is XML, and what it shows is the text report, line by line" {
	judge_reports <<- 'PYTHON'
		import xml.etree.ElementTree as ET

		SVG = "{http://www.w3.org/2000/svg}"

		def look(place, report):
		    root = ET.parse(f"{place}/svg").getroot()
		    shown = ["".join(line.itertext()) for line in root.iter(f"{SVG}text")]
		    with open(f"{place}/text", encoding="utf-8") as file:
		        # XML has no such character.
		        told = [line.replace("\ufffe", "?") for line in file.read().split("\n") if line]
		    assert shown == told, [pair for pair in zip(shown, told) if pair[0] != pair[1]]
		    # Nothing is fetched or run, and each line is inside.
		    assert not {node.tag for node in root.iter()} - {f"{SVG}{tag}" for tag in ("svg", "title", "style", "rect", "text", "tspan")}
		    assert all(int(line.get("y")) < int(root.get("height")) for line in root.iter(f"{SVG}text"))
		    # The verdict has its ink.
		    inks = [node.get("class") for node in root.iter(f"{SVG}tspan") if node.text == report["verdict"].upper()]
		    assert set(inks) == {report["verdict"]} or "gate" in place, inks

		each_report(look)
	PYTHON
}

# ---- junit

@test "junit is valid by its schema, and fails where the exit status does" {
	command -v xmllint > /dev/null || skip "xmllint is not installed"
	xmllint --noout --schema "$TOP/tests/cli/junit.xsd" "${REPORTS[@]/%//junit}" 2> "$ERR" || fail "$(grep -v validates "$ERR")"
	judge_reports <<- 'PYTHON'
		import xml.etree.ElementTree as ET

		# What a check's outcome is there; a warning fails where the exit status is not 0.
		KINDS = {"fail": {"failure"}, "unknown": {"error", "skipped"}, "skip": {"skipped"}, "pass": {None}, "note": {"system-out"}}

		def look(place, report):
		    root = ET.parse(f"{place}/junit").getroot()
		    kinds = dict(KINDS, warn={"failure" if report["exit_status"] else "system-out"})
		    told = {}
		    for case in root.iter("testcase"):
		        kind = case[0].tag if len(case) else None
		        told.setdefault(case.get("classname"), []).append((case.get("name"), kind))
		    decision = told.pop("gpudiag.decision", [])
		    # A case for each check and what it was asked about.
		    for check in report["checks"]:
		        name, kind = told[f"gpudiag.{check['stage']}.{check['check']}"].pop(0)
		        assert kind in kinds[check["result"]] and (kind != "error" or check["required"] or "failure" in check), (check, kind)
		        assert name, check
		    assert not any(told.values()), told
		    for suite in [root, *root]:
		        for attribute, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
		            assert int(suite.get(attribute)) == sum(1 for _ in suite.iter(tag)), (suite.get("name"), attribute)
		    # What is green there is what ended as 0.
		    bad = int(root.get("failures")) + int(root.get("errors"))
		    assert bool(bad) == bool(report["exit_status"]), bad
		    assert not decision or bad == 1, decision

		each_report(look)
	PYTHON
}

@test "the schema is one: what no reader would take is not valid" {
	command -v xmllint > /dev/null || skip "xmllint is not installed"
	local wrong
	cp "$BATS_FILE_TMPDIR/reports/h100-8-x8/junit" junit
	for wrong in 's/ tests="[0-9]*"//' 's/<skipped message="[^"]*"/<skipped/' 's/<testcase classname="[^"]*"/<testcase/' \
		's/<failure /<failed /; s/failure>/failed>/' 's/<properties>/<property name="a" value="b"\/><properties>/'; do
		sed "$wrong" junit > wrong.xml
		differ=$(cmp junit wrong.xml || :)
		isnt "$differ" '' "the change $wrong"
		if xmllint --noout --schema "$TOP/tests/cli/junit.xsd" wrong.xml 2> /dev/null; then
			fail "valid after $wrong"
		fi
	done
}

# ---- markdown

@test "markdown: what GitHub's own renderer makes of it has all tables, code and text" {
	local place
	command -v cmark-gfm > /dev/null || skip "cmark-gfm is not installed"
	for place in "${REPORTS[@]}"; do
		cmark-gfm -e table -e strikethrough -e autolink -e tagfilter --unsafe "$place/markdown" > "$place/rendered"
	done
	judge_reports <<- 'PYTHON'
		from html.parser import HTMLParser

		class Page(HTMLParser):
		    """Tables as lists of rows of cells' texts, code blocks, headings, and the text outside of code."""
		    def __init__(self):
		        super().__init__()
		        self.open, self.tags = [], set()
		        self.tables, self.blocks, self.heads, self.loose = [], [], [], []
		    def handle_starttag(self, tag, attrs):
		        self.tags.add(tag)
		        self.open.append(tag)
		        if tag == "table":
		            self.tables.append([])
		        elif tag == "tr":
		            self.tables[-1].append([])
		        elif tag in ("td", "th"):
		            self.tables[-1][-1].append("")
		        elif tag == "pre":
		            self.blocks.append("")
		        elif tag == "h2":
		            self.heads.append("")
		    def handle_endtag(self, tag):
		        assert self.open.pop() == tag, tag
		    def handle_data(self, data):
		        if "td" in self.open or "th" in self.open:
		            self.tables[-1][-1][-1] += data
		        if "pre" in self.open:
		            self.blocks[-1] += data
		        if "h2" in self.open:
		            self.heads[-1] += data
		        if "code" not in self.open:
		            self.loose.append(data)
		    def table(self, head):
		        return [dict(zip(table[0], row)) for table in self.tables if head in table[0] for row in table[1:]]

		def words(text):
		    return " ".join(text.split())

		def look(place, report):
		    page = Page()
		    with open(f"{place}/rendered", encoding="utf-8") as file:
		        page.feed(file.read())
		    page.close()
		    assert not page.open, page.open
		    # Nothing of the node's became an element, a link or a picture; nobody is mentioned.
		    assert page.tags <= set("h2 h3 h4 p strong ol ul li pre code table thead tbody tr th td".split()), page.tags
		    loose = "".join(page.loose)
		    for sign in ("@", "://", "www.", "$", ":ab:", ":+1:"):
		        assert sign not in loose, (sign, loose)
		    host = report["host"]["name"]
		    if host and host.isprintable():
		        title = f"gpudiag: {report['verdict'].upper()} on {host}"
		        if "gate" in report:
		            title = f"gpudiag gate: {report['gate']['answer'].upper().replace('CANNOT-', 'CANNOT ')} on {host}"
		        assert words(page.heads[0]) == words(title), page.heads
		    judged = {check["stage"] for check in report["checks"]}
		    stages = [row["Stage"] for row in page.table("Stage")]
		    assert stages == [stage["name"] for stage in report["stages"] if stage["name"] in judged], stages
		    assert [row["PCI"] for row in page.table("GPU")] == [gpu["pci"] for gpu in report["gpus"]]
		    # Every finding that asks for something has its evidence, to the last row.
		    faults = [finding for finding in report["findings"] if finding["outcome"] in ("warn", "fail")]
		    assert len(page.table("Evidence")) == sum(len(finding["evidence"]) for finding in faults)
		    assert len(page.table("Check")) == len({(one["check"], one["reason"]) for one in report["unknown"]})
		    # Each command can be pasted as it is.
		    commands = {step["command"] for step in report["decision"]["next"] if step["command"]}
		    assert commands <= {block.rstrip("\n") for block in page.blocks}, (commands, page.blocks)

		each_report(look)
	PYTHON
}

# ---- github

@test "github: annotations are read back as they were meant" {
	# As the runner reads a log: a line that begins with "::" is a command.
	judge_reports <<- 'PYTHON'
		import re

		def plain(text, also=()):
		    for code, sign in (("%0D", "\r"), ("%0A", "\n"), *also, ("%25", "%")):
		        text = text.replace(code, sign)
		    return text

		def look(place, report):
		    with open(f"{place}/github", encoding="utf-8", newline="") as file:
		        lines = file.read().split("\n")
		    assert lines.pop() == ""
		    last = lines.pop()
		    if "gate" in report:
		        assert last == f"gpudiag: {report['gate']['answer']}: {report['gate']['reason']}", last
		    else:
		        assert last.startswith(f"gpudiag: {report['verdict']}: "), last
		        assert f"Decision: {report['decision']['action']}" in last, last
		    assert "##[" not in last and "\r" not in last
		    told = {"error": [], "warning": [], "notice": []}
		    for line in lines:
		        form = re.fullmatch(r"::(error|warning|notice) title=([^:,\r]+)::([^\r]+)", line)
		        assert form, line
		        told[form[1]].append((plain(form[2], (("%3A", ":"), ("%2C", ","))), plain(form[3])))
		    for kind, annotations in told.items():
		        assert len(annotations) <= 10, (kind, len(annotations))
		    kinds = {"fail": "error", "warn": "warning", "note": "notice"}
		    for finding in report["findings"]:
		        annotations = told[kinds[finding["outcome"]]]
		        assert any(title == f"gpudiag: {finding['id']}" for title, _ in annotations) or \
		            annotations[-1][0].endswith(" more"), finding["id"]
		    for one in report["unknown"]:
		        kind = "error" if one["required"] or one["failed_to_answer"] else "notice"
		        assert any(one["check"] in message for _, message in told[kind]), one
		    commands = {step["command"] for step in report["decision"]["next"] if step["command"]}
		    messages = "\n".join(message for annotations in told.values() for _, message in annotations)
		    if report["findings"]:
		        assert all(f"\n  {command}" in messages for command in commands), commands

		each_report(look)
	PYTHON
}

# ---- nagios

@test "nagios: one line by the guidelines, with the figures of the report" {
	# Monitoring Plugins Development Guidelines: TEXT | 'label'=value[UOM];[warn];[crit];[min];[max] …
	judge_reports <<- 'PYTHON'
		import re

		NUMBER = r"-?[0-9]+(?:\.[0-9]+)?"
		FIGURE = rf"'([^'=|]+)'=({NUMBER})(us|ms|s|%|[KMGT]?B|c)?(?:;({NUMBER})?(?:;({NUMBER})?(?:;({NUMBER})?(?:;({NUMBER})?)?)?)?)?"

		def look(place, report):
		    with open(f"{place}/nagios", encoding="utf-8", newline="") as file:
		        text = file.read()
		    form = re.fullmatch(rf"GPUDIAG (OK|WARNING|CRITICAL|UNKNOWN) - ([^|\r\n]+) \| ({FIGURE}(?: {FIGURE})*)\n", text)
		    assert form, text
		    assert form[1] == ("OK", "WARNING", "CRITICAL", "UNKNOWN")[report["exit_status"]], form[1]
		    figures = re.findall(FIGURE, form[3])
		    values = {label: float(value) for label, value, *_ in figures}
		    assert len(values) == len(figures), figures
		    for label, value, _, _, _, least, most in figures:
		        assert not least or float(value) >= float(least), label
		        assert not most or label == "gpus" or float(value) <= float(most), label
		    assert values["failures"] == sum(finding["outcome"] == "fail" for finding in report["findings"])
		    assert values["warnings"] == sum(finding["outcome"] == "warn" for finding in report["findings"])
		    assert values["not_judged"] == len(report["unknown"])
		    ours = [gpu for gpu in report["gpus"] if gpu["under_test"]]
		    if "gpus" in values:
		        assert values["gpus"] == len(ours)
		        assert values["gpus_usable"] == sum(gpu["state"] == "usable" for gpu in ours)
		    gpu_of = {gpu["pci"]: gpu["index"] for gpu in ours}
		    for timing in report["timings"]:
		        if timing["key"] in ("h2d-pinned", "d2h-pinned") and timing["gpu"] in gpu_of:
		            label = f"gpu{gpu_of[timing['gpu']]}_{timing['key'][:3]}_gbps"
		            assert abs(values[label] - timing["median"]) < 0.01, label
		    return len(values)

		assert max(each_report(look)) >= 30, "no node has the figures of all kinds"
	PYTHON
}

# ---- all of them

@test "the same input gives the same bytes, in any locale; --ascii keeps to ASCII" {
	local format
	for format in "${FORMATS[@]}"; do
		with env TZ=Asia/Kathmandu LC_ALL=de_DE.UTF-8 gpudiag run --snapshot "$TOP/tests/snapshots/h100-8-opencl.json" \
			--format "$format" --color always
		same "$OUT" "$BATS_FILE_TMPDIR/reports/snapshot-h100-8-opencl.json/$format"
		gpudiag run --root "$NODES/values-bad" --format "$format" --ascii
		is "$(LC_ALL=C grep -c '[^ -~]' "$OUT" || true)" 0 "$format: lines beyond ASCII"
	done
}

@test "list knows them, and a mistyped one is suggested" {
	local format
	gpudiag list formats
	for format in "${FORMATS[@]}"; do
		grep -q "^$format " "$OUT" || fail "no $format"
	done
	gpudiag run --format markdwon
	refused 'did you mean "markdown"'
}

# ---- README.md

# block WORDS: the indented block of README.md that begins with the line WORDS.
block() {
	sed -n "/^    $1\$/,/^\$/s/^    //p" "$TOP/README.md"
}

# A gpudiag on the PATH, as an installed one, that looks at TREE.
installed_for() {
	need_tree "$1"
	mkdir -p bin
	cat > bin/gpudiag <<- END
		#!/bin/sh
		exec "$GPUDIAG" "\$@" --root "$NODES/$1"
	END
	chmod +x bin/gpudiag
	rm -f gpudiag.xml summary
}

# As GitHub's runner starts a step that names no shell of its own, and GitLab's a script.
step() {
	status=0
	PATH=$PWD/bin:$PATH GITHUB_STEP_SUMMARY=$PWD/summary bash --noprofile --norc -eo pipefail -c "$1" > "$OUT" 2> "$ERR" || status=$?
}

@test "README.md: the gate in a workflow of GitHub works as it is written" {
	local command
	block jobs: > workflow
	is "$(wc -l < workflow)" 5 "lines"
	command=$(sed -n 's/^      - run: //p' workflow)
	has workflow '    steps:' '    runs-on: '
	isnt "$command" ''
	installed_for h100-8
	step "$command"
	is "$status" 0
	is "$(tail -n 1 "$OUT" | cut -d : -f 1,2)" 'gpudiag: go'
	has summary '## gpudiag gate: GO on h100-8'
	has gpudiag.xml '<testsuites name="gpudiag"' 'failures="0" errors="0"'
	installed_for h100-8-x8
	step "$command"
	is "$status" 2
	has "$OUT" '::error title=gpudiag%3A pcie-width.below-twins::GPU 3' 'gpudiag: no-go: GPU 3'
	has summary '## gpudiag gate: NO-GO on h100-8-x8'
	has gpudiag.xml '<failure message="pcie-width.below-twins: GPU 3'
	installed_for l40s-4
	step "$command"
	is "$status" 2
	has "$OUT" '::error title=gpudiag%3A gpu-visible'
}

@test "README.md: the gate in GitLab works as it is written" {
	local command
	block gate: > workflow
	command=$(sed -n 's/^  script: //p' workflow)
	isnt "$command" ''
	has workflow "reports: { junit: gpudiag.xml }"
	installed_for h100-8
	step "$command"
	is "$status" 0
	has "$OUT" 'GO: '
	has gpudiag.xml '<testsuites name="gpudiag"'
	installed_for h100-8-x8
	step "$command"
	is "$status" 2
	has "$OUT" 'NO-GO: GPU 3'
}

@test "README.md: the plugin for monitoring" {
	local command
	# shellcheck disable=SC2016 # backticks of Markdown
	command=$(sed -n 's/^`\(gpudiag --level read -f nagios\)` .*/\1/p' "$TOP/README.md")
	isnt "$command" ''
	installed_for h100-8-x8
	step "$command"
	is "$status" 2
	has "$OUT" 'GPUDIAG CRITICAL - GPU 3'
}
