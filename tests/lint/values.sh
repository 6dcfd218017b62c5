#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# v_ is the number of a value that may be unknown: only lib/snapshot and lib/eval touch it.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

lint() {
	! grep -rnE '(->|\.)[[:space:]]*v_([^a-zA-Z0-9_]|$)' lib cmd checks --include='*.[ch]' --include='*.def' |
		grep -vE '^lib/(snapshot|eval)/'
}

finds_nothing lint
plant() { echo 'int x = gpu->pci.link_width.v_;' > checks/planted.c; }
finds "a check's" 'checks/planted.c:1:' lint
plant() { echo 'return value->v_;' > lib/render/planted.c; }
finds "a renderer's" 'lib/render/planted.c:1:' lint
plant() { echo 'facts->host.uptime_s = (struct val_u64){ .state = VAL_OK, .v_ = 1 };' > lib/probe/planted.c; }
finds "an initialiser" 'lib/probe/planted.c:1:' lint
plant() { echo 'return value->v_;' > lib/probe/pci/planted.c; }
finds "one in a folder below" 'lib/probe/pci/planted.c:1:' lint
plant() { echo 'return value->v_;' > lib/eval/planted.c; }
spares "lib/eval" 'planted' lint
plant() { echo 'return value->v_able;' > lib/render/planted.c; }
spares "a longer name" 'planted' lint

done_testing
