#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# topology.bats - gpudiag topology: what lies between two devices, the tree, and the same as data and as a picture.

load helpers.sh
setup() { begin; }

# topology TREE [ARGUMENT…]
topology() {
	local tree=$NODES/$1
	shift
	need_tree "${tree##*/}"
	gpudiag topology --root "$tree" "$@"
}

# between A B: the cell of the matrix in a JSON of topology.
# shellcheck disable=SC2016 # jq has its own variables
between() {
	json --arg a "$1" --arg b "$2" '[.devices[].name] as $n | .matrix[$n | index($a)][$n | index($b)]'
}

# device ADDRESS NODE HOP…: an io device of the snapshot in the making, its bridges nearest first.
# shellcheck disable=SC2016
device() {
	local address=$1 node=$2
	shift 2
	jq -n --arg key "$address" --argjson node "$node" --args '
		{$key, kind: "network", names: "eth0", bridges: ($ARGS.positional | length),
		 pci: {numa_node: $node, link_width: 16, link_width_able: 16, link_speed_mtps: 16000, link_speed_able_mtps: 16000},
		 hops: [$ARGS.positional | to_entries[] | {key: "\(.key)", address: .value,
			pci: {link_width: 16, link_width_able: 16, link_speed_mtps: 16000, link_speed_able_mtps: 16000}}]}' -- "$@"
}

@test "NVLinks by the vendor's library, sockets and host bridges by their place" {
	topology h100-8 --driver-root "$NODES/h100-8/driver" -f json
	is "$status" 0
	is "$(between GPU0 GPU0)" X
	is "$(between GPU0 GPU7)" NV18
	is "$(between GPU0 NIC1)" NODE
	is "$(between GPU0 NIC4)" SYS
	is "$(between NIC4 GPU0)" SYS "the other way"
	topology h100-8
	has "$OUT" "NUMA node 1, CPUs 32-63" "0000:19:00.0 GPU0 NVIDIA H100 SXM5 80GB, x16 at 32 GT/s" "NIC1  0000:2e:00.0  ib0, mlx5_0"
	hasnt "$OUT" "weakest"
}

@test "one switch, several, one host bridge" {
	jq -s '{schema: "gpudiag.snapshot/1", numa_nodes: [{key: "0", cpus: "0-7"}, {key: "1", cpus: "8-15"}], io_devices: .}' \
		<(device 0000:05:00.0 0 0000:03:00.0 0000:02:00.0 0000:01:01.0) \
		<(device 0000:06:00.0 0 0000:03:01.0 0000:02:00.0 0000:01:01.0) \
		<(device 0000:0a:00.0 0 0000:09:00.0 0000:08:00.0 0000:03:02.0 0000:02:00.0 0000:01:01.0) \
		<(device 0000:0c:00.0 0 0000:01:02.0) \
		<(device 0000:41:00.0 0 0000:40:01.0) \
		<(device 0000:81:00.0 1 0000:80:01.0) > node.json
	gpudiag topology --snapshot node.json -f json
	is "$status" 0
	is "$(between NIC0 NIC1)" PIX
	is "$(between NIC0 NIC2)" PXB
	is "$(between NIC0 NIC3)" PHB
	is "$(between NIC0 NIC4)" NODE
	is "$(between NIC0 NIC5)" SYS
	# What was not seen is not guessed.
	jq '(.io_devices[] | select(.key == "0000:81:00.0")) |= del(.bridges)' node.json > torn.json
	gpudiag topology --snapshot torn.json -f json
	is "$(between NIC0 NIC5)" '?'
	is "$(json '.devices[] | select(.name == "NIC5") | .path_known')" false
}

@test "the weakest hop is marked, in text, as data and in the picture" {
	jq -s '{schema: "gpudiag.snapshot/1", io_devices: .}' \
		<(device 0000:05:00.0 0 0000:03:00.0 0000:02:00.0 0000:01:01.0 |
			jq '.hops[1].pci.link_width = 4') > node.json
	gpudiag topology --snapshot node.json
	has "$OUT" "0000:02:00.0 switch, x4 of x16 at 16 GT/s  <- weakest hop"
	is "$(grep -c "weakest" "$OUT")" 1
	gpudiag topology --snapshot node.json -f json
	is "$(json '.devices[0].weakest_hop')" 0000:02:00.0
	gpudiag topology --snapshot node.json -f svg -o node.svg
	xmllint --noout node.svg
	is "$(grep -c 'stroke-dasharray' node.svg)" 1
}

# shellcheck disable=SC2016 # jq has its own variables
@test "RDMA ports that share a switch with a GPU, as NCCL takes them" {
	need_tree h100-8
	gpudiag run --root "$NODES/h100-8" --format snapshot=node.json
	# Two cards beside GPU 0, one that is shared by two others, one without a link.
	jq '.gpus[6].hops = .gpus[5].hops |
		def card($g; $n; $state): "0000:f\($n):00.0" as $at |
			.io_devices += [{key: $at, kind: "network", bridges: 3, hops: [{key: "0", address: "0000:e\($n):00.0"},
				(.gpus[$g].hops[1:][])]}] |
			.network_interfaces += [{key: "mlx5_1\($n)", rdma_device: "mlx5_1\($n)", rdma_port: 1, address: $at,
				rdma_state: $state}];
		card(1; 0; "active") | card(1; 1; "active") | card(5; 2; "active") | card(7; 3; "down") |
		(.network_interfaces[] | select(.key == "mlx5_11")).rdma_device = "mlx5_1"' node.json > cards.json
	gpudiag topology --snapshot cards.json
	has "$OUT" "NCCL_IB_HCA==mlx5_10:1,mlx5_1:1,mlx5_12:1  "
	gpudiag topology --snapshot cards.json -f json
	is "$(json '.nccl_ib_hca')" =mlx5_10:1,mlx5_1:1,mlx5_12:1
	# Cards at root ports of their own.
	gpudiag topology --snapshot node.json
	hasnt "$OUT" "NCCL_IB_HCA"
	gpudiag topology --snapshot node.json -f json
	is "$(json '.nccl_ib_hca')" null
}

@test "soft-RoCE is named as software, judged by nothing, and no card" {
	need_tree h100-8
	cp -r "$NODES/h100-8" tree
	folder=tree/sys/devices/virtual/infiniband/rxe0
	mkdir -p "$folder/ports/1/counters"
	echo ib0 > "$folder/parent"
	echo 'rxe' > "$folder/node_desc"
	echo '4: ACTIVE' > "$folder/ports/1/state"
	echo '2.5 Gb/sec (1X SDR)' > "$folder/ports/1/rate"
	ln -s ../../devices/virtual/infiniband/rxe0 tree/sys/class/infiniband/rxe0
	gpudiag --root tree --check network-link,numa-nic,pinned-limit
	is "$status" 0
	has "$OUT" "rxe0 is RDMA in software: soft-RoCE (rxe) over ib0"
	gpudiag run --root tree --format snapshot=node.json
	is "$(jq -c '.network_interfaces[] | select(.key == "rxe0") | [.rdma_device, .rdma_state, .address, .state]' node.json)" \
		'[null,null,null,"active"]'
	# Linux 5.10 hung it below the card.
	rm tree/sys/class/infiniband/rxe0
	card=$(readlink -f tree/sys/class/net/ib0/device)
	mv "$folder" "$card/infiniband/rxe0"
	ln -s "../../${card#"$PWD"/tree/sys/}/infiniband/rxe0" tree/sys/class/infiniband/rxe0
	gpudiag run --root tree --format snapshot=other.json
	is "$(jq -c '.network_interfaces' other.json)" "$(jq -c '.network_interfaces' node.json)"
}

@test "JSON is valid by its schema; of every kind of node" {
	for tree in "$NODES"/*; do
		[ -d "$tree/sys" ] || continue
		gpudiag topology --root "$tree" -f json
		[ "$status" -eq 0 ] || [ "$status" -eq 3 ] || fail "$tree: exit status $status"
		cp "$OUT" "topology-${tree##*/}.json"
	done
	valid_by topology topology-*.json
	python3 - topology-*.json <<- 'PYTHON'
		import json, sys
		for path in sys.argv[1:]:
		    with open(path, encoding="utf-8") as file:
		        data = json.load(file)
		    assert len(data["matrix"]) == len(data["devices"]), path
		    assert data["matrix"] == [list(row) for row in zip(*data["matrix"])], f"{path}: not the same both ways"
	PYTHON
}

@test "names of devices steer no terminal, and break no document" {
	jq -s '{schema: "gpudiag.snapshot/1", io_devices: .}' \
		<(device 0000:05:00.0 0 0000:01:01.0 | jq '.names = "eth\u001b[31m<&\""') > node.json
	gpudiag topology --snapshot node.json
	hasnt "$OUT" $'\033'
	gpudiag topology --snapshot node.json -f svg
	xmllint --noout "$OUT"
}

@test "what it refuses" {
	gpudiag topology extra
	refused 'topology: unexpected argument "extra"'
	gpudiag topology --snapshot x --root y
	refused "topology: --snapshot and --root cannot be used together"
	gpudiag topology -f dot
	refused
	echo '{"schema": "gpudiag.snapshot/1"}' > empty.json
	gpudiag topology --snapshot empty.json
	is "$status" 3
	has "$ERR" "no GPU, network card or NVMe disk"
}

@test "the matrix of nvidia-smi topo -m is printed from a dump" {
	grep -av '^#:' "$TOP/tests/imports/smi-topo.txt" > topo.txt
	gpudiag topology --snapshot topo.txt
	is "$status" 0
	has "$OUT" 'GPU0  X     NV18  NV18  NV18  PIX   SYS   0-55,112-167    0'
	has "$OUT" 'NIC1  ?  mlx5_1'
}
