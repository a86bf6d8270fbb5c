#!/usr/bin/env python3
"""Investigate recordings with a planted culprit through pdconv mcp, as a client that knows nothing but the answers.

usage: investigations.py PDCONV TESTDATA

A symptom is a word, such as "wait". The client follows the lines "next: TOOL: ..." of answers that have the word, takes
the first id of the first table, and the command that a hint names. It must reach the culprit in at most six calls. What
is planted is in testdata/*/README.md, in the sources there and in the times that the programs measured themselves. Recordings
without the culprit must not lead to it.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

PDCONV, TESTDATA = (os.path.abspath(path) for path in sys.argv[1:])
MAX_CALLS = 6
MAX_BYTES = 3 * 2000


class Client:
    """A server, and the calls of one investigation."""

    def __init__(self, directory, programs=(), options=()):
        nowhere = os.path.join(directory, "nowhere")
        os.makedirs(nowhere, exist_ok=True)
        command = [PDCONV, "mcp", directory, "--symfs", nowhere, *options]
        if programs:
            command += ["--symbol-dir", ":".join(os.path.join(TESTDATA, name) for name in programs)]
        environment = {**os.environ, "XDG_CACHE_HOME": nowhere, "HOME": nowhere}
        self.server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        self.calls = []

    def ask(self, tool, **arguments):
        self.calls.append((tool, arguments))
        request = {"jsonrpc": "2.0", "id": len(self.calls), "method": "tools/call",
                   "params": {"name": tool, "arguments": arguments}}
        self.server.stdin.write(json.dumps(request) + "\n")
        self.server.stdin.flush()
        answer = json.loads(self.server.stdout.readline())
        assert answer["id"] == len(self.calls) and "error" not in answer, answer
        text = answer["result"]["content"][0]["text"]
        assert len(text.encode()) <= MAX_BYTES, len(text)
        return text

    def open(self):
        """Open the first recording that the server has, and ask what it is about."""
        path = first(r"^ +(/.*\.data)$", self.ask("open"))
        self.ask("open", path=path)
        return self.ask("summary")

    def close(self):
        self.server.stdin.close()
        assert self.server.wait() == 0
        self.server.stdout.close()
        assert len(self.calls) <= MAX_CALLS, self.calls


def first(pattern, text):
    """The first match in an answer; None without one."""
    match = re.search(pattern, text, re.MULTILINE)
    return match and match[1]


def tool_for(word, text):
    """The tool whose explanation in the lines "next:" has the word."""
    for line in re.findall(r"^next: (.*)$", text, re.MULTILINE):
        for name, explanation in re.findall(r"([a-z_]+(?: [a-z]+=[a-z]+)?): ([^;]*)", line):
            if word in explanation:
                return name
    return None


def follow(client, word, text):
    """Ask the tool that an answer names for the word: "threads sort=runnable" has an argument."""
    words = (tool_for(word, text) or "quality").split()
    return client.ask(words[0], **dict(argument.split("=") for argument in words[1:]))


def row_with(word, text):
    """The first row of a table that has the word."""
    return first(rf"^(.*\b{word}\b.*\bf-\d.*)$", text) or first(rf"^(.*\bf-\d.*\b{word}\b.*)$", text) or ""


def lock(client):
    """Threads wait for a lock: in which function?"""
    waits = follow(client, "where threads wait", client.open())
    # The row that waits for a lock; its function, by the id, is what callers are asked for.
    function = first(r"\b(f-\d+)\b", row_with("lock", waits))
    return client.ask("callers", function=function) if function else waits


def chain(client):
    """The end comes late: what had everything to wait for?"""
    waits = follow(client, "for whom", client.open())
    path = client.ask("critical_path")
    return first(r"^ *[0-9.]+ % (.* f-\d+ .*)$", path) or waits


def slower(client):
    """A build takes longer: what does?"""
    listed = client.ask("open")
    paths = re.findall(r"^ +(/.*\.data)$", listed, re.MULTILINE)
    changes = client.ask("compare", before=paths[0], after=paths[1])
    return first(r"share  function\n(.*)$", changes) or changes


def inlined(client):
    """A function without code of its own is hot: which, and in which function?"""
    functions = follow(client, "takes the time", client.open())
    function = first(r"\b(f-\d+)\b.*inlined", functions)
    return client.ask("callers", function=function, depth=2) if function else functions


def faults(client):
    """Memory is touched for the first time: which line does it?"""
    functions = follow(client, "takes the time", client.open())
    return client.ask("lines", function=first(r"\b(f-\d+)\b", functions))


def starving(client):
    """A thread gets no CPU: which?"""
    threads = follow(client, "get no CPU", client.open())
    return first(r"^ +(t-\d+ .*)$", threads)


def wrong_build(client):
    """Names look wrong: why?"""
    return follow(client, "trust", client.open())


def truncated(client):
    """Callers are missing: how to record them?"""
    return first(r"command: (.*)$", follow(client, "trust", client.open()))


def generated(client):
    """Code has no names: what has them?"""
    return follow(client, "trust", client.open())


def slow_stage(client):
    """A build is slow: which of its processes, and what does that do?"""
    threads = follow(client, "who", client.open())
    return threads + client.ask("functions", thread=first(r"^ +(t-\d+) ", threads), limit=1)


def kernel_copy(client):
    """The kernel copies: for whom?"""
    functions = follow(client, "takes the time", client.open())
    function = first(r"^ +(f-\d+) .*copy.*kernel", functions)
    return client.ask("callers", function=function, depth=20)


def cold_cache(client):
    """Is it the cache? The recording cannot say: what does?"""
    questions = follow(client, "cannot answer", client.open())
    name = first(r"^([a-z_]+): NO\. Which code misses the cache", questions)
    return first(r"command: (.*)$", client.ask("why_not", question=name))


def spinner():
    """The number of the thread that was runnable for longest, as the kernel told the program itself (times.txt)."""
    with open(os.path.join(TESTDATA, "clock/times.txt"), encoding="ascii") as file:
        rows = [line.split() for line in file]
    return max(rows, key=lambda row: int(row[4]))[0]


# Name, investigation, recordings, programs, the culprit, and what must not be found.
CASES = [
    ("lock contention", lock, ["shop/before"], ["shop"], r"callers of f-\d+ \"update_stock\"", r"\"pop\""),
    ("chain of wakers", chain, ["wakers/perf"], ["wakers"], r"maker .*make_item", r"pack_item"),
    ("slower build", slower, ["shop/before", "shop/after"], ["shop", "shop/after"], r"\+\d+\.\d+ % .*\btax\b", r"discount"),
    ("hot inlined function", inlined, ["shop/before"], ["shop"], r"callers of f-\d+ \"discount\"(?s:.*)price_order", r"\"tax\""),
    ("page faults", faults, ["touch/perf"], ["touch"], r"touch\.c\n100\.00 % +21 +29$", r"_start"),
    ("starving thread", starving, ["clock/perf"], [], rf"\b{spinner()}\b", r"\b14129\b"),
    ("wrong build", wrong_build, ["shop/after"], ["shop"], r"binary \".*/shop\": .* has build id \w+, recorded was \w+", r"warning"),
    ("truncated stacks", truncated, ["deep/perf"], ["deep"], r"--call-graph dwarf,4096 .*\./deep", r"1024"),
    ("generated code", generated, ["jit/perf"], ["jit-alone"], r"generated code without names: a jitdump or a perf-PID\.map", r"other_build"),
    ("slow build", slow_stage, ["stages/perf"], ["stages"], r"t-1 .* link$(?s:.*)only thread=t-1(?s:.*)f-1 .* relocate", r"pass_on"),
    ("kernel copy", kernel_copy, ["stages/perf"], ["stages"], r"callers of f-\d+ \"_copy_to_iter\"(?s:.*) pass_on ", r"relocate"),
    ("cold cache", cold_cache, ["nested/perf"], ["nested"], r"pdconv record -e cache-misses -- \./nested", r"page-faults"),
]


def prepare(directory, recordings):
    for i, name in enumerate(recordings):
        shutil.copy(os.path.join(TESTDATA, name + ".data"), os.path.join(directory, f"{i}.data"))


def program_dirs(directory, programs):
    """Directories of programs; jit-alone has the program without what it wrote."""
    if programs == ["jit-alone"]:
        os.mkdir(os.path.join(directory, "jit-alone"))
        shutil.copy(os.path.join(TESTDATA, "jit/jit"), os.path.join(directory, "jit-alone"))
        return [os.path.join(directory, "jit-alone")]
    return programs


def investigate(function, recordings, programs):
    with tempfile.TemporaryDirectory() as directory:
        prepare(directory, recordings)
        kallsyms = os.path.join(TESTDATA, os.path.dirname(recordings[0]), "kallsyms")
        options = ["--kallsyms", kallsyms] if os.path.exists(kallsyms) else []
        client = Client(directory, program_dirs(directory, programs), options)
        found = function(client) or ""
        client.close()
        return found, len(client.calls)


def main():
    most = 0
    for name, function, recordings, programs, culprit, innocent in CASES:
        found, n_calls = investigate(function, recordings, programs)
        if not re.search(culprit, found, re.MULTILINE) or re.search(innocent, found):
            sys.exit(f"{name}: not found in {n_calls} calls: {found}")
        most = max(most, n_calls)
        print(f"{name}: {n_calls} calls")
    # The same questions to recordings without the culprit do not find it.
    for name, function, recordings, programs, culprit, _ in CASES[2:3] + CASES[6:9]:
        innocents = {"slower build": (["shop/before", "shop/before"], programs), "wrong build": (recordings, ["shop/after"]),
                     "truncated stacks": (["nested/perf"], ["nested"]), "generated code": (recordings, ["jit"])}
        found, _ = investigate(function, *innocents[name])
        if re.search(culprit, found, re.MULTILINE):
            sys.exit(f"{name}: found where it is not: {found}")
    print(f"{len(CASES)} culprits in at most {most} calls")


main()
