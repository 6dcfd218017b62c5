#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# processes.bats - the processes of a machine that runs: the one asked about, those that end or hide.
# Runs beside one: it asks which processes there are.

load helpers.sh
setup() { begin; }
teardown() {
	if [ -n "${child:-}" ]; then
		kill "$child" 2> /dev/null || true
	fi
	unmount_hangfs
}

# of FIELD: of the one gpu_process in ./seen.
of() {
	jq -r ".gpu_processes[0].$1" seen
}

@test "--pid self: the CPUs of gpudiag itself, as it was started" {
	local cpu
	cpu=$(taskset -c -p $$ | sed 's/.*: //; s/[-,].*//')
	with taskset -c "$cpu" gpudiag collect --level read --pid self -o seen
	is "$status" 0
	is "$(jq '.gpu_processes | length' seen)" 1
	is "$(of key)" "$(jq -r .request.pid seen)"
	is "$(of comm)" gpudiag
	is "$(of cpus_allowed)" "$cpu"
	is "$(of user_id)" "$(id -u)"
}

@test "--pid: that process, its limits and its control group" {
	(ulimit -S -l 64 && exec sleep 60) &
	child=$!
	while [ "$(cat "/proc/$child/comm")" != sleep ]; do :; done
	gpudiag collect --level read --pid "$child" -o seen
	is "$status" 0
	is "$(of pid)" "$child"
	is "$(of comm)" sleep
	is "$(of memlock_limit_bytes)" 65536
	grep -q ":$(of cgroup)\$" "/proc/$child/cgroup" || fail "not in control group $(of cgroup)"
	is "$(of threads)" 1
	is "$(of use.busiest_thread)" "$child"
	is "$(of requested)" true
}

@test "--pid of a launcher means what it started" {
	copy_of h100-8-busy
	mkdir tree/proc/18400
	sed 's/^18422 (python3) S 1 /18400 (torchrun) S 1 /' tree/proc/18422/stat > tree/proc/18400/stat
	sed -i 's/ S 1 / S 18400 /' tree/proc/18422/stat
	gpudiag collect --level read --root tree --pid 18400 -o seen
	is "$status" 0
	is "$(jq -c '[.gpu_processes[] | select(.requested) | .pid]' seen)" '[18400,18422]'
	gpudiag collect --level read --root tree -o seen
	is "$(jq -c '[.gpu_processes[] | .requested]' seen)" '[null,null,null]'
}

@test "a caller's variable asks about nobody" {
	with env GPUDIAG_REQUESTED_PID=1 gpudiag collect --level read -o seen
	is "$status" 0
	is "$(jq '[.gpu_processes[]?.key] | index("1")' seen)" null
}

@test "--pid of a process that has ended: nothing of it, and no error" {
	local pid
	sleep 0 &
	pid=$!
	wait "$pid"
	gpudiag collect --level read --pid "$pid" -o seen
	is "$status" 0
	is "$(jq '.gpu_processes' seen)" null
}

@test "a zombie and processes that come and go hide nothing" {
	[ "$(id -u)" = 0 ] || skip "a user sees few files anyway"
	(exec sleep 0 & exec sleep 60) &
	child=$!
	(for ((i = 0; i < 300; i++)); do /bin/true; done) &
	gpudiag collect --level read -o seen
	is "$status" 0
	is "$(jq .processes.files_hidden seen)" 0
	is "$(jq -r '.probes[] | select(.probe == "processes").outcome' seen)" ok
	wait %2 || true
}

@test "alone in its container: nobody else is there, which is known" {
	[ "$(id -u)" = 0 ] || skip "a pid namespace needs root"
	unshare -p -f --mount-proc true 2> /dev/null || skip "a pid namespace cannot be made here"
	with unshare -p -f --mount-proc gpudiag collect --level read -o seen
	is "$status" 0
	is "$(jq -r '.probes[] | select(.probe == "processes").outcome' seen)" ok
	is "$(jq .processes.seen seen)" 0
	is "$(jq .host.sees_all_processes seen)" false
}

@test "a /proc that hides processes hides none from root" {
	[ "$(id -u)" = 0 ] || skip "mounting needs root"
	unshare -m mount -t proc -o hidepid=2 proc /proc 2> /dev/null || skip "/proc cannot be mounted here"
	gpudiag collect --level read -o plain
	with unshare -m sh -c 'mount -t proc -o hidepid=2 proc /proc && exec "$@"' - gpudiag collect --level read -o seen
	is "$status" 0
	is "$(jq .host.sees_all_processes seen)" "$(jq .host.sees_all_processes plain)"
}

@test "a tree: clients of a GPU count once, sizes that are none are errors" {
	need_tree mi210-switch
	gpudiag collect --root "$NODES/mi210-switch" -o seen
	is "$(jq -c '[.holders[].memory_bytes]' seen)" '[0,65498251264,null]'
	need_tree values-bad
	gpudiag collect --root "$NODES/values-bad" -o seen
	is "$(jq -r '.holders[] | select(.key == "668:/dev/dri/card9").unknown.memory_bytes' seen)" \
		'error: its size of memory is no number'
	is "$(jq -r '.daemons[0].unknown.memlock_limit_bytes' seen)" 'error: reads "-1"'
	is "$(jq -r '.gpu_processes[] | select(.key == "668").unknown.cpus_allowed' seen)" 'error: reads "x"'
	is "$(jq -r '[.gpu_processes[].key] | index("667")' seen)" null
}

@test "in a driver in which a task waits nobody's memory is asked for" {
	copy_of mi210-switch
	sed -i 's/^7004 (python3) S/7004 (python3) D/' tree/proc/7004/stat tree/proc/7004/task/7004/stat
	echo 'amdgpu_vm_bo_update' > tree/proc/7004/wchan
	cp tree/proc/7004/wchan tree/proc/7004/task/7004/wchan
	gpudiag collect --root tree -o seen
	is "$(jq -r '.tasks[0].driver' seen)" amdgpu
	is "$(jq -r '.holders[] | select(.key == "10012:/dev/dri/renderD128").unknown.memory_bytes' seen)" \
		'skipped: a task waits in the driver'
	is "$(jq '.processes.files_hidden' seen)" 0
}

@test "NVIDIA's driver hangs where it is asked: who holds a GPU and who waits is known all the same" {
	copy_of h100-8-busy
	mount_hangfs tree
	hang "/proc/driver/nvidia/gpus/0000:19:00.0/information"
	gpudiag collect --root mnt -o seen
	is "$(jq -r '.probes[] | select(.probe == "processes").call' seen)" 'read /proc/driver/nvidia/gpus'
	[ "$(jq '.processes.seen' seen)" -gt 0 ] || fail "$(jq -c .processes seen)"
	is "$(jq .processes.files_hidden seen)" 0
	[ "$(jq '.holders | length' seen)" -gt 0 ] || fail "no holder"
	is "$(jq -r '[.holders[] | select(.node == "/dev/nvidia0") | .unknown.gpu] | unique[]' seen)" \
		'timeout: in read /proc/driver/nvidia/gpus'
}

@test "where a task waits in NVIDIA's driver it is not asked whose node it is" {
	need_tree tasks-stuck
	gpudiag collect --root "$NODES/tasks-stuck" -o seen
	is "$(jq -r '[.tasks[] | select(.driver == "nvidia")] | length > 0' seen)" true
	is "$(jq -r '[.holders[] | select(.node == "/dev/nvidia0") | .unknown.gpu] | unique[]' seen)" \
		'skipped: a task waits in the driver'
}

@test "a GPU that sleeps: its clients' fdinfo, for which a driver would wake it, is not read" {
	copy_of mi210-switch
	echo suspended > "$(realpath tree/sys/bus/pci/devices/0000:43:00.0)/power/runtime_status"
	gpudiag collect --root tree -o seen
	is "$(jq -r '[.holders[] | select(.node == "/dev/dri/renderD128").unknown.memory_bytes] | unique[]' seen)" \
		'asleep: runtime_status suspended'
}

@test "a GPU of NVIDIA that sleeps: its driver, which would wake it, is not asked" {
	local gpu=0000:01:00.0
	copy_of laptop-asleep
	sed -i 's/^GPU UUID.*/GPU UUID: \t GPU-01234567-89ab-cdef-0123-456789abcdef/; s/?/1/g' \
		"tree/proc/driver/nvidia/gpus/$gpu/information"
	ln -s /dev/nvidia0 tree/proc/1502/fd/20
	gpudiag collect --root tree -o seen
	is "$(jq -r ".gpus[] | select(.key == \"$gpu\").nvidia.unknown | [.[]] | unique[]" seen)" \
		'asleep: runtime_status suspended'
	is "$(jq -r '.device_nodes[] | select(.key == "/dev/nvidia0").unknown.gpu' seen)" \
		"asleep: $gpu, which may be it: runtime_status suspended"
	is "$(jq -r '.holders[] | select(.node == "/dev/nvidia0").unknown.gpu' seen)" \
		"asleep: $gpu, which may be it: runtime_status suspended"
}

@test "a GPU of NVIDIA that nobody has opened since boot: its UUID is not known yet" {
	local gpu=0000:01:00.0 device
	copy_of laptop-asleep
	device=$(realpath "tree/sys/bus/pci/devices/$gpu")
	echo active > "$device/power/runtime_status"
	echo D0 > "$device/power_state"
	gpudiag collect --root tree -o seen
	is "$(jq -r ".gpus[] | select(.key == \"$gpu\").nvidia.unknown.uuid" seen)" \
		'absent: not known before the driver opened the GPU'
	is "$(jq -r '.device_nodes[] | select(.key == "/dev/nvidia0").gpu' seen)" "$gpu"
}

@test "a driver whose files hang: who holds the GPU is known all the same" {
	copy_of mi210-switch
	mount_hangfs tree
	hang /proc/7004/fdinfo/5
	gpudiag collect --root mnt -o seen
	is "$(jq -r '.probes[] | select(.probe == "processes").call' seen)" 'read /proc/7004/fdinfo/5'
	is "$(jq -r '[.holders[].pid] | unique | map(tostring) | join(" ")' seen)" '7004 10012'
	is "$(jq .processes.files_hidden seen)" 0
	is "$(jq -r '.holders[] | select(.key == "7004:/dev/dri/renderD128").unknown.memory_bytes' seen)" \
		'timeout: in read /proc/7004/fdinfo/5'
}

@test "more holders than a list has room for: the first are told, the rest counted, and the snapshot can be read" {
	copy_of h100-8-busy
	python3 -c 'import os
for pid in range(100000, 104500): os.symlink("18422", f"tree/proc/{pid}")'
	gpudiag run --root tree --format json --format snapshot=seen
	is "$status" 0
	is "$(outcome "processes ")" partial
	has "$OUT" 'too many processes hold a GPU: '
	is "$(jq '.gpu_processes | length <= 4096' seen)" true
	is "$(json '[.checks[] | select(.check == "vram-holders" or .check == "sharing") | .result] | unique | join(" ")')" unknown
	cp "$OUT" as_seen
	gpudiag run --snapshot seen --format json
	same as_seen "$OUT"
}

@test "anybody may call his processes as daemons are called" {
	copy_of h100-8-busy
	python3 -c 'import os
for pid in range(100000, 104500): os.symlink("2201", f"tree/proc/{pid}")
os.unlink("tree/proc/2201/fd/3")'
	gpudiag run --root tree --format json --format snapshot=seen
	is "$(jq '.daemons | length' seen)" 4096
	isnt "$(outcome "processes ")" garbled
	gpudiag run --snapshot seen --format json
	isnt "$status" 64
}
