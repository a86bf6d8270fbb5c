#!/usr/bin/env python3
"""Ask DuckDB the questions of doc/fleet.md about a lake, and compare the answers with those of single recordings.

usage: fleet.py PDCONV TESTDATA [--write]

Makes a lake of recordings of testdata as those of a fleet in two weeks. Each answer must be the text in the document, which --write
updates, and have the sums that folded stacks and pdconv sql of the single recordings have. Folded stacks of the lake are those of
-f folded, for every recording of testdata and each event.
"""
import collections
import glob
import os
import re
import shutil
import sys

import duckdb
import pyarrow.parquet

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sql  # noqa: E402
from sql import expect  # noqa: E402

LABELS = ["--label", "date={dir3}", "--label", "service={dir2}", "--label", "node={dir1}"]
# Date, service, node and recording: in the second week, one node of the shop has another build.
FLEET = [("2026-11-16", "shop", "node1", "shop/before.data"), ("2026-11-16", "shop", "node2", "shop/before.data"),
         ("2026-11-23", "shop", "node1", "shop/after.data"), ("2026-11-23", "shop", "node2", "shop/before.data"),
         *[(date, service, "node3", f"{service}/perf.data") for date in ("2026-11-16", "2026-11-23")
           for service in ("cxx", "deep", "fp", "signal", "threads")]]
QUESTION = re.compile(r"\*\*(?P<title>[^*]+)\*\*[^\n]*(?:\n[^\n]+)*\n\n```sql\n(?P<query>.*?)```\n\n```text\n(?P<answer>.*?)```\n", re.S)


class Fleet:
    """The recordings, and what pdconv says about each of them."""

    def __init__(self, pdconv, testdata):
        self.pdconv, self.testdata = pdconv, testdata
        programs = [os.path.join(testdata, name) for name in
                    ("shop", "shop/after", "cxx", "deep", "fp", "signal")]
        self.options = ["-q", "--no-cache", "--symfs", sql.WORK.name, "--debug-paths", ":".join(programs)]
        self.known = {}

    def make(self, folder):
        for date, service, node, recording in FLEET:
            place = os.path.join(folder, date, service, node)
            os.makedirs(place)
            shutil.copy(os.path.join(self.testdata, recording), os.path.join(place, "perf.data"))

    def ask(self, recording, *arguments):
        """Output of a command about a recording. Nodes with copies have the same."""
        key = (recording, arguments)
        if key not in self.known:
            command, *rest = arguments
            path = os.path.join(self.testdata, recording)
            words = [command, path, *rest] if command == "sql" else [path, *arguments]
            self.known[key] = sql.run(self.pdconv, *words, *self.options).decode()
        return self.known[key]

    def stacks(self, recording, event="cpu-clock"):
        """Folded stacks of an event: comm, functions from the root, and the period. Clocks may have modifiers."""
        names = [name for name, in self.rows(recording, "SELECT name FROM events WHERE samples > 0") if name.startswith(event)]
        if not names:
            return
        name, = names
        for line in self.ask(recording, "--folded", "-e", name).splitlines():
            stack, _, period = line.rpartition(" ")
            comm, *functions = stack.split(";")
            yield comm, functions, int(period)

    def rows(self, recording, query):
        """Rows of a query, as text."""
        lines = self.ask(recording, "sql", query, "--csv").splitlines()
        return [line.split(",") for line in lines[1:]]


def as_text(cursor):
    """Rows as the document shows them: numbers to the right."""
    columns = [column[0] for column in cursor.description]
    rows = [["" if value is None else str(value) for value in row] for row in cursor.fetchall()]
    numbers = [str(column[1]) not in ("STRING", "VARCHAR", "Date", "DATE") for column in cursor.description]
    widths = [max(map(len, [columns[i], *(row[i] for row in rows)])) for i in range(len(columns))]
    lines = ["  ".join(cell.rjust(width) if number else cell.ljust(width)
                       for cell, width, number in zip(row, widths, numbers)).rstrip() for row in [columns, *rows]]
    return "".join(f"{line}\n" for line in lines), [dict(zip(columns, row)) for row in rows]


def of_week(date=None, service="shop", node=None):
    return [recording for d, s, n, recording in FLEET
            if date in (None, d) and service in (None, s) and node in (None, n)]


def near(text, value, places):
    """Whether a rounded number of the answer is @p value."""
    return abs(float(text or 0) - value) <= 0.51 * 10 ** -places


class Judge:
    """Answers to the questions, computed from single recordings."""

    def __init__(self, fleet):
        self.fleet = fleet

    def leaves(self, recordings, event="cpu-clock"):
        sums = collections.Counter()
        for recording in recordings:
            for _, functions, period in self.fleet.stacks(recording, event):
                sums[functions[-1] if functions else None] += period
        return sums

    def shares(self, recordings):
        sums = self.leaves(recordings)
        return {function: 100 * ns / sum(sums.values()) for function, ns in sums.items()}

    def which_functions_take_most_cpu_time_in_the_whole_fleet(self, rows):
        sums = self.leaves(of_week(service=None))
        for row, (function, ns) in zip(rows, sums.most_common()):
            expect(row["function"] == function and near(row["ms"], ns / 1e6, 1), row, function, ns)

    def what_does_a_binary_cost_by_version(self, rows):
        sums = collections.Counter()
        for recording in of_week():
            for build, period in self.fleet.rows(recording, """SELECT hex(b.build_id), sum(g.period) FROM sample_groups g
                    JOIN frames f ON f.id = g.frame JOIN binaries b ON b.id = f.binary JOIN events e ON e.id = g.event
                    WHERE b.name = 'shop' AND e.name = 'cpu-clock' GROUP BY 1"""):
                sums[build[:12].lower()] += int(period)
        expect({row["build"] for row in rows} == set(sums) and len(sums) == 2, rows, sums)
        for row in rows:
            expect(near(row["ms"], sums[row["build"]] / 1e6, 1), row, sums)

    def what_changed_since_last_week(self, rows):
        before, after = (self.shares(of_week(date)) for date in ("2026-11-16", "2026-11-23"))
        changes = {f: abs(after.get(f, 0) - before.get(f, 0)) for f in {*before, *after}}
        expect([changes[row["function"]] for row in rows] == sorted(changes.values(), reverse=True)[:len(rows)], rows)
        for row in rows:
            for when, shares in (("before", before), ("after", after)):
                expect(near(row[when], shares.get(row["function"], 0), 2), row, shares.get(row["function"]))

    def which_hosts_are_different(self, rows):
        everywhere = self.shares(of_week("2026-11-23"))
        for row in rows:
            here = self.shares(of_week("2026-11-23", node=row["node"]))
            expect(near(row["share"], here[row["function"]], 2), row)
            expect(near(row["everywhere"], everywhere[row["function"]], 2), row)

    def what_does_a_function_cost_with_what_it_calls_by_container(self, rows):
        sums = collections.Counter()
        for recording in of_week():
            text = self.fleet.ask(recording, "sql", "SELECT g.cgroup, sum(g.period) FROM sample_groups g JOIN events e ON e.id = g.event "
                                  "WHERE e.name = 'cpu-clock' GROUP BY 1", "--csv", "--focus", "^parse_order$")
            for line in text.splitlines()[1:]:
                cgroup, period = line.split(",")
                sums[cgroup] += int(period)
        expect({row["cgroup"] for row in rows} == set(sums) and len(sums) == 2, rows, sums)
        for row in rows:
            expect(near(row["ms"], sums[row["cgroup"]] / 1e6, 1), row, sums)

    def how_long_are_waits(self, rows):
        expect(len(rows) == 2, rows)
        for row in rows:
            waits = sorted(int(period) for recording in of_week(row["date"]) for (period,) in self.fleet.rows(
                recording, "SELECT s.period FROM samples s JOIN events e ON e.id = s.event WHERE e.name = 'offcpu-time'"))
            expect(int(row["waits"]) == len(waits), row, len(waits))
            for name, part in (("median_us", 0.5), ("p95_us", 0.95), ("p99_us", 0.99)):
                # Definitions differ by one place in the order.
                at = int(part * len(waits))
                expect(waits[at - 1] <= float(row[name]) * 1000 + 0.5 and float(row[name]) * 1000 - 0.5 <= waits[at + 1], row, name)

    def which_builds_lack_symbols(self, rows):
        sums = collections.Counter()
        for recording in of_week(service=None):
            for build, samples in self.fleet.rows(recording, """SELECT hex(b.build_id), sum(g.samples) FROM sample_groups g
                    JOIN frames f ON f.id = g.frame JOIN functions u ON u.id = f.function LEFT JOIN binaries b ON b.id = f.binary
                    WHERE u.is_unnamed GROUP BY 1"""):
                sums[build.lower()] += int(samples)
        expect({row["build_id"]: int(row["samples"]) for row in rows} == sums and sums, rows, sums)

    def how_does_a_stack_grow_over_time(self, rows):
        expect(len(rows) == 4, rows)
        for row in rows:
            total = part = 0
            for recording in of_week(row["date"], node=row["node"]):
                for _, functions, period in self.fleet.stacks(recording):
                    total += period
                    below = functions[functions.index("run_pricer") + 2:] if "run_pricer" in functions else []
                    part += period if any(function.startswith("tax") for function in below) else 0
            expect(part and near(row["share"], 100 * part / total, 2), row, part, total)

    def which_services_cost_most(self, rows):
        for row in rows:
            ns = sum(self.leaves(of_week(service=row["service"])).values())
            expect(near(row["ms"], ns / 1e6, 1), row, ns)
            expect(int(row["recordings"]) == len(of_week(service=row["service"])), row)
        expect(len(rows) == 6 and abs(sum(float(row["percent"]) for row in rows) - 100) < 0.5, rows)

    def what_is_a_flame_graph_of_all_that(self, rows):
        sums = collections.Counter()
        for recording in of_week("2026-11-23"):
            for comm, functions, period in self.fleet.stacks(recording):
                if comm == "journal":
                    sums[";".join([comm, *functions])] += period
        expect([row["line"] for row in rows] == [f"{stack} {ns}" for stack, ns in sums.most_common(len(rows))], rows)


def check_questions(fleet, db, document, is_written):
    with open(document, encoding="utf-8") as f:
        text = f.read()
    judge, problems = Judge(fleet), []
    questions = list(QUESTION.finditer(text))
    expect(len(questions) == 10, len(questions), "questions")
    for question in reversed(questions):
        answer, rows = as_text(db.execute(question["query"]))
        expect(rows, question["title"], "has no answer")
        name = re.sub(r"[^a-z]+", "_", question["title"].lower()).strip("_")
        getattr(judge, name)(rows)
        if answer != question["answer"]:
            problems.append(f"{question['title']}\n{answer}")
        text = text[:question.start("answer")] + answer + text[question.end("answer"):]
    if is_written:
        with open(document, "w", encoding="utf-8") as f:
            f.write(text)
    else:
        expect(not problems, "answers differ from the document:\n" + "\n".join(problems))


def check_columns(document):
    """The document has the columns of the table folded, and all tables have types that Spark reads."""
    with open(document, encoding="utf-8") as f:
        rows = [line.split("|")[1:3] for line in f if line.startswith("| `")]
    documented = {name: kind.strip() for names, kind in rows for name in re.findall("`(\\w+)`", names)}
    types = {"int64": "INT64", "string": "STRING", "binary": "BINARY", "double": "DOUBLE"}
    for path in glob.glob("*/**/*.parquet", recursive=True):
        columns = {field.name: types.get(str(field.type)) for field in pyarrow.parquet.read_schema(path)}
        expect(all(columns.values()) and list(columns)[0] == "recording" and "host" in columns, path, columns)
        for name, kind in columns.items():
            expect(not path.startswith("folded/") or name in ("recording", "host") or documented.get(name) == kind, name, kind, documented)


def without_mark(stack):
    """A stack without the mark of the format folded for callers that were lost."""
    return ";".join(part for part in stack.split(";") if part != "[callers lost]")


def check_folded(pdconv, testdata):
    """Rows of the table are the lines of the format."""
    n = 0
    for recording in sql.recordings(pdconv, testdata):
        lake = os.path.join(sql.WORK.name, "one")
        shutil.rmtree(lake, ignore_errors=True)
        sql.run(pdconv, "batch", recording.path, "-o", lake, *recording.options)
        query = f"FROM read_parquet('{lake}/folded/**/*.parquet')"
        for (event,) in duckdb.execute(f"SELECT DISTINCT event {query}").fetchall():
            ours, theirs = collections.Counter(), collections.Counter()
            for comm, stack, period in duckdb.execute(
                    f"SELECT comm, stack, sum(period) {query} WHERE event = ? GROUP BY ALL", [event]).fetchall():
                ours[";".join(filter(None, [comm, stack]))] += int(period)
            for line in recording.convert("--folded", "-e", event).decode().splitlines():
                stack, _, period = line.rpartition(" ")
                theirs[without_mark(stack)] += int(period)
            expect(ours == theirs, recording.name, event, list((ours - theirs).items())[:2], list((theirs - ours).items())[:2])
            n += len(ours)
    return n


def main():
    pdconv, testdata = (os.path.abspath(path) for path in sys.argv[1:3])
    document = os.path.join(os.path.dirname(testdata), "doc", "fleet.md")
    fleet = Fleet(pdconv, testdata)
    work = os.path.join(sql.WORK.name, "fleet")
    fleet.make(os.path.join(work, "recordings"))
    sql.run(pdconv, "batch", os.path.join(work, "recordings"), "-o", os.path.join(work, "lake"), *LABELS, "--tables", "samples",
            *fleet.options)
    os.chdir(os.path.join(work, "lake"))
    db = duckdb.connect()
    with open("views.sql", encoding="utf-8") as f:
        db.execute(f.read())
    expect(db.execute("SELECT count(*) FROM recording").fetchone() == (len(FLEET),), "recordings are missing")
    check_questions(fleet, db, document, "--write" in sys.argv)
    check_columns(document)
    for view in ("top_functions", "quality_by_recording"):
        expect(db.execute(f"SELECT count(*) FROM {view}").fetchone()[0], view, "is empty")
    # Each sample counts once in each table.
    for table in ("events", "folded", "samples"):
        what = "count(*)" if table == "samples" else "sum(samples)"
        n = db.execute(f"SELECT {what} FROM {table}").fetchone()[0]
        expect(n == db.execute("SELECT sum(self_samples) FROM top_functions WHERE NOT is_inlined OR self_samples > 0").fetchone()[0], table, n)
    os.chdir("/")
    print(check_folded(pdconv, testdata), "folded stacks and the answers to ten questions are the same")


if __name__ == "__main__":
    try:
        main()
    except sql.Failure as failure:
        sys.exit(str(failure))
