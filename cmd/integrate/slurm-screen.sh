#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# slurm-screen - a batch job that checks many nodes at once, and says which are bad, slow or silent.
#
#   gpudiag integrate slurm-screen > screen.sh
#   sbatch --nodes=64 --gpus-per-node=8 screen.sh
#
# Without GPUs asked for, Slurm may hide them from the job. Each node writes a report of its own into a folder that all
# nodes share, complete or not at all; a node that hangs keeps no other from being judged. The reports stay: gpudiag
# fleet reads them again at any time.
#SBATCH --job-name=gpudiag
#SBATCH --exclusive
#SBATCH --no-kill
#SBATCH --time=15
#SBATCH --output=gpudiag-%j.txt

# quick: 1 s of load per GPU; standard: 10 s; deep: minutes (then more --time, too).
level=quick
# Of this job alone: reports of an earlier one would make a dead node look alive.
reports=${SLURM_SUBMIT_DIR:-.}/gpudiag-$SLURM_JOB_ID
mkdir "$reports" || exit 70

# A node that fails ends neither the step nor the others. The statuses are in the reports.
# shellcheck disable=SC2016 # expanded on each node
srun --no-kill --kill-on-bad-exit=0 --wait=0 --ntasks="$SLURM_JOB_NUM_NODES" --ntasks-per-node=1 sh -c '
	timeout -k 5 10m gpudiag run --level "$1" -f json --compact -o "$2/$SLURMD_NODENAME.json"
	[ $? -le 3 ]' sh "$level" "$reports" ||
	echo "srun: at least one node gave no report" >&2

# Which nodes there must be is for Slurm to say, not for those that answered.
gpudiag fleet --expect "$(scontrol show hostnames "$SLURM_JOB_NODELIST" | paste -s -d ,)" "$reports"
