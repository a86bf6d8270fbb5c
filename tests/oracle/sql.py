#!/usr/bin/env python3
"""Compare the tables of recordings with the report, with profiles of pprof, and in both of their forms.

usage: sql.py CASE PDCONV TESTDATA

CASE is one of
  tables     the file of -f sqlite as Python's sqlite3 reads it, and pdconv sql: the same rows in every table and view;
             references lead somewhere; the number of threads makes no difference
  sums       sums of samples and periods, by every table that has them, against the profile of pprof
  questions  what the report says about a recording, to the last digit, asked in SQL
  mappings   what was mapped, against perf script --show-mmap-events
  lookups    rows that virtual tables find by their values, against those that a scan finds
"""
import collections
import glob
import gzip
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import protobuf  # noqa: E402

WORK = tempfile.TemporaryDirectory()
# Programs of recordings that have none of their own.
PROGRAMS = {"compressed": "nested", "piped": "nested", "group": "nested", "parallel": "threads", "tracepoints": "forkexec"}
# Fields of pprof's messages Profile, ValueType and Sample.
SAMPLE_TYPE, SAMPLE, STRING_TABLE = 1, 2, 6
TYPE_TYPE, SAMPLE_VALUE = 1, 2


class Failure(Exception):
    pass


def expect(condition, *what):
    if not condition:
        raise Failure(" ".join(str(word) for word in what))


def run(*command, status=0):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env={**os.environ, "XDG_CACHE_HOME": WORK.name})
    expect(result.returncode == status, command, result.returncode, result.stderr.decode(errors="replace"))
    return result.stdout


class Recording:
    def __init__(self, pdconv, path):
        self.pdconv, self.path = pdconv, path
        self.name = os.path.relpath(path, os.path.dirname(os.path.dirname(path)))
        folder = os.path.dirname(path)
        program = PROGRAMS.get(os.path.basename(folder), os.path.basename(folder))
        self.options = ["-q", "--no-cache", "--symfs", WORK.name, "--debug-paths",
                        os.path.join(os.path.dirname(folder), program)]

    def convert(self, *arguments):
        return run(self.pdconv, self.path, *self.options, *arguments)

    def database(self, *arguments):
        path = os.path.join(WORK.name, "out.db")
        self.convert("-f", "sqlite", "-o", path, *arguments)
        return path

    def ask(self, query):
        return json.loads(run(self.pdconv, "sql", self.path, query, "--json", *self.options))

    def report(self, *arguments):
        return json.loads(self.convert("--json", "--limit", "1000000", *arguments))


def recordings(pdconv, testdata):
    """All recordings of testdata that can be converted."""
    for path in sorted(glob.glob(os.path.join(testdata, "*", "*.data"))):
        yield Recording(pdconv, path)


def plain(value):
    """A value as JSON has it."""
    if isinstance(value, bytes):
        return value.hex()
    return value.replace("\U0010fe00", "\0") if isinstance(value, str) else value


def compare_table(recording, db, name):
    order = " ORDER BY " + ", ".join(str(i + 1) for i in range(len(db.execute(f"SELECT * FROM {name} LIMIT 0").description)))
    cursor = db.execute(f"SELECT * FROM {name}{order}")
    columns = [column[0] for column in cursor.description]
    ours = [dict(zip(columns, map(plain, row))) for row in cursor]
    theirs = recording.ask(f"SELECT * FROM {name}{order}")
    expect(len(ours) == len(theirs), recording.name, name, len(ours), len(theirs))
    for a, b in zip(ours, theirs):
        for column in columns:
            same = a[column] == b[column] or isinstance(a[column], float) and abs(a[column] - b[column]) <= abs(a[column]) * 1e-9
            expect(same, recording.name, name, column, a, b)
    return len(ours)


def check_tables(pdconv, testdata):
    n = collections.Counter()
    for recording in recordings(pdconv, testdata):
        with open(recording.database("-j1"), "rb") as f:
            first = f.read()
        for jobs in ("-j2", "-j16"):
            with open(recording.database(jobs), "rb") as f:
                expect(f.read() == first, recording.name, "differs with", jobs)
        with sqlite3.connect(recording.database()) as db:
            expect(db.execute("PRAGMA integrity_check").fetchall() == [("ok",)], recording.name, "is damaged")
            broken = db.execute("PRAGMA foreign_key_check").fetchall()
            expect(not broken, recording.name, broken[:3])
            for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')").fetchall():
                n[name] += compare_table(recording, db, name)
    print(sum(n.values()), "rows of", len(n), "tables and views are the same")
    # All but one, which takes the switches of a whole machine, have rows in some recording.
    empty = [name for name in n if not n[name]]
    expect(empty == ["cpus"], "no recording has", empty)


def pprof_sums(data):
    """Sums by sample type of a profile."""
    types, sums, strings = [], collections.Counter(), []
    for number, value in protobuf.fields(gzip.decompress(data)):
        if number == SAMPLE_TYPE:
            types.append(dict(protobuf.fields(value)).get(TYPE_TYPE, 0))
        elif number == SAMPLE:
            for field, values in protobuf.fields(value):
                if field == SAMPLE_VALUE:
                    sums.update(dict(enumerate(protobuf.packed(values))))
        elif number == STRING_TABLE:
            strings.append(value.decode(errors="replace"))
    return sorted(sums[i] for i in range(len(types)) if sums[i])


def check_sums(pdconv, testdata):
    n = 0
    for recording in recordings(pdconv, testdata):
        rows = recording.ask("SELECT e.id, e.samples, e.period, "
                             "(SELECT count(*) FROM samples WHERE event = e.id) AS n_rows, "
                             "(SELECT sum(period) FROM samples WHERE event = e.id) AS row_period, "
                             "(SELECT sum(samples) FROM sample_groups WHERE event = e.id) AS group_samples, "
                             "(SELECT sum(period) FROM sample_groups WHERE event = e.id) AS group_period, "
                             "(SELECT sum(samples) FROM sample_groups WHERE event = e.id AND stack NOT NULL) AS with_stack, "
                             "(SELECT sum(self_samples) FROM function_totals WHERE event = e.id) AS function_samples, "
                             "(SELECT sum(self_samples) FROM stack_totals WHERE event = e.id) AS stack_samples, "
                             "(SELECT sum(t.samples) FROM stack_totals t JOIN stacks s ON s.id = t.stack "
                             "WHERE t.event = e.id AND s.depth <= 1) AS root_samples FROM events e WHERE e.samples > 0")
        for row in rows:
            expect(row["samples"] == row["n_rows"] == row["group_samples"], recording.name, row)
            expect(row["period"] == row["row_period"] == row["group_period"], recording.name, row)
            expect(row["with_stack"] == row["function_samples"], recording.name, row)
            expect(row["samples"] == row["stack_samples"] == row["root_samples"], recording.name, row)
        sums = sorted(value for row in rows for value in (row["samples"], row["period"]) if value)
        expect(sums == pprof_sums(recording.convert("--pprof")), recording.name, sums, "pprof has other sums")
        n += len(rows)
    print("sums of", n, "events are those of pprof")


def key_of(row):
    """Name and binary of a function. Waits may be in no function of the program."""
    name, binary = (row["function"][part] for part in ("name", "binary"))
    return (None, None) if name == "[no function of the program]" else (name, binary)


def by_event(recording, *arguments):
    for part in recording.report(*arguments).get("by_event", []):
        yield part["event"], part


def same(recording, what, ours, theirs):
    expect(ours == theirs, recording.name, what, "\nSQL:   ", sorted(set(ours.items()) - set(theirs.items()), key=str)[:5],
           "\nreport:", sorted(set(theirs.items()) - set(ours.items()), key=str)[:5])
    return len(ours)


def ask_totals(recording, view, columns, where):
    rows = recording.ask(f"SELECT * FROM {view} WHERE {where}")
    return {tuple(row[column] or "" for column in columns): (row["samples"], row["period"]) for row in rows}


def check_event(recording, event):
    """Commands, binaries and functions of an event."""
    report = recording.report("--scaffolding", "--event", event)
    n = 0
    for part in report.get("by_event", []):
        quoted = part["event"].replace("'", "''")
        for key, view, column, name in (("commands", "command_totals", "comm", "comm"),
                                        ("binaries", "binary_totals", "binary", "dso")):
            theirs = {(row[name] if row[name] != "[unknown]" else "",): (row["samples"], row["period"])
                      for row in part.get(key, {"rows": []})["rows"]}
            if theirs:
                n += same(recording, key, ask_totals(recording, view, [column], f"event = '{quoted}'"), theirs)
        rows = recording.ask(f"SELECT * FROM top_functions WHERE event = '{quoted}'")
        ours = {(row["function"], row["binary"] or ""): (row["self_period"], row["period"]) for row in rows}
        for key in ("functions_by_self", "functions_by_total"):
            theirs = {(row["function"]["name"], row["function"]["binary"] or ""): (row["self"] or 0, row.get("total", row["self"]))
                      for row in part[key]["rows"]}
            n += same(recording, f"{key} of {event}",
                      {k: v for k, v in ours.items() if key == "functions_by_total" or v[0]}, theirs)
    return n


def check_overview(recording):
    """Events, and waits by function."""
    report = recording.report()
    n = sum(check_event(recording, event["name"]) for event in report["events"] if event["samples"])
    if "functions" not in report.get("waits", {}):
        return n
    theirs = {(row["for"], *key_of(row)): (row["waits"], row["waiting"] or 0, row["delay"] or 0, row["on_cpu"] or 0)
              for row in report["waits"]["functions"]["rows"]}
    ours = {(row["kind"], row["function"], row["binary"]): (row["waits"], row["amount"], row["delay_ns"], row["on_cpu"])
            for row in recording.ask("SELECT * FROM wait_totals")}
    return n + same(recording, "waits", ours, theirs)


def check_sorted(recording, key, view, columns, text):
    """A table by one key, whose rows are those of a view. The report shows some events, or all in one table."""
    theirs = collections.defaultdict(collections.Counter)
    for event, part in by_event(recording, "--sort", key):
        for row in part["table"]["rows"]:
            for name, amount in row.items():
                if name == "self" or name.startswith("self["):
                    theirs[name[len("self["):-1] or event][row[key]] += amount or 0
    ours = collections.defaultdict(collections.Counter)
    for row in recording.ask(f"SELECT * FROM {view}"):
        ours[row["event"]][text(*(row[column] for column in columns))] += row["period"]
    return sum(same(recording, f"{key} of {event}", +ours[event], +theirs[event]) for event in theirs)


CALLERS = """
WITH RECURSIVE
  hits(stack, node, samples, period) AS (
    SELECT t.stack, t.stack, t.samples, t.period FROM tree t
    WHERE t.event = '{event}' AND t.function = '{function}'),
  up(path, node, period) AS (
    SELECT f.name, s.parent, h.period FROM hits h JOIN stacks s ON s.id = h.node
      JOIN frames r ON r.id = s.frame JOIN functions f ON f.id = r.function
    UNION ALL
    SELECT up.path || ' < ' || f.name, s.parent, up.period FROM up JOIN stacks s ON s.id = up.node
      JOIN frames r ON r.id = s.frame JOIN functions f ON f.id = r.function)
SELECT path, sum(period) AS period FROM up GROUP BY path
"""

CALLEES = """
WITH RECURSIVE down(path, node) AS (
    SELECT t.function, t.stack FROM tree t WHERE t.event = '{event}' AND t.function = '{function}'
    UNION ALL
    SELECT down.path || ' > ' || f.name, s.id FROM down JOIN stacks s ON s.parent = down.node
      JOIN frames r ON r.id = s.frame JOIN functions f ON f.id = r.function)
SELECT path, sum(t.period) AS period FROM down
  JOIN stack_totals t ON t.stack = down.node JOIN events e ON e.id = t.event AND e.name = '{event}' GROUP BY path
"""


def paths_of(rows, separator, before=""):
    for row in rows:
        path = before + row["function"]["name"]
        yield path, row["total"]
        yield from paths_of(row.get("children", []), separator, path + separator)


def check_trees(recording, event, function):
    """Trees of a function below which none calls itself: the report shows such a function once."""
    n = 0
    for key, query, separator in (("callers", CALLERS, " < "), ("callees", CALLEES, " > ")):
        report = recording.report(f"--{key}={function}", "--percent-limit", "0")
        part = next(part for part in report["by_event"] if part["event"] == event)
        theirs = dict(paths_of(part[key]["rows"], separator))
        ours = {row["path"]: row["period"] for row in recording.ask(query.format(event=event, function=function))}
        n += same(recording, f"{key} of {function}", ours, theirs)
    return n


def check_lines(recording):
    """Lines of the first event, as annotate has them."""
    text = run(recording.pdconv, "annotate", "--lines", "--json", "--limit", "1000000", recording.path, *recording.options)
    report = json.loads(text)
    event = report["events"][0]["name"]
    theirs = collections.Counter()
    for file in report["files"]:
        for row in file["lines"]["rows"]:
            amount = row.get("period_0", row.get("period"))
            if row["line"] and amount:
                theirs[row["file"], row["line"]] += amount
    ours = collections.Counter()
    for row in recording.ask(f"SELECT * FROM line_totals WHERE event = '{event}' AND line NOT NULL AND file NOT NULL"):
        ours[row["file"], row["line"]] += row["period"]
    return same(recording, "lines", dict(ours), dict(theirs))


def check_quality(recording):
    stacks = recording.report()["quality"]["stacks"]
    ours = {row["name"]: row["n"] for row in recording.ask("SELECT * FROM quality")}
    expect((ours["stacks"], ours["rooted_stacks"], ours["unwound_stacks"]) ==
           (stacks["samples"], stacks["rooted"], stacks["unwound"]), recording.name, "quality", ours, stacks)
    theirs = {row["end"]: row["samples"] for row in stacks["ends"]["rows"]}
    ends = {name.lower(): n for name, n in ours.items() if name.isupper() and n}
    return same(recording, "ends", ends, theirs)


def check_change(pdconv, testdata):
    """Amounts of two recordings, by functions, as diff compares them: two databases in one question."""
    paths = []
    for name in ("before", "after"):
        recording = Recording(pdconv, os.path.join(testdata, "shop", name + ".data"))
        paths.append(os.path.join(WORK.name, name + ".db"))
        recording.convert("-f", "sqlite", "-o", paths[-1], "--event", "cpu-clock", "--symbol-dir",
                          os.path.join(testdata, "shop" if name == "before" else "shop/after"))
    with sqlite3.connect(paths[0]) as db:
        db.execute("ATTACH ? AS after", [paths[1]])
        ours = {row[0]: row[1:] for row in db.execute(
            "SELECT b.function, b.self_period, a.self_period FROM main.top_functions b "
            "JOIN after.top_functions a ON (a.function, a.binary) = (b.function, b.binary)")}
    diff = json.loads(run(pdconv, "diff", "--json", *(os.path.join(testdata, "shop", name + ".data") for name in ("before", "after")),
                          "--symbol-dir", os.path.join(testdata, "shop"), "--symbol-dir", os.path.join(testdata, "shop/after"),
                          "--event", "cpu-clock", "-q", "--no-cache", "--symfs", WORK.name))
    rows = [row for key, rows in sections(diff) if key.endswith("self") for row in rows]
    expect(rows, "diff has no changes by self", list(key for key, _ in sections(diff)))
    for row in rows:
        expect(ours[row["function"]["name"]] == (row["before"], row["after"]), "diff", row, ours[row["function"]["name"]])
    return len(rows)


def sections(value, key=""):
    """All tables of a document: their keys and rows."""
    if isinstance(value, dict):
        if "rows" in value and "left_out" in value:
            yield key, value["rows"]
        for name, part in value.items():
            yield from sections(part, name)
    elif isinstance(value, list):
        for part in value:
            yield from sections(part, key)


def check_questions(pdconv, testdata):
    n = 0
    for recording in recordings(pdconv, testdata):
        n += check_overview(recording)
        n += check_quality(recording)
        n += check_sorted(recording, "tid", "thread_totals", ["tid", "comm"], lambda tid, comm: f"{tid}:{comm}")
    shop = Recording(pdconv, os.path.join(testdata, "shop", "before.data"))
    n += check_sorted(shop, "cgroup", "cgroup_totals", ["cgroup"], str)
    n += check_trees(shop, "cpu-clock", "parse_order") + check_trees(shop, "cpu-clock", "malloc")
    n += check_lines(shop) + check_lines(Recording(pdconv, os.path.join(testdata, "cxx", "perf.data")))
    n += check_change(pdconv, testdata)
    print(n, "answers are those of the report")


def check_lookups(pdconv, testdata):
    """Rows by the values of each column of integers: SQLite does not look for values in a table that is a query with a LIMIT."""
    n = 0
    recording = Recording(pdconv, os.path.join(testdata, "shop", "before.data"))
    columns = recording.ask("SELECT h.name, h.\"column\" FROM help h JOIN help t ON t.name = h.name AND t.type = 'table' "
                            "WHERE h.type = 'INTEGER'")
    for row in columns:
        table, column = row["name"], row["column"]
        by_value = (f"SELECT count(*) AS n, sum(a.rowid * 31 % 977) AS sum FROM (SELECT DISTINCT {column} AS v FROM {table} "
                    f"UNION SELECT -1 UNION SELECT 9223372036854775807 UNION SELECT '0' UNION SELECT 1.0 UNION SELECT NULL "
                    f"LIMIT 200) w JOIN TABLE a ON a.{column} = w.v")
        found = recording.ask(by_value.replace("TABLE", table))
        scanned = recording.ask(by_value.replace("TABLE", f"(SELECT rowid AS rowid, {column} FROM {table} LIMIT -1)"))
        expect(found == scanned, table, column, found, scanned)
        n += found[0]["n"]
    expect(n > 1000, "few rows were found:", n)
    print(n, "rows of", len(columns), "columns are found")


# An event as perf script prints it. MMAP2 has more about the file, or its build id.
MMAP_EVENT = re.compile(r"PERF_RECORD_MMAP2? (-?\d+)/-?\d+: \[(0x[0-9a-f]+|0)\((0x[0-9a-f]+|0)\) @ (0x[0-9a-f]+|0)[^]]*\]: (\S+) (.*)")


def mmap_events(path):
    """What perf script says was mapped."""
    lines = run("perf", "script", "-f", "-i", path, "--show-mmap-events").decode(errors="replace").splitlines()
    for pid, start, size, offset, protection, name in (m.groups() for m in map(MMAP_EVENT.search, lines) if m):
        numbers = [int(text, 0) for text in (start, size, offset)]
        numbers = [number - (1 << 64) if number >> 63 else number for number in numbers]
        pid = None if int(pid) == -1 else int(pid)
        # MMAP has one letter: whether it is code.
        protection = sum({"r": 1, "w": 2, "x": 4}.get(letter, 0) for letter in protection[:3])
        yield repr((pid, *numbers, protection, name))


def check_mappings(pdconv, testdata):
    n = 0
    for recording in recordings(pdconv, testdata):
        rows = recording.ask("SELECT m.*, b.path AS binary_path FROM mappings m LEFT JOIN binaries b ON b.id = m.binary")
        ours = collections.Counter(repr((*(row[key] for key in ("pid", "address", "size", "offset", "protection", "path")),))
                                   for row in rows)
        theirs = collections.Counter(mmap_events(recording.path))
        expect(ours == theirs, recording.name, ours - theirs, theirs - ours)
        for row in rows:
            expect(row["binary"] is None or row["pid"] is None or row["binary_path"] == row["path"], recording.name, row)
        n += len(rows)
    print(n, "mappings are those of perf script")


def main():
    cases = {"mappings": check_mappings, "tables": check_tables, "sums": check_sums, "questions": check_questions, "lookups": check_lookups}
    cases[sys.argv[1]](*sys.argv[2:4])


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"sql.py: {failure}")
