"""Names that would control a terminal, hide text or turn it round, in a recording and its program.

Usage: hostile_names.py PDCONV TESTDATA

Names of recordings in TESTDATA, and of functions in their programs, are replaced by hostile ones of the same length.
Every command and text format must show them without these characters, and JSON must give them back. Python's table of
categories is the judge, not that of pdconv.
"""
import contextlib
import gzip
import json
import os
import re
import sqlite3
import struct
import subprocess
import sys
import unicodedata

sys.path.append(os.path.join(os.path.dirname(__file__), "../oracle"))
sys.path.append(os.path.join(os.path.dirname(__file__), "../../bench"))
from growth_elf import Elf
from hostile_recording import BPF_NAME, Recording as Placed
from made_recording import Recording
import protobuf

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
    return (value.decode("utf-8") for number, value in protobuf.fields(data) if number == 6)


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
    for tool in ["open", "summary", "functions", "tree", "path", "lines", "threads", "timeline", "quality", "why_not"]:
        out, err = run(["query", recording, tool, "max_tokens=100000", *options])
        check_text(f"query {tool}", out)
        check_text(f"query {tool}: stderr", err)
    for option in ["--comm", "--dsos", "--symbols", "--event"]:
        out, err = run(["--complete", "pdconv", "report", recording, option, ""])
        check_text(f"completion of {option}", out.replace(b"\t\n", b"\n"))
    check_json("report", run([recording, "--json", *options])[0], [])
    check_json("dump", run(["dump", "--json", recording])[0], names)
    check_json("info", run(["info", "--json", recording, *options])[0], [])
    check_json("speedscope", run([recording, "-f", "speedscope", *options])[0], [])
    check_json("otlp", run([recording, "-f", "otlp-json", *options])[0], [])
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


# Names for all places: plain, as a comparison, and those that mean something to a terminal, a reader, a page, a format
# or a file system.
PLACED = {
    "plain": b"plain",
    "controls": b"a\x1b[31m\x1b]0;t\x07\x9b2J\x08\r\x7f\tb",
    "bidirectional": "a\u202eb\u2066c\u200f\u061cd\ufeff\u2028\U000e0041".encode(),
    "invalid": b"a\xff\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80\xe2\x82",
    "newlines": b"a\nfn=(1) b\nevents: c 1\n\n{}\r\nd",
    "markup": b"\"'`</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>&lt;]]>",
    "json": b"\\\",\"x\":[{}],\\u0000\\",
    "separators": b"a;b c;(1) 5 \t7:8,9=|",
    "formats": b"%s%n%99999d%hhn{0}${x}$(id)`id`",
    "paths": b"../../../../tmp/./x/..//..",
    "long": b"n" * 70000,
}
# Beginnings of lines of an answer: head, rows, titles of columns, advice, questions and hints with their commands, and its end.
ANSWER_LINES = re.compile(r'r-1 "|next: |quality: |cut: |warning: |binary "|no hints: | |$|samples |\.\.\. the rest|[a-z_]+: (yes|NO)\. |'
                          r"kernel_symbols: |missing_binaries: |[^ ]*\.data: ")
# Beginnings of lines in callgrind's format.
CALLGRIND_LINES = re.compile(r"[a-z]+[:=]|[+-]?\d+ |\* |#|$")


def shape_of(what, text):
    """What must be the same for all names: lines of the formats that others read, by kind, and scripts of a page."""
    if what == "folded":
        return [line.rsplit(" ", 1)[1] for line in text.splitlines()]
    if what == "callgrind":
        return [CALLGRIND_LINES.match(line)[0].rstrip("0123456789 ") for line in text.split("\n")]
    if what == "html":
        return [text.lower().count(tag) for tag in ("<script", "</script", "<img", "<!--")]
    return len(text.split("\n"))


def check_placed(kind, name, is_traced, shapes):
    """A recording with the name in each place that can have one, in every output."""
    recording = f"{kind}.data"
    Placed(name, is_traced).write(recording)
    options = ["--symfs", "nowhere"]
    before = sorted(os.listdir())
    for what, arguments in {
            "folded": ["-f", "folded"], "callgrind": ["-f", "callgrind"], "script": ["-f", "script"],
            "html": ["-f", "html"], "report": [], "markdown": ["--markdown"],
            "sort": ["--sort", "comm,dso,sym,cgroup"], "header": ["-f", "script", "--header-only"],
            "fields": ["-f", "script", "-F", "comm,tid,event,trace,ip,dso,sym"]}.items():
        out, err = run([recording, *arguments, *options], "out")
        text = check_text(f"{kind} {what}", out)
        check_text(f"{kind} {what}: stderr", err)
        shapes.setdefault((what, is_traced), []).append((kind, shape_of(what, text)))
    os.unlink("out")
    for arguments in [["info"], ["info", "--binaries"], ["dump"], ["dump", "--fields"]]:
        out, err = run([*arguments, recording, *([] if "dump" in arguments else options)])
        check_text(f"{kind} {arguments}", out)
        check_text(f"{kind} {arguments}: stderr", err)
    for tool in ["summary", "functions", "tree", "threads", "quality", "why_not"]:
        out, err = run(["query", recording, tool, *options])
        text = check_text(f"{kind} query {tool}", out)
        assert len(text) < 6500, (kind, tool, len(text))
        # Names, which may have newlines, begin no line of an answer.
        for line in text.splitlines():
            if not ANSWER_LINES.match(line):
                sys.exit(f"{kind} query {tool}: a line of its own: {line!r}")
    program = BPF_NAME + name[:60000]
    check_json("dump", run(["dump", "--json", recording])[0], [program, name])
    check_json("info", run(["info", "--json", recording, *options])[0], [name])
    check_json("report", run([recording, "--json", *options])[0], [program])
    check_json("speedscope", run([recording, "-f", "speedscope", *options])[0], [program])
    check_json("firefox", gzip.decompress(run([recording, "-f", "firefox", *options], "out")[0]), [program])
    strings = strings_of_pprof(gzip.decompress(run([recording, "-f", "pprof", *options], "out")[0]))
    strings = [restore(string) for string in strings]
    # The second one is the file of the line in the program.
    for wanted in program, b"bpf/" + name:
        if wanted not in strings:
            sys.exit(f"pprof: {wanted!r} is not in it")
    if not os.environ.get("PLAIN"):
        check_sql(recording, [program, b"bpf/" + name], options)
    # A recording that was written again has the same names.
    run([recording, "-f", "perfdata"], "out")
    check_json("dump", run(["dump", "--json", "out"])[0], [program])
    os.unlink("out")
    assert sorted(os.listdir()) == before, (kind, before)


def check_sql(recording, names, options):
    """Results of queries, and a database, in which names are UTF-8."""
    tables = ["samples", "functions", "frames", "threads", "binaries", "sample_groups", "events", "recording", "stacks_text"]
    out, err = run(["sql", recording, "; ".join(f"SELECT * FROM {table}" for table in tables), *options])
    check_text("sql", out)
    check_text("sql: stderr", err)
    query = "SELECT name FROM functions UNION ALL SELECT file FROM frames UNION ALL SELECT comm FROM threads"
    check_json("sql", run(["sql", recording, query, "--json", *options])[0], names)
    run([recording, "-f", "sqlite", *options], "out")
    with contextlib.closing(sqlite3.connect("out")) as db:
        found = [restore(text or "") for (text,) in db.execute(query)]
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    for name in names:
        assert name in found, name


def check_all_placed():
    shapes = {}
    for kind, name in PLACED.items():
        for is_traced in (True, False):
            check_placed(kind, name, is_traced, shapes)
    for (what, is_traced), found in shapes.items():
        for kind, shape in found:
            if what in ("folded", "callgrind", "html", "script", "fields") and shape != found[0][1]:
                sys.exit(f"{what}, {kind}, {is_traced}: {shape} instead of {found[0][1]}")


def check_build_ids():
    """Notes of any size: the build id of a program is that of the first sound one, or it has none."""
    os.makedirs("identified/bin")
    recording = Recording("<", "x86_64")
    recording.map("/bin/program", 0x400000, 0x1000, 0x1000)
    recording.sample([0x400100])
    recording.write("identified.data")
    for sizes, contents in [((4, 0), b""), ((4, 1), b"\x1b"), ((4, 20), b"\x1b[31m" * 4), ((4, 255), b"\n" * 255),
                            ((4, 65535), b"\xff" * 65535), ((0xffffffff, 20), b"x" * 20), ((4, 0xffffffff), b"x" * 20),
                            ((0, 0), b""), ((70000, 20), b"G" * 70000)]:
        program = Elf(0x1000)
        program.add(".note.gnu.build-id", struct.pack("<III", *sizes, 3) + b"GNU\0" + contents, kind=7)
        with open("identified/bin/program", "wb") as file:
            file.write(program.file())
        for arguments in [[], ["-f", "folded"], ["info", "--binaries"], ["info", "--binaries", "--json"]]:
            out, err = run([*arguments, "identified.data", "--symfs", "identified"])
            check_text(f"note of {sizes}", out)
            check_text(f"note of {sizes}: stderr", err)


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
    check_all_placed()
    check_build_ids()


main()
