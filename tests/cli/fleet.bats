#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# fleet.bats - many nodes judged together: which reports count, who is out of line, what they share, who is missing.
# How well it does on fleets of thousands is for tests/fleet.py.
# jq's variables are not the shell's, and a file of reports is best read line by line:
# shellcheck disable=SC2016,SC2129

load helpers.sh
load pages.sh

setup_file() {
	export BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR
	begin
	gpudiag run --snapshot "$TOP/tests/snapshots/h100-8-load.json" -f jsonl -o report
	# Eight GPUs with a figure each, all good.
	jq -c '.timings = [.gpus[] | select(.under_test) | {test: "memory-read", key: "memory-read", gpu: .pci, noisy: false, conditions: null,
		median: 2950, unit: "GB/s", mad: 1, n: 11}] | .verdict = "pass" | .exit_status = 0 | .findings = []' report > good
}
setup() {
	begin
	cp "$BATS_FILE_TMPDIR/good" good
}

# nodes FIRST LAST [EXPRESSION]: reports of those nodes on standard output, each changed by jq; $n is its number.
nodes() {
	local n
	for n in $(seq "$1" "$2"); do
		jq -c --argjson n "$n" "(\$n | tostring) as \$name | .host.name = \"n\" + \$name | .host.machine_id = \"m\" + \$name
			| .host.boot_id = \"b\" + \$name | .gpus |= map(.serial = \"165\" + ((\$n * 1000 + .index) * 7919 % 9999991 | tostring) + \"00000\")
			| .timings |= [to_entries[] | .value.median += ((.key * 5 + \$n * 3) % 7) | .value] | ${3:-.}" good
	done
}
# slow GPU SHARE: a change for nodes(), of that GPU's figure
slow() { echo ".timings[$1].median *= $2"; }

@test "a fleet without a fault is a pass" {
	nodes 1 4 > reports
	gpudiag fleet reports
	is "$status" 0
	has "$OUT" 'PASS  All good: 4 nodes, 32 GPUs.'
	empty "$ERR"
	gpudiag fleet reports -f json
	is "$(json -c '[.verdict, .counts.nodes, .counts.good, .counts.gpus, .comparisons, .exit_status]')" '["pass",4,4,32,32,0]'
	gpudiag fleet reports -f json --expect 'n[1-4]' --ascii
	is "$status" 0
}

@test "one, two and three of a kind accuse no card" {
	nodes 1 1 "$(slow 0 0.5)" | jq -c '.gpus |= .[0:3] | .timings |= .[0:3]' > three
	gpudiag fleet three -f json
	is "$(json -c '[.outliers, .exit_status]')" '[[],0]'
	# All equally slow: none is better, and nothing here says what they should reach.
	nodes 1 2 '.timings |= map(.median /= 2)' > slow
	gpudiag fleet slow
	is "$status" 0
}

@test "a card that is slower than its kind is out of line, by its address and serial number" {
	{ nodes 1 3 && nodes 4 4 "$(slow 5 0.88)"; } > reports
	gpudiag fleet reports
	is "$status" 1
	has "$OUT" '1 GPU is out of line with its kind'
	has "$OUT" 'n4 GPU 5'
	has "$OUT" '12 % below the median'
	gpudiag fleet reports -f json
	is "$(json -c '.causes[] | [.level, .value, .bad, .of, (.worse_percent | round)]')" '["card","n4 GPU 5",1,1,12]'
	is "$(json -c '.outliers[] | [.node, .gpu, .pci, .metric, .unit]')" '["n4",5,"0000:bb:00.0","memory-read","GB/s"]'
	gpudiag fleet --nodes bad reports
	is "$(cat "$OUT")" n4
	is "$status" 1
	gpudiag fleet --nodes good reports
	is "$(cat "$OUT")" 'n[1-3]'
	# Within the limit it is as good as the others; what was noisy says nothing.
	nodes 4 4 "$(slow 5 0.96)" > fine
	nodes 5 5 "$(slow 5 0.5) | .timings[5].noisy = true" >> fine
	nodes 1 3 >> fine
	gpudiag fleet fine
	is "$status" 0
}

@test "the limit is the policy's" {
	{ nodes 1 3 && nodes 4 4 "$(slow 5 0.88)"; } > reports
	echo '{"fleet.memory_ratio": 0.2}' > policy.json
	gpudiag fleet --policy policy.json reports
	is "$status" 0
	echo '{"fleet.memory_ration": 0.2}' > policy.json
	gpudiag fleet --policy policy.json reports
	refused 'policy.json:1: unknown key "fleet.memory_ration" (did you mean "fleet.memory_ratio"?)'
}

@test "what slow GPUs share is named: node, rack, slot, batch" {
	{ nodes 1 9 && nodes 10 10 '.timings |= map(.median *= 0.9)'; } > node
	gpudiag fleet node -f json
	is "$(json -c '[.causes[] | [.level, .value, .bad, .of]]')" '[["node","n10",8,8]]'

	{ nodes 1 36 && nodes 37 40 '.timings |= map(.median *= 0.9)'; } > rack
	printf 'n[1-12] r1\nn[13-24] r2\n# the new ones\nn[25-36] r3\nn37 r4\nn[38-40]=r4\n' > racks
	gpudiag fleet rack --group rack=racks -f json
	is "$(json -c '[.causes[] | [.level, .value, .bad, .of]]')" '[["rack","r4",32,32]]'
	gpudiag fleet rack --group rack=racks
	has "$OUT" '32 GPUs are out of line with their kind: rack r4 has 32 of them'
	has "$OUT" 'n[37-40]'
	# What Slurm knows of its switches: the leaves count.
	printf 'SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[1-36]\nSwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[37-40]\nSwitchName=s2 Level=1 LinkSpeed=1 Nodes=n[1-40] Switches=s[0-1]\n' > topology
	gpudiag fleet rack --group switch=topology -f json
	is "$(json -c '[.causes[] | [.level, .value, .bad, .of]]')" '[["switch","s1",32,32]]'
	# A card and a node in it that are worse than the rack are named beside it.
	{ nodes 1 36 && nodes 37 38 '.timings |= map(.median *= 0.9)' && nodes 39 39 '.timings |= map(.median *= 0.9) | .timings[3].median *= 0.8' &&
	  nodes 40 40 '.timings |= map(.median *= 0.75)'; } > slower
	gpudiag fleet slower --group rack=racks -f json
	is "$(json -c '[.causes[] | [.level, .value, .within, .bad, .of]]')" '[["rack","r4",null,23,32],["node","n40","rack r4",8,8],["card","n39 GPU 3","rack r4",1,1]]'
	gpudiag fleet slower --group rack=racks
	has "$OUT" 'others of rack r4 are out of line by'
	# Who knows no racks names the nodes.
	gpudiag fleet rack -f json
	is "$(json -c '[.causes[] | [.level, .value]]')" '[["node","n37"],["node","n38"],["node","n39"],["node","n40"]]'

	{ nodes 1 4 && nodes 5 20 "$(slow 7 0.9)"; } > slot
	gpudiag fleet slot -f json
	is "$(json -c '[.causes[] | [.level, .value, .bad, .of]]')" '[["slot","8",16,20]]'

	{ nodes 1 30 && nodes 31 40 '.gpus[2].serial = "1777000000" + $name | .timings[2].median *= 0.9'; } > cards
	gpudiag fleet cards -f json
	is "$(json -r '.causes[0].level')" serial-batch
	[[ $(json -r '.causes[0].value') == 1777* ]] || fail "$(json .causes)"
	is "$(json -c '[(.causes | length), .causes[0].bad]')" '[1,10]'
}

@test "labels of nodes as Kubernetes and Slurm print them" {
	{ nodes 1 36 && nodes 37 40 '.timings |= map(.median *= 0.9)'; } > reports
	local n
	zone() { [ "$1" -le 36 ] && echo $((($1 - 1) / 12 + 1)) || echo 4; }
	# The old label stays beside the new one; a node has none; what a node calls itself need not be its name there.
	{
		echo 'NAME  STATUS  ROLES  AGE  VERSION  LABELS'
		for n in {1..40}; do
			echo "k8s-$n  Ready,SchedulingDisabled  <none>  10d  v1.30.1  failure-domain.beta.kubernetes.io/zone=z$(zone "$n"),kubernetes.io/hostname=n$n,topology.kubernetes.io/zone=z$(zone "$n")"
		done
		echo 'login  Ready  control-plane  10d  v1.30.1  <none>'
	} > labels
	gpudiag fleet reports --group zone=labels -f json
	is "$(json -c '[.causes[] | [.level, .value, .bad, .of]]')" '[["zone","z4",32,32]]'
	gpudiag fleet reports --group topology.kubernetes.io/zone=labels -f json
	is "$(json -c '[.causes[] | [.level, .value]]')" '[["topology.kubernetes.io/zone","z4"]]'
	# As JSON.
	for n in {1..40}; do
		jq -n --arg n "n$n" --arg zone "z$(zone "$n")" '{metadata: {name: $n, labels: {"topology.kubernetes.io/zone": $zone}}}'
	done | jq -s '{apiVersion: "v1", kind: "List", items: .}' > labels.json
	gpudiag fleet reports --group zone=labels.json -f json
	is "$(json -c '[.causes[] | [.level, .value, .bad]]')" '[["zone","z4",32]]'
	# Features: the one that begins with the name.
	for n in {1..40}; do
		echo "NodeName=n$n Arch=x86_64 CoresPerSocket=48 AvailableFeatures=h100,rack$(zone "$n"),ib ActiveFeatures=h100 Gres=gpu:8"
	done > features
	echo 'NodeName=login AvailableFeatures=(null) ActiveFeatures=(null)' >> features
	gpudiag fleet reports --group rack=features -f json
	is "$(json -c '[.causes[] | [.level, .value, .bad]]')" '[["rack","rack4",32]]'
	{ echo 'NODELIST AVAIL_FEATURES' && for n in {1..40}; do echo "n$n h100,rack$(zone "$n")"; done; } > sinfo
	gpudiag fleet reports --group rack=sinfo -f json
	is "$(json -c '[.causes[] | [.level, .value, .bad]]')" '[["rack","rack4",32]]'
}

@test "labels of nodes that are damaged, or that none has" {
	nodes 1 2 > reports
	printf 'NAME STATUS LABELS\nn1 Ready a/zone=1,b/zone=2\n' > labels
	gpudiag fleet reports --group zone=labels
	refused 'labels:2: two labels are called zone: a/zone and b/zone'
	gpudiag fleet reports --group a/zone=labels
	is "$status" 0
	gpudiag fleet reports --group rack=labels
	refused 'labels: none of its 1 nodes has a label "rack"'
	printf 'NAME STATUS LABELS\nn1 Ready zone\n' > labels
	gpudiag fleet reports --group zone=labels
	refused 'labels:2: "zone" is no label, KEY=VALUE'
	echo '{"items": [{"metadata": {"name": 3, "labels": {"zone": "a"}}}]}' > labels
	gpudiag fleet reports --group zone=labels
	refused 'labels:1: metadata.name: text is expected'
	echo '{"metadata": {"name": "n1"}}' > labels
	gpudiag fleet reports --group zone=labels
	refused 'labels:1: no list of nodes: use kubectl get nodes -o json'
	echo '{"items": [' > labels
	gpudiag fleet reports --group zone=labels
	refused 'labels:2: '
	printf 'NodeName=n1 AvailableFeatures=rack1,rack2\n' > labels
	gpudiag fleet reports --group rack=labels
	refused 'labels:1: two features begin with rack: rack1 and rack2'
	printf 'NodeName=n1 Arch=x86_64 \n   AvailableFeatures=rack1\n' > labels
	gpudiag fleet reports --group rack=labels
	refused 'labels:1: NodeName= and AvailableFeatures= are expected: use scontrol -o show node'
}

@test "GPUs behind the other socket are slower, and no fault" {
	nodes 1 12 '.timings |= map(.key = "h2d-pinned") | .timings[4:] |= map(.median *= 0.92)' > reports
	gpudiag fleet reports
	is "$status" 0
}

@test "groups come before statistics: another limit, driver or firmware is not a fault" {
	{ nodes 1 6 && nodes 7 9 '.gpus |= map(.power_limit_mw = 500000) | .timings |= map(.median *= 0.8)'; } > reports
	gpudiag fleet reports
	is "$status" 0
	has "$OUT" 'power limit'
	has "$OUT" '700 W: 6 nodes, 500 W: 3 nodes'
	gpudiag fleet reports -f json
	is "$(json '.groups | length')" 2
	is "$(json -c '.splits[] | select(.what == "power_limit_mw") | [.setting, [.values[] | [.value, .nodes]]]')" '[true,[["700 W",6],["500 W",3]]]'
}

@test "a setting that a few have alone is odd, by majority" {
	{ nodes 1 9 && nodes 10 10 '.gpus[3].power_limit_mw = 500000'; } > reports
	gpudiag fleet reports
	is "$status" 1
	has "$OUT" '1 GPU is set otherwise than its kind.'
	has "$OUT" 'n10 GPU 3       power limit 500 W; 79 of 80 GPUs of its kind have 700 W'
	gpudiag fleet reports -f json
	is "$(json -c '[.odd_settings[] | [.node, .gpu, .what, .value, .usual, .usual_gpus, .of]]')" '[["n10",3,"power_limit_mw","500 W","700 W",79,80]]'
	is "$(json -c '[.counts.outlier_nodes, .counts.good]')" '[1,9]'
	gpudiag fleet reports --nodes bad
	is "$(cat "$OUT")" n10
	# Those that have the same stand in one row.
	{ nodes 1 9 && nodes 10 11 '.gpus[3:] |= map(.link_width_able = 8)'; } > reports
	gpudiag fleet reports
	has "$OUT" '10 GPUs         able link width x8, on n[10-11]; 78 of 88 GPUs of their kind have x16'
	# More than a fifth is a roll-out; the policy says how many.
	{ nodes 1 3 && nodes 4 4 '.gpus |= map(.power_limit_mw = 500000)'; } > quarter
	gpudiag fleet quarter
	is "$status" 0
	echo '{"fleet.minority_ratio": 0.3}' > policy.json
	gpudiag fleet quarter --policy policy.json
	is "$status" 1
	echo '{"fleet.minority_ratio": 0}' > policy.json
	gpudiag fleet reports --policy policy.json
	is "$status" 0
	# Versions begin and end with a few; a partition is made for a job; VRAM that the firmware keeps is no setting; and
	# another model of machine may have other links.
	{ nodes 1 9 '.gpus |= map(.vram_total_bytes = 85520809984)' &&
	  nodes 10 10 '.gpus |= map(.driver_version = "1" | .partition = "MIG" | .vram_total_bytes = 85045084160)' &&
	  nodes 11 11 '.host.product = "other" | .gpus |= map(.link_width_able = 8)'; } > reports
	gpudiag fleet reports
	is "$status" 0
	has "$OUT" 'x16: 10 nodes, x8: 1 node (n11)'
}

@test "an older report of another node convicts the card, one of another card the slot" {
	nodes 1 5 > reports
	nodes 6 6 '.gpus[3].serial = "1650000000001" | .timings[3].median *= 0.9' >> reports
	nodes 5 5 '.taken_at = "2026-01-02T01:00:00.000Z" | .gpus[1].serial = "1650000000001" | .timings[1].median *= 0.9' >> reports
	gpudiag fleet reports -f json
	is "$(json -c '.causes[] | [.level, .value, .before]')" '["card","n6 GPU 3","it was slow in n5, too: the card"]'
	nodes 1 5 > reports
	nodes 6 6 '.gpus[3].serial = "1650000000001" | .timings[3].median *= 0.9' >> reports
	nodes 6 6 '.taken_at = "2026-01-02T01:00:00.000Z" | .gpus[3].serial = "1650000000002" | .timings[3].median *= 0.9' >> reports
	gpudiag fleet reports -f json
	is "$(json -c '.causes[] | [.level, .value, .before]')" \
		'["slot","n6 GPU 3","another card was slow there, too (1650000000002): the slot"]'
}

# history OF LAST EXPRESSION: that many older reports of node OF, a day apart; $n is the day.
history() {
	local day
	for day in $(seq "$2"); do
		nodes "$1" "$1" "$3" | jq -c --argjson n "$day" ".taken_at = \"2025-12-\(10 + \$n)T03:04:05.000Z\" | $3"
	done
}

@test "a card that is worse than it was itself" {
	local day
	# At once, and twice in a row; the newest alone may be a bad day.
	history 1 8 '.timings[2].median *= (if $n == 8 then 0.96 else 1 end)' > old
	nodes 1 1 '.timings[2].median *= 0.96' > now
	gpudiag fleet --history old now -f json
	is "$status" 1
	is "$(json -c '[.drifts[] | [.node, .gpu, .metric, .kind, .reports, (.worse_percent | round)]]')" '[["n1",2,"memory-read","step",9,4]]'
	is "$(json -c '[.counts.nodes, .outliers]')" '[1,[]]'
	gpudiag fleet --history old now
	has "$OUT" '1 GPU is worse than before'
	has "$OUT" 'n1 GPU 2'
	history 1 8 . > old
	gpudiag fleet --history old now
	is "$status" 0
	# Little by little.
	history 1 14 '.timings[2].median *= (1 - 0.003 * $n)' > old
	nodes 1 1 '.timings[2].median *= 0.955' > now
	gpudiag fleet --history old now -f json
	is "$(json -c '[.drifts[] | [.gpu, .kind]]')" '[[2,"decline"]]'
	# Another driver begins anew, and a card without a number has no history.
	nodes 1 1 '.timings[2].median *= 0.955 | .gpus |= map(.driver_version = "1")' > other
	gpudiag fleet --history old other
	is "$status" 0
	jq -c '.gpus |= map(.serial = null | .uuid = null)' old > unknown
	nodes 1 1 '.timings[2].median *= 0.955 | .gpus |= map(.serial = null | .uuid = null)' > other
	gpudiag fleet --history unknown other
	is "$status" 0
}

@test "what is worse on most GPUs of a kind is no fault of the cards" {
	local n slower='.timings |= map(.median *= 0.96)'
	for n in {1..4}; do
		history "$n" 8 "if \$n == 8 then $slower else . end"
	done > old
	nodes 1 4 "$slower" > now
	gpudiag fleet --history old now
	is "$status" 1
	has "$OUT" 'WARN  1 kind of GPU is worse than before as a whole.'
	has "$OUT" '32 of 32 NVIDIA H100'
	gpudiag fleet --history old now -f json
	is "$(json -c '[.drifts, .counts.outlier_nodes, [.shifts[] | [.group, .metric, .gpus, .of, (.worse_percent | round)]]]')" '[[],0,[[0,"memory-read",32,32,4]]]'
	# One node of four is that node.
	{ nodes 1 3 && nodes 4 4 "$slower"; } > now
	gpudiag fleet --history old now -f json
	is "$(json -c '[([.drifts[].node] | unique), .shifts]')" '[["n4"],[]]' "all of n4"
}

@test "history judges no node" {
	nodes 1 3 > now
	history 4 2 '.verdict = "fail" | .exit_status = 2' > old
	# Of another time too: what a site keeps may be newer than what is asked about.
	nodes 1 1 '.taken_at = "2026-01-02T09:00:00.000Z" | .verdict = "fail" | .exit_status = 2' >> old
	gpudiag fleet --history old now -f json --max-age 0
	is "$(json -c '[.counts.nodes, .counts.no_go, .missing[].node]')" '[4,0,"n4"]'
	is "$status" 3
}

@test "of several reports of a node the newest counts" {
	nodes 1 3 > reports
	# It was slow this morning, and was repaired; the same file twice; one of a version without a machine id.
	nodes 4 4 "$(slow 5 0.5) | .taken_at = \"2026-01-02T01:00:00.000Z\" | .verdict = \"fail\" | .exit_status = 2" >> reports
	nodes 4 4 >> reports
	nodes 4 4 >> reports
	nodes 3 3 '.taken_at = "2026-01-02T01:00:00.000Z" | del(.host.machine_id) | .verdict = "fail"' >> reports
	gpudiag fleet reports -f json
	is "$(json -c '[.counts.nodes, .counts.good, .counts.records, .exit_status]')" '[4,4,7,0]'
	gpudiag fleet reports
	has "$OUT" '2 older reports'
}

@test "reports of one run alone judge" {
	nodes 1 5 '.request.run_id = "screen-7"' > reports
	nodes 4 6 '.request.run_id = "screen-6" | .taken_at |= sub("03:04"; "03:09") | .verdict = "fail"' >> reports
	nodes 7 7 >> reports
	gpudiag fleet reports --run-id screen-7 --expect 'n[1-6]'
	is "$status" 3
	has "$OUT" 'UNKNOWN  2 nodes did not answer.'
	has "$OUT" 'its last report is of 2026-01-02, run screen-6:'
	has "$OUT" 'its last report is of 2026-01-02:'
	gpudiag fleet reports --run-id screen-7 -f json
	is "$(json -c '[.counts.reported, [.missing[].node]]')" '[5,["n6","n7"]]'
	# Without it the newest counts, and two runs are said.
	gpudiag fleet reports
	is "$status" 2
	gpudiag fleet reports -f json
	is "$(json -c .notes)" '["reports of more than one run: n1 is of run screen-7, n7 of a run without an id; --run-id takes those of one"]'
	# It comes from the run.
	gpudiag run --snapshot "$TOP/tests/snapshots/h100-8-load.json" -f jsonl --run-id screen-8 -o one
	gpudiag fleet --run-id screen-8 one -f json
	is "$(json .counts.reported)" 1
	gpudiag fleet --run-id 'a b' one
	refused 'fleet: --run-id: "a b" is not 1 to 64 letters, digits or ._:-'
	gpudiag run --run-id ''
	refused 'run: --run-id: "" is not 1 to 64 letters, digits or ._:-'
}

@test "machines of one name are two nodes, and said to be" {
	{ nodes 1 2 && nodes 2 2 '.host.machine_id = "other" | .verdict = "fail"'; } > reports
	gpudiag fleet reports -f json
	is "$status" 2
	is "$(json -c '[.counts.nodes, .counts.no_go, .counts.good]')" '[3,1,2]'
	is "$(json -c .notes)" '["2 machines are called n2; each is a node of its own"]'
}

@test "who should have answered and did not is missing, with what is known" {
	nodes 1 3 > reports
	nodes 4 4 '.taken_at = "2025-12-24T00:00:00.000Z"' >> reports
	mkdir folder
	nodes 5 5 | head -c 2000 > folder/n5.json
	gpudiag fleet reports folder --expect 'n[1-7].example.org' -f json
	is "$status" 3
	is "$(json -c '[.missing[].node]')" '["n4.example.org","n5.example.org","n6.example.org","n7.example.org"]'
	[[ $(json -r '.missing[0].known') == 'its last report is of 2025-12-24: '* ]] || fail "$(json .missing)"
	is "$(json -r '.missing[1].known')" 'folder/n5.json: ends too early'
	is "$(json -c '.missing[2].known')" null
	gpudiag fleet --nodes missing reports folder --expect 'n[1-7]'
	is "$(cat "$OUT")" 'n[4-7]'
	# Whoever answered last week alone is missing without a list, too; unless any age will do.
	gpudiag fleet reports
	is "$status" 3
	has "$OUT" '1 node did not answer'
	gpudiag fleet reports --max-age 0
	is "$status" 0
	gpudiag fleet reports --allow-missing 1
	is "$status" 0
	printf 'n1\nn2 # the second\nn[3-9]\n' > names
	gpudiag fleet reports --expect names -f json
	is "$(json '.counts.missing')" 6
	gpudiag fleet reports --expect 10
	has "$OUT" '7 nodes did not answer'
	has "$OUT" '6 more'
	is "$status" 3
}

@test "nodes that fail, that are not judged, that were interrupted, and that warn" {
	nodes 1 2 > reports
	nodes 3 3 '.verdict = "fail" | .exit_status = 2 | .headline = "GPU 3 has fallen off the bus."' >> reports
	gpudiag fleet reports
	is "$status" 2
	has "$OUT" '1 of 3 nodes must not get work'
	has "$OUT" 'GPU 3 has fallen off the bus.'
	nodes 1 2 > reports
	nodes 4 4 '.verdict = "unknown" | .exit_status = 3' >> reports
	nodes 5 5 '.exit_status = 130' >> reports
	gpudiag fleet reports -f json
	is "$status" 3
	is "$(json -c '[.not_judged[] | [.node, .partial]]')" '[["n4",false],["n5",true]]'
	nodes 1 2 > reports
	nodes 6 6 '.verdict = "warn" | .exit_status = 1' >> reports
	gpudiag fleet reports
	is "$status" 1
	has "$OUT" '1 node with warnings'
}

@test "records come in any wrapping" {
	# Of srun -l, clush and kubectl, with chatter in between; a document on many lines; a snapshot; files of a folder.
	nodes 1 1 | sed 's/^/0: /' > stream
	nodes 2 2 | sed 's/^/n2: /' >> stream
	echo 'srun: job 17 has been allocated resources' >> stream
	echo 'n9: {not json, but a message of some kind}' >> stream
	nodes 3 3 | sed 's,^,[pod/gpudiag-3-x7/gpudiag] ,' >> stream
	mkdir -p folder/deeper
	nodes 4 4 | jq . > folder/n4.json
	nodes 5 5 | jq . >> folder/n4.json
	cp "$TOP/tests/snapshots/h100-8-load.json" folder/deeper/snapshot
	echo 'half a rep' > folder/.n6.json.tmp
	"$GPUDIAG" fleet - folder -f json < stream > out || fail "$(cat out)"
	is "$(jq -c '[.counts.records, .counts.refused]' out)" '[6,0]'
}

@test "what is damaged or another's is named and counted, the rest goes on" {
	nodes 1 3 > reports
	nodes 4 4 | head -c 4096 >> reports
	echo >> reports
	echo '{"schema":"gpudiag.events/1","events":[]}' >> reports
	echo '{"hello": 1}' >> reports
	nodes 5 5 'del(.host)' >> reports
	nodes 6 6 '.taken_at = "yesterday"' >> reports
	nodes 7 7 | sed 's/^{/{"verdict":"pass",/' >> reports
	nodes 8 8 | sed 's/"index":0/"index":"0"/' >> reports
	nodes 9 9 | tail -c 500 >> reports
	gpudiag fleet reports -f json
	is "$status" 3
	is "$(json -c '[.counts.records, .counts.refused]')" '[3,8]'
	is "$(json -r '.refused[] | "\(.line) \(.reason)"')" '4 ends too early
5 not a report of gpudiag run, but "gpudiag.events/1"
6 not a report of gpudiag run
7 a report of no machine: host has neither a name nor a machine_id
8 taken_at: "yesterday" is no time
9 key "verdict" twice
10 number expected
11 a record without its beginning'
	gpudiag fleet reports
	has "$OUT" '8 records could not be read'
	has "$OUT" 'reports:4: ends too early'
}

@test "a figure beyond all measure is none" {
	nodes 1 4 'if $n == 4 then .timings[0].median = 1e300 | .timings[1].median = 1e-300 | .timings[2].mad = 1e300 else . end' > reports
	gpudiag fleet reports -f csv
	is "$status" 0
	! grep -iE 'inf|nan' "$OUT" || fail "a figure that is none"
	is "$(grep -c '^n4,' "$OUT")" 6
}

@test "nothing at all is not a pass" {
	: > empty
	mkdir folder
	for path in empty folder /dev/null; do
		gpudiag fleet "$path"
		is "$status" 3 "$path"
		has "$OUT" 'No report could be read.'
	done
}

@test "usage" {
	nodes 1 1 > reports
	gpudiag fleet
	refused 'fleet: name reports: files, folders, or - for standard input'
	gpudiag fleet not-there
	refused 'not-there: No such file or directory'
	gpudiag fleet reports --expect 'n[1-'
	refused 'fleet: --expect: n[1-: "[" without "]"'
	gpudiag fleet reports --expect not/there
	refused 'fleet: --expect: not/there: No such file or directory'
	gpudiag fleet reports --expect 0
	refused 'fleet: --expect: 0 nodes: use 1 to 10000000'
	gpudiag fleet reports --group racks
	refused 'fleet: --group: "racks" is not NAME=FILE, e.g. rack=racks.txt'
	echo n1 > racks
	gpudiag fleet reports --group rack=racks
	refused 'racks:1: a node and its rack are expected, "gpu001 r7"'
	gpudiag fleet reports --nodes worst
	refused '--nodes: unknown value "worst"'
	gpudiag fleet reports --nodes bad -f json
	refused 'fleet: --nodes prints a list of nodes, and has no --format'
	gpudiag fleet reports -o reports
	refused 'reports'
	gpudiag fleet - -
	refused 'fleet: standard input can be one of its files, not two'
	gpudiag fleet reports --allow-missing many
	refused 'fleet: --allow-missing: "many" is no number of nodes'
}

@test "names from other machines steer no terminal and no spreadsheet" {
	nodes 1 3 > reports
	nodes 4 4 "$(slow 5 0.8)"' | .host.name = "=cmd|\u001b[31m\"n4\",x" | .headline = "\u001b[2J"' >> reports
	gpudiag fleet reports
	! grep -q $'\e' "$OUT" || fail "$(cat -v "$OUT")"
	gpudiag fleet -f csv reports
	is "$(grep -c '^"=cmd|' "$OUT")" 8
	python3 -c 'import csv, sys; rows = list(csv.DictReader(sys.stdin)); assert len(rows) == 32, len(rows)
assert any(row["node"].endswith("\"n4\",x") for row in rows)' < "$OUT"
	gpudiag fleet reports -f json
	is "$(json -r '.causes[0].level')" card
}

@test "markdown: a ticket has the sentence, who is bad and why, and is short" {
	{ nodes 1 9 && nodes 10 10 "$(slow 5 0.88)" && nodes 11 60 '.verdict = "fail" | .exit_status = 2
		| .headline = "GPU \($n) is lost. " + ("x" * 5000)'; } > reports
	echo '{"hello": 1}' >> reports
	gpudiag fleet reports --expect 'n[1-62]' -f markdown
	is "$status" 2
	empty "$ERR"
	has "$OUT" '## gpudiag fleet: FAIL'
	has "$OUT" '**50 of 60 nodes must not get work; 1 GPU is out of line with its kind;'
	has "$OUT" 'exit status 2'
	has "$OUT" '`n[10-60]`'
	is "$(grep '^##* ' "$OUT")" '## gpudiag fleet: FAIL
### Must not get work
### Out of line with their kind
### Did not answer
### About the reports'
	has "$OUT" '| n11 | GPU 11 is lost.'
	has "$OUT" '| and 38 more |'
	has "$OUT" '| n10 GPU 5 | memory-read 12 % below the median'
	has "$OUT" '| 2 nodes | n\[61-62\] |'
	has "$OUT" '`reports:61`: not a report of gpudiag run'
	[ "$(wc -c < "$OUT")" -lt 16000 ] || fail "$(wc -c < "$OUT") bytes"
	# Where nothing is wrong there is nothing to say of it.
	nodes 1 1 > one
	gpudiag fleet one -f markdown --ascii
	is "$status" 0
	is "$(grep -c '^|' "$OUT")" 0
	has "$OUT" '**All good: 1 node, 8 GPUs.**'
	! LC_ALL=C grep -q '[^ -~]' "$OUT" || fail "$(cat "$OUT")"
}

@test "markdown: names from other machines are no markup" {
	nodes 1 4 > reports
	nodes 5 5 "$(slow 5 0.8)"' | .host.name = "n5|<b>`@all` [x](http://a.example)\u001b[31m" | .gpus[5].serial = "*7*|#12"' >> reports
	nodes 6 6 '.verdict = "fail" | .headline = "<img src=x onerror=y> | @octocat\n# no heading"' >> reports
	gpudiag fleet reports -f markdown
	! grep -q $'\e' "$OUT" || fail "$(cat -v "$OUT")"
	is "$(grep -c '^#' "$OUT")" 3
	command -v cmark-gfm > /dev/null || skip "cmark-gfm is not installed"
	cmark-gfm -e table -e strikethrough -e autolink --unsafe "$OUT" > page
	python3 - <<- 'PYTHON'
		import xml.etree.ElementTree as ET
		page = ET.fromstring("<page>" + open("page", encoding="utf-8").read() + "</page>")
		tags = {element.tag for element in page.iter()}
		assert tags <= set("page h2 h3 p strong code table thead tbody tr th td".split()), tags
		for table in page.iter("table"):
		    assert all(len(row) == 2 for row in table.iter("tr"))
		text = "".join(page.itertext())
		for wanted in "n5|<b>`@all` [x](http://a.example)\\x1b[31m", "serial *7*|#12", "<img src=x onerror=y> | @octocat":
		    assert wanted in text, wanted
	PYTHON
}

# figures PAGE: of each drawing its metric, bars of either population, limits and GPUs out of line.
figures() {
	python3 - "$1" <<- 'PYTHON'
		import sys, xml.etree.ElementTree as ET
		for svg in ET.parse(sys.argv[1]).iter("svg"):
		    paths = {path.get("class"): path.get("d").count("z") for path in svg.iter("path")}
		    print(svg.find("title").text.split()[0], bool(paths.get("first")), bool(paths.get("second")), "limit" in paths,
		          len(list(svg.iter("circle"))))
	PYTHON
}

@test "html: the sentence, who is bad and why, figures drawn, and the nodes" {
	{ nodes 1 9 && nodes 10 10 "$(slow 5 0.88)" && nodes 11 11 '.verdict = "fail" | .exit_status = 2 | .headline = "GPU 2 is lost."'; } > reports
	echo '{"hello": 1}' >> reports
	gpudiag fleet reports --expect 'n[1-13]' -f html -o page.html
	is "$status" 2
	strictly page.html
	tidied page.html
	has page.html '<b class="word fail">FAIL</b> 1 of 11 nodes must not get work; 1 GPU is out of line with its kind;'
	has page.html 'Exit status 2.' '<pre><code>n[10-11]</code></pre>'
	has page.html '<section id="no-go">' '<section id="outliers">' '<section id="missing">' '<section id="reports">'
	has page.html 'n[12-13]' 'reports:12: not a report of gpudiag run'
	is "$(figures page.html)" 'memory-read True False True 1'
	has page.html '<title>n10 GPU 5: 2' '12 % below the median'
	# The worst first, and what is drawn stands in a table too.
	is "$(grep -o '<section id="nodes">.*' <(tr -d '\n' < page.html) | grep -o 'scope="row">[^<]*' | head -3 | tr '\n' ' ')" \
		'scope="row">n11 scope="row">n10 scope="row">n1 '
	has page.html '<td>n10 GPU 5</td>'
}

@test "html: two populations have two colours" {
	{ nodes 1 5 && nodes 6 9 '.timings |= map(.median *= 0.7)'; } > reports
	gpudiag fleet reports -f html -o page.html
	strictly page.html
	is "$(figures page.html)" 'memory-read True True True 0'
	has page.html '>40 GPUs around 29' '>32 GPUs around 20'
}

@test "html: one GPU, none, and figures all alike" {
	nodes 1 1 '.gpus |= .[0:1] | .timings |= .[0:1]' > one
	gpudiag fleet one -f html -o one.html
	is "$status" 0
	has one.html '1 GPU on 1 node' '<b class="word pass">PASS</b>'
	hasnt one.html '<svg' 'section id="outliers"'
	nodes 1 3 '.timings |= map(.median = 0)' > zero
	gpudiag fleet zero -f html -o zero.html
	nodes 1 3 '.timings |= map(.median = 1e300)' > huge
	gpudiag fleet huge -f html -o huge.html
	nodes 1 3 '.timings = []' > none
	gpudiag fleet none -f html -o none.html
	: > empty
	gpudiag fleet empty -f html -o empty.html
	is "$status" 3
	has empty.html 'No report could be read.'
	strictly one.html zero.html huge.html none.html empty.html
	tidied one.html zero.html huge.html none.html empty.html
}

@test "html: names that are markup stay text" {
	nodes 1 4 > reports
	nodes 5 5 "$(slow 5 0.8)"' | .host.name = "<script>alert(1)</script>\"\u001b[2J\u202e" | .gpus[5].serial = "</table></style>"' >> reports
	nodes 6 6 '.verdict = "fail" | .headline = "<img src=x onerror=y>]]>" | .gpus |= map(.driver_version = "<b>")' >> reports
	gpudiag fleet reports -f html -o page.html
	strictly page.html
	tidied page.html
	hasnt page.html '<script' '<img' $'\e'
	has page.html '&lt;script&gt;alert(1)&lt;/script&gt;&quot;\x1b[2J\u202e GPU 5' '&lt;/table&gt;&lt;/style&gt;'
	gpudiag fleet reports -f html --ascii -o page.html
	! LC_ALL=C grep -q $'[\x80-\xff]' page.html || fail "$(cat page.html)"
}

@test "html: many kinds, metrics and nodes make no large page" {
	# Each node of a kind of its own, and all out of line.
	nodes 1 300 '.gpus |= map(.driver_version = $name) | .timings |= map(. as $t | range(5) | $t + {key: "memory-\(.)"})
		| .timings[0].median *= 0.2 | .verdict = "fail" | .headline = "x" * 5000' > reports
	gpudiag fleet reports -f html -o page.html
	strictly page.html
	has page.html 'And 288 more kinds with 2304 GPUs' 'And 100 more nodes.'
	[ "$(stat -c %s page.html)" -lt 1000000 ] || fail "$(stat -c %s page.html) bytes"
}

@test "the JSON is valid by the schema" {
	{ nodes 1 12 && nodes 13 13 "$(slow 5 0.8)"' | .gpus |= map(.vbios = "1")' && nodes 14 14 '.verdict = "fail"' &&
		nodes 15 15 | head -c 3000; } > reports
	gpudiag fleet reports --expect 'n[1-20]' -f json
	valid_by fleet "$OUT"
}

# What stands in the manual between .Bd and .Ed below QUESTIONS, each on one line.
questions() {
	sed -n '/^\.Sh QUESTIONS/,/^\.Sh EXIT/p' "$TOP/man/gpudiag-fleet.1" | awk '/^\.Bd/ { within = 1; text = ""; next }
		/^\.Ed/ { print text; within = 0 } within { text = text $0 " " }'
}

@test "the questions of the manual are answered by sqlite3" {
	local question nr=0
	command -v sqlite3 > /dev/null || skip "sqlite3 is not installed"
	{ nodes 1 4 && nodes 5 5 "$(slow 5 0.8)" && nodes 6 6 '.host.name = "o'"'"'n6\u000a" | .verdict = "fail"
		| .findings = [{id: "pcie-width.below-twins", gpu: .gpus[2].pci, outcome: "fail"}]'; } > reports
	printf 'n[1-3] r1\nn[4-5] r2\n' > racks
	gpudiag fleet -f sql --group rack=racks --expect 'n[1-7]' reports
	sqlite3 fleet.db < "$OUT" || fail "sqlite3 refuses it"
	is "$(sqlite3 fleet.db 'SELECT (SELECT count(*) FROM nodes), (SELECT count(*) FROM gpus), (SELECT count(*) FROM figures),
		(SELECT count(*) FROM missing), (SELECT count(*) FROM labels)')" '6|48|48|2|5'
	is "$(sqlite3 fleet.db "SELECT hex(node) FROM nodes WHERE state = 'no-go'")" 6F276E360A
	while read -r question; do
		sqlite3 fleet.db "$question" > answer || fail "$question"
		[ -s answer ] || fail "no answer: $question"
		nr=$((nr + 1))
	done < <(questions)
	is "$nr" 10
}
