#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# pdsh - gpudiag on many nodes by ssh, with pdsh: a report per node, then what they come to.
#
#   gpudiag integrate pdsh > screen.sh
#   sh screen.sh 'gpu[001-064]'
#
# As a user who may log in to the nodes, which have gpudiag; root also gets kernel logs and error counters.
# One line per node: pdsh -R ssh -w 'gpu[001-064]' gpudiag --level read -f short | dshbak -c
set -u
nodes=${1:?which nodes, as gpu[001-064]}
# quick: 1 s of load per GPU on a GPU that is free; read: none.
level=${2:-quick}
# A folder of this run alone: old reports would make a dead node look alive.
reports=$(mktemp -d "gpudiag-$(date +%Y%m%d-%H%M%S)-XXXXXX") || exit 70

# -t: to connect; -u: for all of it, where a node hangs. dshbak -d writes a file per node.
pdsh -R "${PDSH_RCMD_TYPE:-ssh}" -w "$nodes" -f 64 -t 10 -u 300 \
	timeout -k 5 240 gpudiag run --level "$level" -f jsonl 2> "$reports.errors" | dshbak -d "$reports"

gpudiag fleet --expect "$nodes" "$reports"
