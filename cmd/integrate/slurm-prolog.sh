#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# slurm-prolog, slurm-epilog - Slurm's Prolog and Epilog: no job starts on a GPU that is known to be broken.
#
# In slurm.conf; the same file serves as both:
#
#   Prolog=/usr/share/gpudiag/integrate/slurm-prolog.sh
#   Epilog=/usr/share/gpudiag/integrate/slurm-prolog.sh
#   PrologFlags=Alloc
#
# Where either fails, slurmd drains the node ("Prolog error", "Epilog error"), and requeues the job of a prolog; it
# holds that job, unless SchedulerParameters has nohold_on_prolog_fail. So this fails only where gpudiag is certain:
# exit status 2. Warnings, what is not known (3), and no answer within 5 s let the job start: slurm-healthcheck has
# more time. What was found is in the node's system log: journalctl -t gpudiag

# ---- settings; /etc/gpudiag/slurm, if it exists, may set others
OPTIONS=		# for gpudiag: --expect-gpus 8:H100 --policy /etc/gpudiag/policy.json
PROLOG_DEADLINE=5	# seconds for gpudiag; Slurm wants prologs well below its MessageTimeout, 10 s
SETTINGS=/etc/gpudiag/slurm
# slurmd sets no PATH.
PATH=${PATH:+$PATH:}/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH
# shellcheck source=/dev/null
[ ! -r "$SETTINGS" ] || . "$SETTINGS"

# shellcheck disable=SC2086 # several options
said=$(timeout -k 1 "$PROLOG_DEADLINE" gpudiag run --level read --window 0 --timeout 4s -f short $OPTIONS 2> /dev/null)
[ $? -eq 2 ] || exit 0
logger -t gpudiag -p daemon.err "${SLURM_SCRIPT_CONTEXT:-prolog or epilog} of job ${SLURM_JOB_ID:-?}: $said"
exit 1
