#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# import-trees.bats - recorded /sys and /proc among what is imported: folders, archives, pastes, and bad ones of each.

load helpers.sh

setup() {
	begin
}

node() { echo "$TOP/build/nodes/$1"; }

# told FILE: warnings and failures of the report, with their GPUs.
told() {
	jq -c '[.findings[] | select(.outcome == "warn" or .outcome == "fail") | [.id, .gpu]] | unique' "$1"
}

# tells_as_root NODE PATH: import tells what --root tells of that node.
tells_as_root() {
	gpudiag run --root "$(node "$1")" --format json
	told "$OUT" > by_root
	gpudiag run --import "$2" --format json
	told "$OUT" > by_import
	same by_import by_root
}

@test "a folder and its archive tell what --root tells" {
	local name
	for name in h100-8 h100-8-x8 unbound mi210-switch pod-2-of-8 laptop-asleep; do
		tells_as_root "$name" "$(node "$name")"
		tar -czf node.tgz -C "$TOP/build/nodes" "$name"
		tells_as_root "$name" node.tgz
	done
}

@test "where a value is from: the tree, and what in it" {
	gpudiag run --import "$(node h100-8-x8)" --format json
	is "$status" 2
	has "$OUT" '/h100-8-x8, current_link_width"'
	gpudiag import -v "$(node h100-8-x8)" -o node.json
	has "$ERR" 'h100-8-x8: recorded /sys and /proc'
	gpudiag run --snapshot node.json --format json
	has "$OUT" '/h100-8-x8, current_link_width"'
	is "$(jq -r '.sources[] | select(.kind == "recorded-tree") | .title' node.json)" 'recorded /sys and /proc'
}

@test "a tree and the dumps in it and beside it are one machine" {
	cp -r "$(node h100-8)" tree
	rm -r tree/sos_commands
	printf '[%s] NVRM: Xid (PCI:0000:19:00): 79, pid=1, name=x, GPU has fallen off the bus.\n' \
		"$(cut -d ' ' -f 1 tree/proc/uptime)" > tree/zz.log
	gpudiag run --import tree --format json
	is "$status" 2
	has "$OUT" klog-errors.nvidia-xid-79 'tree/zz.log:1'
	rm tree/zz.log
	printf '$ cat /proc/driver/nvidia/version\n%s\n' \
		'NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023' > older.txt
	gpudiag run --import tree --import older.txt --format json
	has "$OUT" 'the dumps contradict each other: version of nvidia: 550.54.14 in tree (recorded /sys and /proc) counts, not 535.104.05 in older.txt:2'
}

@test "two machines: the tree's host name is another's" {
	mkdir -p a/proc/sys/kernel b/proc/sys/kernel
	echo node7 > a/proc/sys/kernel/hostname
	echo node8 > b/proc/sys/kernel/hostname
	cp "$(node h100-8)/proc/meminfo" a/proc
	cp "$(node h100-8)/proc/meminfo" b/proc
	gpudiag run --import a --import b
	refused 'two machines: the host name is node' 'in a (recorded /sys and /proc)' 'give the files of one at a time'
	gpudiag run --import a --import a
	is "$status" 0
}

@test "what a copy lost is not what the machine lacks" {
	mkdir -p tree/sys/bus/pci
	cp -r "$(node h100-8)/sys/devices" tree/sys
	cp -r "$(node h100-8)/sys/bus/pci/devices" tree/sys/bus/pci
	find tree -name driver -delete
	find tree -name uevent -delete
	find tree -name subsystem -delete
	gpudiag run --import tree
	is "$status" 0
	(cd tree && tar -cf ../devices.tar sys/devices)
	gpudiag run --import devices.tar
	is "$status" 0
	has "$OUT" '8 GPUs'
	(cd tree && tar -cf ../links.tar sys/bus)
	gpudiag run --import links.tar
	is "$status" 3
	has "$OUT" 'Nothing was judged.'
	hasnt "$OUT" 'No GPU'
	(cd tree && tar -cf ../nic.tar sys/devices/pci0000:15/0000:15:01.0/vendor sys/devices/pci0000:15/0000:15:01.0/class)
	gpudiag run --import nic.tar
	hasnt "$OUT" 'No GPU on the PCI bus'
}

@test "tar pads sysfs by zeros, and has the files of /proc empty" {
	mkdir padded
	cp -r "$(node h100-8)/sys" "$(node h100-8)/proc" padded
	find padded/sys -type f ! -name config -size -4096c -exec truncate -s 4096 {} +
	find padded/proc -type f -exec truncate -s 0 {} +
	gpudiag run --import padded --format json
	is "$status" 0
	is "$(json '[.gpus[] | select(.state == "usable")] | length')" 8
	tar -cf padded.tar padded
	gpudiag run --import padded.tar --format json
	is "$status" 0
	is "$(json '[.gpus[] | select(.state == "usable")] | length')" 8
}

@test "links out of the tree are not followed, devices and pipes not opened" {
	cp -r "$(node h100-1)" tree
	echo 'secret-of-this-machine' > outside
	chmod -R u+w tree
	rm tree/etc/os-release
	ln -s "$PWD/outside" tree/etc/os-release
	mkfifo tree/proc/pipe tree/sys/pipe
	rm tree/proc/meminfo
	mkfifo tree/proc/meminfo
	ln -s /dev/zero tree/zero
	ln -s ../../../../../.. tree/sys/up
	ln -s . tree/sys/class/round
	ln -s loop-b tree/loop-a
	ln -s loop-a tree/loop-b
	with timeout 30 gpudiag run --import tree --format json
	isnt "$status" 124
	hasnt "$OUT" secret-of-this-machine
	rm tree/proc/pipe tree/sys/pipe tree/proc/meminfo
	tar -cf tree.tar tree
	with timeout 30 gpudiag run --import tree.tar --format json
	isnt "$status" 124
	hasnt "$OUT" secret-of-this-machine
}

@test "a link to this machine's /sys is no tree of it" {
	mkdir tree
	ln -s /sys tree/sys
	ln -s /proc tree/proc
	gpudiag run --import tree
	refused 'tree: no output that gpudiag knows'
}

@test "an archive whose paths are absolute or lead out of it" {
	mkdir -p in/tree
	cp -r "$(node h100-1)/sys" in/tree
	(cd in && tar -cPf ../absolute.tar --transform 's,^tree/,/,' tree/sys)
	gpudiag run --import absolute.tar --format json
	is "$(json '.gpus | length')" 2
	(cd in && tar -cPf ../out.tar --transform 's,^tree/,../../,' tree/sys)
	gpudiag run --import out.tar --format json
	is "$(json '.gpus | length')" 2
	is "$(find .. ../.. -maxdepth 1 -newer absolute.tar -name sys)" ''
}

@test "an empty sys, and a tree of another architecture" {
	mkdir -p empty/sys/bus
	gpudiag run --import empty --format json
	is "$(json '.gpus | length')" 0
	hasnt "$OUT" '"outcome": "fail"'
	tells_as_root power9 "$(node power9)"
}

@test "a hundred thousand files in a tree, in a folder and in an archive" {
	cp -r "$(node h100-1)" tree
	mkdir -p tree/sys/kernel/many
	(cd tree/sys/kernel/many && seq 1 100000 | split -l 1 -a 4 -)
	with timeout 60 gpudiag run --import tree --format json
	is "$(json '.gpus | length')" 2
	is "$(json '.messages | length')" 0
	tar -cf tree.tar tree
	with timeout 60 gpudiag run --import tree.tar --format json
	is "$(json '.gpus | length')" 2
	rm -r tree tree.tar
}

@test "64 GPUs" {
	local number path
	mkdir -p tree/sys/bus/pci/devices
	for number in $(seq 64 127); do
		path=$(printf 'devices/pci0000:%02x/0000:%02x:00.0' "$number" "$number")
		mkdir -p "tree/sys/$path"
		echo 0x030200 > "tree/sys/$path/class"
		echo 0x10de > "tree/sys/$path/vendor"
		echo 0x2330 > "tree/sys/$path/device"
		echo DRIVER=nvidia > "tree/sys/$path/uevent"
		echo 16 | tee "tree/sys/$path/current_link_width" > "tree/sys/$path/max_link_width"
		ln -s "../../../$path" tree/sys/bus/pci/devices
	done
	gpudiag run --import tree --format json
	is "$status" 0
	is "$(json '.gpus | length')" 64
}

@test "what was not read of a folder stands in the report" {
	mkdir ticket
	grep -v '^#:' "$TOP/tests/imports/smi-q-healthy.txt" > ticket/smi.txt
	yes 'a line' | head -c 550000000 > ticket/huge.txt
	gpudiag run --import ticket --format json=report.json --format text
	is "$status" 0
	has "$OUT" 'ticket/huge.txt: not read: with it more'
	is "$(jq -r '.messages[]' report.json)" 'ticket/huge.txt: not read: with it more than 512 MiB'
	rm ticket/huge.txt
	gpudiag run --import ticket --format json
	is "$(json '.messages | length')" 0
}

@test "a sosreport without sys is read as before" {
	mkdir -p sosreport-node7/sos_commands/nvidia sosreport-node7/proc
	grep -v '^#:' "$TOP/tests/imports/smi-q-healthy.txt" > sosreport-node7/sos_commands/nvidia/nvidia-smi_-q
	cp "$(node h100-8)/proc/meminfo" sosreport-node7/proc
	gpudiag import sosreport-node7 -o node.json
	is "$(jq -r '[.sources[].kind] | join(",")' node.json)" smi-query
	tar -czf sosreport.tgz sosreport-node7
	gpudiag import sosreport.tgz -o node.json
	is "$(jq -r '[.sources[].kind] | join(",")' node.json)" smi-query
	cp -r "$(node h100-8)/sys/class" sosreport-node7/sys-class
	mkdir sosreport-node7/sys
	mv sosreport-node7/sys-class sosreport-node7/sys/class
	gpudiag import sosreport-node7 -o node.json
	is "$(jq -r '[.sources[].kind] | join(",")' node.json)" recorded-tree,smi-query
}

@test "an archive of a tree is read as the tree is" {
	local name
	for name in container-2-of-8 driver-upgrade driver-upgrade-rpm h100-8-x8 mi300x-8; do
		need_tree "$name"
		tar -C "$NODES" -czf "$name.tgz" "$name"
		"$GPUDIAG" run --import "$NODES/$name" --format json=folder.json || true
		"$GPUDIAG" run --import "$name.tgz" --format json=archive.json || true
		for of in '.exit_status' '.headline' '[.findings[].key]' '[.sources[].kind]' '[.gpus[] | [.pci, .role, .state]]' \
			'[.checks[] | [.check, .subject, .result]]'; do
			is "$(jq -c "$of" archive.json)" "$(jq -c "$of" folder.json)" "$name $of"
		done
	done
}

@test "a tree with nothing in it passes nothing" {
	mkdir -p tree/sys/bus/pci/devices tree/proc
	gpudiag run --import tree --format json
	is "$status" 3
	is "$(json .headline)" "Nothing was judged."
}
