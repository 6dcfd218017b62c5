#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# init.sh - the guest's first process: runs the scripts that come in over the
# second serial line, one a line in base64, and answers with their output and
# "@@status N". machine.py is the other end.
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs -o mode=1777 tmp /tmp
mkdir -p /dev/shm /run/gpudiag
mount -t tmpfs shm /dev/shm
hostname lab

# In a process of its own: ash drops what it has read of a line when a child ends meanwhile, and whatever a script
# leaves running becomes a child of this one.
serve() {
	exec 3<> /dev/ttyS1
	stty raw -echo <&3
	echo "@@ready" >&3
	while read -r line <&3; do
		echo "$line" | base64 -d > /run/script
		status=0
		sh /run/script > /run/output 2>&1 < /dev/null || status=$?
		cat /run/output >&3
		echo "@@status $status" >&3
	done
}
serve &
wait $!
poweroff -f
