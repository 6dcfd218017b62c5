#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# slurm-healthcheck - Slurm's HealthCheckProgram: drains a node whose GPUs fail, and undrains it once they pass again.
#
# In slurm.conf, on all nodes alike (ANY: also while jobs run; CYCLE: not all nodes at the same moment):
#
#   HealthCheckProgram=/usr/share/gpudiag/integrate/slurm-healthcheck.sh
#   HealthCheckInterval=300
#   HealthCheckNodeState=ANY,CYCLE
#
# It runs gpudiag at level read, which puts no load on a GPU.
#   exit status 2, twice in a row   drains the node: running jobs finish, no new one starts
#   0 or 1 (warnings), twice        undrains it, but only where the reason begins with "gpudiag:"
#   3 (unknown) or any other        changes nothing: not known is not broken
# A node that is drained or down for another reason stays as it is. To keep one drained that passes again, give it a
# reason of your own: scontrol update NodeName=n1 State=DRAIN Reason="ticket 123".
#
# Slurm ends a health check after 60 s. This one ends gpudiag before that, and starts none while an earlier one hangs.
# slurmctld is asked only where there is something to change.

# ---- settings; /etc/gpudiag/slurm, if it exists, may set others
OPTIONS=		# for gpudiag: --expect-gpus 8:H100 --policy /etc/gpudiag/policy.json
UNDRAIN=yes		# no: a person does it
DEADLINE=40		# seconds for gpudiag
SETTINGS=/etc/gpudiag/slurm
# slurmd sets no PATH. Where Slurm lies elsewhere, add its folder: /opt/slurm/bin
PATH=${PATH:+$PATH:}/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH
# shellcheck source=/dev/null
[ ! -r "$SETTINGS" ] || . "$SETTINGS"

node=${SLURMD_NODENAME:?is set by slurmd}
folder=${GPUDIAG_RUNTIME_DIR:-/run/gpudiag}
record=$folder/slurm-$node	# "fail 2": what the last runs came to, and how many in a row

# Shown by slurmd in its log only where the exit status is not 0.
stop() {
	echo "gpudiag health check of $node: $1"
	exit "$2"
}

# Its state and reason, as $state and $reason; the reason is followed by " [user@time]".
ask_slurm() {
	shown=$(timeout 10 scontrol -o show node "$node") || stop "scontrol show node failed" 1
	state=$(printf '%s\n' "$shown" | sed -n 's/.* State=\([^ ]*\).*/\1/p')
	reason=$(printf '%s\n' "$shown" | sed -n 's/.* Reason=\(.*\) \[[^][]*\].*/\1/p')
}

change_node() {
	timeout 10 scontrol update NodeName="$node" "$@" || stop "scontrol update failed" 1
}

# What stands before the colon stays the same as long as the fault does, whatever figures follow it.
fault_of() {
	text=${1#gpudiag: }
	echo "${text%%: *}"
}

drain() {
	wanted="gpudiag: $said"
	ask_slurm
	case $state in
	*DRAIN* | *DOWN* | *FAIL*)
		case $reason in
		'') ;;
		gpudiag:*) [ "$(fault_of "$reason")" != "$(fault_of "$wanted")" ] || return 0 ;;
		*) return 0 ;;
		esac
		;;
	esac
	change_node State=DRAIN Reason="$wanted"
}

undrain() {
	[ "$UNDRAIN" = yes ] || return 0
	ask_slurm
	case $state in
	*DRAIN*) ;;
	*) return 0 ;;
	esac
	case $reason in
	gpudiag:*) change_node State=UNDRAIN ;;
	esac
}

umask 077
mkdir -p "$folder" || exit 1
# gpudiag inherits the lock: it is free again when gpudiag is gone, and not when this script is killed.
exec 9>> "$record.lock" || exit 1
flock -n 9 || stop "the last one is still running" 0

# shellcheck disable=SC2086 # several options
timeout -k 5 "$DEADLINE" gpudiag run --level read --timeout 30s -f short $OPTIONS > "$record.said" 2> "$record.errors"
status=$?
# One short line, without what a shell or slurm.conf could take for a quote; an error where nothing was judged.
said=$(cat "$record.said" "$record.errors" | head -n 1 | tr -cd '[:print:]' | tr -d "\"'\`\\\\\$" | cut -c 1-110)

case $status in
0 | 1) result=pass ;;
2) result=fail ;;
*) result=unknown ;;
esac
last='' times=0
[ ! -r "$record" ] || read -r last times < "$record"
[ "$last" = "$result" ] || times=0
times=$((times + 1))
# Where Slurm cannot be asked the record stays, and the next run tries again.
case $result in
fail) [ "$times" -lt 2 ] || drain ;;
pass) [ "$times" -ne 2 ] || undrain ;;
esac
echo "$result $times" > "$record"
case $status in
[0-3]) exit 0 ;;
124 | 137) stop "no answer within $DEADLINE s" 1 ;;
*) stop "gpudiag failed with exit status $status: $said" 1 ;;
esac
