"""Names that would control a terminal, hide text or turn it round, in a recording and its program.

Usage: hostile_names.py PDCONV TESTDATA

Names of recordings in TESTDATA, and of functions in their programs, are replaced by hostile ones of the same length.
Every command and text format must show them without these characters, and JSON must give them back. Python's table of
categories is the judge, not that of pdconv.
"""
import gzip
import json
import os
import re
import subprocess
import sys
import unicodedata

sys.path.append(os.path.join(os.path.dirname(__file__), "../oracle"))
from made_recording import Recording

PDCONV, TESTDATA = sys.argv[1:]

# Pieces that are put together to names, beginning with a different one each time.
PIECES = [b"\x1b[31m", b"\xc2\x9b2J", b"\x9b1m", "\u202e".encode(), b"\x7f", "\u2066".encode(), b"\xff", b"\r\b",
          "\u200f".encode(), "\u061c".encode(), b"\n", "\u200b".encode(), "\ufeff".encode(), b"\xe2\x80", b"\t",
          "\U000e0041".encode(), b"\xed\xa0\x80", "\u2028".encode(), b"\xf4\x8f\xba\x9b", "\uffff".encode(), b"\xc0\xaf"]

# Strings of testdata/threads (with its program) and testdata/tracepoints: thread, host, machine, argument, function,
# source file, name and values of tracepoints, mappings.
THREADS = [b"blue\0", b"recorder\0", b"Intel(R) Xeon(R) Processor", b"--call-graph\0", b"blue_work\0", b"threads.c\0",
           b"/pdconv-testdata/threads\0", b"6.18.44-fc-v669", b"//anon\0", b"spin\0"]
TRACEPOINTS = [b"recorder\0", b"renamed\0", b"/pdconv-testdata/forkexec", b"cmd", b"x86_64",
               b"sched_process_fork", b"./forkexec\0"]


def hostile(length, start):
    """A name of that length in bytes, without NUL, '/' and what would end an option."""
    name = b""
    for i in range(length):
        piece = PIECES[(start + i) % len(PIECES)]
        if len(name) + len(piece) <= length:
            name += piece
    return name + b"\x1b" * (length - len(name))


def replace(path, target, names):
    """Copy a file with hostile names. Returns those that it has now."""
    with open(path, "rb") as file:
        data = file.read()
    made = []
    for i, name in enumerate(names):
        plain = name.strip(b"/\0")
        new = hostile(len(plain), 2 * i)
        if name in data:
            made.append(new)
        data = data.replace(name, name.replace(plain, new))
    with open(target, "wb") as file:
        file.write(data)
    return made


def run(arguments, output=None):
    """Run pdconv. Returns standard output, or the file that it wrote, and standard error."""
    command = [PDCONV, *arguments] + (["-o", output] if output else [])
    result = subprocess.run(command, capture_output=True, env={**os.environ, "COLUMNS": "100", "XDG_CACHE_HOME": os.getcwd()})
    if result.returncode not in (0, 3):
        sys.exit(f"{arguments}: status {result.returncode}: {result.stderr}")
    if output:
        with open(output, "rb") as file:
            return file.read(), result.stderr
    return result.stdout, result.stderr


def check_text(what, data):
    """Fail unless all characters may be shown to a person."""
    text = data.decode("utf-8")
    for match in re.finditer("[^\n -~]", text):
        character = match.group()
        wrong = unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") or ord(character) & 0xfffe == 0xfffe
        if wrong and character != "\t":
            sys.exit(f"{what}: U+{ord(character):04X} in {text[max(0, match.start() - 60):match.end() + 20]!r}")
    return text


def strings_of(value):
    """All strings and keys of parsed JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from strings_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings_of(inner)


def restore(text):
    """The bytes that a string of JSON stands for."""
    return re.sub("[\U0010fe80-\U0010feff]", lambda match: chr(0xdc00 + ord(match.group()) - 0x10fe00),
                  text).encode("utf-8", "surrogateescape")


def check_json(what, data, names):
    """Fail unless the lines or the whole are JSON, without raw hostile characters, that has the names."""
    text = check_text(what, data)
    values = [json.loads(line) for line in text.splitlines()] if what.startswith("dump") else json.loads(text)
    found = [restore(string) for string in strings_of(values)]
    for name in names:
        if not any(name in string for string in found):
            sys.exit(f"{what}: {name!r} is not in it")


def strings_of_pprof(data):
    """The string table of a profile."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value
    while at < len(data):
        key = varint()
        size = varint()
        if key & 7 == 2:
            if key >> 3 == 6:
                yield data[at:at + size].decode("utf-8")
            at += size


def check(name, names, options, formats):
    """Run everything on one recording."""
    recording = name + ".data"
    for arguments in [[], ["--markdown"], ["--tree"], ["--sort", "comm,dso,sym"], ["-f", "folded"], ["-f", "script"],
                      ["-f", "script", "--header"], ["-f", "callgrind"], ["--stats"], *formats]:
        out, err = run([recording, *arguments, *options])
        check_text(f"{name} {arguments}", out)
        check_text(f"{name} {arguments}: stderr", err)
    for arguments in [["info"], ["info", "--binaries"], ["dump"], ["dump", "--fields"], ["diff"], ["report", "--callers"]]:
        again = [recording] if arguments[0] == "diff" else []
        offers = [] if arguments[0] == "dump" else options
        out, err = run([*arguments, recording, *again, *offers])
        check_text(f"{arguments}", out)
        check_text(f"{arguments}: stderr", err)
    check_json("report", run([recording, "--json", *options])[0], [])
    check_json("dump", run(["dump", "--json", recording])[0], names)
    check_json("info", run(["info", "--json", recording, *options])[0], [])
    check_json("speedscope", run([recording, "-f", "speedscope", *options])[0], [])
    check_json("firefox", gzip.decompress(run([recording, "-f", "firefox", *options], "firefox.gz")[0]), [])
    check_text("html", run([recording, "-f", "html", *options], "page.html")[0])
    strings = [restore(string) for string in strings_of_pprof(gzip.decompress(
        run([recording, "-f", "pprof", *options], "pprof.gz")[0]))]
    print(name, "pprof has", sum(any(new in string for string in strings) for new in names), "names")


def check_long():
    """A name as long as a record is bounded on the screen and complete in JSON."""
    name = "/" + "n" * 65000
    recording = Recording("<", "x86_64")
    recording.map(name, 0x1000, 0x1000, 0)
    recording.sample([0x1100])
    recording.write("long.data")
    options = ["--symfs", "nowhere"]
    for arguments, most in [(["info", "--binaries", *options], 4000), (["dump"], 6000)]:
        out, err = run([*arguments, "long.data"])
        assert b"nnn" in out and b"..." in out and len(out) < most and len(err) < most, (arguments, len(out), len(err))
    for arguments in [["-f", "folded"], ["-f", "folded", "--stats"]]:
        err = run(["long.data", *options, *arguments])[1]
        assert b"nnn..." in err and b"no such file found" in err and len(err) < 8000, (arguments, err)
    check_json("dump", run(["dump", "--json", "long.data"])[0], [name.encode()])
    check_text("dump", run(["dump", "long.data"])[0])
    Recording("<", "m" * 65000).write("arch.data")
    out, err = run(["info", "arch.data", *options])
    assert b"mmm..." in out and len(out) < 8000 and len(err) < 4000, (len(out), len(err))
    check_json("info", run(["info", "--binaries", "--json", "long.data", *options])[0], [name.encode()])


def main():
    os.mkdir("programs")
    os.mkdir("nowhere")
    names = replace(f"{TESTDATA}/threads/perf.data", "threads.data", THREADS)
    program = hostile(len("pdconv-testdata/threads"), 2 * THREADS.index(b"/pdconv-testdata/threads\0"))
    functions = replace(f"{TESTDATA}/threads/threads", b"programs/" + program, THREADS)
    options = ["--symfs", "nowhere", "--debug-paths", "programs"]
    check("threads", names, options, [])
    function = hostile(len("spin"), 2 * THREADS.index(b"spin\0"))
    assert function in functions
    check_json("report", run(["threads.data", "--json", *options])[0], [function])
    check_json("speedscope", run(["threads.data", "-f", "speedscope", *options])[0], [function])
    out, err = run([b"annotate", function, b"threads.data", *[option.encode() for option in options]])
    check_text("annotate", out)
    check_text("annotate: stderr", err)
    # Without its programs there are messages about them.
    check("threads", names, ["--symfs", "nowhere"], [])
    names = replace(f"{TESTDATA}/tracepoints/perf.data", "tracepoints.data", TRACEPOINTS)
    check("tracepoints", names, ["--symfs", "nowhere"], [["-f", "script", "-F", "comm,event,trace"]])
    check_long()


main()
