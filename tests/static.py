#!/usr/bin/env python3
"""Test static programs: they need no libraries, and convert recordings as the program with shared libraries does.

usage: static.py PDCONV PROGRAM [EMULATOR]

PROGRAM runs in a root directory that has nothing else but recordings and their binaries, or is run by EMULATOR. Prints a
line for each failure.
"""
import base64
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

RECORDINGS = ("nested", "threads", "cxx")
FORMATS = ("report", "script", "folded", "pprof", "html", "firefox", "perfetto", "sqlite")
# A program with another library in it is larger than this, in bytes.
MAX_SIZE = 7_200_000


PROFILE = re.compile(rb'(<script type="application/octet-stream"[^>]*>)([^<]*)')


def unpack(data):
    """Compressors of the same data differ: this is what they compressed."""
    if data[:2] == b"\x1f\x8b":
        return gzip.decompress(data)
    return PROFILE.sub(lambda match: match[1] + zlib.decompress(base64.b64decode(match[2])), data)


def needs(program):
    """Return the lines of readelf about what the program needs to start."""
    text = subprocess.run(["readelf", "-ldW", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    return [line.strip() for line in text.splitlines() if "INTERP" in line or "NEEDED" in line]


class Root:
    """A directory with recordings and the program, which is its root directory unless an emulator runs the program."""

    def __init__(self, folder, program, emulator):
        self.folder = folder
        shutil.copy(program, os.path.join(folder, "pdconv"))
        self.command = [emulator, "./pdconv"] if emulator else ["chroot", folder, "/pdconv"]
        # Nothing is recorded below it.
        os.mkdir(os.path.join(folder, "nowhere"))
        os.mkdir(os.path.join(folder, "tmp"))

    def run(self, *arguments, command=()):
        return subprocess.run([*(command or self.command), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              cwd=self.folder, env={"PATH": os.environ["PATH"]}, check=False)


def compare(pdconv, root, name, form):
    """Convert a recording with both programs. Return what differs."""
    arguments = [f"{name}/perf.data", "--symfs", "nowhere", "--symbol-dir", name, "--no-cache", "-f", form, "-o", "-"]
    expected = root.run(*arguments, command=[pdconv])
    found = root.run(*arguments)
    if expected.returncode or found.returncode or not found.stdout:
        return f"{name}, {form}: status {found.returncode}: {found.stderr.decode()}"
    return None if unpack(found.stdout) == unpack(expected.stdout) else f"{name}, {form}: other bytes"


def archive(root):
    """Archives are written and read. Return what is wrong."""
    made = root.run("archive", "nested/perf.data", "--symbol-dir", "nested")
    os.remove(os.path.join(root.folder, "nested", "nested"))
    shown = root.run("nested/perf.data", "--folded", "--symfs", "nowhere", "--no-cache")
    if made.returncode or b"main;outer;middle;inner" not in shown.stdout:
        return f"archive: {made.stderr.decode()}{shown.stdout.decode()}{shown.stderr.decode()}"
    return None


def refusals(root):
    """What would have to be loaded is absent, and said to be. Return what is wrong."""
    said = root.run("threads/perf.data", "--folded", "--symfs", "nowhere", "--debuginfod=http://127.0.0.1:9").stderr.decode()
    if "libdebuginfod is not part of this static program" not in said:
        return f"debuginfod: {said}"
    return None


def main():
    pdconv, program = (os.path.abspath(path) for path in sys.argv[1:3])
    emulator = sys.argv[3] if len(sys.argv) > 3 else None
    wrong = [f"{program} needs: {line}" for line in needs(program)]
    size = os.path.getsize(program)
    if size > MAX_SIZE:
        wrong.append(f"{program} has {size} bytes")
    with tempfile.TemporaryDirectory() as folder:
        root = Root(folder, program, emulator)
        for name in RECORDINGS:
            shutil.copytree(os.path.join("testdata", name), os.path.join(folder, name))
            wrong += [compare(pdconv, root, name, form) for form in FORMATS]
        wrong += [archive(root), refusals(root)]
    wrong = [line for line in wrong if line]
    print("\n".join(wrong) or f"{size} bytes, {len(RECORDINGS) * len(FORMATS)} conversions are equal")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
