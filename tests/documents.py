#!/usr/bin/env python3
"""Run the commands that the documents show, as a reader would who copies them.

usage: tests/documents.py [--quick] PDCONV VERDICTS [FILE:LINE]

Commands are indented by four spaces in README.md and doc/*.md. What follows two spaces and a '#' is a comment. The
commands of a block run in a directory of their own, with the files that documents speak of: recordings, a server,
sources. pdconv, perf, cc and go are the real ones. Viewers and flamegraph.pl are replaced by programs that check
their input. Times are shortened. Writes a line "NAME STATUS REASON" for each command to VERDICTS. With FILE:LINE,
runs only the block of that command, with --quick only those of README.md.
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SKIPPED = 77

# Files and directories that documents speak of, and what they are here.
FILES = {
    "perf.data": "testdata/shop/before.data",
    "before.data": "testdata/shop/before.data",
    "after.data": "testdata/shop/after.data",
    "a.data": "testdata/nested/perf.data",
    "b.data": "testdata/cxx/perf.data",
    "off.data": "testdata/shop/before.data",
    "build": "testdata/shop",
    "src": "testdata/shop",
    "cpu.pb.gz": "testdata/foreign/cpu.pb.gz",
    "stacks.txt": "testdata/foreign/stacks.txt",
    "heap.prof": "testdata/foreign/heap.prof",
    "examples": "examples",
    "recordings": "testdata",
    "testdata": "testdata",
}

# Recordings that have their binaries next to them, and where these are.
ARCHIVES = {
    "perf.data": "testdata/shop",
    "before.data": "testdata/shop",
    "after.data": "testdata/shop/after",
}

# Another recording that is perf.data for a command, by what the command contains.
RECORDINGS = {
    "--sort cpu,time": "testdata/tracepoints/perf.data",
}

# Exit statuses by what commands contain; it is 0 elsewhere. The recording lacks some names that documents filter by.
STATUSES = {
    "--fail-over": 3,
    "--comms nginx": 2,
    "--symbols main": 2,
    "--focus 'sort'": 2,
}

# What a command contains, and what it becomes.
SHORTER = [
    (r"-d (10|60)\b", "-d 1"),
    (r"sleep 10\b", "sleep 1"),
    (r"-G system\.slice\b", "-G /"),
    (r"/srv/image", "$PWD/image"),
    (r"-http=:", "-top"),
]

# Commands that other tests run, by what they contain.
ELSEWHERE = ("make ", "--cflags")

# Commands that cannot be run, by what they contain, and why.
NOT_RUN = {
    "--send http": "there is no server (tests/oracle/send.py has some)",
    "symbol_from": "a recording with branches needs a CPU that records them",
    "-j any": "a recording with branches needs a CPU that records them",
}

# Programs that are replaced. Each reads its input, a file if it is named, and fails if that is not what it expects.
STAND_INS = {
    "flamegraph.pl": "awk '/[^ ] [0-9]+( [0-9]+)?$/ { n++ } END { exit !n }'",
    "stackcollapse-perf.pl": "awk '/^[ \\t]+[0-9a-f]+ .* \\(.*\\)$/ { n++ } END { exit !n }'",
    "kcachegrind": 'grep -q "^fn=" "$1"',
    "npx": 'grep -q "www.speedscope.app/file-format-schema.json" "$2"',
    "firefox": 'test -s "${1#file://}"',
    "jq": "grep '\"function\": ' >/dev/null",
}


# Commands begin with one of these.
PROGRAMS = ("pdconv", "perf", "cc", "go", "node", "make", "pprof")

SERVER = """
#include <math.h>
#include <time.h>
#include <unistd.h>
__attribute__((noinline)) double handle(double sum)
{
    for (int i = 1; i < 1000000; i++)
        sum += i / (sum + 1);
    return sum;
}
int main(int argc, char **argv)
{
    double sum = 0;
    time_t end = time(NULL) + (argc > 1 ? 600 : 1);
    while (time(NULL) <= end) {
        sum = handle(sum);
        usleep(argc > 1 ? 100000 : 1000);
    }
    return sum < 0;
}
"""

APP = """
const end = Date.now() + 1000;
let sum = 0;
while (Date.now() < end) sum += Math.sqrt(sum + 1);
"""


def blocks(path):
    """Yield the blocks of commands of a document: lists of (line number, command). Commands may take several lines."""
    is_fenced = False
    kept, begun = "", 0
    block = []
    with open(path) as f:
        for number, line in enumerate(f, 1):
            if line.startswith("```"):
                is_fenced = not is_fenced
            code = re.sub(r"(^|\s\s+)#.*", "", line[4:].rstrip()) if line.startswith("    ") and not is_fenced else ""
            if kept:
                code = kept + code.strip()
            elif code.split()[:1] and code.split()[0] not in PROGRAMS:
                continue
            if block and not line.startswith("    "):
                yield block
                block = []
            begun = begun or number
            if code.endswith("\\"):
                kept = code[:-1]
                continue
            if code and not any(part in code for part in ELSEWHERE):
                block.append((begun, code))
            kept, begun = "", 0
    if block:
        yield block


def write_program(path, text):
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, 0o755)


def make_files(work, shared, pdconv):
    """Fill the directory `work` with what documents speak of."""
    for name, target in FILES.items():
        source = os.path.join(ROOT, target)
        # Commands may write to the recordings.
        if os.path.isdir(source):
            os.symlink(source, os.path.join(work, name))
        else:
            shutil.copy(source, os.path.join(work, name))
    os.mkdir(os.path.join(work, "image"))
    shutil.copy("/proc/kallsyms", os.path.join(work, "kallsyms"))
    # Kernels without modules do not have /proc/modules.
    with open(os.path.join(work, "modules"), "w") as f:
        f.write("ext4 901120 1 - Live 0xffffffffc0000000\n")
    os.symlink(os.path.join(shared, "server"), os.path.join(work, "server"))
    os.symlink(os.path.join(shared, "server"), os.path.join(work, "vmlinux"))
    with open(os.path.join(work, "query.sql"), "w") as f:
        f.write("SELECT * FROM recording")
    with open(os.path.join(work, "app.js"), "w") as f:
        f.write(APP)
    for name, binaries in ARCHIVES.items():
        subprocess.run([pdconv, "archive", "-q", name, "--symbol-dir", binaries], cwd=work, check=True)


def make_programs(shared, pdconv):
    """Build the server, and put pdconv and the stand-ins into the directory `shared`."""
    os.symlink(pdconv, os.path.join(shared, "pdconv"))
    for name, check in STAND_INS.items():
        write_program(os.path.join(shared, name), f"#!/bin/sh\n{check}\n")
    with open(os.path.join(shared, "server.c"), "w") as f:
        f.write(SERVER)
    subprocess.run(["cc", "-O1", "-g", "-o", "server", "server.c"], cwd=shared, check=True)


def why_not(command):
    """Why a command is not run here, or None."""
    for part, reason in NOT_RUN.items():
        if part in command:
            return reason
    program = command.split()[0]
    return None if program == "pdconv" or shutil.which(program) else f"{program} is not installed"


def expected_status(command):
    return next((status for part, status in STATUSES.items() if part in command), 0)


def adapt(command, server):
    """What a command becomes here: shorter, and with the number of a process that runs."""
    for pattern, instead in SHORTER:
        command = re.sub(pattern, instead, command)
    if command.startswith("pdconv record") and " -p " in command and " -- " not in command and " -d " not in command:
        command = "timeout --preserve-status -s INT 2 " + command
    return re.sub(r"\b(PID|42)\b", str(server), command)


def run(command, work, env):
    """Run a command. Return None, or why it failed."""
    recording = next((file for part, file in RECORDINGS.items() if part in command), None)
    if recording:
        shutil.copy(os.path.join(ROOT, recording), os.path.join(work, "other.data"))
        command = command.replace("perf.data", "other.data")
    try:
        done = subprocess.run(["bash", "-c", "set -o pipefail; " + command], cwd=work, env=env, text=True, timeout=120,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace")
    except subprocess.TimeoutExpired:
        return f"did not end: {command}"
    if done.returncode != expected_status(command):
        return f"status {done.returncode}: {command}\n{done.stdout[-2000:]}"
    return None


def run_block(block, path, shared, server, out):
    """Run the commands of a block one after the other. Return how many failed."""
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        shutil.copytree(os.path.join(shared, "files"), work, symlinks=True, dirs_exist_ok=True)
        env = dict(os.environ, PATH=shared + ":" + os.environ["PATH"], BROWSER="firefox", HOME=work,
                   XDG_CACHE_HOME=os.path.join(work, ".cache"))
        for number, command in block:
            name = f"documents/{os.path.basename(path)}:{number}"
            reason = why_not(command)
            problem = None if reason else run(adapt(command, server), work, env)
            if reason:
                out.write(f"{name} {SKIPPED} {reason}\n")
            elif problem:
                print(f"{name}: {problem}\n")
                out.write(f"{name} 1 {problem.splitlines()[0]}\n")
            else:
                out.write(f"{name} 0\n")
            failed += problem is not None
    return failed


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--quick", action="store_true")
    arguments.add_argument("pdconv")
    arguments.add_argument("verdicts")
    arguments.add_argument("only", nargs="?")
    arguments = arguments.parse_args()
    pdconv, verdicts, only = os.path.abspath(arguments.pdconv), arguments.verdicts, arguments.only
    os.chdir(ROOT)
    paths = ["README.md"] if arguments.quick else ["README.md", *sorted(glob.glob("doc/*.md"))]
    failed = 0
    with tempfile.TemporaryDirectory() as shared, open(verdicts, "w") as out:
        make_programs(shared, pdconv)
        os.mkdir(os.path.join(shared, "files"))
        make_files(os.path.join(shared, "files"), shared, pdconv)
        server = subprocess.Popen([os.path.join(shared, "server"), "long"])
        try:
            for path in paths:
                for block in blocks(path):
                    if not only or any(f"{os.path.basename(path)}:{number}" == only for number, _ in block):
                        failed += run_block(block, path, shared, server.pid, out)
        finally:
            server.kill()
            server.wait()
    return failed > 0


sys.exit(main())
