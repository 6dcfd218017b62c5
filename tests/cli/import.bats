#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# import.bats - files as tickets have them: packed, in archives, cut, too large; and gpudiag import itself.

load helpers.sh

setup() {
	begin
	grep -v '^#:' "$TOP/tests/imports/bug-report-xid79.txt" > report.log
	grep -v '^#:' "$TOP/tests/imports/smi-q-healthy.txt" > smi.txt
	echo 'as it was' > kept
}

# finds_xid FILE [NAME]: the fault of report.log, told by a file of that name.
finds_xid() {
	gpudiag run --import "$1" --format json
	is "$status" 2 "$1"
	is "$(json '[.findings[] | select(.outcome == "fail") | .id] | join(" ")')" klog-errors.nvidia-xid-79 "$1"
	has "$OUT" "\"source\": \"${2-$1}:"
}

# ---- packed

@test "compressed: as it is, of many members, and named as its file" {
	gzip -k report.log
	finds_xid report.log.gz
	{ head -n 30 report.log | gzip && tail -n +31 report.log | gzip; } > members
	finds_xid members
	xz -k report.log
	finds_xid report.log.xz
	bzip2 -k report.log
	finds_xid report.log.bz2
}

@test "from standard input" {
	status=0
	gzip -c report.log | "$GPUDIAG" run --import - > "$OUT" 2> "$ERR" || status=$?
	is "$status" 2
	has "$OUT" 'Xid 79' 'standard input'
}

@test "archives, and what is packed in them" {
	mkdir -p ticket/logs
	gzip -c report.log > ticket/logs/report.log.gz
	head -c 10000 "$GPUDIAG" > ticket/program
	ln -s /etc/passwd ticket/link
	tar -cf ticket.tar ticket
	finds_xid ticket.tar ticket.tar/ticket/logs/report.log.gz
	tar -czf ticket.tgz ticket
	finds_xid ticket.tgz ticket.tgz/ticket/logs/report.log.gz
	python3 -c 'import shutil; shutil.make_archive("ticket", "zip", "ticket")'
	finds_xid ticket.zip ticket.zip/logs/report.log.gz
	hasnt "$OUT" passwd
}

@test "an archive whose names lead out of it: nothing is written anywhere" {
	mkdir in
	cp report.log out.log
	(cd in && tar -cPf ../evil.tar ../out.log)
	rm out.log
	finds_xid evil.tar evil.tar/../out.log
	[ ! -e out.log ] || fail "it was unpacked to a file"
	is "$(find . -newer evil.tar -name '*.log')" '' "files left over"
}

@test "an error that no rule covers stands in the first sentence beside healthy figures" {
	{ cat smi.txt && printf '\nwhatsit: failed to hand the queue to the GPU: -22\n'; } > beside.txt
	gpudiag run --import beside.txt
	is "$status" 0 "exit status"
	has "$OUT" 'No fault of the node in nvidia-smi -q: ' 'Noted: A program printed' 'program-errors.unlisted'
}

@test "cut packed files tell what is left, and that it is not all" {
	{ cat report.log && seq -f '[%.6f] a line of the kernel that says nothing' 10000 210000; } > long.log
	gzip -c long.log | head -c 200000 > cut.gz
	finds_xid cut.gz
	has "$ERR" 'gpudiag: cut.gz: not all of it could be unpacked: truncated'
	grep -v 'Xid\|fallen off' long.log | gzip -c | head -c 200000 > cut-healthy.gz
	gpudiag run --import cut-healthy.gz
	is "$status" 0 "exit status"
	has "$OUT" 'No fault in what was read of nvidia-bug-report.log'
	sed -n '/^\[.*Xid/p' report.log | cat - long.log | grep '^\[' | gzip -c | head -c 200000 > cut-log.gz
	gpudiag import cut-log.gz
	is "$(json '.sources[-1].is_cut')" true
	gzip -c report.log | head -c 30 > cut.gz
	gpudiag run --import cut.gz -o kept
	refused 'cut.gz: cannot be unpacked: truncated'
	is "$(cat kept)" 'as it was'
}

@test "a bomb is left at the limit" {
	# Of long lines: what is read of it costs by the line. In ten equal parts, as gzip takes them one after the other.
	yes "NVRM: nothing to see here $(printf '%09990d' 0)" | head -c 60000000 | gzip -1 > part.gz
	cat part.gz part.gz part.gz part.gz part.gz part.gz part.gz part.gz part.gz part.gz > bomb.gz
	with timeout 200 gpudiag run --import bomb.gz
	isnt "$status" 124
	has "$ERR" 'larger than gpudiag unpacks'
	rm bomb.gz
}

@test "archives in archives, without end" {
	cp report.log inner
	for _ in 1 2 3 4 5 6; do
		tar -czf outer inner
		mv outer inner
	done
	gpudiag run --import inner
	refused 'inner: no output that gpudiag knows'
}

@test "damaged archives" {
	printf 'PK\003\004 and then nothing that an archive has' > bad
	gpudiag run --import bad
	refused 'bad: cannot be unpacked'
	tar -cf empty.tar -T /dev/null
	gpudiag run --import empty.tar
	is "$status" 64
	printf '\3757zXZ\000 and then nothing of the kind, at all' > bad
	gpudiag run --import bad
	refused 'bad: cannot be unpacked'
}

@test "without libarchive it says how to unpack" {
	command -v unshare > /dev/null || skip "no unshare"
	gzip -k report.log
	local library
	library=$(ldconfig -p | sed -n 's/.*libarchive\.so\.13 .*=> //p' | head -n 1)
	[ -n "$library" ] || skip "libarchive is not installed"
	unshare -m true 2> /dev/null || skip "needs a mount namespace"
	: > none.so
	status=0
	# shellcheck disable=SC2016 # for the inner shell
	unshare -m sh -c 'mount --bind "$1" "$2" && exec "$3" run --import report.log.gz' - none.so "$(realpath "$library")" \
		"$GPUDIAG" > "$OUT" 2> "$ERR" || status=$?
	is "$status" 64
	has "$ERR" 'report.log.gz: compressed' 'libarchive.so.13' 'zcat'
	# What is not packed is judged.
	mkdir ticket
	mv report.log.gz ticket
	cp smi.txt ticket
	status=0
	# shellcheck disable=SC2016 # for the inner shell
	unshare -m sh -c 'mount --bind "$1" "$2" && exec "$3" run --import ticket --format json' - none.so \
		"$(realpath "$library")" "$GPUDIAG" > "$OUT" 2> "$ERR" || status=$?
	is "$status" 0
	has "$ERR" 'ticket/report.log.gz: compressed' 'zcat'
	has "$OUT" 'ticket/report.log.gz: compressed'
	has "$OUT" 'what was read of nvidia-smi -q'
}

@test "of several files those in which nothing is known are named, in a folder and an archive, too" {
	printf 'We changed the fan on Monday.\n' > note.txt
	head -c 10000 "$GPUDIAG" > program
	printf '\211PNG\r\n\032\n\0\0\0\rIHDR' > shot.png
	printf '%%PDF-1.7\n1 0 obj\n' > manual.pdf
	printf '\037\213\010garbage' > damaged.gz
	python3 -c 'import zipfile; zipfile.ZipFile("ticket.docx", "w").writestr("word/document.xml", "<w:t>Xid 79</w:t>")'
	gpudiag run --import smi.txt --import note.txt --format json
	is "$status" 0
	is "$(json '.messages | join(",")')" 'note.txt: nothing that gpudiag knows'
	has "$OUT" 'No fault in what was read of nvidia-smi -q'
	has "$ERR" 'note.txt: nothing that gpudiag knows'
	for file in program shot.png manual.pdf ticket.docx; do
		gpudiag run --import "$file" --import smi.txt --format json
		is "$status" 0 "$file"
		has "$OUT" "$file: "
		has "$ERR" "$file: "
		gpudiag run --import "$file"
		refused "$file: "
	done
	gpudiag run --import shot.png
	refused 'shot.png: a picture (PNG): not read; paste its text into a file, and give that'
	mkdir ticket
	mv note.txt shot.png manual.pdf ticket.docx damaged.gz ticket
	cp smi.txt ticket
	gpudiag run --import ticket --format json
	is "$status" 0
	for said in 'ticket/note.txt: nothing that gpudiag knows' 'ticket/shot.png: a picture' 'ticket/manual.pdf: a PDF' \
		'ticket/ticket.docx: a Word document' 'ticket/damaged.gz: cannot be unpacked: damaged'; do
		has "$OUT" "$said"
		has "$ERR" "$said"
	done
	tar -cf ticket.tar ticket
	gpudiag run --import ticket.tar --format json
	is "$status" 0
	has "$OUT" 'ticket.tar/ticket/note.txt: nothing that gpudiag knows' \
		'ticket.tar/ticket/shot.png: a picture'
	# Of many the first are named.
	for i in 1 2 3 4 5 6; do echo "page $i" > "ticket/page$i.txt"; done
	gpudiag run --import ticket --format json
	has "$OUT" 'ticket/note.txt, ticket/page1.txt and 5 more files: nothing that gpudiag knows'
	# Of several of which all are of use nothing is said.
	gpudiag run --import smi.txt --import report.log --format json
	is "$(json '[.messages[] | select(contains("nothing that"))] | length')" 0
	empty "$ERR"
}

# ---- gpudiag import

@test "import writes what run --import judges" {
	gpudiag import report.log smi.txt -o node.json
	is "$status" 0
	empty "$OUT"
	empty "$ERR"
	gpudiag run --snapshot node.json
	cp "$OUT" by_snapshot
	gpudiag run --import report.log --import smi.txt
	same "$OUT" by_snapshot
	gpudiag import - < /dev/null
	refused 'standard input: empty'
	"$GPUDIAG" import - < report.log > piped.json
	gpudiag run --snapshot piped.json
	has "$OUT" 'Xid 79' 'standard input'
}

@test "a GPU that NVIDIA's list leaves out is not usable" {
	grep -v '^#:' "$TOP/tests/imports/smi-count-query.txt" > ticket.txt
	gpudiag run --import ticket.txt --format json
	is "$status" 2
	is "$(json '[.gpus[].state] | join(" ")')" 'usable usable usable not-judged'
	has "$OUT" 'without 0000:ca:00.0'
}

@test "import -v lists what the files are, and what was not used" {
	printf 'a greeting\n' | cat - smi.txt > said.txt
	gpudiag import -v said.txt -o node.json
	is "$status" 0
	has "$ERR" 'said.txt:3: nvidia-smi -q, ' 'lines used' 'not used: '
}

@test "import -v counts as used what a reader took, and neither prose nor sections of no use" {
	mkdir tick
	printf 'hello world\n' > tick/note.txt
	printf '%s\n' 'some rubbish' '[86412.345690] NVRM: Xid (PCI:0000:61:00): 79, GPU has fallen off the bus.' \
		'more rubbish' 'and more' > tick/log.txt
	gpudiag import -v tick -o node.json
	is "$status" 0
	has "$ERR" 'tick/log.txt:1: kernel log, 1 of 4 lines used' 'tick/log.txt:1: not used: some rubbish' \
		'tick/log.txt:3-4: not used: more rubbish' 'tick/note.txt:1: not used: hello world' '1 of 5 lines used'
	# An event's own further lines are used.
	printf '%s\n' '[  100.000001] python invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0' \
		'[  100.000002] CPU: 3 PID: 4321 Comm: python' \
		'[  100.000003] Out of memory: Killed process 4321 (python) total-vm:1kB, anon-rss:1kB' > oom.txt
	gpudiag import -v oom.txt -o node.json
	has "$ERR" 'oom.txt:1: kernel log, 3 of 3 lines used'
	gpudiag import -v report.log -o node.json
	has "$ERR" 'report.log:29-33: not used: *** /var/lib/dkms/nvidia/550.90.07/build/make.log' \
		'report.log:37-40: not used: base64 ' '36 of 50 lines used'
}

@test "import --redact names nobody" {
	cp report.log of-our-customer.log
	gpudiag import --redact of-our-customer.log
	is "$status" 0
	hasnt "$OUT" node7 customer
	cp "$OUT" anonymous.json
	gpudiag run --snapshot anonymous.json
	is "$status" 2
	has "$OUT" 'Xid 79'
}

@test "import --redact takes nodes out of what a fabric's tools call ports" {
	cat >fabric.txt <<-'EOF'
		# ibqueryerrors
		Errors for "node7 mlx5_4"
		   GUID 0xb83fd2030016e1a2 port 1: [SymbolErrorCounter == 1482] [PortRcvErrors == 26]
		Errors for 0xb83fd20300aa11f0 "MF0;leaf3:MQM8700/U1"
		   GUID 0xb83fd20300aa11f0 port 17: [LinkDownedCounter == 25]
		Errors for "sm"
		   GUID 0xb83fd20300aa11f0 port 3: [LinkDownedCounter == 25]
		# perfquery
		# Port counters: Lid 5 port 1 (CapMask: 0x5300)
		SymbolErrorCounter:..............2120
	EOF
	gpudiag import --redact fabric.txt -o anonymous.json
	is "$status" 0
	hasnt anonymous.json node7 leaf3 MQM8700 '"sm'
	has anonymous.json ' mlx5_4 port 1"' ' port 17"' ' port 3"' '"LID 5 port 1"'
	gpudiag run --snapshot anonymous.json -f json
	has "$OUT" network-link.errors-counted ' mlx5_4 port 1'
	hasnt "$OUT" node7 leaf3
}

@test "import refuses what it cannot do, and keeps what was there" {
	gpudiag import
	refused 'import: name the files'
	gpudiag import nosuch -o kept
	refused 'nosuch: No such file'
	gpudiag import - - -o kept
	refused 'standard input can be one file, not 2'
	gpudiag import report.log -o report.log
	refused 'report.log'
	echo 'Good morning.' > letter
	gpudiag import letter -o kept
	refused 'letter: no output that gpudiag knows'
	is "$(cat kept)" 'as it was'
}

@test "two machines in one call: it says by what they differ, and where that stands" {
	sed 's/GPU-abc0/GPU-beef/; s/165000000000/165990000000/' smi.txt > other.txt
	isnt "$(cmp smi.txt other.txt)" ''
	gpudiag run --import smi.txt --import other.txt
	refused 'two machines: the UUID of GPU 0000:1b:00.0 is GPU-' 'smi.txt:26 (nvidia-smi -q)' 'other.txt:26'
	cat smi.txt other.txt > both.txt
	gpudiag import both.txt -o kept
	refused 'two machines'
	sed 's/^uname: Linux node7 /uname: Linux node8.example.org /' report.log > neighbour.log
	gpudiag run --import report.log --import neighbour.log
	refused 'two machines: the host name is node' 'report.log:'
	sed 's/^uname: Linux node7 /uname: Linux node7.example.org /' report.log > same.log
	gpudiag run --import report.log --import same.log
	is "$status" 2
}

# gpu_of_smi BUS ERRORS: nvidia-smi's row of a GPU.
gpu_of_smi() {
	printf '| NVIDIA-SMI 550.54.14    Driver Version: 550.54.14    CUDA Version: 12.4     |\n'
	printf '|   0  NVIDIA A100-SXM4-80GB   On  | 00000000:%s:00.0 Off |         %11s |\n' "$1" "$2"
	printf '| N/A   34C    P0    64W / 400W |      4MiB / 81920MiB |      0%%      Default |\n'
}

# pasted HEAD… : the GPU at 1b with twelve errors below the first head, with none below the second.
pasted() {
	{
		printf '%s\n' "$1"
		gpu_of_smi 1b 12
		printf '%s\n' "$2"
		gpu_of_smi "${3:-1b}" 0
	} > ticket.txt
	gpudiag run --import ticket.txt
}

@test "two nodes in one paste, by their prompts: none of them is judged for the other" {
	local rule=----------------
	pasted 'root@node1:~# nvidia-smi' '[root@node2 ~]# nvidia-smi'
	refused 'two machines: the host is node1 in ticket.txt:1 (nvidia-smi), and node2 in ticket.txt:5 (nvidia-smi)'
	pasted 'node1 | CHANGED | rc=0 >>' 'node2 | CHANGED | rc=0 >>'
	refused 'two machines'
	pasted 'ok: [node1] => {' 'ok: [node2] => {'
	refused 'two machines'
	pasted "$rule"$'\nnode1\n'"$rule" "$rule"$'\nnode2\n'"$rule"
	refused 'two machines'
}

@test "one node under several prompts is one machine: by another user, in a container, by its long name" {
	local head
	for head in 'me@node1:~$ nvidia-smi' '(base) [root@node1.example.org ~]# nvidia-smi' 'root@3f2a9c01b7de:/# nvidia-smi' \
		'Mail me@example.org for $ 5:' 'me@node1 ~ $ nvidia-smi'; do
		pasted 'root@node1:~# nvidia-smi' "$head"
		hasnt "$ERR" 'two machines'
	done
	pasted 'root@node1:~# nvidia-smi' $'root@node1:~# docker exec -it trainer bash\nroot@trainer:/# nvidia-smi'
	hasnt "$ERR" 'two machines'
	# Nothing of one is told of the other.
	pasted 'root@host:~# nvidia-smi' 'root@guest:~# nvidia-smi' 06
	is "$status" 2
	has "$OUT" '(0000:1b:00.0) has had uncorrected memory errors'
}

@test "two nodes in one paste, by what was typed at one prompt, or by the heads above the outputs" {
	local rule=----------------
	pasted 'me@head:~$ ssh node1 nvidia-smi' 'me@head:~$ ssh -p 22 root@node2 nvidia-smi'
	refused 'two machines: the host is node1 in ticket.txt:1 (nvidia-smi), and node2 in ticket.txt:5 (nvidia-smi)'
	pasted '$ srun -N1 -w node1 nvidia-smi' '$ srun --nodelist=node2 nvidia-smi'
	refused 'two machines'
	pasted 'Hostname: node1' 'Hostname: node2'
	refused 'two machines'
	pasted 'me@node1 ~> nvidia-smi' 'me@node2 ~> nvidia-smi'
	refused 'two machines'
	pasted 'me@node1 ~/src % nvidia-smi' 'me@node2:/tmp% nvidia-smi'
	refused 'two machines'
	pasted '10.0.0.1 | CHANGED | rc=0 >>' '10.0.0.2 | CHANGED | rc=0 >>'
	refused 'two machines'
	# A container that was left, or in which one command ran.
	pasted 'root@node1:~# docker run --rm --gpus all cuda nvidia-smi' 'root@node2:~# docker run --rm --gpus all cuda nvidia-smi'
	refused 'two machines'
	pasted $'root@node1:~# docker exec -it trainer bash\nroot@trainer:/# nvidia-smi' 'root@node2:~# nvidia-smi'
	refused 'two machines: the host is node1 in ticket.txt:2 (nvidia-smi), and node2 in ticket.txt:6'
	pasted "${rule#-}"$'\nnode1\n'"${rule#-}" "${rule#-}"$'\nnode2\n'"${rule#-}"
	refused 'two machines'
}

# refused_with_cut FILE: the command that the refusal names writes the lines of the faulty GPU alone to FILE.
refused_with_cut() {
	refused 'give the lines of one at a time: sed -n '
	sed 's/.* at a time: //' "$ERR" > cut.sh
	bash cut.sh
	gpu_of_smi 1b 12 > faulty
	grep '^|' "$1" | cmp - faulty
	gpudiag run --import "$1"
	is "$status" 2
}

@test "two nodes in one paste, by the heads of loops and of people: the refusal says how to cut them" {
	local head
	for head in '==> %s <==' '==> %s.txt <==' '=== %s ===' '----- %s -----' '# %s' '### %s' '**%s**' '%s:'; do
		# shellcheck disable=SC2059
		pasted "$(printf -- "$head" node1)" "$(printf -- "$head" node2)"
		refused 'two machines: the host is node1 in ticket.txt:1 (nvidia-smi), and node2 in ticket.txt:5 (nvidia-smi)'
		refused_with_cut node1.txt
	done
	pasted '=== dgx-a100-03 ===' '=== dgx-a100-04 ==='
	refused 'two machines'
	pasted '=== gpu012 ===' '=== gpu013 ==='
	refused 'two machines'
	pasted '=== 10.0.0.1 ===' '=== 10.0.0.2 ==='
	refused 'two machines'
}

@test "one node under heads that name no node: what was tried, files of tail, the same node again" {
	local heads
	for heads in '=== run1 ===;=== run2 ===' '=== gpu0 ===;=== gpu1 ===' '==> smi.1.txt <==;==> smi.2.txt <==' \
		'==> /var/log/messages <==;==> /var/log/messages.1 <==' '# before1;# after2' 'node1-run1:;node1-run2:' \
		'=== node1 ===;=== node1.example.org ===' '--- a/node1.c;+++ b/node2.c' '=== node1 ===;=== done ==='; do
		pasted "${heads%;*}" "${heads#*;}"
		hasnt "$ERR" 'two machines'
	done
}

# labelled LABEL…: the GPU with twelve errors with the first before its lines, the one with none with the second; line by line.
labelled() {
	paste -d '\n' <(gpu_of_smi 1b 12 | sed "s/^/$1/") <(gpu_of_smi "${3:-1b}" 0 | sed "s/^/$2/") > ticket.txt
	gpudiag run --import ticket.txt
}

@test "two nodes or tasks in one paste, line by line: the refusal names both and says how to cut them" {
	labelled 'node1: ' 'node2: '
	refused 'two machines: the host is node1 in ticket.txt:1 (nvidia-smi), and node2 in ticket.txt:2 (nvidia-smi)'
	refused_with_cut node1.txt
	labelled '0: ' '1: '
	refused 'two tasks, of two machines or of one'
	refused_with_cut 0.txt
	labelled ' 0: ' '10: '
	refused_with_cut 0.txt
	labelled '[pod\/a-x\/main] ' '[pod\/b-y\/main] '
	refused_with_cut pod-a-x-main.txt
	labelled 'node1  | ' 'node2  | '
	refused_with_cut node1.txt
	labelled '[1,0]<stdout>:' '[1,1]<stdout>:'
	refused_with_cut 1-0.txt
	# Logs, too.
	printf 'node%u: [  %u.000000] NVRM: Xid (PCI:0000:1b:00): 79, pid=1, GPU has fallen off the bus.\n' 1 12 2 13 1 14 2 15 > ticket.txt
	gpudiag run --import ticket.txt
	refused 'two machines: the host is'
	# Pods of one node have a GPU each.
	labelled '[pod\/a-x\/main] ' '[pod\/b-y\/main] ' 1c
	is "$status" 2
	# Tasks of one node, by what its GPUs are called.
	printf '%u: GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-5e0d2f0a-1111-2222-3333-0123456789ab)\n' 0 1 0 1 > ticket.txt
	gpudiag run --import ticket.txt
	hasnt "$ERR" 'two '
}

@test "two nodes of a line or two each, by what stands before it: none of them is judged for the other" {
	local xid='NVRM: Xid (PCI:0000:61:00): 79, pid=0, GPU has fallen off the bus.'
	local lost='Unable to determine the device handle for GPU0000:5F:00.0: Unknown Error'
	local list='GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-11111111-2222-3333-4444-55555555550'
	for said in "$xid" "[12345.678901] $xid" "$lost" 'Failed to initialize NVML: Driver/library version mismatch'; do
		for nodes in 'node7 node8' 'cn017 cn018'; do
			printf '%s: %s\n' "${nodes% *}" "$said" "${nodes#* }" "$said" > ticket.txt
			gpudiag run --import ticket.txt
			refused 'two machines: the host is' "${nodes% *} in ticket.txt:1 (" "${nodes#* } in ticket.txt:2 ("
		done
	done
	printf 'node%d: %s%d)\n' 7 "$list" 1 8 "$list" 2 > ticket.txt
	gpudiag run --import ticket.txt
	refused 'two machines: ' ticket.txt:1 ticket.txt:2
	{
		echo '$ pdsh -w node[7-8] nvidia-smi --query-gpu=index,pci.bus_id,memory.used --format=csv,noheader,nounits'
		printf 'node%d: 0, 00000000:1B:00.0, 16\n' 7 8
	} > ticket.txt
	gpudiag run --import ticket.txt
	refused 'node7 in ticket.txt:2' 'node8 in ticket.txt:3'
	seq -f "node%.0f: $lost" 3000 > ticket.txt
	with timeout 20 gpudiag run --import ticket.txt
	refused 'two machines: the host is node'
	# In a message to somebody.
	printf '%s\n' 'Both fail since the update:' '' "node7: $xid" "node8: $xid" '' 'What may it be?' > ticket.txt
	gpudiag run --import ticket.txt
	refused 'node7 in ticket.txt:3' 'node8 in ticket.txt:4'
}

@test "blocks of dshbak and Ansible with a line each, and one of many nodes: the refusal names them" {
	local rule=---------------- xid='NVRM: Xid (PCI:0000:61:00): 79, pid=0, GPU has fallen off the bus.'
	printf '%s\n' $rule node7 $rule "$xid" $rule node8 $rule "$xid" > ticket.txt
	gpudiag run --import ticket.txt
	refused 'node7 in ticket.txt:1' 'node8 in ticket.txt:5'
	for nodes in 'node[7-8]' 'node7,node8' 'dgx[01-40,52]'; do
		printf '%s\n' $rule "$nodes" $rule "$xid" > ticket.txt
		gpudiag run --import ticket.txt
		refused "two machines or more: the lines below ticket.txt:1 (kernel log) are of each of $nodes"
	done
	printf '%s\n' $rule node7 $rule "$xid" $rule node7 $rule "$xid" > ticket.txt
	gpudiag run --import ticket.txt
	is "$status" 2
	# Scripts put other words there.
	printf '%s\n' $rule 'take[1-2]' $rule "$xid" > ticket.txt
	gpudiag run --import ticket.txt
	is "$status" 2
	printf 'node%d | CHANGED | rc=0 >>\n%s\n' 7 "$xid" 8 "$xid" > ticket.txt
	gpudiag run --import ticket.txt
	refused 'node7 in ticket.txt:1' 'node8 in ticket.txt:3'
	printf 'ok: [node%d] => {"stdout": "%s"}\n' 7 "$xid" 8 "$xid" > ticket.txt
	gpudiag run --import ticket.txt
	refused 'node7 in ticket.txt:1' 'node8 in ticket.txt:2'
}

@test "words before a colon that are no nodes: programs, streams, numbers of GPUs, of ranks and of tries" {
	local xid='NVRM: Xid (PCI:0000:61:00): 79, pid=0, GPU has fallen off the bus.'
	local mismatch='Failed to initialize NVML: Driver/library version mismatch'
	for words in 'kernel nvidia-smi' 'dmesg nvidia-smi' 'stderr stdout' 'Error INFO' 'docker host' 'GPU0 GPU1' \
		'boot1 boot2' 'rank0 rank1' 'worker-0 worker-1' 'try1 try2' 'trainer-0 trainer-1' 'card0 card1' 'node7 kernel'; do
		printf '%s: %s\n' "${words% *}" "$xid" "${words#* }" "$xid" > ticket.txt
		gpudiag run --import ticket.txt
		is "$status" 2 "$words"
		printf '%s: %s\n' "${words% *}" "$mismatch" "${words#* }" "$xid" > ticket.txt
		gpudiag run --import ticket.txt
		is "$status" 2 "$words"
	done
	# What is said of the other is nothing that is read.
	printf '%s\n' "node7: $xid" 'node8: all GPUs are fine' > ticket.txt
	gpudiag run --import ticket.txt
	is "$status" 2
}

@test "two nodes in one document: their outputs are in strings, their names beside them" {
	gpu_of_smi 1b 12 > faulty
	gpu_of_smi 1b 0 > healthy
	python3 -c 'import json
outputs = [open("faulty").read(), open("healthy").read()]
for name, hosts in ("two", ["node1", "node2"]), ("one", ["node1", "node1"]), ("none", ["0.0.0.0:1", "localhost"]), ("half", ["node1", "localhost"]):
    answers = [{"host": host, "stdout": text} for host, text in zip(hosts, outputs)]
    json.dump(answers, open(name, "w"), indent=1)
    open(name + "-lines", "w").writelines(json.dumps(answer) + "\n" for answer in answers)'
	local file
	for file in two two-lines; do
		gpudiag run --import "$file"
		refused 'two machines: the host is node1'
	done
	for file in one one-lines none none-lines half half-lines; do
		gpudiag run --import "$file"
		hasnt "$ERR" 'two machines'
	done
}

@test "one node is one machine: seen from another, by a file, by another name, from a pod or a guest" {
	local head rule=----------------
	for head in 'me@login:~$ srun -w node1 nvidia-smi' 'me@laptop:~$ ssh node1 nvidia-smi' 'me@laptop:~$ cat smi.txt' \
		'me@laptop:~$ ssh gpu1 cat smi.txt' $'me@laptop:~$ ssh node1\n$ nvidia-smi' 'me@laptop:~$ pdsh -w node1 nvidia-smi' \
		'me@laptop:~$ kubectl exec -it trainer -- nvidia-smi' 'me@laptop:~$ sudo -u me timeout 9 ssh gpu1 nvidia-smi' \
		$'me@laptop:~$ kubectl exec -it trainer -- bash\nroot@trainer:~# nvidia-smi' 'ok: [10.0.0.5] => {' \
		'gpu1 | CHANGED | rc=0 >>' 'ok: [gpu1 -> localhost] => {' 'root@trainer:/# nvidia-smi' 'Node: gpu1' \
		'[root@nvidia-driver-daemonset-m4wl8 drivers]# nvidia-smi' 'root@trainer-0:/workspace# nvidia-smi' \
		'root@localhost:~# nvidia-smi' 'root@xxxxx:~# nvidia-smi' $'root@pve:~# qm terminal 101\nroot@guest:~# nvidia-smi'; do
		pasted "$head" 'root@node1:~# nvidia-smi'
		hasnt "$ERR" 'two machines'
	done
	# The host of a guest to which the GPU was given.
	{
		printf 'root@pve:~# lspci -nnk -s 1b:00.0\n1b:00.0 3D controller [0302]: NVIDIA Corporation Device [10de:20b2] (rev a1)\n'
		printf '\tKernel driver in use: vfio-pci\nroot@guest:~# nvidia-smi\n'
		gpu_of_smi 1b 0
	} > ticket.txt
	gpudiag run --import ticket.txt
	is "$status" 0
	pasted 'Hostname: node1' 'Node: gpu1'
	hasnt "$ERR" 'two machines'
	pasted 'ubuntu@ubuntu:~$ nvidia-smi' 'me@desktop:~$ nvidia-smi'
	hasnt "$ERR" 'two machines'
	pasted 'me@head:~$ ssh gpu1 nvidia-smi' 'me@head:~$ ssh 10.0.0.1 nvidia-smi'
	hasnt "$ERR" 'two machines'
	# Neither a prompt nor a node's name.
	pasted 'root@node1:~# nvidia-smi' 'git@example.org:us/it.git # the script'
	hasnt "$ERR" 'two machines'
	pasted 'root@node1:~# nvidia-smi' '(me@example.org: $ 5) me@example.org'
	hasnt "$ERR" 'two machines'
	pasted 'root@node1:~# nvidia-smi' 'me@example.org: for $ 5'
	hasnt "$ERR" 'two machines'
	pasted "$rule"$'\nnvidia-smi\n'"$rule" "$rule"$'\nafterwards\n'"$rule"
	hasnt "$ERR" 'two machines'
	pasted $'--------\nrun1\n--------' $'--------\nrun2\n--------'
	hasnt "$ERR" 'two machines'
}

@test "one machine whose dumps were blotted out" {
	sed 's/GPU-[0-9a-f]*/GPU-XXXXXXXX/; s/\(Serial Number *: \).*/\1XXXXXXXXXXXXX/' smi.txt > blotted.txt
	gpudiag run --import smi.txt --import blotted.txt
	is "$status" 0
}

@test "records of several lines: what comes behind them is cited by its own line" {
	{
		printf '{"message": "[  100.000000] NVRM: Xid (PCI:0000:1b:00): 79, GPU has fallen off the bus.\\n%s"}\n' 'a\nb\nc\nd'
		printf '{"message": "[  200.000000] NVRM: Xid (PCI:0000:5d:00): 79, GPU has fallen off the bus."}\n'
		printf '{"message": "[  300.000000] NVRM: Xid (PCI:0000:6d:00): 79, GPU has fallen off the bus."}\n'
	} > records.txt
	gpudiag import records.txt
	is "$(json '[.log_lines[] | select(.text | test("Xid")) | .from.text] | join(" ")')" '1:1 1:2 1:3'
}

@test "what Ansible gives out as a text and again as lines is read once" {
	printf '[    1.000000] NVRM: loading\n[  500.000000] NVRM: Xid (PCI:0000:1b:00): 79, GPU has fallen off the bus.\n' > log
	python3 -c 'import json
text = open("log").read()
print("ok: [node1] => " + json.dumps({"stdout": text, "stdout_lines": text.splitlines()}, indent=4))' > twice.txt
	gpudiag run --import twice.txt --format json
	is "$status" 2
	is "$(json '[.findings[].id] | join(" ")')" klog-errors.nvidia-xid-79
	has "$OUT" 'twice.txt:2'
}

@test "strings of no use, behind many outputs, and behind many blanks: they cost neither memory nor time" {
	{
		for _ in {1..511}; do
			printf '$ nvidia-smi\n| NVIDIA-SMI 5\n%s\n$ x\n' "$(gpu_of_smi 1b 0 | sed -n 2p)"
		done
		printf 'foo\n$ x\n'
		yes '{"ts":1,"message":"GPU 0: hello\nGPU | a"}' | head -n 5000
	} > many.txt
	(ulimit -v 700000 && gpudiag import many.txt && is "$status" 0)
	{
		printf '%500000s' ''
		yes '"a\nb" ' | head -n 60000 | tr -d '\n'
		printf '\n'
	} > wide
	{ echo x && cat wide wide wide wide wide wide wide wide; } > wide.txt
	with timeout 20 gpudiag import wide.txt
	refused 'wide.txt: no output that gpudiag knows'
}

@test "what dumps tell differently is a message, and the better one counts" {
	sed 's/\(Driver Version *: \).*/\1550.54.15/' smi.txt > earlier.txt
	grep -v '^#:' "$TOP/tests/imports/smi-table-healthy.txt" > table.txt
	gpudiag run --import earlier.txt --import smi.txt --format json
	is "$status" 0
	is "$(json '.messages | join(",")')" \
		'the dumps contradict each other: driver_version: 550.90.07 in smi.txt:5 (nvidia-smi -q) counts, not 550.54.15 in earlier.txt:5 (nvidia-smi -q)'
	gpudiag run --import earlier.txt --import table.txt --format json
	has "$OUT" 'driver_version: 550.54.15 in earlier.txt:5 (nvidia-smi -q) counts, not 550.90.07 in table.txt:2 (nvidia-smi)'
	gpudiag import earlier.txt smi.txt -o node.json
	gpudiag run --snapshot node.json --format json
	has "$OUT" 'the dumps contradict each other: driver_version'
	gpudiag run --import smi.txt --import smi.txt --format json
	is "$(json '.messages | length')" 0
	# A driver that is bound, and none; the number of a device.
	printf '%s\n' '43:00.0 3D controller [0302]: NVIDIA Corporation GH100 [H100 SXM5 80GB] [10de:2330] (rev a1)' \
		'	Subsystem: NVIDIA Corporation Device [10de:16c1]' \
		'	Kernel modules: nvidiafb, nouveau, nvidia_drm, nvidia' > lspci.txt
	for files in 'lspci.txt smi.txt' 'smi.txt lspci.txt'; do
		gpudiag run --import "${files% *}" --import "${files#* }" --format json
		is "$status" 0 "$files"
		has "$OUT" 'driver of 0000:43:00.0: nvidia in smi.txt:' 'counts, not none in lspci.txt:3 (lspci)'
		is "$(json '.messages | length')" 1 "$files"
	done
	sed 's/10de:2330/10de:2331/; s/Kernel modules.*/Kernel driver in use: nvidia/' lspci.txt > other.txt
	gpudiag run --import other.txt --import smi.txt --format json
	has "$OUT" 'device_id of 0000:43:00.0: 0x2331 in other.txt:1 (lspci) counts, not 0x2330 in smi.txt:'
	sed -i 's/10de:2331/10de:2330/' other.txt
	gpudiag run --import other.txt --import smi.txt --format json
	is "$(json '.messages | length')" 0
}

# dated FILE TIMESTAMP: smi.txt as of then; from the 25th on with a row that awaits its remapping.
dated() {
	sed "s/^\(Timestamp *: \).*/\1$2/" smi.txt > "$1"
	case $2 in *25*) sed -i 's/^\(        Pending  *: \)No/\1Yes/' "$1" ;; esac
}

@test "of two dumps of one kind the newer counts, in whatever order they come, and the older is named" {
	local newer='day24.txt:2 (nvidia-smi -q) is of 2026-11-24 09:00:00, and day25.txt:2 of 2026-11-25 09:30:00: the newer counts'
	dated day24.txt 'Tue Nov 24 09:00:00 2026'
	dated day25.txt 'Wed Nov 25 09:30:00 2026'
	dated day26.txt 'Thu Nov 26 09:00:00 2026'
	for files in 'day24.txt day25.txt' 'day25.txt day24.txt'; do
		gpudiag run --import "${files% *}" --import "${files#* }" --format json
		is "$status" 1 "$files"
		is "$(json '.messages | join(",")')" "$newer" "$files"
		is "$(json .taken_at)" 2026-11-25T09:30:00.000Z "$files"
	done
	mkdir days && cp day24.txt days/z.txt && cp day25.txt days/a.txt
	gpudiag run --import days
	is "$status" 1
	gpudiag run --import day26.txt --import day25.txt
	is "$status" 0
	# Ten minutes are one look at a node.
	dated later.txt 'Wed Nov 25 09:35:00 2026'
	gpudiag run --import later.txt --import day25.txt --format json
	is "$status" 1
	is "$(json '.messages | length')" 0
	gpudiag diff day24.txt day25.txt
	hasnt "$OUT" 'at an unknown time'
	has "$OUT" '2026-11-24T09:00:00' '2026-11-25T09:30:00'
}

@test "of the older dump no counter counts, where the driver was started in between" {
	sed 's/^\(Timestamp *: \).*/\1Tue Nov 24 09:00:00 2026/; s/\(DRAM Uncorrectable *: \)0/\13/' smi.txt > older.txt
	sed '/ECC Errors/,/Retired Pages/d; s/^\(Timestamp *: \).*/\1Wed Nov 25 09:00:00 2026/' smi.txt > newer.txt
	gpudiag run --import newer.txt --import older.txt
	is "$status" 2
	has "$OUT" older.txt:
	echo '[Wed Nov 25 08:00:00 2026] Linux version 5.15.0-113-generic (buildd@lcy02)' > boot.txt
	gpudiag run --import newer.txt --import older.txt --import boot.txt --format json
	is "$status" 0
	has "$OUT" 'neither counters nor states'
	# What is newer than the start keeps them.
	echo '[Tue Nov 24 08:00:00 2026] Linux version 5.15.0-113-generic (buildd@lcy02)' > boot.txt
	gpudiag run --import newer.txt --import older.txt --import boot.txt
	is "$status" 2
}

@test "of two bug reports the newer counts: a GPU that an earlier boot lost is no fault of today" {
	sed 's/^\(\*\*\* ls: .*\)2024-06-12/\12024-06-14/; /fallen off the bus/d; s/^\[ *[0-9]*\./[    3./' report.log > newer.log
	for files in 'report.log newer.log' 'newer.log report.log'; do
		gpudiag run --import "${files% *}" --import "${files#* }" --format json
		is "$status" 0 "$files"
		has "$OUT" 'report.log:' 'the newer counts'
	done
	sed 's/^\(\*\*\* ls: .*\)2024-06-12/\12024-06-10/; /fallen off the bus/d; s/^\[ *[0-9]*\./[    3./' report.log > older.log
	for files in 'report.log older.log' 'older.log report.log'; do
		gpudiag run --import "${files% *}" --import "${files#* }" --format json
		is "$status" 2 "$files"
	done
}

@test "XML that nvidia-smi does not write: where the reading ends, and why, is a message" {
	gpudiag run --import "$TOP/tests/imports/smi-xml-entity.txt" --format json
	is "$status" 3
	is "$(json '.messages | length')" 1
	has "$OUT" 'smi-xml-entity.txt:6 (nvidia-smi -q -x): not read from there on: the document declares entities'
	echo of-our-customer > secret
	sed "/^#:/d; s|/etc/hostname|$PWD/secret|" "$TOP/tests/imports/smi-xml-external.txt" > external.txt
	gpudiag run --import external.txt --format json
	is "$status" 3
	has "$OUT" 'external.txt:2 (nvidia-smi -q -x): not read from there on: the document declares entities'
	hasnt "$OUT" of-our-customer
	gpudiag run --import "$TOP/tests/imports/smi-xml-deep.txt" --format json
	is "$status" 3
	has "$OUT" ' (nvidia-smi -q -x): not read from there on: more than 64 elements in each other'
	{
		echo '<?xml version="1.0"?><nvidia_smi_log>'
		yes '<a>' | head -n 100000
	} > deep.xml
	with timeout 20 gpudiag run --import deep.xml --format json
	is "$status" 3
	has "$OUT" 'deep.xml:'
	# As the tool writes it, with its DTD named, and with something behind it.
	grep -v '^#:' "$TOP/tests/imports/age-xml.txt" > smi.xml
	printf '\n<!-- read on Monday -->\n<?note x?>\n' >> smi.xml
	gpudiag run --import smi.xml --format json
	is "$status" 1
	hasnt "$OUT" 'not read from there on'
}

# ---- folders

# sos_report FOLDER: of a node that lost a GPU. What nobody reads holds a fault of another machine.
sos_report() {
	mkdir -p "$1/sos_commands/kernel" "$1/sos_commands/nvidia" "$1/sos_commands/logs" "$1/sos_commands/pci" \
		"$1/proc/driver/nvidia/gpus/0000:1b:00.0" "$1/var/log" "$1/etc"
	cp smi.txt "$1/sos_commands/nvidia/nvidia-smi_-q"
	printf '%s\n' '[    0.000000] Linux version 5.15.0-113-generic (buildd@lcy02)' \
		'[    7.200000] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023' \
		"[ 9999.500000] NVRM: Xid (PCI:0000:1b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus." \
		> "$1/sos_commands/kernel/dmesg"
	sed 's/^\[[^]]*\] /[Wed Jun 12 10:46:40 2024] /' "$1/sos_commands/kernel/dmesg" > "$1/sos_commands/kernel/dmesg_-T"
	sed 's/^\[[^]]*\]/Jun 12 10:46:40 node7 kernel:/' "$1/sos_commands/kernel/dmesg" \
		> "$1/sos_commands/logs/journalctl_--no-pager_--boot"
	cp "$1/sos_commands/logs/journalctl_--no-pager_--boot" "$1/var/log/messages"
	printf 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023\n' \
		> "$1/proc/driver/nvidia/version"
	sed 's/1b:00/5e:00/' "$1/sos_commands/kernel/dmesg" > "$1/etc/notes-of-another-node"
	ln -s "$PWD" "$1/link"
}

# finds_one_xid PATH: the fault once, with its GPU.
finds_one_xid() {
	gpudiag run --import "$1" --format json
	is "$status" 2 "$1"
	is "$(json '[.findings[] | select(.outcome == "fail") | [.id, .subject] | join(" ")] | join(",")')" \
		'klog-errors.nvidia-xid-79 GPU 0' "$1"
	hasnt "$OUT" 5e:00 twice
	has "$OUT" /proc/driver/nvidia/version
}

@test "a GPU is called by the number that the dump has for it" {
	gpudiag run --import "$TOP/tests/imports/program-gpu-lost-index.txt"
	has "$OUT" 'FAIL  GPU 2 is lost to its driver'
	hasnt "$OUT" 'gpu2' 'GPU 0'
	gpudiag run --import "$TOP/tests/imports/program-gpu-lost-no-name.txt"
	has "$OUT" 'FAIL  A GPU is lost to its driver'
	printf '%s\n' 'index, pci.bus_id, ecc.errors.uncorrected.volatile.total' '0, 00000000:C3:00.0, 0' \
		'1, 00000000:41:00.0, 0' '2, 00000000:42:00.0, 7' > numbers.csv
	gpudiag run --import numbers.csv
	has "$OUT" 'GPU 2 (0000:42:00.0) has had uncorrected'
	gpudiag run --import numbers.csv -f json
	is "$(json '[.gpus[] | "\(.index) \(.pci)"] | join(", ")')" '1 0000:41:00.0, 2 0000:42:00.0, 0 0000:c3:00.0'
	gpudiag run --import numbers.csv --gpu 0 -f json
	is "$(json '[.gpus[] | select(.state != "not-judged") | .pci] | join(" ")')" 0000:c3:00.0
}

@test "a sosreport, unpacked and packed: each fault once" {
	sos_report sosreport-node7-2024-06-12
	finds_one_xid sosreport-node7-2024-06-12
	has "$OUT" '"source": "sosreport-node7-2024-06-12/sos_commands/kernel/dmesg:3'
	cp -r sosreport-node7-2024-06-12 case
	finds_one_xid case
	tar -cJf sosreport.tar.xz sosreport-node7-2024-06-12
	finds_one_xid sosreport.tar.xz
	gpudiag import case -o node.json
	is "$status" 0
	gpudiag run --snapshot case
	is "$status" 2
}

@test "a sosreport whose ring lost its beginning: a fault in a file of weeks ago is none of today" {
	mkdir -p sosreport-node7/sos_commands/kernel sosreport-node7/var/log
	printf '[90000.123456] EXT4-fs (sda1): re-mounted %s\n' 0 1 2 > sosreport-node7/sos_commands/kernel/dmesg
	start='node7 kernel: NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.90.07  Fri May 31 09:35:42 UTC 2024'
	printf '%s\n' "Nov 19 01:00:10 $start" > sosreport-node7/var/log/messages
	printf '%s\n' "Nov  7 01:00:10 $start" \
		'Nov  7 01:20:34 node7 kernel: NVRM: Xid (PCI:0000:5d:00): 79, pid=1234, GPU has fallen off the bus.' \
		> sosreport-node7/var/log/messages-20261108
	gpudiag run --import sosreport-node7
	is "$status" 3
	has "$OUT" "Xid 79 (before this boot)"
	sed -i 's/Nov  7/Nov 19/' sosreport-node7/var/log/messages-20261108
	gpudiag run --import sosreport-node7
	is "$status" 2
}

@test "a text of 200,000 commands takes no time that grows with their square" {
	{ yes "\$ ls
foo" | head -n 400000; cat report.log; } > terminal.txt
	with timeout 20 gpudiag run --import terminal.txt
	is "$status" 2
}

@test "a text of more than eight million lines: the rest is left out, and it says so" {
	xid='[    5.000000] NVRM: Xid (PCI:0000:1b:00): 79, pid=1, GPU has fallen off the bus.'
	{ echo "$xid"; yes a | head -n 8000000; } > long.txt
	with timeout 60 gpudiag import -v long.txt
	is "$status" 0
	has "$ERR" "its end is missing"
}

@test "more parts than sources have numbers: no line is cited as another's" {
	mkdir -p case/proc/driver/nvidia
	yes "$(printf '$ lspci\n01:00.0 3D controller: NVIDIA Corporation GA100 (rev a1)')" | head -n 1200 > case/a.txt
	printf 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023\n' \
		> case/proc/driver/nvidia/version
	gpudiag import case -o node.json
	is "$status" 0
	is "$(jq -r '.modules[0].from.version' node.json)" 255:1
	is "$(jq '[.sources[].key | tonumber] | max' node.json)" 255
}

@test "64 GPUs with seven MIG devices each, and errors on one of them" {
	local gpu device
	{
		echo '| NVIDIA-SMI 550.54.15              Driver Version: 550.54.15      CUDA Version: 12.4     |'
		for gpu in $(seq 0 63); do
			printf '|  %2d  NVIDIA H100 80GB HBM3          On  | 00000000:%02X:00.0 Off |  On |\n' "$gpu" $((gpu + 16))
			echo '| N/A   33C    P0       70W / 700W |      4MiB / 81559MiB |   N/A  Default |'
			echo '|                                  |                      |        Enabled |'
		done
		echo '| MIG devices:                                                                  |'
		for gpu in $(seq 0 63); do
			for device in $(seq 0 6); do
				printf '| %2d  %2d  0  %d | 12MiB /  9984MiB | 16  %d | 1 0 1 0 1 |\n' \
					"$gpu" $((device + 7)) "$device" $((gpu == 41 && device == 3))
			done
		done
	} > smi.txt
	gpudiag run --import smi.txt --format json
	is "$(json '.gpus | length')" 64
	is "$(json '[.findings[] | select(.outcome != "note") | .id + " " + .gpu] | join(", ")')" "vram-health.uncorrected 0000:39:00.0"
}

@test "a folder of what the ticket had" {
	mkdir -p ticket/more
	gzip -c report.log > ticket/more/nvidia-bug-report.log.gz
	cp "$GPUDIAG" ticket/a-program
	ln -s /dev/zero ticket/zero
	mkfifo ticket/pipe
	ln -s . ticket/round
	finds_xid ticket ticket/more/nvidia-bug-report.log.gz
	mkdir empty
	gpudiag run --import empty
	refused 'empty: no output that gpudiag knows'
	mkdir closed
	chmod 0 closed
	mv closed ticket
	finds_xid ticket ticket/more/nvidia-bug-report.log.gz
	chmod 700 ticket/closed
}

@test "names of folders say nothing about the files in them" {
	local folder
	for folder in nvidia-bug-report-node7 sosreport-case7; do
		mkdir "$folder"
		grep -h 'NVRM: Xid.*: 79,' report.log > "$folder/dmesg.txt"
		cp smi.txt "$folder/smi.txt"
		finds_xid "$folder" "$folder/dmesg.txt"
		tar -czf "$folder.tgz" "$folder"
		finds_xid "$folder.tgz" "$folder.tgz/$folder/dmesg.txt"
	done
	sos_report sosreport-node7
	tar -cJf sosreport-node7.tar.xz sosreport-node7
	mkdir mail
	mv sosreport-node7.tar.xz mail
	finds_one_xid mail
	ln -s mail link
	finds_one_xid link
}

@test "what cannot be read in a folder does not hide the rest" {
	mkdir ticket
	cp smi.txt ticket/a.txt
	truncate -s 300M ticket/core.1
	yes 'a line' | head -c 550000000 > ticket/huge.txt
	: | gzip > ticket/empty.gz
	printf '\375\067zXZ\000 damaged' > ticket/damaged.xz
	ln -s ../report.log ticket/report.log
	finds_xid ticket ticket/report.log
	has "$ERR" 'ticket/huge.txt: not read: with it more than 512 MiB' 'ticket/empty.gz: '
	has "$ERR" 'ticket/core.1: nothing that gpudiag knows'
}

@test "rotated logs of a folder are read oldest first" {
	mkdir log
	printf 'Nov  1 10:00:0%s node7 kernel: %s\n' 1 '[    0.000000] Linux version 5.15.0-113-generic (buildd@lcy02)' \
		2 '[ 1000.000000] NVRM: Xid (PCI:0000:5d:00): 79, pid=1234, name=python, GPU has fallen off the bus.' | gzip > log/kern.log.2.gz
	printf 'Nov 20 10:00:0%s node7 kernel: %s\n' 1 '[    0.000000] Linux version 5.15.0-113-generic (buildd@lcy02)' \
		2 '[    7.200000] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023' > log/kern.log.1
	printf 'Nov 21 10:00:01 node7 kernel: [90000.000000] nvidia-uvm: Loaded the UVM driver, major device number 510.\n' > log/kern.log
	gpudiag run --import log
	is "$status" 0
	tar -cf log.tar log/kern.log log/kern.log.1 log/kern.log.2.gz
	gpudiag run --import log.tar
	is "$status" 0
}

# ---- wherever a snapshot is taken

@test "diff of two dumps, and of a dump and a report" {
	grep -v '^#:' "$TOP/tests/imports/smi-q-remap.txt" > later.txt
	grep -v '^#:' "$TOP/tests/imports/smi-q-healthy.txt" > before.txt
	gpudiag diff before.txt later.txt
	is "$status" 2
	has "$OUT" 'remap_pending no' 'vram-health.remap-pending none'
	gpudiag run --import before.txt --format json=before.json
	gzip later.txt
	gpudiag diff before.json later.txt.gz
	is "$status" 2
	has "$OUT" 'vram-health.remap-pending'
	gpudiag diff before.txt before.txt
	is "$status" 0
	echo 'Good morning.' > letter
	gpudiag diff before.txt letter
	refused 'letter: no output that gpudiag knows'
}

@test "diff of two outputs of rdma link: which port went down" {
	printf 'link mlx5_%s/1 state ACTIVE physical_state LINK_UP netdev ens%sf0np0\n' 0 1 1 2 > before.txt
	sed '2s/ACTIVE physical_state LINK_UP/DOWN physical_state POLLING/' before.txt > later.txt
	gpudiag diff before.txt later.txt
	is "$status" 2
	has "$OUT" 'worse   network ens2f0np0: rdma_state active → down'
	hasnt "$OUT" ens1f0np0
}

@test "a gate, and a baseline, of a dump" {
	grep -v '^#:' "$TOP/tests/imports/smi-q-remap.txt" > later.txt
	gpudiag gate --snapshot later.txt
	is "$status" 2
	has "$OUT" 'NO-GO' 'remap pending'
	gpudiag baseline save --snapshot smi.txt -o healthy.json
	is "$status" 0
	gpudiag run --import smi.txt --baseline healthy.json
	is "$status" 0
}

# ---- lines as long as files

# is_read_soon WORDS: a line of a megabyte that is nothing but these words.
is_read_soon() {
	yes "$1" | head -c 1000000 | tr '\n' ' ' > long.txt
	echo >> long.txt
	status=0
	timeout 20 "$GPUDIAG" run --import long.txt > "$OUT" 2> "$ERR" || status=$?
	isnt "$status" 124 "$1"
}

@test "a line that says one thing ten thousand times is not gone through for each" {
	is_read_soon 'Reason='
	is_read_soon "'nvidia-smi: command not found'"
	is_read_soon "'/dev/kfd: Permission denied"
	is_read_soon 'ErrorCode:DCGM_FR_X GPU:3'
}

@test "of thousands of tests that nobody has, as many are kept as can be judged, and failures before passes" {
	for i in {1..300}; do
		echo "ErrorCode:DCGM_FR_X$i GPU:$((i % 2)) something Recommended Action=NONE"
	done > many
	gpudiag import many -o node.json
	is "$status" 0
	is "$(jq -c '[.gpus[].diagnostics | length]' node.json)" '[128,128]'
}

@test "redacted: pools, disks named by their serial number, and the host in an array's name are gone, and nothing that was found" {
	cat > disks.txt <<-'END'
		$ zpool status
		  pool: alices-pool
		 state: DEGRADED
		config:

		        NAME                      STATE     READ WRITE CKSUM
		        alices-pool               DEGRADED     0     0     0
		          ata-WDC_WD-WCC7K012345  FAULTED     13    87     0  too many errors

		errors: No known data errors
		$ mdadm --detail /dev/md/node7:0
		/dev/md/node7:0:
		           Version : 1.2
		        Raid Level : raid1
		      Raid Devices : 2
		    Active Devices : 1
		             State : clean, degraded
	END
	gpudiag import --redact disks.txt -o redacted.json
	hasnt redacted.json WCC7K012345
	hasnt redacted.json alices-pool
	hasnt redacted.json node7
	gpudiag run --snapshot redacted.json
	is "$status" 1
	has "$OUT" 'is degraded (ZFS pool'
	has "$OUT" '0 is degraded (raid1, 1 of 2 disks in use)'
}

@test "where a dump is given in place of something else, the way is told" {
	grep -v '^#:' "$TOP/tests/imports/smi-q-remap.txt" > smi.txt
	gpudiag run smi.txt
	refused 'unexpected argument "smi.txt"' '--import smi.txt'
	gpudiag run smi
	refused 'unexpected argument "smi"; options begin with --'
	gpudiag import -f json smi.txt
	refused 'unknown option "-f"' 'gpudiag run --import FILE --format FORMAT'
	gpudiag fleet smi.txt
	is "$status" 3
	has "$OUT" 'smi.txt:1: no report of gpudiag run' '--import'
	# What lies beside reports in a folder is no such news.
	mkdir reports
	gpudiag run --import smi.txt -f json -o reports/node7.json
	echo 'all jobs ended' > reports/log.txt
	gpudiag fleet reports
	hasnt "$OUT" 'no report of gpudiag run'
	# A dump that names no node is called by its file.
	has "$OUT" '1 node' 'smi  '
}

@test "a temperature is one at idle where the dump shows the GPU idle" {
	grep -v '^#:' "$TOP/tests/imports/smi-q-healthy.txt" > smi.txt
	gpudiag run --import smi.txt
	has "$OUT" ' °C at idle'
	sed -i '/^    Utilization/,/Memory/s/Gpu  *: 0 %/Gpu                                : 97 %/' smi.txt
	gpudiag run --import smi.txt
	hasnt "$OUT" 'at idle'
	has "$OUT" 'slowdown'
}

# ---- how many GPUs, and which

@test "GPUs under two keys, by number and by address, are counted once, or not at all" {
	printf 'GPU %s: NVIDIA A100-SXM4-80GB (UUID: GPU-5f3c000%s-0000-4000-8000-000000000000)\n' 0 0 1 1 > list
	printf 'pci.bus_id, temperature.gpu\n00000000:17:00.0, 40\n00000000:27:00.0, 41\n' > by_address
	printf 'index, temperature.gpu\n0, 40\n1, 41\n' > by_index
	printf 'uuid, temperature.gpu\nGPU-5f3c0000-0000-4000-8000-000000000000, 40\n' > by_uuid
	gpudiag run --import list --import by_address --expect-gpus 4
	is "$status" 2
	has "$OUT" "NVIDIA's library lists 2 of 4 GPUs"
	gpudiag run --import list --import by_address --expect-gpus 2
	is "$status" 0
	gpudiag run --import by_address --import by_index --expect-gpus 4
	is "$status" 3
	gpudiag run --import by_address --import by_uuid --expect-gpus 3
	is "$status" 3
	gpudiag run --import by_address --expect-gpus 2
	is "$status" 0
}

@test "a count or a model that a policy or an option asks for, and that dumps do not tell, is not judged" {
	printf 'index, temperature.gpu\n0, 40\n1, 41\n' > by_index
	printf 'index, name, temperature.gpu\n0, NVIDIA A100-SXM4-80GB, 40\n1, NVIDIA A100-SXM4-80GB, 41\n' > named
	echo '{ "inventory.gpus": 4 }' > pol.json
	gpudiag run --policy pol.json --import by_index
	is "$status" 3
	gpudiag run --expect-gpus 2:H100 --import by_index
	is "$status" 3
	echo '{ "inventory.model": ["*A100*"] }' > model.json
	gpudiag run --policy model.json --import by_index
	is "$status" 3
	gpudiag run --policy model.json --import named
	is "$status" 0
	gpudiag run --expect-gpus 2:A100 --import named
	is "$status" 0
}

@test "a note of a program's error says where it stands, and quotes the lines beside it" {
	printf 'relax 1.2, GPU backend\nthe plan is incompatible with mode 3\nthe step was rejected by node 4\nValueError: bad\n' \
		> log.txt
	gpudiag run --import log.txt
	is "$status" 3
	has "$OUT" 'Seen in log.txt:4' 'Also: "the plan is incompatible with mode 3"' \
		'Also: "the step was rejected by node 4"'
}
