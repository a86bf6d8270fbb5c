#!/usr/bin/env python3
"""Press the tab key in bash, zsh and fish, and compare the command lines that result.

usage: completion.py PDCONV VERDICTS [completion/SHELL-CASE]

bash and zsh run in a terminal. After the key, the line becomes the arguments of printf, so that the shell itself says what
the words are. Each test is a line "NAME STATUS REASON" in the file VERDICTS.
"""
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCRIPTS = ROOT / "cmd/completion"
TIMEOUT = 20
SKIPPED = 77
TAB, TO_BEGIN, TO_END = "\t", "\x01", "\x05"

# What is typed, and the words that follow. The directory has before.data, crunch.data, crunch, and folder/.
CASES = {
    "command": ("pdconv rep", "pdconv report"),
    "help": ("pdconv help bina", "pdconv help binaries"),
    "option": ("pdconv report --fail", "pdconv report --fail-under-rooted"),
    "option-of-format": ("pdconv -f folded --skip", "pdconv -f folded --skip-after"),
    "format": ("pdconv -f spee", "pdconv -f speedscope"),
    "format-after-equals": ("pdconv --format=spee", "pdconv --format=speedscope"),
    "format-of-diff": ("pdconv diff -f f", "pdconv diff -f folded"),
    "word-of-list": ("pdconv --pprof --labels cpu,cgr", "pdconv --pprof --labels cpu,cgroup"),
    "sort-key": ("pdconv report --sort=comm,sock", "pdconv report --sort=comm,socket"),
    "field": ("pdconv --script -F +symo", "pdconv --script -F +symoff"),
    "record-type": ("pdconv dump --type FORK,THREAD_M", "pdconv dump --type FORK,THREAD_MAP"),
    "file": ("pdconv report bef", "pdconv report before.data"),
    "directory": ("pdconv report --symfs=fol", "pdconv report --symfs=folder/"),
    "event": ("pdconv report before.data -e offc", "pdconv report before.data -e offcpu-time"),
    "comm": ("pdconv report before.data --comm shop,jou", "pdconv report before.data --comm shop,journal"),
    "dso": ("pdconv report before.data --dsos /tmp/pdconv-t", "pdconv report before.data --dsos /tmp/pdconv-testdata/shop"),
    "function": ("pdconv annotate crunch.data crunch_n", "pdconv annotate crunch.data crunch_numbers"),
    "event-to-record": ("pdconv record -e context-s", "pdconv record -e context-switches"),
    "tracepoint": ("pdconv record -e sched:sched_swi", "pdconv record -e sched:sched_switch"),
    "program": ("pdconv record -F 99 -- basena", "pdconv record -F 99 -- basename"),
    "perf_to_profile": ("perf_to_profile --fo", "perf_to_profile --force"),
}

PROGRAM = r"""
volatile long sum;
__attribute__((noinline)) void crunch_numbers(void) { for (long i = 0; i < 300000000; i++) sum += i; }
int main(void) { crunch_numbers(); }
"""

SETUPS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"],
             "PS1=; [ ! -f /usr/share/bash-completion/bash_completion ] || . /usr/share/bash-completion/bash_completion; "
             f"bind 'set enable-bracketed-paste off'; . {SCRIPTS}/pdconv.bash"),
    "zsh": (["zsh", "-f", "-i"],
            f"PS1=; unsetopt prompt_cr auto_remove_slash; unset zle_bracketed_paste; bindkey -e; fpath=({SCRIPTS} $fpath); "
            "autoload -U compinit; compinit -u -D"),
}


class Failure(Exception):
    pass


class Terminal:
    """A shell in a terminal, with the completion of pdconv."""

    def __init__(self, shell, environment):
        command, setup = SETUPS[shell]
        self.seen = ""
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.execvpe(command[0], command, environment)
        # The output of the setup is unlike its echo.
        self.type(f"{setup}; echo rea''dy\n")
        self.wait_for(r"ready\r?\n")

    def type(self, text):
        os.write(self.fd, text.encode())

    def wait_for(self, pattern):
        """Read until the output matches, and return the match."""
        end = time.monotonic() + TIMEOUT
        while not (match := re.search(pattern, self.seen, re.S)):
            if not select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]:
                raise Failure(f"no {pattern!r} within {TIMEOUT} s in: {self.seen!r}")
            self.seen += os.read(self.fd, 65536).decode(errors="replace")
        self.seen = self.seen[match.end():]
        return match

    def complete(self, typed):
        """Type a line and a tab. Returns the words that the shell then has."""
        self.type(typed + TAB)
        self.type(f"{TO_BEGIN}printf '<%s>' {TO_END}; echo don''e\n")
        words = self.wait_for(r"((?:<[^>\r\n]*>)+)done\r?\n").group(1)
        return words[1:-1].split("><")

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


class Fish:
    """fish says what its candidates are, without a terminal."""

    def __init__(self, shell, environment):
        self.environment = environment

    def complete(self, typed):
        """Returns the words of the line with the only candidate."""
        script = f"source {SCRIPTS}/pdconv.fish; complete -C \"$argv[1]\""
        output = subprocess.run(["fish", "--no-config", "-c", script, typed], env=self.environment, text=True,
                                timeout=TIMEOUT, capture_output=True, check=True).stdout
        candidates = {line.split("\t")[0] for line in output.splitlines()}
        if len(candidates) != 1:
            raise Failure(f"candidates of fish: {sorted(candidates)}")
        return typed.split(" ")[:-1] + [candidates.pop()]

    def close(self):
        pass


def prepare(pdconv):
    """Make the files that are completed in the current directory. Returns the environment of the shells."""
    os.mkdir("bin")
    for name in ("pdconv", "perf_to_profile"):
        os.symlink(pdconv, f"bin/{name}")
    os.mkdir("folder")
    shutil.copy(ROOT / "testdata/shop/before.data", "before.data")
    pathlib.Path("crunch.c").write_text(PROGRAM)
    subprocess.run(os.environ.get("CC", "cc").split() + ["-O1", "-g", "-o", "crunch", "crunch.c"], check=True)
    subprocess.run([pdconv, "record", "-q", "-N", "-e", "cpu-clock:u", "-o", "crunch.data", "--", "./crunch"], check=True)
    return {**os.environ, "PATH": f"{os.getcwd()}/bin:{os.environ['PATH']}", "TERM": "vt100", "INPUTRC": "/dev/null",
            "HISTFILE": "/dev/null"}


def check(session, case):
    typed, expected = CASES[case]
    words = session.complete(typed)
    if words != expected.split(" "):
        raise Failure(f"{typed!r} and the tab key became {words}, expected {expected.split(' ')}")


def run_shell(shell, environment, only, verdicts):
    start = Fish if shell == "fish" else Terminal
    session = None
    for case in CASES:
        name = f"completion/{shell}-{case}"
        if only and only != name:
            continue
        status, reason = 0, ""
        if case == "tracepoint" and not os.path.isdir("/sys/kernel/tracing/events/sched"):
            print(name, SKIPPED, "tracepoints cannot be read", file=verdicts)
            continue
        try:
            session = session or start(shell, environment)
            check(session, case)
        except (Failure, OSError, subprocess.SubprocessError) as failure:
            status, reason = 1, str(failure)
            if session:
                session.close()
            session = None
        print(name, status, reason.replace("\n", " "), file=verdicts)
    if session:
        session.close()


def main():
    pdconv, verdicts = sys.argv[1:3]
    only = sys.argv[3] if len(sys.argv) > 3 else None
    with tempfile.TemporaryDirectory() as directory, open(verdicts, "w", encoding="utf-8") as out:
        os.chdir(directory)
        environment = prepare(pdconv)
        for shell in ("bash", "zsh", "fish"):
            run_shell(shell, environment, only, out)
        os.chdir("/")


if __name__ == "__main__":
    main()
