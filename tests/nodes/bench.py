# SPDX-License-Identifier: GPL-2.0-or-later
"""bench.py - a folder in which one tree after the other is laid out, and gpudiag run on it."""
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile

from files import Files, sync

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # behind: some names are there, too
import batch  # noqa: E402  pylint: disable=wrong-import-position

TIMEOUT_S = 60
NOBODY = 65534


@functools.cache
def driver_of(program, tree, window="0"):
    """Arguments that let gpudiag ask the NVML that a tree has beside its files (nvml.py), and watch it so long."""
    # A program that is older than the option reads the files alone.
    said = subprocess.run([program, "run", "--help"], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return ["--driver-root", f"{tree}/driver", "--window", window] if b"--driver-root" in said.stdout else []


class Bench:
    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix="gpudiag-bench-")
        self.tree, self.out = f"{self.folder}/tree", f"{self.folder}/out"
        self.laid = None
        self.program = program
        self.for_user = None
        os.chmod(self.folder, 0o755)
        os.mkdir(self.out)
        os.chmod(self.out, 0o777)

    def lay(self, files):
        """Makes the tree hold these; only what differs is written."""
        sync(self.tree, files, self.laid)
        self.laid = files

    def run(self, arguments, as_user=False, command="run"):
        program, prefix = self.program, ()
        if as_user and os.geteuid() == 0:
            # Where another user finds it; so many bytes are copied for those alone who need it.
            self.for_user = self.for_user or shutil.copy(program, f"{self.folder}/gpudiag")
            program = self.for_user
            prefix = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
        return batch.run(program, [command, *arguments], environment={"GPUDIAG_RUNTIME_DIR": f"{self.out}/run"},
                         limit_s=TIMEOUT_S, prefix=prefix)

    def close(self):
        if self.laid and self.laid.modes:
            sync(self.tree, Files(), self.laid)
        shutil.rmtree(self.folder, ignore_errors=True)


def taken(path):
    """The document in that file, which is gone then: the next run must write its own."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    os.unlink(path)
    return document
