#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# slurm.bats - the scripts of gpudiag integrate in a real Slurm: eight slurmd on this machine, a recorded node for each.
# Runs beside one: Slurm's daemons wait for one another, and give up on a machine that is too busy.

load helpers.sh

NR=8

# ---- a Slurm of our own, in $LAB

setup_file() {
	export LAB=$BATS_FILE_TMPDIR/lab
	local why
	if ! why=$(lacks); then
		export NO_SLURM=$why
		return 0
	fi
	mkdir -p "$LAB"/{bin,run,log,state,spool,nodes,locks}
	chmod 755 "$LAB"
	chmod 700 "$LAB/locks"
	begin_in_lab
	if ! start_slurm > "$LAB/log/start" 2>&1; then
		NO_SLURM="Slurm does not start here: $(tail -n 1 "$LAB/log/start")"
		export NO_SLURM
	fi
}

# What keeps it from running; exit status 1.
lacks() {
	local program
	for program in munged slurmctld slurmd srun sbatch scontrol sinfo; do
		PATH=$PATH:/usr/sbin command -v "$program" > /dev/null || { echo "$program is not installed"; return 1; }
	done
	[ "$(id -u)" -eq 0 ] || { echo "needs root, for slurmd"; return 1; }
}

# ports N: that many on which nothing listens now.
ports() {
	python3 -c 'import socket, sys
sockets = [socket.socket() for _ in range(int(sys.argv[1]))]
for each in sockets: each.bind(("127.0.0.1", 0))
print(*[each.getsockname()[1] for each in sockets])' "$1"
}

# The scripts, and a gpudiag that judges the recorded node of the slurmd that it is started by.
begin_in_lab() {
	local name
	for name in slurm-healthcheck slurm-prolog slurm-epilog slurm-screen; do
		# Recorded nodes compute nothing: at level quick they would be unknown for that.
		"$GPUDIAG" integrate "$name" |
			sed "s|/etc/gpudiag/slurm|$LAB/settings|; s/^level=quick/level=read/" > "$LAB/$name"
		chmod 755 "$LAB/$name"
	done
	cat > "$LAB/settings" <<- SH
		PATH=$LAB/bin:\$PATH
		GPUDIAG_RUNTIME_DIR=$LAB/locks
		DEADLINE=300
		export SLURM_CONF=$LAB/slurm.conf
	SH
	# Health checks begin when a test wants them.
	cat > "$LAB/health" <<- SH
		#!/bin/sh
		[ -e $LAB/health-is-on ] || exit 0
		echo "\$SLURMD_NODENAME" >> $LAB/calls
		exec $LAB/slurm-healthcheck
	SH
	cat > "$LAB/bin/gpudiag" <<- SH
		#!/bin/sh
		cd $LAB || exit 70
		if [ "\$1" = fleet ]; then
			printf '%s\n' "\$@" > fleet
			$GPUDIAG "\$@"
			echo \$? > fleet-exits
			exit
		fi
		echo "\$SLURMD_NODENAME" >> runs
		if [ -e "nodes/\$SLURMD_NODENAME.hangs" ]; then
			echo \$\$ >> run/hung.pid
			exec sleep 600
		fi
		exec $GPUDIAG "\$@" --snapshot "nodes/\$SLURMD_NODENAME"
	SH
	cat > "$LAB/bin/logger" <<- SH
		#!/bin/sh
		printf '%s\n' "\$*" >> $LAB/logged
	SH
	chmod 755 "$LAB/health" "$LAB"/bin/*
	touch "$LAB"/{calls,runs,logged}
}

start_slurm() {
	local here i
	local -a port
	here=$(hostname -s)
	read -ra port < <(ports $((NR + 1)))
	export SLURM_CONF=$LAB/slurm.conf PATH=$LAB/bin:$PATH:/usr/sbin
	cat > "$SLURM_CONF" <<- CONF
		ClusterName=lab
		SlurmctldHost=$here(127.0.0.1)
		SlurmctldPort=${port[0]}
		AuthType=auth/munge
		AuthInfo=socket=$LAB/run/munge.sock
		SlurmUser=root
		SlurmdUser=root
		StateSaveLocation=$LAB/state
		SlurmdSpoolDir=$LAB/spool/%n
		SlurmctldPidFile=$LAB/run/slurmctld.pid
		SlurmdPidFile=$LAB/run/slurmd-%n.pid
		SlurmctldLogFile=$LAB/log/slurmctld
		SlurmdLogFile=$LAB/log/slurmd-%n
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		MpiDefault=none
		SelectType=select/linear
		JobAcctGatherType=jobacct_gather/none
		AccountingStorageType=accounting_storage/none
		ReturnToService=2
		MessageTimeout=60
		SlurmdTimeout=300
		SlurmdParameters=config_overrides
		HealthCheckProgram=$LAB/health
		HealthCheckInterval=2
		HealthCheckNodeState=ANY
		Prolog=$LAB/slurm-prolog
		Epilog=$LAB/slurm-epilog
		PrologFlags=Alloc
		$(for ((i = 1; i <= NR; i++)); do
			echo "NodeName=n$i NodeHostname=$here NodeAddr=127.0.0.1 Port=${port[i]} CPUs=1 RealMemory=100"
		done)
		PartitionName=p Nodes=n[1-$NR] Default=YES State=UP MaxTime=INFINITE
	CONF
	head -c 1024 /dev/urandom > "$LAB/munge.key"
	chmod 400 "$LAB/munge.key"
	munged --force --key-file="$LAB/munge.key" --socket="$LAB/run/munge.sock" --pid-file="$LAB/run/munged.pid" \
		--log-file="$LAB/log/munged" --seed-file="$LAB/run/munge.seed" 3>&- || return 1
	slurmctld -f "$SLURM_CONF" -c 3>&- || return 1
	for ((i = 1; i <= NR; i++)); do
		mkdir -p "$LAB/spool/n$i"
		slurmd -f "$SLURM_CONF" -N "n$i" 3>&- || return 1
	done
	within_a_minute all_are_idle
}

all_are_idle() {
	[ "$(sinfo -h -t idle -o %D)" = "$NR" ]
}

teardown_file() {
	local file pid
	local -a daemons=()
	[ -z "${NO_SLURM:-}" ] || [ -d "$LAB/run" ] || return 0
	# A daemon that ends takes its file with it: all are read before the first ends.
	for file in "$LAB"/run/slurmd-*.pid "$LAB"/run/slurmctld.pid "$LAB"/run/munged.pid; do
		if read -r pid 2> /dev/null < "$file"; then daemons+=("$pid"); fi
	done
	kill_all < <(cat "$LAB/run/hung.pid" 2> /dev/null)
	kill_all < <(printf '%s\n' "${daemons[@]}")
	# They write into folders that bats removes next.
	for pid in "${daemons[@]}"; do
		tail --pid="$pid" -s 0.1 -f /dev/null
	done
}

# The processes whose numbers come in; those that have ended already are no matter.
kill_all() {
	local pid
	while read -r pid; do
		kill "$pid" 2> /dev/null || true
	done
}

setup() {
	begin
	[ -z "${NO_SLURM:-}" ] || skip "$NO_SLURM"
	record
}

# What each node is, as its gpudiag judges it.
record() {
	local node tree
	[ ! -e "$LAB/nodes/n1" ] || return 0
	while read -r node tree; do
		need_tree "$tree"
		gpudiag collect --root "$NODES/$tree" -o "$LAB/nodes/$node"
		is "$status" 0
	done <<- END
		n1 h100-8
		n2 h100-8-x8
		n3 mi210-switch
		n4 driver-loading
		n5 gpu-off-bus
	END
	cp "$LAB/nodes/n1" "$LAB/nodes/n6"
	cp "$LAB/nodes/n1" "$LAB/nodes/n7"
	cp "$LAB/nodes/n2" "$LAB/nodes/n8"
	touch "$LAB/nodes/n7.hangs"
	# Passes, fails, warns, is not known.
	for node in n1:0 n2:2 n3:1 n4:3 n5:2; do
		gpudiag run --snapshot "$LAB/nodes/${node%:*}"
		is "$status" "${node#*:}" "exit status of ${node%:*}"
	done
}

# ---- what is asked of it

# within_a_minute COMMAND…: until it is so.
within_a_minute() {
	local i
	for ((i = 0; i < 300; i++)); do
		! "$@" || return 0
		sleep 0.2
	done
	return 1
}

# reason NODE: for which it is drained; nothing where it is not.
reason() {
	scontrol -o show node "$1" | sed -n 's/.* State=[^ ]*DRAIN.* Reason=\(.*\) \[.*/\1/p'
}

reason_is() {
	[ "$(reason "$1")" = "$2" ]
}

# wait_for_reason NODE REASON
wait_for_reason() {
	within_a_minute reason_is "$1" "$2" || fail "$1 is drained for \"$(reason "$1")\", not \"$2\""
}

# were_checked TIMES NODE…: so often by now, since ./calls was emptied.
were_checked() {
	local times=$1 node
	shift
	for node; do
		[ "$(grep -cx "$node" "$LAB/calls")" -ge "$times" ] || return 1
	done
}

@test "prolog: a job does not start on a node that fails, and on any other it does" {
	local node
	for node in n1 n3 n4 n7; do
		run_job "$node" true
		is "$status" 0 "a job on $node"
		is "$(reason "$node")" "" "reason of $node"
	done
	run_job n2 true
	isnt "$status" 0 "a job on n2"
	wait_for_reason n2 "Prolog error"
	has "$LAB/logged" "of job " "GPU 3 pcie-width.below-twins: runs its PCIe link at x8 of x16"
}

run_job() {
	status=0
	srun -Q -w "$1" "${@:2}" > "$OUT" 2> "$ERR" < /dev/null || status=$?
}

@test "epilog: a node that fails after a job gets no other" {
	run_job n1 cp "$LAB/nodes/n5" "$LAB/nodes/n1"
	is "$status" 0
	wait_for_reason n1 "Epilog error"
}

@test "health check: drains the node that fails, and no other; none piles up behind one that hangs" {
	scontrol update NodeName=n6 State=DRAIN Reason="ticket 6"
	scontrol update NodeName=n8 State=DRAIN Reason="ticket 8"
	: > "$LAB/runs"
	touch "$LAB/health-is-on"
	wait_for_reason n5 "gpudiag: GPU 2 gpu-lost.all-ones: has fallen off the bus: configuration space reads as..."
	local since node
	since=$(scontrol -o show node n5 | sed 's/.*\[//')
	: > "$LAB/calls"
	within_a_minute were_checked 3 n3 n4 n5 n6 n7 n8 || fail "checked: $(sort "$LAB/calls" | uniq -c | xargs)"
	for node in n3 n4 n7; do
		is "$(reason "$node")" "" "reason of $node"
	done
	# Bad as they are, for their own reasons.
	is "$(reason n2)" "Prolog error"
	is "$(reason n6)" "ticket 6"
	is "$(reason n8)" "ticket 8"
	is "$(grep -cx n7 "$LAB/runs")" 1 "runs on the node that hangs"
	# The same reason was not written again: its time is that of the first.
	is "$(scontrol -o show node n5 | sed 's/.*\[//')" "$since" "when n5 was drained"
}

@test "health check: undrains a node that passes again, and none that another drained" {
	cp "$LAB/nodes/n6" "$LAB/nodes/n5"
	cp "$LAB/nodes/n6" "$LAB/nodes/n8"
	wait_for_reason n5 ""
	: > "$LAB/calls"
	within_a_minute were_checked 3 n6 n8
	is "$(reason n6)" "ticket 6"
	is "$(reason n8)" "ticket 8"
	rm "$LAB/health-is-on"
}

@test "screen: a report for each node of the job" {
	timeout 60 sbatch -W -w 'n[3-4]' -N 2 "$LAB/slurm-screen" > "$OUT" 2> "$ERR" || true
	[ -s "$LAB/fleet" ] || fail "$(cat gpudiag-*.txt "$ERR")"
	local folder
	folder=$(tail -n 1 "$LAB/fleet")
	is "$(cd "$folder" && echo *)" "n3.json n4.json"
	is "$(jq -s -c '[.[].exit_status]' "$folder"/*)" "[1,3]" "exit statuses"
	is "$(head -n 3 "$LAB/fleet" | xargs)" "fleet --expect n3,n4"
	"$GPUDIAG" help fleet > /dev/null 2>&1 || return 0
	[ "$(cat "$LAB/fleet-exits")" -le 3 ] || fail "gpudiag fleet refused: $(cat gpudiag-*.txt)"
}
