#!/usr/bin/env python3
"""Name a recording on a machine that has none of its programs, and compare with naming it here.

usage: elsewhere.py PDCONV

A program and the libraries that it uses are recorded here (perf), and copied with their debug files to
a directory. Then pdconv runs in a root of its own, in which there is nothing but that directory, the
recording and pdconv; with --symfs the output must be the same, byte for byte. Without it nothing may be
named. Needs root.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Without the caches of the user.
ENVIRONMENT = {"HOME": "/dev/null", "PATH": os.environ["PATH"]}
FORMATS = ("folded", "script", "pprof", "report")


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, **options)


def record(work):
    """A recording of a program of ours, and of one that has no debug information."""
    source = pathlib.Path(__file__).parent / "program.cpp"
    program = work / "program"
    run("c++", "-O2", "-g", "-o", program, source)
    recording = work / "perf.data"
    run("perf", "record", "-q", "-e", "cpu-clock:u", "-F", "999", "--call-graph", "dwarf,16384", "-o", recording,
        "--", "sh", "-c", f"{program}; xz -6 -k -c {program} >/dev/null; ls -R /usr/include >/dev/null",
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return recording


def copy_into(root, path):
    target = root / str(path).lstrip("/")
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)


def pack(pdconv, recording, root):
    """What `info --binaries` says is in use, under the recorded names."""
    listing = json.loads(run(pdconv, "info", "--binaries", "--json", recording, stdout=subprocess.PIPE,
                             env=ENVIRONMENT).stdout)
    n_debug = 0
    for binary in listing["binaries"]:
        if binary["filename"].startswith("/") and "file" in binary:
            target = root / binary["filename"].lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(os.path.realpath(binary["file"]), target)
        if "debug_file" in binary:
            n_debug += 1
            copy_into(root, binary["debug_file"])
            # dwz may have moved parts of it to others.
            for common in pathlib.Path("/usr/lib/debug/.dwz").rglob("*.debug"):
                copy_into(root, common)
    return n_debug


def install(pdconv, root):
    """pdconv with its libraries, apart from where libraries are."""
    home = root / "pdconv-home"
    home.mkdir()
    shutil.copy2(pdconv, home / "pdconv")
    for line in run("ldd", pdconv, stdout=subprocess.PIPE, text=True).stdout.splitlines():
        path = re.search(r"(/\S+)", line)
        if path:
            shutil.copy2(os.path.realpath(path[1]), home / os.path.basename(path[1]))
    return ["chroot", root, "/pdconv-home/ld-linux-x86-64.so.2", "--library-path", "/pdconv-home",
            "/pdconv-home/pdconv"]


def convert(command, recording, form, *options):
    result = run(*command, recording, "-f", form, "-q", "-o", "-", *options, stdout=subprocess.PIPE,
                 env=ENVIRONMENT)
    return result.stdout


def main():
    pdconv = sys.argv[1]
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        recording = record(work)
        root = work / "root"
        (root / "symfs").mkdir(parents=True)
        n_debug = pack(pdconv, recording, root / "symfs")
        there = install(pdconv, root)
        os.link(recording, root / recording.name)
        failures = 0
        os.chdir(work)
        for form in FORMATS:
            here = convert([pdconv], recording.name, form)
            same = convert(there, recording.name, form, "--symfs", "/symfs")
            none = convert(there, recording.name, form)
            if here != same or none == here or not here:
                failures += 1
                print(f"elsewhere: {form}: {len(here)} bytes here, {len(same)} there, {len(none)} without files")
        folded = convert([pdconv], recording.name, "folded").decode()
        if "walk" not in folded:
            failures += 1
            print("elsewhere: the program itself is not named")
        print(f"elsewhere: {len(FORMATS)} formats, {len(folded.splitlines())} stacks, {n_debug} debug files")
    return 1 if failures else 0


sys.exit(main())
