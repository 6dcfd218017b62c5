#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# diff.bats - two looks at a node compared: what changed, what got worse, and what comes of files that cannot be compared.

load helpers.sh
setup() { begin; }

SNAPSHOTS=$TOP/tests/snapshots
H100=$SNAPSHOTS/h100-8-nvml.json
POCL_VM=$SNAPSHOTS/pocl-vm-window.json
REMAP='(.gpus[] | select(.key == "0000:19:00.0") | .nvml.remap_failed) = true'

# after FILTER [FILE]: the node a day later, edited; after.json
later() {
	jq '.run.taken_at = "2027-01-02T00:00:00.000Z" | .host.uptime_s = (.host.uptime_s // 0) + 86400 | '"$1" \
		"${2-$H100}" > after.json
}

# says PATTERN…: somewhere in what was said, wherever its lines break.
says() {
	local pattern
	for pattern; do
		tr -s '\n ' '  ' < "$OUT" | grep -qE -- "$pattern" || fail "nothing like \"$pattern\"" "$(show)"
	done
}

# ---- what changed

@test "nothing changed between a node and itself" {
	local file
	for file in "$SNAPSHOTS"/*.json; do
		gpudiag diff "$file" "$file"
		is "$status" 0 "$file"
		has "$OUT" 'Nothing changed'
	done
}

@test "where a run looked for libraries is no change of the node" {
	need_tree h100-8
	cp -r "$NODES/h100-8/driver" elsewhere
	gpudiag collect --root "$NODES/h100-8" --driver-root "$NODES/h100-8/driver" -o one
	gpudiag collect --root "$NODES/h100-8" --driver-root "$PWD/elsewhere" -o two
	isnt "$(jq .nvml.library one)" "$(jq .nvml.library two)"
	gpudiag diff one two
	is "$status" 0
	has "$OUT" 'Nothing changed' 'looked for libraries in other places'
	hasnt "$OUT" libnvidia-ml elsewhere/
	# What was found there is compared all the same, and the place where both looked in the same.
	jq '.nvml.driver_version = "999.1"' two > after.json
	gpudiag diff one after.json
	says '→ 999.1'
	jq '.nvml.library = "/opt/other/libnvidia-ml.so.1"' one > after.json
	gpudiag diff one after.json
	says 'NVML: library .* /opt/other/libnvidia-ml.so.1'
	# A library path of the shell, with a library in it that is loaded first there.
	jq '.host.environment = ["LD_LIBRARY_PATH=/home/ada/lib:/opt/lib/"] |
		.user_libraries |= ([.[] | .is_loaded_first = false] +
			[{key: "/opt/lib/libcuda.so.550.1", name: "libcuda", version: "550.1", is_loaded_first: true}])' \
		one > after.json
	gpudiag diff one after.json
	is "$status" 0
	has "$OUT" 'Nothing changed'
	# One more elsewhere is.
	jq '.user_libraries += [{key: "/usr/lib/libcuda.so.550.1", name: "libcuda", version: "550.1"}]' one > after.json
	gpudiag diff one after.json
	says 'library /usr/lib/libcuda: presence'
}

@test "an upgrade is told, and is no worse" {
	later '.host.kernel = "7.0.0" | (.modules[] | select(.key | test("^nvidia")) | select(.version != null) | .version) = "999.1"
		| .gpus |= map(if .nvml then .nvml.vbios = "99" | .nvidia.vbios = "99" else . end) | .nvml.driver_version = "999.1"'
	gpudiag diff "$H100" after.json
	is "$status" 0
	says 'Nothing got worse' ' Firmware GPUs 0-7: vbios 96[^ ]* → 99' ' Driver .*: version [^ ]+ → 999.1' 'kernel [^ ]+ → 7.0.0'
	is "$(grep -c 'vbios' "$OUT")" 1 "the same of eight GPUs is one line"
}

@test "a GPU that is gone, a narrow link, errors: worse" {
	later '(.gpus[] | select(.key == "0000:5d:00.0") | .pci.link_width) = 8
		| (.gpus[] | select(.key == "0000:4c:00.0") | .nvml.ecc_uncorrected_lifetime) = 77
		| del(.gpus[] | select(.key == "0000:19:00.0"))'
	gpudiag diff "$H100" after.json
	is "$status" 2
	says 'Worse: ' 'worse GPU 0 \(0000:19:00.0\): card .*not on' 'worse GPU 2 \(0000:5d:00.0\): link_width x16 → x8' \
		'worse GPU 1 \(0000:4c:00.0\): ecc_uncorrected_lifetime [0-9]+ → 77 .*more'
	gpudiag diff after.json "$H100"
	says 'better GPU 3 \(0000:5d:00.0\): link_width x8 → x16' 'the second was taken before the first'
}

@test "a finding that came, and one that went" {
	later "$REMAP"
	gpudiag diff "$H100" after.json
	is "$status" 2
	says 'Verdict .*worse GPU 0 \(0000:19:00.0\): [a-z.-]+ none → fail: '
	gpudiag diff -f json "$H100" after.json
	jq -e '[.differences[] | select(.group == "verdict" and .weight == "worse" and .before == null)] | length >= 1' "$OUT"
}

@test "timings within their noise are the same, beyond it they are told with it" {
	later '(.ocl_devices[].timings[] | select(.test == "memory-copy") | .samples_ns[]) *= 1.01' "$POCL_VM"
	gpudiag diff "$POCL_VM" after.json
	hasnt "$OUT" Timings
	later '(.ocl_devices[].timings[] | .samples_ns[]) *= 3' "$POCL_VM"
	gpudiag diff "$POCL_VM" after.json
	is "$status" 2
	says 'Timings worse .*0.33 ×, noise'
	later '(.ocl_devices[].timings[] | .samples_ns[]) *= 3 | .ocl_devices[].timings[].clock = "events"' "$POCL_VM"
	gpudiag diff "$POCL_VM" after.json
	hasnt "$OUT" Timings
	has "$OUT" 'measured differently'
}

@test "two machines: said first, compared all the same" {
	jq '.host.machine_serial = "other" | .host.name = "node-b" | .host.boot_id = "other"' "$H100" > b.json
	gpudiag diff "$H100" b.json
	says 'two machines: .*node-b.*compared by their number'
	is "$(head -n 1 "$OUT" | grep -c 'Two machines: ')" 1
	gpudiag diff "$H100" "$SNAPSHOTS/arc-a770-window.json"
	is "$status" 2
	has "$OUT" 'Two machines:' 'Arc'
}

# ---- a host and its container

# A host and a pod on it with two of its eight GPUs, in one boot: host.json and inside.json.
host_and_pod() {
	need_tree h100-8
	need_tree pod-2-of-8
	local boot
	gpudiag collect --root "$NODES/h100-8" --driver-root "$NODES/h100-8/driver" -o host.json
	gpudiag collect --root "$NODES/pod-2-of-8" --driver-root "$NODES/pod-2-of-8/driver" -o pod.json
	boot=$(jq .host.boot_id host.json)
	jq ".host.boot_id = $boot"' | .host.shm_size_bytes = 67108864 | del(.host.unknown.shm_size_bytes)' pod.json > inside.json
	jq '.host.shm_size_bytes = 1081258016768 | del(.host.unknown.shm_size_bytes)' host.json > edited
	mv edited host.json
}

@test "what a pod was not given stands first, in either order" {
	host_and_pod
	gpudiag diff host.json inside.json
	says 'Lost on the way into the container \(kubernetes\) GPUs 0-1 and 4-7: present → no device node; Kubernetes: resources.limits nvidia.com/gpu: 8' \
		'size of /dev/shm: 1007 GiB → 64 MiB; Kubernetes: .*emptyDir' 'memory: 512 GiB → 256 GiB; Kubernetes: resources.limits memory' \
		'Not collected on both sides: memlock limit, RDMA device nodes'
	# Once is enough.
	hasnt "$OUT" 'role' 'presence present' 'memory_limit_bytes' 'shm_size_bytes'
	sed -n '/^Lost/,/^$/p' "$OUT" > one
	gpudiag diff inside.json host.json
	sed -n '/^Lost/,/^$/p' "$OUT" > other
	cmp one other
	isnt "$(wc -l < one)" 0
	jq '.host.container = "docker"' inside.json > docker.json
	gpudiag diff host.json docker.json
	says 'docker: --gpus all size' 'docker: --shm-size=1007g' 'docker: --memory=512g, or none'
	hasnt "$OUT" Kubernetes
	gpudiag diff --format markdown host.json docker.json
	# shellcheck disable=SC2016 # backticks of Markdown
	has "$OUT" '#### Lost on the way' '| GPUs 0-1 and 4-7 | present | no device node | `--gpus all` |'
	gpudiag diff --format html host.json docker.json
	has "$OUT" '<section id="container">' \
		'GPUs 0-1 and 4-7</th><td>present</td><td>no device node</td><td><code>--gpus all</code></td>'
}

@test "the same as JSON, by its schema" {
	host_and_pod
	gpudiag diff --format json inside.json host.json
	cp "$OUT" one.json
	jq -e '.container | .inside == "before" and .runtime == "kubernetes" and (.lost | length) == 9 and
		(.lost[0] | .gpu == "0000:19:00.0" and .option == "--gpus all" and (.uuid | startswith("GPU-")))' one.json
	valid_by diff one.json
	gpudiag diff --format json "$H100" "$H100"
	jq -e '.container == null' "$OUT"
}

@test "reports tell the GPUs of a container" {
	host_and_pod
	gpudiag run --snapshot host.json --format json
	cp "$OUT" a.json
	gpudiag run --snapshot inside.json --format json
	cp "$OUT" b.json
	gpudiag diff a.json b.json
	says 'Lost on the way into the container \(kubernetes\) GPUs 0-1 and 4-7: present → not given' \
		'Not collected on both sides: device nodes, '
}

@test "of another boot or machine nothing was lost" {
	host_and_pod
	gpudiag diff host.json pod.json
	hasnt "$OUT" 'the way into'
	has "$OUT" 'not known to be of one boot'
	jq '.host.machine_serial = "other"' inside.json > other.json
	gpudiag diff host.json other.json
	hasnt "$OUT" 'the way into'
}

@test "this run's memlock limit and RDMA nodes are recorded" {
	(ulimit -l 64 && exec "$GPUDIAG" collect -o one.json) || [ $? -le 3 ]
	jq -e '.host.memlock_limit_bytes == 65536 or .host.unknown.memlock_limit_bytes == "absent: CAP_IPC_LOCK"' one.json
	is "$(jq .host.rdma_node_count one.json)" "$(find /dev/infiniband -name 'uverbs*' -o -name rdma_cm 2>/dev/null | wc -l)"
}

# ---- reports

@test "reports are compared with each other, and with a snapshot" {
	later "$REMAP | .host.kernel = \"7.0.0\""
	gpudiag run --snapshot "$H100" --format json
	cp "$OUT" a.json
	gpudiag run --snapshot after.json --format json
	cp "$OUT" b.json
	gpudiag diff a.json a.json
	is "$status" 0
	has "$OUT" 'Nothing changed'
	gpudiag diff a.json b.json
	is "$status" 2
	says 'kernel [^ ]+ → 7.0.0' 'none → fail: '
	gpudiag diff "$H100" b.json
	is "$status" 2
	says 'only what a report holds' 'kernel [^ ]+ → 7.0.0' 'none → fail: '
	gpudiag diff "$H100" a.json
	is "$status" 0
	hasnt "$OUT" Hardware Firmware Driver Verdict
}

# ---- formats

@test "JSON keeps to its schema, and is the same every time" {
	gpudiag diff --format json "$H100" "$SNAPSHOTS/mi300x-8-load.json"
	cp "$OUT" one.json
	gpudiag diff --format json "$H100" "$SNAPSHOTS/mi300x-8-load.json"
	cmp one.json "$OUT"
	valid_by diff one.json
	jq -e '.result == "worse" and (.differences | length) == .worse + .better + .other' one.json
}

@test "Markdown: tables, and nothing of the data is markup" {
	jq '.host.name = "a|b*c_<i>" | .host.kernel = "x|y`z\n# w" | .host.os = "of @root"' \
		"$H100" > b.json
	gpudiag diff --format markdown "$H100" b.json
	# shellcheck disable=SC2016 # backticks of Markdown
	has "$OUT" '### gpudiag diff: ' '**Nothing got worse' '#### Kernel' '| --- | --- | --- | --- |' 'a\|b\*c\_&lt;i&gt;' \
		'x\|y\`z \# w' 'of `@root`'
	# Each row has as many cells as its head.
	is "$(grep '^|' "$OUT" | sed 's/\\|//g' | tr -dc '|\n' | sort -u)" '|||||'
}

@test "ASCII, and into a file" {
	later '.host.kernel = "7.0.0"'
	gpudiag diff --ascii -o out "$H100" after.json
	is "$status" 0
	has out ' -> 7.0.0'
	is "$(LC_ALL=C grep -c '[^ -~]' out)" 0
}

# ---- what cannot be compared

@test "nothing in common: exit status 3" {
	echo '{"schema": "gpudiag.snapshot/1", "host": {"name": "a"}}' > a.json
	echo '{"schema": "gpudiag.snapshot/1", "memory": {"swappiness": 60}}' > b.json
	gpudiag diff a.json b.json
	is "$status" 3
	has "$OUT" 'Not comparable'
}

@test "files and arguments that are none" {
	gpudiag diff "$H100"
	refused 'name two files'
	gpudiag diff "$H100" "$H100" "$H100"
	refused 'a third'
	gpudiag diff - -
	refused 'one file, not two'
	gpudiag diff "$H100" missing.json
	refused 'missing.json: No such file'
	printf '{\n"schema": "gpudiag.bench/1"}\n' > bench.json
	gpudiag diff bench.json "$H100"
	refused 'bench.json:2: schema is gpudiag.bench/1' 'gpudiag.report/1'
	echo '[]' > list.json
	gpudiag diff "$H100" list.json
	refused 'list.json: no output that gpudiag knows'
	echo '{"schema": "gpudiag.report/1", "host": 7, "gpus": {"a": 1}, "timings": [3, {}], "findings": [{}], "checks": 4}' > odd.json
	gpudiag diff odd.json "$H100"
	is "$status" 3
}

@test "another BIOS is told, as firmware" {
	need_tree h100-8
	cp -r "$NODES/h100-8" older
	cp -r "$NODES/h100-8" newer
	chmod -R u+w older newer
	echo 1.4.4 > older/sys/class/dmi/id/bios_version
	echo 1.6.2 > newer/sys/class/dmi/id/bios_version
	gpudiag gate --root older --expect-gpus 8 -q --window 0 --record older.json
	gpudiag gate --root newer --expect-gpus 8 -q --window 0 --record newer.json
	gpudiag diff older.json newer.json
	has "$OUT" '1.4.4' '1.6.2'
}
