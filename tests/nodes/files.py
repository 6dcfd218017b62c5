# SPDX-License-Identifier: GPL-2.0-or-later
"""files.py - a tree of files in memory, and how it gets onto a disk.

A machine has some thousand files; most of its settings change a few. sync()
writes only what differs from what is there, so that one folder serves one
setting after the other.
"""
import os
import shutil

FOLDER = object()


class Link(str):
    """The text of a symbolic link."""
    __slots__ = ()


class Files:
    def __init__(self):
        self.entries = {"": FOLDER}     # path: bytes, Link or FOLDER
        self.inside = {"": {}}          # folder: names, in the order they came
        self.modes = {}                 # of what has not the usual one
        self.ways = {"": ""}            # folder, as it is named: with links followed
        self.passed = set()             # what those ways go by

    def copy(self):
        other = Files()
        other.entries, other.modes = dict(self.entries), dict(self.modes)
        other.inside = {path: dict(names) for path, names in self.inside.items()}
        return other

    def folder(self, path):
        if self.entries.get(path) is FOLDER:
            return
        above, _, name = path.rpartition("/")
        self.folder(above)
        if path in self.entries:
            self.remove(path)
        self.inside[above][name] = None
        self.entries[path] = FOLDER
        self.inside[path] = {}

    def put(self, path, content):
        path = self.real(path)
        above, _, name = path.rpartition("/")
        self.folder(above)
        before = self.entries.get(path)
        if before is FOLDER:
            self.remove(path)
        self.inside[above][name] = None
        self.entries[path] = content
        if path in self.passed:
            self.relinked(before, content)

    def real(self, path):
        """With links on the way followed; the last part stays what it is."""
        if path in self.entries:
            return path
        above, _, name = path.rpartition("/")
        return f"{self.way(above)}/{name}"

    def way(self, folder):
        """The same of a folder, whose last part is followed, too."""
        known = self.ways.get(folder)
        if known is not None:
            return known
        above, _, name = folder.rpartition("/")
        at = f"{self.way(above)}/{name}"
        for _ in range(8):
            self.passed.add(at)
            found = self.entries.get(at)
            if not isinstance(found, Link):
                break
            at = os.path.normpath(os.path.join(os.path.dirname(at), found))
        self.ways[folder] = at
        return at

    def relinked(self, *contents):
        """Ways by what is, or was, a link are to be found anew."""
        if any(isinstance(content, Link) for content in contents):
            self.ways, self.passed = {"": ""}, set()

    def has(self, path):
        return self.real(path) in self.entries

    def get(self, path):
        return self.entries[self.real(path)]

    def names(self, path):
        """What is in a folder; of what is none, nothing."""
        return list(self.inside.get(self.real(path), ()))

    def remove(self, path):
        """A file, a link or a folder with all in it, where it is there."""
        path = self.real(path)
        if path not in self.entries:
            return
        for name in list(self.inside.get(path, ())):
            self.remove(f"{path}/{name}")
        self.inside.pop(path, None)
        content = self.entries.pop(path)
        if path in self.passed:
            self.relinked(content)
        self.modes.pop(path, None)
        above, _, name = path.rpartition("/")
        self.inside[above].pop(name, None)


def remove_from_disk(place):
    if os.path.isdir(place) and not os.path.islink(place):
        shutil.rmtree(place)
    elif os.path.lexists(place):
        os.unlink(place)


def sync(top, now, before=None):
    """Makes the folder top hold what now says; before: what was synced there last."""
    old, old_modes = (before.entries, before.modes) if before else ({}, {})
    for path in old_modes:
        os.chmod(f"{top}{path}", 0o755 if old[path] is FOLDER else 0o644)
    for path, content in old.items():
        if now.entries.get(path) is not content and now.entries.get(path) != content:
            if content is not FOLDER or path not in now.entries or now.entries[path] is not FOLDER:
                remove_from_disk(f"{top}{path}")
    for path, content in now.entries.items():
        if path not in old or old[path] != content:
            put_on_disk(f"{top}{path}", content)
    for path, mode in now.modes.items():
        os.chmod(f"{top}{path}", mode)


def put_on_disk(place, content):
    """Where nothing is; its folder is there, since folders come before what is in them."""
    if content is FOLDER:
        os.mkdir(place)
    elif isinstance(content, Link):
        os.symlink(content, place)
    else:
        with open(place, "wb") as file:
            file.write(content)
