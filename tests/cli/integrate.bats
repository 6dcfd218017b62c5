#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# integrate.bats - what gpudiag integrate prints: each text by its own tool, and what the scripts do, with Slurm, ssh
# and gpudiag played by others. With a real Slurm: slurm.bats. Rules and dashboard: prometheus.bats. Units: install.sh.

load helpers.sh

setup() {
	begin
	mkdir bin
	PATH=$BATS_TEST_TMPDIR/bin:$PATH
	export SLURMD_NODENAME=n3 FAKES=$BATS_TEST_TMPDIR
}

teardown() {
	[ ! -s pids ] || xargs kill < pids 2> /dev/null || true
}

# plays NAME: a command of that name, whose text is on stdin.
plays() {
	cat > "bin/$1"
	chmod 755 "bin/$1"
}

# names: all that there are.
names() {
	"$GPUDIAG" integrate list | cut -d ' ' -f 1
}

# script NAME: as ./NAME, with its settings in ./settings.
script() {
	gpudiag integrate "$1"
	sed "s|/etc/gpudiag/slurm|$PWD/settings|" "$OUT" > "$1"
	chmod 755 "$1"
	grep -q "^SETTINGS=$PWD/settings$" "$1" || fail "$1 has no settings"
}

# run_it COMMAND…: what it said in $OUT and $ERR, its exit status in $status.
run_it() {
	status=0
	"$@" > "$OUT" 2> "$ERR" < /dev/null || status=$?
}

# ---- the texts

@test "the list has a line for each, and a name its text" {
	gpudiag integrate
	is "$status" 0
	cp "$OUT" alone
	gpudiag integrate list
	same "$OUT" alone
	is "$(wc -l < alone)" "$(names | sort -u | wc -l)" "names"
	mkdir texts
	local name
	for name in $(names); do
		"$GPUDIAG" integrate "$name" > "texts/$name"
	done
	# All files, and no other text: the epilog is the prolog.
	same <(md5sum texts/* | cut -d ' ' -f 1 | sort -u) <(md5sum "$TOP"/cmd/integrate/* | cut -d ' ' -f 1 | sort)
	gpudiag integrate slurm-healthchek
	refused 'unknown value "slurm-healthchek" (did you mean "slurm-healthcheck"?)'
	gpudiag integrate npd nhc
	refused 'one name at a time, not "nhc" too'
}

@test "each text says how it is used, in lines that a terminal holds" {
	local name
	for name in $(names); do
		gpudiag integrate "$name"
		case $name in
		grafana | npd) jq . "$OUT" > /dev/null || fail "$name: no JSON" ;;
		*) head -n 3 "$OUT" | grep -qE '^# ' || fail "$name: does not say what it is" ;;
		esac
		[ "$name" = grafana ] || [ "$name" = prometheus ] ||
			is "$(grep -v '^\* ||' "$OUT" | awk 'length > 120')" "" "$name: long lines"
		grep -qE "^\.It .*Cm $name( |\$)" "$TOP/man/gpudiag-integrate.1" || fail "$name: not in the manual"
	done
}

@test "every option of gpudiag in them is one" {
	local name line command
	for name in $(names); do
		"$GPUDIAG" integrate "$name" | grep -oE "gpudiag (run|gate|--level) ?[^|;\"']*" > commands || continue
		while read -r line; do
			command=$(cut -d ' ' -f 2 <<< "$line")
			case $command in
			-*) command=run ;;
			esac
			# Options in a variable are the site's.
			takes_options "$command" "${line%%#*}" || fail "$name: $line"
		done < commands
	done
}

@test "scripts are what shellcheck wants, and YAML is YAML" {
	local name
	for name in $(names); do
		gpudiag integrate "$name"
		if [ "$(head -c 2 "$OUT")" = '#!' ]; then
			sh -n "$OUT"
		fi
	done
	python3 -c 'import yaml' 2> /dev/null || skip "python3-yaml is not installed"
	for name in kubernetes-job kubernetes-daemonset kubernetes-init ansible prometheus; do
		"$GPUDIAG" integrate "$name" > "$name.yml"
	done
	python3 -c 'import sys, yaml; sys.exit(not all([yaml.safe_load(open(path)) for path in sys.argv[1:]]))' ./*.yml
}

@test "Kubernetes: objects are whole, and their shell commands run" {
	python3 -c 'import yaml' 2> /dev/null || skip "python3-yaml is not installed"
	local name
	local -a mistakes=(
		's/backoffLimitPerIndex/backoffLimitPerNode/' 's/restartPolicy: Never/restartPolicy: Always/'
		's/mountPath: .run.gpudiag/mounted: x/' 's/^        - name: locks/        - name: lock/'
		's/parallelism: 8/parallelism: 9/' 's/^        app: gpudiag/        app: x/'
		's/^                  app: gpudiag/                  app: x/' 's/^              status=.*/              if/'
		's/: Job/: Jobs/'
	)
	for name in kubernetes-job kubernetes-daemonset kubernetes-init; do
		gpudiag integrate "$name"
		cp "$OUT" "$name"
	done
	run_it python3 "$TOP/tests/cli/manifest.py" kubernetes-*
	is "$status" 0
	# Mistakes of the usual kinds are found.
	for name in "${!mistakes[@]}"; do
		sed "${mistakes[name]}" kubernetes-job > "changed-$name"
	done
	run_it python3 "$TOP/tests/cli/manifest.py" changed-*
	for name in "${!mistakes[@]}"; do
		has "$OUT" "changed-$name: "
	done
}

# container NAME: the shell command of a manifest's container, as ./container.
container() {
	"$GPUDIAG" integrate "$1" |
		sed -n '/^ *args:/,/^ *env:/{/args:/d; /env:/d; /- |$/d; p}' |
		sed "s|/dev/termination-log|$PWD/message|; s|/tmp/short|$PWD/short|" > container
	grep -q gpudiag container
}

@test "Kubernetes: only failures and what is not known fail a Job's pod, only failures stop an init container" {
	plays gpudiag <<- 'SH'
		#!/bin/sh
		echo "GPU 3 x.y: broken" > "$FAKES/short"
		exit "$(cat "$FAKES/exits")"
	SH
	local wanted name exits
	while read -r name exits wanted; do
		echo "$exits" > exits
		rm -f message
		container "$name"
		run_it sh container
		is "$status" "$wanted" "$name: exit status where gpudiag has $exits"
		[ "$wanted" = 0 ] || has message "GPU 3 x.y: broken"
	done <<- END
		kubernetes-job 0 0
		kubernetes-job 1 0
		kubernetes-job 2 2
		kubernetes-job 3 3
		kubernetes-init 0 0
		kubernetes-init 1 0
		kubernetes-init 2 2
		kubernetes-init 3 0
		kubernetes-init 64 0
	END
}

@test "node-problem-detector: its fields, and what its rule says of nodes" {
	gpudiag integrate npd
	jq -e '.plugin == "custom" and (.source | length > 0)
		and (.pluginConfig | (.timeout == "5s") and (.max_output_length == 80))
		and ([.conditions[].type] as $types | all(.rules[]; .type == "permanent" and (.condition | IN($types[]))
			and .timeout == "5s" and (.path | startswith("/")) and all(.args[]; type == "string")))
		and (keys - ["plugin", "pluginConfig", "source", "metricsReporting", "conditions", "rules"] == [])
		and (.pluginConfig | keys - ["invoke_interval", "timeout", "max_output_length", "concurrency",
			"enable_message_change_based_condition_update", "skip_initial_status"] == [])' "$OUT" > /dev/null ||
		fail "not as node-problem-detector reads it"
	local node wanted begin
	local -a args
	mapfile -t args < <(jq -r '.rules[0].args[]' "$OUT")
	while read -r node wanted begin; do
		need_tree "$node"
		gpudiag "${args[@]}" --root "$NODES/$node"
		is "$status" "$wanted" "$node"
		is "$(wc -l < "$OUT")" 1
		[ "$(wc -c < "$OUT")" -le 81 ] || fail "$node: longer than 80 bytes"
		is "$(LC_ALL=C tr -d ' -~\n' < "$OUT")" "" "$node: not ASCII"
		has "$OUT" "$begin"
	done <<- END
		h100-8 0 Nothing broken found: 8 GPUs
		h100-8-x8 1 GPU 3 pcie-width.below-twins: runs its PCIe link at x8 of x16
		mi210-switch 0 GPU 0 pcie-width.below-able: runs its PCIe link at x8
		driver-loading 2 Maintenance under way
		tasks-stuck 1 driver-tasks-stuck.in-driver: python3 (pid 30100)
	END
}

@test "Nagios: what sudo permits is what NRPE calls" {
	gpudiag integrate nagios
	local called permitted
	called=$(sed -n 's/^#   command\[check_gpudiag\]=sudo -n //p' "$OUT")
	permitted=$(sed -n 's/^#   nagios ALL=(root) NOPASSWD: //p' "$OUT")
	[ -n "$called" ] || fail "no command"
	is "$called" "$permitted"
	is "$(grep -cE '^define (command|service) \{$' "$OUT")" "$(grep -c '^}$' "$OUT")" "ends of objects"
	is "$(awk '$1 == "check_command" { print $2 }' "$OUT")" "$(awk '$1 == "command_name" { print $2 }' "$OUT")"
}

@test "Node Health Check: only a failure is one, with its reason" {
	# As nhc reads and runs a line.
	cat > nhc <<- 'BASH'
		set -f
		die() { echo "die: $2"; exit "$1"; }
		while read LINE; do
			TARGET="${LINE%%||*}" CHECK="${LINE#*||}"
			[[ "${TARGET###}" == "$TARGET" ]] || continue
			eval $CHECK
			RET=$?
			[[ "$RET" == 0 ]] || die "$RET" "check returned $RET"
		done < nhc.conf
	BASH
	"$GPUDIAG" integrate nhc > nhc.conf
	is "$(grep -vc '^#' nhc.conf)" 1 "checks"
	plays gpudiag <<- 'SH'
		#!/bin/sh
		echo "GPU 3 x.y: 10 * 2 errors"
		exit "$(cat "$FAKES/exits")"
	SH
	for exits in 0 1 2 3 64; do
		echo "$exits" > exits
		run_it bash nhc
		is "$status" "$((exits == 2 ? 1 : 0))" "exit status where gpudiag has $exits"
		[ "$exits" -ne 2 ] || has "$OUT" "die: gpudiag: GPU 3 x.y: 10 * 2 errors"
	done
}

@test "node_exporter: a drop-in that changes where the service writes" {
	gpudiag integrate node-exporter
	is "$(grep -v '^#' "$OUT" | head -n 1)" "[Service]"
	grep -q '^Environment=METRICS=/.*\.prom$' "$OUT"
	gpudiag integrate systemd
	# shellcheck disable=SC2016 # systemd's variable
	has "$OUT" 'Environment=METRICS=' '-f prometheus=${METRICS}'
}

# ---- Ansible, clush, pdsh

@test "Ansible reads the playbook, and asks no facts" {
	gpudiag integrate ansible
	cp "$OUT" gpudiag.yml
	is "$(grep -c '^- name: ' gpudiag.yml)" "$(grep -c '^  gather_facts: false$' gpudiag.yml)" "plays that ask no facts"
	run_it env ANSIBLE_LOCALHOST_WARNING=false ansible-playbook --syntax-check gpudiag.yml
	is "$status" 0
}

# Reports, and what fleet is called with.
plays_gpudiag_of_a_fleet() {
	plays gpudiag <<- 'SH'
		#!/bin/sh
		case $1 in
		fleet) shift; printf '%s\n' "$@" > "$FAKES/fleet"; exit 2 ;;
		*) echo '{"schema": "gpudiag.report/1"}'; exit 2 ;;
		esac
	SH
}

# reports_of NODE…: a file with a report for each in the folder that fleet got, and no other.
reports_of() {
	local folder
	folder=$(tail -n 1 fleet)
	is "$(cd "$folder" && echo *)" "$*" "files"
	for node; do
		is "$(jq -r .schema "$folder/$node")" gpudiag.report/1
	done
}

@test "pdsh and clush: a file for each node, and those that must be there" {
	command -v pdsh > /dev/null || skip "pdsh is not installed"
	command -v clush > /dev/null || skip "clustershell is not installed"
	plays_gpudiag_of_a_fleet
	# Their own ways without ssh: each node is here.
	"$GPUDIAG" integrate pdsh > pdsh.sh
	run_it env PDSH_RCMD_TYPE=exec sh pdsh.sh 'n[1-3]'
	is "$status" 2
	is "$(head -n 2 fleet | paste -s -d ' ')" "--expect n[1-3]"
	reports_of n1 n2 n3
	"$GPUDIAG" integrate clush > clush.sh
	plays clush <<- SH
		#!/bin/sh
		exec $(command -v clush) -R exec "\$@"
	SH
	run_it sh clush.sh 'n[1-3]'
	is "$status" 2
	is "$(head -n 2 fleet | paste -s -d ' ')" "--expect n1,n2,n3"
	reports_of n1 n2 n3
}

# ---- Slurm

# A node of Slurm in ./state and ./reason; a gpudiag that says what is in ./says and ./exits, or hangs while ./hangs
# exists. What they were called with: ./asked, ./runs.
plays_slurm() {
	echo IDLE > state
	: > reason
	: > asked
	: > runs
	plays scontrol <<- 'SH'
		#!/bin/sh
		cd "$FAKES" || exit 1
		printf '%s\n' "$*" >> asked
		[ ! -e slurmctld-is-down ] || exit 1
		case $* in
		"-o show node n3")
			why=$(sed 's/.*/ Reason=& [root@2026-11-28T18:40:30]/' reason)
			echo "NodeName=n3 Arch=x86_64 State=$(cat state) ThreadsPerCore=1 ExtSensorsTemp=n/s$why" ;;
		"update NodeName=n3 State=DRAIN Reason="*)
			echo IDLE+DRAIN > state
			printf '%s\n' "${4#Reason=}" > reason ;;
		"update NodeName=n3 State=UNDRAIN")
			echo IDLE > state
			: > reason ;;
		*)
			exit 1 ;;
		esac
	SH
	plays gpudiag <<- 'SH'
		#!/bin/sh
		cd "$FAKES" || exit 1
		echo "$*" >> runs
		if [ -e hangs ]; then
			echo $$ >> pids
			exec sleep 600
		fi
		cat says
		exit "$(cat exits)"
	SH
	echo 'GPU 3 pcie-width.below-twins: runs its PCIe link at x8 of x16' > says
	script slurm-healthcheck
}

# checks EXITS…: a health check for each, of a gpudiag with that exit status.
checks() {
	local exits
	for exits; do
		echo "$exits" > exits
		run_it ./slurm-healthcheck
	done
}

# node_is STATE [REASON]
node_is() {
	is "$(cat state)" "$1" "state"
	is "$(cat reason)" "${2:-}" "reason"
}

@test "slurm-healthcheck: drains on a failure that was seen twice in a row" {
	plays_slurm
	checks 2
	is "$status" 0
	node_is IDLE
	checks 2
	is "$status" 0
	node_is IDLE+DRAIN "gpudiag: GPU 3 pcie-width.below-twins: runs its PCIe link at x8 of x16"
	is "$(grep -c -- '--level read' runs)" 2 "runs that put no load on a GPU"
}

@test "slurm-healthcheck: not on warnings, on what is not known, or on errors of its own" {
	plays_slurm
	checks 0 1 3 1 3 64 64 70 70 126 2 0 2 1 2 3 2 64 2
	node_is IDLE
	is "$(grep -c '^update' asked)" 0 "changes"
}

@test "slurm-healthcheck: a reason that says the same is not written again, whatever its figures" {
	plays_slurm
	checks 2 2
	is "$(grep -c '^update' asked)" 1
	echo 'GPU 3 pcie-width.below-twins: runs its PCIe link at x4 of x16' > says
	checks 2 2
	is "$(grep -c '^update' asked)" 1 "changes"
	node_is IDLE+DRAIN "gpudiag: GPU 3 pcie-width.below-twins: runs its PCIe link at x8 of x16"
	echo 'GPU 5 gpu-lost.all-ones: has fallen off the bus' > says
	checks 2
	node_is IDLE+DRAIN "gpudiag: GPU 5 gpu-lost.all-ones: has fallen off the bus"
}

@test "slurm-healthcheck: undrains what passes twice, and only for reasons of its own" {
	plays_slurm
	checks 2 2 0
	is "$(cat state)" IDLE+DRAIN
	checks 0
	node_is IDLE
	# Warnings drain no node, and keep none drained.
	checks 2 2 1 1
	node_is IDLE
	# Of another.
	echo IDLE+DRAIN > state
	echo "ticket 123, gpudiag: asked" > reason
	checks 2 2 2 0 0 0
	node_is IDLE+DRAIN "ticket 123, gpudiag: asked"
	# Down is not drained.
	echo DOWN+NOT_RESPONDING > state
	echo "gpudiag: GPU 3 x.y: z" > reason
	checks 3 0 0
	is "$(cat state)" DOWN+NOT_RESPONDING
	# And where a person does it.
	echo UNDRAIN=no > settings
	echo IDLE > state
	: > reason
	checks 2 2 0 0
	is "$(cat state)" IDLE+DRAIN
}

@test "slurm-healthcheck: asks slurmctld only where there may be something to change, and again where it is down" {
	plays_slurm
	checks 0 0
	is "$(cat asked)" "-o show node n3" "after a boot, once"
	checks 0 0 1 0 3 3
	is "$(wc -l < asked)" 1 "questions"
	checks 2
	is "$(wc -l < asked)" 1 "questions"
	touch slurmctld-is-down
	checks 2
	is "$status" 1
	has "$OUT" "scontrol show node failed"
	rm slurmctld-is-down
	checks 2
	is "$(cat state)" IDLE+DRAIN
	touch slurmctld-is-down
	checks 0 0
	is "$status" 1
	rm slurmctld-is-down
	checks 0
	node_is IDLE
}

@test "slurm-healthcheck: the reason is one short line without quotes" {
	plays_slurm
	# shellcheck disable=SC2016 # it is what must not be expanded
	printf 'GPU 3 a.b: "it'"'"'s" \\ `id` $HOME \033[31m\303\274%s\nsecond line\n' "$(printf '%0200d' 0)" > says
	checks 2 2
	is "$(wc -l < reason)" 1 "lines"
	[ "$(wc -c < reason)" -le 128 ] || fail "long: $(cat reason)"
	is "$(LC_ALL=C grep -c "[\"'\`\\\\\$]" reason)" 0 "quotes"
	is "$(LC_ALL=C tr -d ' -~\n' < reason)" "" "other than ASCII"
	is "$(cut -c 1-24 reason)" "gpudiag: GPU 3 a.b: its "
}

@test "slurm-healthcheck: a gpudiag that hangs is ended, and says nothing of the node" {
	plays_slurm
	echo DEADLINE=1 > settings
	touch hangs
	checks 0 0
	is "$status" 1
	has "$OUT" "no answer within 1 s"
	node_is IDLE
	is "$(wc -l < pids)" 2
	while read -r pid; do
		! kill -0 "$pid" 2> /dev/null || fail "$pid is still there"
	done < pids
}

@test "slurm-healthcheck: none starts while an earlier one hangs, not even when that one's script was killed" {
	plays_slurm
	touch hangs
	./slurm-healthcheck > /dev/null 2>&1 3>&- &
	local script=$!
	for _ in {1..200}; do
		[ ! -s pids ] || break
		sleep 0.05
	done
	is "$(wc -l < pids)" 1
	checks 0 0
	is "$status" 0
	has "$OUT" "the last one is still running"
	is "$(wc -l < runs)" 1 "runs"
	# As slurmd does after 60 s, and a process in the kernel survives that.
	kill -KILL "$script"
	checks 0
	has "$OUT" "the last one is still running"
	is "$(wc -l < runs)" 1 "runs"
	rm hangs
	# timeout, which passes the signal on.
	kill "$(ps -o ppid= -p "$(cat pids)")"
	for _ in {1..200}; do
		kill -0 "$(cat pids)" 2> /dev/null || break
		sleep 0.05
	done
	checks 0
	empty "$OUT"
	is "$(wc -l < runs)" 2 "runs"
}

@test "slurm-prolog and slurm-epilog: fail only where gpudiag is certain, and log why" {
	plays_slurm
	plays logger <<- 'SH'
		#!/bin/sh
		printf '%s\n' "$*" >> "$FAKES/log"
	SH
	local name exits
	for name in slurm-prolog slurm-epilog; do
		script "$name"
		: > log
		for exits in 0 1 3 64 70 126 130; do
			echo "$exits" > exits
			run_it "./$name"
			is "$status" 0 "$name where gpudiag has $exits"
		done
		empty log
		echo 2 > exits
		SLURM_JOB_ID=17 SLURM_SCRIPT_CONTEXT=prolog_slurmd run_it "./$name"
		is "$status" 1
		has log "-t gpudiag" "prolog_slurmd of job 17: GPU 3 pcie-width.below-twins: runs"
	done
	empty asked
	# A hang is no reason to keep a job from starting.
	echo PROLOG_DEADLINE=1 > settings
	touch hangs
	run_it ./slurm-prolog
	is "$status" 0
}

@test "slurm-screen: a report for each node, and Slurm says which must be there" {
	plays_gpudiag_of_a_fleet
	plays scontrol <<- 'SH'
		#!/bin/sh
		[ "$*" = "show hostnames n[1-3]" ] && printf 'n%d\n' 1 2 3
	SH
	# A node each; the second one is never heard of.
	plays srun <<- 'SH'
		#!/bin/sh
		echo "$@" > "$FAKES/srun"
		while [ "$1" != sh ]; do shift; done
		for SLURMD_NODENAME in n1 n3; do
			export SLURMD_NODENAME
			"$@"
		done
	SH
	plays gpudiag <<- 'SH'
		#!/bin/sh
		[ "$1" != fleet ] || { shift; printf '%s\n' "$@" > "$FAKES/fleet"; exit 3; }
		while [ "$1" != -o ]; do shift; done
		echo '{"schema": "gpudiag.report/1"}' > "$2"
		exit 2
	SH
	gpudiag integrate slurm-screen
	cp "$OUT" screen
	SLURM_SUBMIT_DIR=$PWD SLURM_JOB_ID=17 SLURM_JOB_NUM_NODES=3 SLURM_JOB_NODELIST='n[1-3]' run_it sh screen
	is "$status" 3
	is "$(head -n 2 fleet | paste -s -d ' ')" "--expect n1,n2,n3"
	reports_of n1.json n3.json
	has srun "--no-kill" "--kill-on-bad-exit=0" "--wait=0" "--ntasks=3"
	# Not over the reports of another job.
	SLURM_SUBMIT_DIR=$PWD SLURM_JOB_ID=17 SLURM_JOB_NUM_NODES=3 SLURM_JOB_NODELIST='n[1-3]' run_it sh screen
	is "$status" 70
}
