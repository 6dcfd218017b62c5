#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# html.bats - pages: what a browser and a strict reader make of them, whatever the node's names are, and how large they get.

load helpers.sh
load pages.sh

TREES=(h100-8 h100-8-x8 h100-8-busy a100-16-mig laptop-asleep bmc-only container-2-of-8 mi300x-8 tasks-stuck values-bad vfio wsl)

# Names that are markup, or end it.
EVILS=(
	'<script>alert(1)</script><!-- --> &amp; ]]> <b onload="x">'
	$'"\'> <img src=x onerror=y> \e[31m \u202e \ufffe \x01 \x7f'
	'</code></pre></td></table></style><link href="http://evil.example/x.css">'
)

setup_file() {
	local name
	export BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR
	begin
	mkdir pages
	for name in "${TREES[@]}"; do
		need_tree "$name"
		gpudiag run --root "$NODES/$name" -f "html=pages/$name.html" -f "json=pages/$name.json"
	done
	for name in "$TOP"/tests/snapshots/*.json; do
		gpudiag run --snapshot "$name" -f "html=pages/${name##*/}.html" -f "json=pages/${name##*/}.json"
	done
	gpudiag collect --root "$NODES/h100-8" -o h100-8
	gpudiag collect --root "$NODES/h100-8-x8" -o x8
	gpudiag gate --root "$NODES/h100-8" --expect-gpus 8 -f html=pages/gate.html -f json=pages/gate.json
	is "$status" 0
	gpudiag gate --root "$NODES/h100-8-x8" --against h100-8 --to-driver 580.95.05 -f html=pages/gate-no.html -f json=pages/gate-no.json
	is "$status" 2
	gpudiag diff h100-8 x8 -f html -o pages/diff.html
	is "$status" 2
	gpudiag diff h100-8 h100-8 -f html -o pages/diff-same.html
	is "$status" 0
}

setup() {
	begin
	PAGES=$BATS_FILE_TMPDIR/pages
}

@test "every page is well-formed, fetches nothing and runs nothing" {
	strictly "$PAGES"/*.html
	tidied "$PAGES"/*.html
}

@test "a page has the sentence, the decision, commands, findings and what was not judged" {
	python3 - "$PAGES" <<- 'PYTHON'
		import glob, json, sys
		import xml.etree.ElementTree as ET

		def words(text):
		    return " ".join(text.split())

		for name in sorted(glob.glob(f"{sys.argv[1]}/*.json")):
		    with open(name, encoding="utf-8") as file:
		        report = json.load(file)
		    root = ET.parse(name[: -len(".json")] + ".html").getroot()
		    text = words("".join(root.itertext()))
		    head = words("".join(root.find("body/main/header").itertext()))
		    try:
		        gate = report.get("gate")
		        assert words(gate["reason"] if gate else report["headline"]) in head
		        assert report["decision"]["action"] in head and f"Exit status {report['exit_status']}." in head
		        commands = ["".join(pre.itertext()) for pre in root.iter("pre")]
		        for step in report["decision"]["next"]:
		            assert not step["command"] or step["command"] in commands, step
		        codes = {"".join(code.itertext()) for code in root.iter("code")}
		        for finding in report["findings"]:
		            assert finding["id"] in codes, finding["id"]
		        for one in report["unknown"]:
		            assert one["check"] in codes, one
		        states = [row[1] for row in root.iterfind("body/main/section[@id='gpus']//tbody/tr")]
		        assert len(states) == len(report["gpus"])
		        for cell, gpu in zip(states, report["gpus"]):
		            assert not gpu["under_test"] or "".join(cell.itertext()) == gpu["state"], gpu
		        # What a fault rests on is not folded away.
		        for fault in root.iter("article"):
		            assert all(fold.get("open") for fold in fault.iter("details"))
		    except AssertionError:
		        print(name)
		        raise
	PYTHON
}

# A node with such names, as ./hostile.
make_hostile() {
	jq --arg evil "$1" '.host.name = $evil | .host.product = $evil | .host.os = $evil | .run.tool = $evil
		| .gpus[3].pci.link_width = 8 | .gpus[].smbios_slot = $evil | .gpus[].pci.model = $evil
		| .gpus[1].pci |= (.link_width = null | .unknown.link_width = "error: \($evil)") | .gpus[2].pci.driver = $evil
		| .holders = [{key: "77:/dev/nvidia0", pid: 77, comm: $evil, uid: 0, gpu: "0000:19:00.0"}]' "$BATS_FILE_TMPDIR/h100-8" > hostile
}

@test "names that are markup stay text, in pages of all kinds" {
	local evil
	for evil in "${EVILS[@]}"; do
		make_hostile "$evil"
		gpudiag run --snapshot hostile -f html -o run.html
		is "$status" 2
		gpudiag gate --snapshot hostile --against "$BATS_FILE_TMPDIR/h100-8" -f html -o gate.html
		gpudiag diff "$BATS_FILE_TMPDIR/h100-8" hostile -f html -o diff.html
		jq -c '{schema: "gpudiag.watch/1", snapshot: .}, (range(20) as $t | {tick: {t_ns: ($t * 1000000000),
			gpus: [{key: "0000:19:00.0", busy_percent: 50}],
			processes: [{key: "77", comm: .host.name, role: "holder", gpus: ["0000:19:00.0"]}]}})' hostile > hostile.jsonl
		gpudiag watch --replay hostile.jsonl -f html -o watch.html
		strictly run.html gate.html diff.html watch.html
		tidied run.html gate.html diff.html watch.html
		hasnt run.html '<script' '<img' '<link' $'\e' $'\x01'
	done
	make_hostile '<script>alert("&")</script>'
	gpudiag run --snapshot hostile -f html
	has "$OUT" '&lt;script&gt;alert(&quot;&amp;&quot;)&lt;/script&gt;'
}

@test "a log line with bad UTF-8 and control bytes breaks no page" {
	printf 'Nov 20 12:00:00 n kernel: NVRM: Xid (PCI:0000:19:00): 79, pid=1, name=<b>\xff\xfe\x1b[2J\x00&</b>, GPU has fallen off the bus.\n' > log
	gpudiag run --import log -f html -o log.html
	[ "$status" -le 3 ] || fail "exit status $status" "$(show)"
	strictly log.html
	tidied log.html
}

@test "a node without a GPU, and one of which nothing is known" {
	has "$PAGES/bmc-only.html" '<section id="gpus">'
	echo '{"schema": "gpudiag.snapshot/1"}' > nothing
	gpudiag run --snapshot nothing -f html -o nothing.html
	is "$status" 3
	strictly nothing.html
	tidied nothing.html
	has nothing.html 'GPUs not known' '<b class="word unknown">UNKNOWN</b>'
}

@test "sixteen GPUs take less than 300 KB" {
	[ "$(stat -c %s "$PAGES/a100-16-mig.html")" -lt 300000 ] || fail "$(stat -c %s "$PAGES/a100-16-mig.html") bytes"
}

@test "a thousand GPUs stand in one table, and no drawing is of them" {
	jq '.gpus[1] as $gpu | .gpus = [range(1024) | . as $i | $gpu | .key = ("\(1000 + $i):19:00.0")] | .bus.gpus = 1024
		| .io_devices = [] | .holders = []' "$BATS_FILE_TMPDIR/h100-8" > many
	gpudiag run --snapshot many --check gpu-visible,gpu-bound -f html -o many.html
	[ "$status" -le 3 ] || fail "exit status $status" "$(show)"
	strictly many.html
	is "$(grep -c '<tr><th scope="row" class="r">[0-9]*</th><td><b class="word pass">usable' many.html)" 1024
	hasnt many.html '<svg'
	has many.html 'gpudiag topology -f svg'
	[ "$(stat -c %s many.html)" -lt 1000000 ] || fail "$(stat -c %s many.html) bytes"
}

@test "timings: a drawing beside each figure, and nothing drawn of one that is not known" {
	has "$PAGES/h100-8-opencl.json.html" '<section id="timings">' 'class="spread" role="img"' '<title>median ' 'All of 56 timings'
	jq '.ocl_devices[].timings[].samples_ns = [0]' "$TOP/tests/snapshots/h100-8-opencl.json" > zero
	gpudiag run --snapshot zero -f html -o zero.html
	strictly zero.html
	tidied zero.html
}

@test "diff: the worse first" {
	has "$PAGES/diff.html" '<h1>Worse: ' '<b class="word fail">worse</b></td><td><code>link_width</code></td><td>x16</td><td>x8</td>'
	has "$PAGES/diff-same.html" '<header class="pass">' '<h1>Nothing changed.</h1>'
}

@test "gate: the answer, what got worse, and to which driver" {
	has "$PAGES/gate.html" '<b class="word pass">GO</b>'
	has "$PAGES/gate-no.html" '<b class="word fail">NO-GO</b> GPU 3' '<p>Driver 550.54.14 to 580.95.05 (up)</p>' '<p>Since ' 'Worse:</b> GPU 3'
}

@test "bench: drawn, with each figure's spread" {
	pocl_or_skip
	gpudiag bench latency --opencl-type cpu --seconds 1 -f html -o bench.html
	[ "$status" -le 1 ] || fail "exit status $status" "$(show)"
	strictly bench.html
	tidied bench.html
	has bench.html 'class="chart"' 'launch-latency' 'class="spread"' 'How they were measured'
	gpudiag bench storage . --seconds 1 -f html
	has "$OUT" '<section id="storage">'
}

# recording TICKS: two GPUs, of which the second is watched from the middle on, in series.jsonl.
recording() {
	jq -cn --argjson ticks "$1" '
		{schema: "gpudiag.watch/1", snapshot: {host: {name: "n"}, bus: {gpus: 2},
			gpus: [{key: "0000:10:00.0", pci: {class_code: "0x030200"}}, {key: "0000:11:00.0", pci: {class_code: "0x030200"}}]}},
		(range($ticks) as $t | {tick: {t_ns: ($t * 1000000000), gpus: [
			{key: "0000:10:00.0", busy_percent: ($t % 100)},
			(if $t * 2 > $ticks then {key: "0000:11:00.0", busy_percent: 100} else empty end)]}})' > series.jsonl
}

@test "watch: one page of a recording, a line for each GPU, as small for an hour as for a minute" {
	recording 60
	gpudiag watch --replay series.jsonl -f html -o watch.html
	[ "$status" -le 3 ] || fail "exit status $status" "$(show)"
	empty "$OUT"
	strictly watch.html
	tidied watch.html
	is "$(grep -c 'class="trace" role="img"' watch.html)" 2
	has watch.html 'Watched for 59 s, 60 ticks.' '<section id="gpus">'
	recording 3600
	gpudiag watch --replay series.jsonl -f html -o hour.html
	strictly hour.html
	[ "$(stat -c %s hour.html)" -lt 40000 ] || fail "$(stat -c %s hour.html) bytes"
	gpudiag watch --replay series.jsonl -f html
	same "$OUT" hour.html
}

@test "watch: a command's page goes to its file, and what it waited for to standard error" {
	gpudiag watch -f html -o watch.html -- sh -c 'echo hello; exit 7'
	is "$status" 7
	is "$(cat "$OUT")" hello
	has "$ERR" 'watched for '
	hasnt "$ERR" '<html'
	strictly watch.html
}

@test "a page replaces a file as a whole, and what cannot be written is said" {
	echo before > page.html
	gpudiag run --root "$NODES/h100-8" -f html -o page.html
	is "$status" 0
	strictly page.html
	gpudiag run --root "$NODES/h100-8" -f html -o missing/page.html
	refused 'missing/page.html: cannot write'
	gpudiag run --root "$NODES/h100-8" -f text -f html=page.html
	has "$OUT" 'PASS  '
}

@test "no text of topology's drawing is cut off" {
	jq '.host.name = ("h" * 300) | .gpus[].pci.model = "\u0001\u0002\u0003\u0004" * 10' "$BATS_FILE_TMPDIR/h100-8" > long
	gpudiag topology --snapshot long -f svg -o long.svg
	python3 - long.svg <<- 'PYTHON'
		import sys
		import xml.etree.ElementTree as ET

		SVG = "{http://www.w3.org/2000/svg}"
		root = ET.parse(sys.argv[1]).getroot()
		boxes = [(float(rect.get("x")), float(rect.get("width"))) for rect in root.iter(SVG + "rect") if rect.get("x")]
		texts = [(float(text.get("x")), text.text) for text in root.iter(SVG + "text")]
		# A character of a monospaced font of 13 px takes 0.602 of that.
		assert all(x + len(text) * 13 * 0.602 <= float(root.get("width")) for x, text in texts)
		for (left, width), (x, text) in zip(boxes, texts[1:], strict=True):
		    assert left <= x and x + len(text) * 13 * 0.602 <= left + width, text
	PYTHON
}
