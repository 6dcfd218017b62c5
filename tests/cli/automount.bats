#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# automount.bats - places that are mounted when somebody looks there: nothing of gpudiag's own search mounts one, and a
# daemon that answers nobody stops no run. The kernel's autofs is real, the daemon is tests/fakes/automount.py.
# Runs beside one: a path that is named is waited for until a deadline.

load helpers.sh

setup() { begin; }

# automounted POINT[,POINT…] COMMAND…
automounted() {
	status=0
	"$TOP/tests/fakes/automount.py" requests "$@" > out 2> err || status=$?
	[ "$status" -ne 77 ] || skip "$(tail -n 1 out)"
}

@test "a run searches /home and /opt for drivers and toolkits, and mounts nothing there" {
	automounted /home,/opt "$GPUDIAG" run --window 0
	[ ! -s requests ] || fail "asked for: $(cat requests)"
}

@test "a path that is named is touched, and its deadline ends the wait" {
	automounted /srv "$GPUDIAG" run --window 0 --storage /srv/data/x --check storage-path
	is "$(cat requests)" data
}

@test "the point itself is left alone" {
	automounted /srv "$GPUDIAG" run --window 0 --storage /srv --check storage-path
	[ ! -s requests ] || fail "asked for: $(cat requests)"
}
