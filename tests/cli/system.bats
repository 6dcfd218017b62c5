#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# system.bats - what is read of the machine beside its GPUs: files as they are, as they may be missing, and as nobody sees them.
# Runs beside one: it looks at this machine.

load helpers.sh
setup() { begin; }

# of TREE FILTER WANTED: a value of what collect finds there; TREE may be ./tree.
of() {
	local tree=$1
	[ -d "$tree" ] || tree=$NODES/$1
	gpudiag collect --root "$tree"
	is "$status" 0 "exit status"
	is "$(jq -c "$2" "$OUT")" "$3" "$2"
}

@test "modules, of their own and by NVIDIA's word" {
	of cluster-node '.modules | map(select(.key | IN("mlx5_core", "nvidia", "nvidia_uvm")) | [.key, .version, .taint, .users, .flavour])' \
		'[["mlx5_core",null,"",1,null],["nvidia","550.54.14","OE",412,"proprietary"],["nvidia_uvm","550.54.14","OE",4,null]]'
	copy_of cluster-node
	rm -r tree/sys/module/nvidia
	of tree '.modules[] | select(.key == "nvidia") | [.version, .flavour, .users]' '["550.54.14","proprietary",null]'
	rm -r tree/sys/module tree/proc/driver/nvidia/version
	of tree '[.modules, .listed.modules, .listed.unknown.modules]' '[null,null,"absent: ENOENT"]'
}

@test "libraries: the loader's first, not of 32 bits, not empty, through links" {
	copy_of container-v1
	of tree '.user_libraries | map([.key, .is_loaded_first])' \
		"$(jq -nc '[["cuda", true], ["nvidia-ml", true], ["nvidia-opencl", true]] |
			map(["/usr/lib/x86_64-linux-gnu/lib\(.[0]).so.550.54.14", .[1]])')"
	mkdir -p tree/opt/nvidia/current
	printf '\177ELF\2' > tree/opt/nvidia/current/libcuda.so.535.183.01
	ln -s libcuda.so.535.183.01 tree/opt/nvidia/current/libcuda.so.1
	mkdir -p tree/usr/local/gpu
	ln -s /opt/nvidia/current/libcuda.so.1 tree/usr/local/gpu/libcuda.so.1
	ln -s nowhere tree/usr/local/gpu/libnvidia-ml.so.1
	printf '# ours\n/usr/local/gpu # first\n' > tree/etc/ld.so.conf.d/00-gpu.conf
	of tree '.user_libraries | map(select(.name == "libcuda") | [.key, .version, .is_loaded_first])' \
		"$(jq -nc '[["/opt/nvidia/current/libcuda.so.535.183.01", "535.183.01", true],
			["/usr/lib/x86_64-linux-gnu/libcuda.so.550.54.14", "550.54.14", false]]')"
}

@test "libraries: merged folders are one, the usual ones come before a driver container's" {
	copy_of l40s-4
	rm -r tree/usr/lib/x86_64-linux-gnu
	mkdir -p tree/usr/lib64 tree/run/nvidia/driver/usr/lib64
	ln -s usr/lib64 tree/lib64
	printf '\177ELF\2' | tee tree/usr/lib64/libcuda.so.535.183.01 > tree/run/nvidia/driver/usr/lib64/libcuda.so.550.54.14
	ln -s libcuda.so.550.54.14 tree/run/nvidia/driver/usr/lib64/libcuda.so.1
	of tree '.user_libraries | map([.version, .is_loaded_first])' '[["550.54.14",true],["535.183.01",false]]'
	ln -s libcuda.so.535.183.01 tree/usr/lib64/libcuda.so.1
	of tree '.user_libraries | map([.version, .is_loaded_first])' '[["550.54.14",false],["535.183.01",true]]'
}

@test "libraries: LD_LIBRARY_PATH comes first, on this machine, and leaves a recording alone" {
	mkdir path
	printf '\177ELF\2' | tee path/libcuda.so.535.183.01 > path/libcuda.so.470.57.02
	ln -s libcuda.so.535.183.01 path/libcuda.so.1
	with env LD_LIBRARY_PATH=":relative:$PWD/path:" gpudiag collect
	is "$(jq -c --arg path "$PWD/path/" '.user_libraries | map(select(.key | startswith($path)) |
		[.version, .is_loaded_first])' "$OUT")" '[["535.183.01",true]]' "libraries"
	with env LD_LIBRARY_PATH="$PWD/path" gpudiag collect --root "$NODES/l40s-4"
	is "$(jq -c --arg path "$PWD" '.user_libraries | map(select(.key | startswith($path)))' "$OUT")" '[]' "libraries of the recording"
}

@test "control groups of both versions" {
	of cluster-node '.cgroup | [.version, .memory_limit_bytes, .memory_used_bytes, .memory_cache_bytes, .swap_limit_bytes, .cpu_limit, .cpus]' \
		'[2,206158430208,171798691840,75161927680,0,null,"0-63"]'
	of container-v1 '.cgroup | [.version, .path, .memory_limit_bytes, .memory_cache_bytes, .swap_limit_bytes, .oom_kills, .cpu_limit, .cpu_periods]' \
		'[1,"/docker/5f0c",34359738368,5368709120,34359738368,3,16,91000]'
	copy_of l40s-4
	rm tree/proc/self/cgroup
	of tree '.cgroup.unknown | [.version, .path]' '["absent: ENOENT","absent: ENOENT"]'
}

@test "memory controllers and their worst module" {
	of memory-errors '.memory_controllers | map([.key, .corrected_errors, .uncorrected_errors, .counting_s, .worst_module])' \
		'[["mc0",0,0,3563112,null],["mc1",212,0,3563112,"CPU2_DIMM_B2"]]'
	copy_of memory-errors
	echo 1 > tree/sys/devices/system/edac/mc/mc1/rank0/dimm_ue_count
	of tree '.memory_controllers[1].worst_module' '"CPU2_DIMM_A1"'
	echo -1 > tree/sys/devices/system/edac/mc/mc0/ce_count
	of tree '.memory_controllers[0] | [.corrected_errors, .unknown.corrected_errors]' '[null,"error: reads \"-1\""]'
}

@test "disks that are some" {
	of cluster-node '[.listed.disks, (.disks | map(.key) | join(" "))]' \
		'[10,"md0 nvme0n1 nvme1n1 nvme2n1 nvme3n1 nvme4n1 nvme5n1 nvme6n1 nvme7n1 sda"]'
	of cluster-node '.disks[] | select(.key == "sda") | [.model, .rotational, .size_bytes, .scheduler, .state]' \
		'["Micron_5400",true,479962595328,"mq-deadline","running"]'
}

@test "interfaces with hardware, joined with their RDMA devices" {
	of cluster-node '[.listed.network_interfaces, (.network_interfaces | map(.key) | join(" "))]' \
		'[17,"enp207s0np0 enp223s0np0 eth0 eth1 eth2 eth3 eth4 eth5 eth6 eth7 mlx5_0 mlx5_1 mlx5_2 mlx5_3 mlx5_4 mlx5_5 usb0"]'
	of cluster-node '.network_interfaces[] | select(.key == "enp207s0np0" or .key == "eth7" or .key == "mlx5_0" or .key == "usb0") |
		[.rdma_device, .address, .numa_node, .state, .speed_mbps, .receive_drops]' \
		'["mlx5_6","0000:cf:00.0",1,"up",400000,17]
[null,"0000:e7:00.0",3,"down",null,0]
["mlx5_0","0000:20:00.0",0,"active",400000,null]
[null,null,null,"up",10,0]'
	copy_of cluster-node
	echo pf0vf3 > tree/sys/class/net/eth7/phys_port_name
	of tree '[.listed.network_interfaces, (.network_interfaces | map(select(.key == "eth7")) | length)]' '[16,0]'
}

@test "ports of an RDMA device: each with its interface, or by itself" {
	local device=tree/sys/class/infiniband/mlx5_6

	copy_of cluster-node
	cp -r $device/ports/1 $device/ports/2
	echo "1: DOWN" > $device/ports/2/state
	echo 7 > $device/ports/2/counters/symbol_error
	of tree '.network_interfaces[] | select(.rdma_device == "mlx5_6") | [.key, .rdma_port, .state, .rdma_state, .symbol_errors]' \
		'["enp207s0np0",1,"up","active",0]
["mlx5_6:2",2,"down","down",7]'
	echo 1 > tree/sys/class/net/enp207s0np0/dev_port
	of tree '.network_interfaces[] | select(.rdma_device == "mlx5_6") | [.key, .rdma_port, .state, .rdma_state, .symbol_errors]' \
		'["enp207s0np0",2,"up","down",7]
["mlx5_6",1,"active","active",0]'
	# Switchdev mode: the second port is a virtual function's.
	mkdir -p $device/device/net/pf0vf0 tree/sys/class/net/pf0vf0
	echo pf0vf0 > tree/sys/class/net/pf0vf0/phys_port_name
	rm tree/sys/class/net/enp207s0np0/dev_port
	of tree '[.network_interfaces[] | select(.rdma_device == "mlx5_6") | .key]' '["enp207s0np0"]'
}

@test "more interfaces than are kept are counted" {
	copy_of l40s-4
	(
		cd tree/sys/class/net
		for ((i = 1000; i < 1300; i++)); do
			ln -s ../../devices/pci0000:00/0000:00:05.0/net/port$i port$i
			ln -s ../../devices/virtual/net/veth$i veth$i
		done
	)
	of tree '[(.network_interfaces | length), .listed.network_interfaces, .listed.network_interfaces_left_out > 43]' '[256,256,true]'
	of tree '.network_interfaces | map(select(.key | startswith("veth"))) | length' 0
	# Cards are kept before what they are divided into.
	mkdir -p tree/sys/devices/pci0000:00/0000:00:05.0/net/port1000/device
	ln -s ../0000:00:04.0 tree/sys/devices/pci0000:00/0000:00:05.0/net/port1000/device/physfn
	of tree '.network_interfaces | map(select(.key == "port1000")) | length' 0
}

@test "clocks and heat of 512 CPUs" {
	of cluster-node '.cpu | [.package_count, .scaling_driver, .governor, .clock_able_mhz, .clock_limit_mhz, .core_throttle_count, .isolated]' \
		'[2,"intel_pstate","mixed",4300,2100,0,""]'
	copy_of cluster-node
	echo 7 | tee tree/sys/devices/system/cpu/cpu{0,1,256}/thermal_throttle/{core,package}_throttle_count > /dev/null
	rm -r tree/sys/devices/system/cpu/cpufreq/policy3
	of tree '.cpu | [.core_throttle_count, .package_throttle_count, .governor]' '[21,14,"performance"]'
	rm tree/sys/devices/system/cpu/cpu9/thermal_throttle/core_throttle_count
	of tree '.cpu | [.core_throttle_count, .unknown.core_throttle_count]' '[null,"absent: ENOENT"]'
}

@test "clocks of a kernel without policies" {
	copy_of l40s-4
	rm tree/sys/devices/system/cpu/cpu*/cpufreq/*
	echo ondemand | tee tree/sys/devices/system/cpu/cpu{0,1}/cpufreq/scaling_governor > /dev/null
	echo acpi-cpufreq | tee tree/sys/devices/system/cpu/cpu{0,1}/cpufreq/scaling_driver > /dev/null
	of tree '.cpu | [.scaling_driver, .governor, .clock_able_mhz]' '["acpi-cpufreq","ondemand",null]'
}

@test "what steers the kernel" {
	of cluster-node '[(.host | .taint, .numa_balancing, .aspm_policy, .shm_size_bytes, .shm_available_bytes), (.memory | .major_faults, .swappiness, .zswap_enabled)]' \
		'[12289,1,"default",1082331758592,null,51234,60,false]'
}

@test "files that hold nonsense" {
	copy_of cluster-node
	printf '\377\376\n' | tee tree/sys/module/nvidia/version tree/sys/block/sda/size tree/sys/block/sda/queue/scheduler \
		tree/sys/class/net/eth0/speed tree/sys/class/infiniband/mlx5_0/ports/1/{state,rate} tree/proc/self/cgroup \
		tree/proc/self/mountinfo tree/proc/mounts tree/proc/driver/nvidia/version tree/sys/module/zswap/parameters/enabled \
		tree/etc/ld.so.conf tree/sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq > /dev/null
	of tree '.probes | map(select(.probe == "system" or .probe == "host") | .outcome)' '["ok","ok"]'
	of tree '[.cgroup.version, .host.shm_size_bytes, .memory.zswap_enabled, (.disks[] | select(.key == "sda") | .size_bytes)]' '[null,null,null,null]'
}

@test "nobody, on this machine" {
	as_nobody_or_skip
	gpudiag collect
	jq -c .listed "$OUT" > root
	with "${AS_NOBODY[@]}" gpudiag collect
	is "$(outcome 'system ')" ok "probe"
	is "$(jq -c .listed "$OUT")" "$(cat root)" "lists"
}

@test "a recorded list of PCI ids that is a link is looked for in the recording" {
	copy_of l40s-4
	mkdir -p tree/usr/share/misc tree/opt/lists-of-gpudiags-test
	ln -sf /opt/lists-of-gpudiags-test/ids tree/usr/share/misc/pci.ids
	printf '10de  Made-up Vendor\n\t26b9  Made-up Device\n' > tree/opt/lists-of-gpudiags-test/ids
	gpudiag collect --root tree -o seen
	is "$(jq -r '.gpus[0].pci.model' seen)" 'Made-up Vendor Made-up Device'
}

@test "a line that never ends is an error of its own, and costs nothing else" {
	copy_of l40s-4
	local endless="tree/etc/OpenCL/vendors/endless.icd"
	head -c 2000000 /dev/zero | tr '\0' x > "$endless"
	{ printf 'PRETTY_NAME='; cat "$endless"; } > tree/etc/os-release
	{ printf '0::/'; cat "$endless"; } > tree/proc/self/cgroup
	gpudiag collect --root tree -o seen
	is "$(jq -r '.probes[] | select(.outcome == "garbled").probe' seen)" ''
	is "$(jq -r '.icds[] | select(.key == "endless.icd").unknown.library' seen)" 'error: 2000000 bytes, a line expected'
	is "$(jq -r .host.unknown.os seen)" 'error: 2000000 bytes, a line expected'
	is "$(jq -r .cgroup.unknown.path seen)" 'error: 2000001 bytes, a line expected'
}

@test "a file for container runtimes that cannot be read leaves open what they get" {
	copy_of h100-8
	mkdir -p tree/etc/cdi
	ln -s nowhere tree/etc/cdi/gone.yaml
	gpudiag collect --root tree -o seen
	is "$(jq .listed.cdi_specs seen)" 0
	mkfifo tree/etc/cdi/nvidia.yaml
	gpudiag collect --root tree -o seen
	is "$(jq -r .listed.unknown.cdi_specs seen)" "error: EBADF"
}

@test "a CDI file of the driver before: what it names and is gone, and a broken one with its line" {
	copy_of cluster-node
	sed -i 's/550.54.14/535.183.01/' tree/var/run/cdi/nvidia.yaml
	gpudiag run --root tree --check container-runtime --format json
	is "$status" 1
	jq -e '.findings[0] | .id == "container-runtime.stale-cdi"' "$OUT"
	# The library's version fits, and a device node is gone.
	sed -i 's/535.183.01/550.54.14/' tree/var/run/cdi/nvidia.yaml
	printf 'devices:\n- name: "8"\n  containerEdits:\n    deviceNodes:\n    - path: /dev/nvidia8\n' >> tree/var/run/cdi/nvidia.yaml
	gpudiag run --root tree --check container-runtime
	is "$status" 1
	has "$OUT" '/var/run/cdi/nvidia.yaml names what does not exist: /dev/nvidia8' \
		'nvidia-ctk cdi generate --output=/var/run/cdi/nvidia.yaml'
	printf '\tx: y\n' >> tree/var/run/cdi/nvidia.yaml
	gpudiag run --root tree --check container-runtime
	is "$status" 1
	has "$OUT" '/var/run/cdi/nvidia.yaml, line 13: a tab in the indentation' 'sed -n 13p /var/run/cdi/nvidia.yaml'
}

@test "configuration of container runtimes: what it names, what it leaves out, and a broken line" {
	copy_of cluster-node
	mkdir -p tree/etc/docker tree/etc/containerd/conf.d tree/usr/bin tree/etc/nvidia-container-runtime
	printf '{\n "default-runtime": "nvidia",\n "runtimes": {"nvidia": {"path": "nvidia-container-runtime"}}\n}\n' > tree/etc/docker/daemon.json
	printf 'version = 2\nimports = ["/etc/containerd/other.d/*.toml"]\n' > tree/etc/containerd/config.toml
	printf '[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.nvidia.options]\nBinaryName = "/opt/bin/nvidia-container-runtime"\n' \
		> tree/etc/containerd/conf.d/99-nvidia.toml
	printf '[nvidia-container-cli]\nno-cgroups = true\n' > tree/etc/nvidia-container-runtime/config.toml
	gpudiag run --root tree --check container-runtime --format json -o report
	is "$status" 1
	is "$(jq -r '[.findings[].id] | sort | join(" ")' report)" \
		'container-runtime.names-missing container-runtime.no-cgroups container-runtime.not-imported'
	touch tree/usr/bin/nvidia-container-runtime
	sed -i 's/other.d/conf.d/' tree/etc/containerd/config.toml
	echo 'no-cgroups' >> tree/etc/nvidia-container-runtime/config.toml
	gpudiag run --root tree --check container-runtime
	is "$status" 1
	has "$OUT" '/etc/nvidia-container-runtime/config.toml, line 3: no = after the key'
	hasnt "$OUT" names-missing not-imported
	rm tree/etc/nvidia-container-runtime/config.toml
	# A recording without /opt/bin does not tell what is in it.
	gpudiag run --root tree --check container-runtime
	is "$status" 0
	gpudiag collect --root tree -o seen
	jq -e '.listed.container_configs == 3 and (.container_configs[0].unknown.nvidia_runtime_exists | test("recording lacks"))' seen
}

@test "containerd of k3s and rke2: the file that they wrote, what it imports, and the template it is from" {
	copy_of cluster-node
	for name in k3s rke2; do
		mkdir -p tree/var/lib/rancher/$name/agent/etc/containerd/config-v3.toml.d
		folder=tree/var/lib/rancher/$name/agent/etc/containerd
		printf 'version = 3\nimports = ["/%s/config-v3.toml.d/*.toml"]\n[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.nvidia.options]\nBinaryName = "/usr/bin/nvidia-container-runtime"\n' \
			"${folder#tree/}" > "$folder/config.toml"
		# shellcheck disable=SC2016 # Go's template
		printf '{{ template "base" . }}\nnot TOML\n' > "$folder/config.toml.tmpl"
	done
	touch tree/var/lib/rancher/rke2/agent/etc/containerd/config-v3.toml.tmpl
	echo 'broken' > tree/var/lib/rancher/k3s/agent/etc/containerd/config-v3.toml.d/1.toml
	gpudiag collect --root tree -o seen
	is "$(jq -r '.container_configs[] | select(.owner == "k3s" or .owner == "rke2") | "\(.owner) \(.key[-13:]) \(.defines_nvidia) \(.broken) \(.template)"' seen)" \
		"k3s toml.d/1.toml null no = after the key null
k3s d/config.toml true null /var/lib/rancher/k3s/agent/etc/containerd/config.toml.tmpl
rke2 d/config.toml true null /var/lib/rancher/rke2/agent/etc/containerd/config-v3.toml.tmpl"
}

@test "more packages and more such files than there can be cost nothing else" {
	copy_of h100-8
	mkdir -p tree/etc/cdi tree/var/lib/dpkg
	for number in {1..5000}; do
		printf 'Package: nvidia-driver-%s\nStatus: install ok installed\nVersion: 1\n\n' "$number"
		echo libnvidia-ml.so.550.54.14 > "tree/etc/cdi/$number.yaml"
	done > tree/var/lib/dpkg/status
	gpudiag collect --root tree -o seen
	is "$(jq -r '.probes[] | select(.key == "system") | .outcome' seen)" ok
	is "$(jq -r '.listed.unknown | .cdi_specs, .software' seen)" $'error: EFBIG\nskipped: more than fits in a report'
}

@test "a version that is none is compared with nothing" {
	local garbage
	need_tree l40s-4
	for garbage in '???' '\x7fELF\x01\x00\xff' '550.54.14\xff'; do
		rm -rf tree
		cp -r "$NODES/l40s-4" tree
		rm -f tree/proc/driver/nvidia/version
		printf %b "$garbage" > tree/sys/module/nvidia/version
		gpudiag run --root tree --check driver-match --format json -o report
		is "$status" 3 "$garbage"
		jq -e '.checks[] | select(.check == "driver-match") | .result == "unknown" and (.reason | test("reads"))' report > /dev/null
		is "$(jq '.findings | length' report)" 0 "$garbage"
	done
	# NVIDIA's own word stands in for it.
	cp "$NODES/l40s-4/proc/driver/nvidia/version" tree/proc/driver/nvidia/version
	gpudiag run --root tree --check driver-match --format json -o report
	is "$status" 0
	jq -e '.checks[] | select(.check == "driver-match") | .result == "pass"' report > /dev/null
}

# ---- what a user controls is opened with that user's rights

CONTAINER='{"process": {"env": ["NVIDIA_REQUIRE_CUDA=cuda>=99.9"]}, "linux": {"devices": [{"path": "/dev/nvidia0"}]}}'

# with_users COMMAND…: nobody is logged in, and has the containers that are in the folder "containers".
with_users() {
	[ "$(id -u)" -eq 0 ] || skip "needs root, whose rights must not be used"
	unshare -m true 2> /dev/null || skip "no mount namespace can be had here"
	mkdir -p /run/user 2> /dev/null || skip "no /run/user here"
	# shellcheck disable=SC2016
	with unshare -m sh -c 'mount -t tmpfs none /run/user && mkdir -p "/run/user/$1/containers" &&
		cp -a containers/. "/run/user/$1/containers" && chown -hR "$1" "/run/user/$1" && chgrp -hR "$1" "/run/user/$1" ||
		exit 99; shift; exec "$@"' sh "$NOBODY" "$@"
	[ "$status" -ne 99 ] || skip "nothing can be mounted here"
}

# container NAME: one that runs; its config.json is to be made.
container() {
	mkdir -p "containers/overlay-containers/$1/userdata"
	echo $$ > "containers/overlay-containers/$1/userdata/pidfile"
}

@test "a user's container is read with the user's rights: no link leads to what is root's" {
	local file
	echo "$CONTAINER" > secret.json
	chmod 600 secret.json
	container 0123456789abcdef
	echo "$CONTAINER" > containers/overlay-containers/0123456789abcdef/userdata/config.json
	with_users gpudiag gate --format snapshot
	is "$(json -c '[.gpu_containers[].key]')" '["0123456789ab"]'
	# What root alone may read; a FIFO; a device; a folder.
	container 1123456789abcdef
	mkfifo fifo
	for file in "$PWD/secret.json" "$PWD/fifo" /dev/zero /root; do
		ln -sfn "$file" containers/overlay-containers/1123456789abcdef/userdata/config.json
		with_users gpudiag gate --format snapshot
		is "$(json -c '[.gpu_containers[].key]')" '["0123456789ab"]' "containers, with a link to $file"
		[[ $(json '.listed.unknown.gpu_containers') =~ ^(denied|error|skipped): ]] || fail "$(json .listed)"
	done
}

@test "as root no compiled programs are taken from a user's folder" {
	[ "$(id -u)" -eq 0 ] || skip "needs root, whose rights must not be used"
	mkdir own theirs
	chown "$NOBODY" theirs
	with env -u POCL_CACHE_DIR "HOME=$PWD/own" "XDG_CACHE_HOME=$PWD/theirs" \
		gpudiag run --opencl-type cpu --level quick --window 0 --check known-answer --format json
	[[ $(json '.checks[] | select(.check == "known-answer") | .result') == *pass* ]] || skip "no OpenCL device here"
	is "$(ls -A theirs)" '' "files in the user's folder"
	isnt "$(ls -A own)" ''
}

@test "a machine is known by a hash of its id, which tells nothing of the id" {
	local first
	copy_of l40s-4
	echo 0123456789abcdef0123456789abcdef > tree/etc/machine-id
	gpudiag run --root tree --format json
	first=$(json .host.machine_id)
	[[ $first =~ ^[0-9a-f]{16}$ && $first != 0123456789abcdef ]] || fail "machine_id: $first"
	echo 1123456789abcdef0123456789abcdef > tree/etc/machine-id
	gpudiag run --root tree --format json
	isnt "$(json .host.machine_id)" "$first"
	# An image before its first boot: all its copies would have this one.
	echo uninitialized > tree/etc/machine-id
	gpudiag run --root tree --format json
	is "$(json -c '[.host.machine_id, .host.unknown.machine_id]')" '[null,"absent: not set"]'
}
