#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# redact.bats - a redacted snapshot is judged as before, by every recorded machine, and names nobody.

load helpers.sh
setup() { begin; }

# What a report comes to, without the names in it.
judged() {
	"$GPUDIAG" run --snapshot "$1" --format json |
		jq -S '{verdict, exit_status, decision: (.decision | {action, schedulable, unusable_gpus}),
			findings: [.findings[] | [.id, .outcome, .subject, .gpu]],
			checks: [.checks[] | [.check, .subject, .result]]}'
}

# redacts_alike FILE: it is judged the same, and loads without anything unknown.
redacts_alike() {
	"$GPUDIAG" collect --redact --snapshot "$1" -o "$1.redacted" 2> "$ERR" || fail "$1: $(cat "$ERR")"
	judged "$1" > before
	judged "$1.redacted" > after
	same before after
	jq -e '.run.redacted' "$1.redacted" > /dev/null
}

@test "recorded snapshots are judged the same" {
	for file in "$TOP"/tests/snapshots/*.json; do
		cp "$file" snapshot
		redacts_alike snapshot
	done
}

@test "recorded trees are judged the same" {
	need_tree l40s-4
	for tree in "$NODES"/*/; do
		"$GPUDIAG" collect --root "$tree" -o snapshot
		redacts_alike snapshot
	done
}

@test "names are gone, and the report says so" {
	need_tree h100-8-busy
	gpudiag collect --redact --root "$NODES/h100-8-busy" -o redacted
	is "$status" 0
	hasnt redacted python3 TEST0001 '"h100-8-busy' '"user_id": 1042' "$NODES"
	has redacted nvidia-persiste '0000:5d:00.0'
	gpudiag run --snapshot redacted
	has "$OUT" 'the snapshot is redacted'
	hasnt "$OUT" h100-8-busy
}

@test "folders that are somebody's and hardware addresses are gone, other paths stay" {
	need_tree l40s-4
	gpudiag collect --root "$NODES/l40s-4" -o whole
	jq '.network_interfaces = [{key: "enx78e7d1ea46da", rdma_device: "rocex78e7d103001ea46d"}, {key: "eth0"}] |
		.user_libraries = [{key: "/data/alice/cuda/libcuda.so.550.54.14", name: "libcuda"},
			{key: "/usr/lib/x86_64-linux-gnu/libcuda.so.1", name: "libcuda"}] |
		.swaps = [{key: "/scratch/talon/swapfile", kind: "file"}] |
		.icds[0].library = "/data/alice/icd/libpocl.so" |
		.icds[0].unknown = {platforms: "error: /data/alice/icd/libpocl.so: not found"}' whole > odd
	gpudiag collect --redact --snapshot odd -o redacted
	is "$status" 0
	hasnt redacted alice talon scratch 78e7d1
	has redacted eth0 /usr/lib/x86_64-linux-gnu/libcuda.so.1 /libcuda.so.550.54.14 /swapfile
	is "$(jq '.user_libraries | length' redacted)" 2
}

# A copy of a recorded tree with these lines at the end of its kernel log.
tree_with_log() {
	need_tree l40s-4
	cp -r "$NODES/l40s-4" tree
	chmod -R u+w tree
	cat >> tree/sos_commands/kernel/dmesg
}

@test "of the kernel's log only what its forms know stays" {
	tree_with_log <<- EOF
		[  901.000000] nfs: server files-17.lab.example not responding, still trying
		[  902.000000] talon invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE), order=0, oom_score_adj=0
		[  902.100000] CPU: 3 PID: 4711 Comm: talon Not tainted 5.15.0-91-generic #101-Ubuntu
		[  902.200000] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=cri-alice.slice,mems_allowed=0,oom_memcg=/kubepods/pod-alice,task_memcg=/kubepods/pod-alice,task=talon,pid=4711,uid=71042
		[  902.300000] Memory cgroup out of memory: Killed process 4711 (talon) total-vm:1kB, UID:71042 pgtables:1kB
		[  903.000000] NVRM: Xid (PCI:0000:61:00): 13, pid=4711, name=talon, Graphics Exception on alice: job at files-17.lab.example
	EOF
	gpudiag collect --root tree -o whole
	has whole talon alice files-17 71042
	redacts_alike whole
	hasnt whole.redacted talon alice files-17 lab.example 71042 cri- kubepods
	has whole.redacted 'oom-kill:constraint=CONSTRAINT_MEMCG' 'NVRM: Xid (PCI:0000:61:00): 13, pid=4711, name=anon-'
}

@test "a line in no known form stays as that fact" {
	tree_with_log <<< '[  901.000000] talon at files-17.lab.example: GPU has fallen off the bus, says alice'
	gpudiag collect --root tree -o whole
	gpudiag run --snapshot whole
	is "$status" 3
	redacts_alike whole
	hasnt whole.redacted talon alice files-17
	gpudiag run --snapshot whole.redacted
	is "$status" 3
	has "$OUT" 'names a GPU error in an unknown form'
}

@test "the same name is the same in two snapshots of one machine" {
	need_tree h100-8-busy
	[ -r /etc/machine-id ] || skip "this machine has no machine-id"
	gpudiag collect --redact --root "$NODES/h100-8-busy" -o one
	gpudiag collect --redact --root "$NODES/h100-8-busy" -o two
	is "$(jq -c '[.host.name, .holders[].comm]' one)" "$(jq -c '[.host.name, .holders[].comm]' two)"
	isnt "$(jq -r .host.name one)" null
}

@test "a snapshot is redacted after the fact, from standard input as well" {
	need_tree l40s-4
	gpudiag collect --root "$NODES/l40s-4" -o whole
	gpudiag collect --redact --snapshot whole -o one
	is "$status" 0
	is "$(jq -c .run.argv one)" "$(jq -c '.run.argv | .[3] = "redacted" | .[5] = "redacted"' whole)"
	status=0
	"$GPUDIAG" collect --redact --snapshot - < whole > two || status=$?
	is "$status" 0
	same one two
	gpudiag collect --redact --snapshot one
	is "$status" 0
	same one "$OUT"
}

@test "what a newer gpudiag wrote is left out, and said" {
	need_tree l40s-4
	gpudiag collect --root "$NODES/l40s-4" -o whole
	jq '.host.secret_of_tomorrow = "hush"' whole > newer
	gpudiag collect --redact --snapshot newer
	is "$status" 0
	hasnt "$OUT" hush
	has "$ERR" 'secret_of_tomorrow' 'unknown key' 'ignored'
}

@test "options that do not go together" {
	gpudiag collect --snapshot x
	refused '--redact'
	gpudiag collect --redact --snapshot x --root y
	refused '--snapshot' '--root'
	gpudiag collect --redact --snapshot nosuch
	refused 'nosuch: No such file'
}
