#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# kernel-log.bats - the kernel's log among what is collected: how much of it, and what is no log.

load helpers.sh
setup() {
	begin
	cp -r "$NODES/h100-8" tree
	rm -r tree/sos_commands
	mkdir -p tree/var/log
}

# line STAMP TEXT, as a syslog daemon writes it.
line() { printf 'Nov 20 10:00:00 h kernel: %s%s\n' "$1" "$2"; }

# many STAMP: more lines that may matter, no two of them alike, than are kept.
many() { awk -v stamp="$1" 'BEGIN {
	for (i = 0; i < 4100; i++) {
		text = ""
		for (n = i + 4096; n > 0; n = int(n / 16))
			text = text substr("ghijklmnopqrstuv", n % 16 + 1, 1)
		printf "Nov 20 10:00:00 h kernel: %sNVRM: %s\n", stamp, text
	}
}'; }

judged() { json '.checks[] | select(.check == "klog-errors" and .subject == "node") | .result'; }

@test "a fault that there was no room for is not passed" {
	for stamp in '' '[  100.000000] '; do
		{
			line "$stamp" 'Linux version 6.1.0-28-amd64'
			line "$stamp" 'NVRM: Xid (PCI:0000:5d:00): 79, pid=31, name=x, GPU has fallen off the bus.'
			many "$stamp"
		} > tree/var/log/kern.log
		gpudiag run --root tree --window 0 --format json
		is "$(judged)" unknown
	done
	# With room for all it passes, or tells.
	line '' 'Linux version 6.1.0-28-amd64' > tree/var/log/kern.log
	gpudiag run --root tree --window 0 --format json
	is "$(judged)" pass
}

@test "what is no log is said" {
	line '' 'Linux version 6.1.0-28-amd64' | gzip > tree/var/log/kern.log
	gpudiag run --root tree --window 0 --format json
	is "$(judged)" unknown
	is "$(json '.checks[] | select(.check == "klog-errors" and .subject == "node") | .reason')" \
		"the kernel's log: the tree has none that can be read: compressed, or no text"
	# The next one is.
	line '' 'Linux version 6.1.0-28-amd64' > tree/var/log/messages
	gpudiag run --root tree --window 0 --format json
	is "$(judged)" pass
}
