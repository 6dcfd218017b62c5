#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Work that is left for later stands in an issue, not in the source.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

lint() {
	! grep -rnwE 'TODO|FIXME|XXX|HACK' lib cmd checks kernels
}

finds_nothing lint
for word in TODO FIXME XXX HACK; do
	plant() { echo "/* $word: later */" > "checks/planted.c"; }
	finds "$word" "checks/planted.c:1:.*$word" lint
done
plant() { echo "// TODO" > kernels/planted.cl; }
finds "a kernel's" 'planted.cl:1:' lint

done_testing
