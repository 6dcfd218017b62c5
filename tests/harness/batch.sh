#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What gpudiag says in one process of many runs (tests/batch.py) is what it says in a process of its own.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

[ -x build/batch ] || skip_all "build/batch is not there (make batch)"

# batch LINES…: runs them as Python; run(…) and own(…) are gpudiag in the common process, and in one of its own.
batch() {
	printf '%s\n' "$@" > "$WORK/lines.py"
	succeeds "$name" python3 - "$WORK/lines.py" <<- 'PYTHON'
		import os, re, subprocess, sys
		sys.path.insert(0, "tests")
		import batch
		PROGRAM = os.path.abspath("build/gpudiag")
		LOG = b"NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.\n"
		SNAPSHOT = "tests/snapshots/h100-8-nvml.json"

		def run(*words, **more):
		    return batch.run(PROGRAM, list(words), **more)

		def own(*words, data=None, environment=None):
		    return subprocess.run([PROGRAM, *words], input=data or b"", capture_output=True, check=False,
		                          env={**os.environ, **(environment or {})})

		def same(*words, **more):
		    a, b = run(*words, **more), own(*words, **more)
		    assert (a.returncode, a.stdout, a.stderr) == (b.returncode, b.stdout, b.stderr), (words, a, b)

		def process():
		    return batch.process_of((os.path.abspath("build/batch"),)).child.pid

		exec(open(sys.argv[1], encoding="utf-8").read())
	PYTHON
}

name="runs of one process say what runs of their own say"
batch 'for _ in range(2):' '    same("logs", "--format", "json", "-", data=LOG)' \
	'    same("run", "--snapshot", SNAPSHOT, "-f", "json")' '    same("gate", "--snapshot", SNAPSHOT, "--expect-gpus", "9")' \
	'    same("run", "--import", "tests/imports/smi-q-lost.txt")' '    same("list", "findings")' \
	'first = process()' 'same("--version")' 'assert process() == first'
name="a usage error ends the process and is that run's alone"
batch 'same("--version")' 'first = process()' 'same("logs", "--nonsense")' 'same("run", "--snapshot", SNAPSHOT)' \
	'assert process() != first'
name="of what one run decides the next knows nothing"
batch 'run("run", "--snapshot", SNAPSHOT, "-f", "nagios", "--colour=always")' \
	'same("run", "--snapshot", SNAPSHOT, "-f", "text")' \
	'run("run", "--snapshot", SNAPSHOT, "--policy", "tests/policies/power-limit.json")' \
	'same("run", "--snapshot", SNAPSHOT, "-f", "json")'
name="nor of its environment"
batch 'words = "run", "--snapshot", SNAPSHOT' 'here = own(*words).stdout' \
	'there = run(*words, environment={"TZ": "Asia/Kathmandu", "COLUMNS": "40"}).stdout' \
	'assert there == own(*words, environment={"TZ": "Asia/Kathmandu", "COLUMNS": "40"}).stdout' 'assert run(*words).stdout == here'
name="a run that does not end in its time is killed, and others go on"
batch 'try:' '    run("logs", "-f", sys.argv[1], limit_s=0.5)' 'except subprocess.TimeoutExpired:' '    same("--version")' \
	'else:' '    raise AssertionError("it ended")'
name="a batch that is older than gpudiag is not used"
mkdir "$WORK/old"
touch -d yesterday "$WORK/old/batch"
touch "$WORK/old/gpudiag"
batch "assert batch.beside('$WORK/old/gpudiag') is None" 'assert batch.beside(PROGRAM)'

done_testing
