#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# clush - gpudiag on many nodes by ssh, with ClusterShell: a report per node, then what they come to.
#
#   gpudiag integrate clush > screen.sh
#   sh screen.sh 'gpu[001-064]'        # or a group of ClusterShell: @gpu
#
# As a user who may log in to the nodes, which have gpudiag; root also gets kernel logs and error counters.
# One line per node, and nodes with the same line together: clush -b -w 'gpu[001-064]' gpudiag --level read -f short
set -u
nodes=${1:?which nodes, as gpu[001-064]}
# quick: 1 s of load per GPU on a GPU that is free; read: none.
level=${2:-quick}
# A folder of this run alone: old reports would make a dead node look alive.
reports=$(mktemp -d "gpudiag-$(date +%Y%m%d-%H%M%S)-XXXXXX") || exit 70

# -t: to connect; -u: for all of it, where a node hangs. What a node prints becomes the file of its name.
clush -w "$nodes" -f 64 -t 10 -u 300 -q --outdir="$reports" --errdir="$reports.errors" \
	"timeout -k 5 240 gpudiag run --level $level -f jsonl" > /dev/null 2>&1

gpudiag fleet --expect "$(nodeset -e -S , "$nodes")" "$reports"
