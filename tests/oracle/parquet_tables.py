#!/usr/bin/env python3
"""Compare the directories of the format parquet with the databases of the format sqlite.

usage: parquet_tables.py PDCONV TESTDATA

For each recording of testdata, and some with hostile names or without samples: DuckDB and pyarrow find in each table the rows that Python's sqlite3 finds, in the same order
and to the last bit; types, nulls and notes are those of the schema; views give the same rows; the number of threads makes no
difference. DuckDB answers the questions of doc/sql.md as pdconv sql does, and those of sql.py as the report does. A query
reads the columns that it names and no others.
"""
import collections
import itertools
import json
import os
import re
import shlex
import sqlite3
import sys

import duckdb
import pyarrow
import pyarrow.parquet

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "cli")]
import hostile_recording  # noqa: E402
import sql  # noqa: E402
from sql import expect  # noqa: E402

TYPES = {"INTEGER": pyarrow.int64(), "REAL": pyarrow.float64(), "TEXT": pyarrow.string(), "BLOB": pyarrow.binary()}
WALL_CLOCK = {("recording", "start_ns"): pyarrow.timestamp("ns", "UTC")}
QUESTION = re.compile(r"^    \$ \./pdconv sql testdata/shop/before\.data --symbol-dir testdata/shop (\".*\")$", re.M)


def convert(recording, path, *arguments):
    recording.convert("-f", "parquet", "-o", path, *arguments)
    return {name: open(os.path.join(path, name), "rb").read() for name in sorted(os.listdir(path))}


# Names that mean something to a terminal, to SQL or to UTF-8.
NAMES = [b"a\x1b[31m\x9b2J\r\x7f\tb\n", b"a\xff\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80\xe2\x82", b"'); DROP TABLE samples; --\"",
         "\u202e\u2028\U000e0041\U0010feff".encode(), b"n" * 70000]


def made_recordings(pdconv, testdata):
    """Recordings with hostile names, one that ends in its header, and one that is cut."""
    for i, name in enumerate(NAMES):
        path = os.path.join(sql.WORK.name, f"{i}.data")
        hostile_recording.Recording(name).write(path)
        yield sql.Recording(pdconv, path)
    with open(os.path.join(testdata, "nested", "perf.data"), "rb") as f:
        whole = f.read()
    for size in (700, 50000):
        path = os.path.join(sql.WORK.name, f"cut{size}.data")
        with open(path, "wb") as f:
            f.write(whole[:size])
        yield sql.Recording(pdconv, path)


def as_bits(rows):
    """Rows in which numbers of different types differ, and doubles are equal if their bits are."""
    return [tuple(value.hex() if isinstance(value, float) else value for value in row) for row in rows]


def open_views(path):
    """The directory as its views.sql has it. Paths in there are relative."""
    os.chdir(path)
    db = duckdb.connect()
    with open("views.sql", encoding="utf-8") as f:
        db.execute(f.read())
    return db


def check_schema(name, path, columns):
    file = pyarrow.parquet.ParquetFile(path)
    found = [(field.name, field.type, field.nullable) for field in file.schema_arrow]
    # A primary key is not declared NOT NULL.
    expected = [(column, WALL_CLOCK.get((name, column), TYPES[kind]), not (not_null or key))
                for _, column, kind, not_null, _, key in columns]
    expect(found == expected, name, found, expected)
    notes = file.schema_arrow.metadata
    expect(notes[b"pdconv.table"].decode() == name and notes[b"pdconv.schema_version"] == b"1", name, notes)
    meanings = json.loads(notes[b"pdconv.columns"])
    expect(list(meanings) == [column for _, column, *_ in columns], name, meanings)
    return notes[b"pdconv.row"].decode(), meanings


def check_meanings(db, name, row, meanings):
    """Notes have what the table help of the database has."""
    expect(db.execute("SELECT meaning FROM help WHERE name = ? AND column IS NULL", [name]).fetchone() == (row,), name, row)
    for column, about in meanings.items():
        expect(db.execute("SELECT meaning FROM help WHERE name = ? AND column = ?", [name, column]).fetchone() ==
               (about["meaning"],), name, column, about)
    references = {column: about["refers_to"] for column, about in meanings.items() if "refers_to" in about}
    found = {column: table for _, _, table, column, *_ in db.execute(f"PRAGMA foreign_key_list({name})")}
    expect(references == found, name, references, found)


def check_table(db, duck, name, path):
    columns = db.execute(f"PRAGMA table_info({name})").fetchall()
    check_meanings(db, name, *check_schema(name, path, columns))
    expected = as_bits(db.execute(f"SELECT * FROM {name} ORDER BY rowid"))
    fields = [f"epoch_ns({column})" if (name, column) in WALL_CLOCK else f'"{column}"' for _, column, *_ in columns]
    found = as_bits(duck.execute(f"SELECT {', '.join(fields)} FROM {name}").fetchall())
    expect(found == expected, name, "DuckDB", [pair for pair in zip(found, expected) if pair[0] != pair[1]][:2])
    table = pyarrow.parquet.read_table(path, page_checksum_verification=True)
    arrays = [array.cast(pyarrow.int64()) if pyarrow.types.is_timestamp(array.type) else array for array in table.columns]
    found = as_bits(zip(*[array.to_pylist() for array in arrays]))
    expect(found == expected, name, "pyarrow", [pair for pair in zip(found, expected) if pair[0] != pair[1]][:2])
    return len(expected)


def same(a, b):
    """Sums of doubles depend on the order of rows."""
    return a == b or isinstance(a, float) and isinstance(b, float) and abs(a - b) <= abs(a) * 1e-9


def compare_rows(where, ours, theirs):
    expect(len(ours) == len(theirs), where, len(ours), len(theirs))
    for a, b in zip(ours, theirs):
        expect(len(a) == len(b) and all(map(same, a, b)), where, a, b)
    return len(ours)


def key(row):
    return [(value is not None, str(value) if not isinstance(value, float) else "") for value in row]


def check_view(db, duck, name):
    rows = [sorted(source.execute(f"SELECT * FROM {name}").fetchall(), key=key) for source in (db, duck)]
    return compare_rows(name, *rows)


def check_recording(recording, n):
    path = os.path.join(sql.WORK.name, "out")
    first = convert(recording, path, "-j1")
    for jobs in ("-j2", "-j16"):
        expect(convert(recording, path, jobs) == first, recording.name, "differs with", jobs)
    duck = open_views(path)
    with sqlite3.connect(recording.database()) as db:
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'help'")]
        expect(sorted(first) == sorted([*(f"{name}.parquet" for name in tables), "views.sql"]), sorted(first))
        for name in tables:
            n[name] += check_table(db, duck, name, f"{path}/{name}.parquet")
        for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'view'"):
            n[name] += check_view(db, duck, name)


def check_questions(recording, document):
    """Questions of the document whose SQL DuckDB knows as it is."""
    convert(recording, os.path.join(sql.WORK.name, "shop"))
    duck = open_views(os.path.join(sql.WORK.name, "shop"))
    with open(document, encoding="utf-8") as f:
        questions = [shlex.split(text)[0] for text in QUESTION.findall(f.read())]
    n = 0
    for question in questions:
        ours = [tuple(row.values()) for row in recording.ask(question)]
        # In DuckDB / of integers is a fraction.
        theirs = duck.execute(question.replace("/ 100000000", "// 100000000")).fetchall()
        expect(ours, question)
        # An order by one column leaves ties.
        n += compare_rows(question, sorted(ours, key=key), sorted(theirs, key=key))
    expect(len(questions) >= 8, "only", len(questions), "questions")
    return len(questions), n


class DirectoryRecording(sql.Recording):
    """A recording that DuckDB is asked about, as numbers of any size."""

    def ask(self, query):
        if not hasattr(self, "duck"):
            path = os.path.join(sql.WORK.name, self.name.replace("/", "-"))
            convert(self, path)
            self.duck = open_views(path)
        cursor = self.duck.execute(query)
        columns = [column[0] for column in cursor.description]
        return [dict(zip(columns, row)) for row in cursor.fetchall()]


def column_bytes(path, *names):
    metadata = pyarrow.parquet.ParquetFile(path).metadata
    return sum(metadata.row_group(group).column(i).total_compressed_size
               for group in range(metadata.num_row_groups) for i in range(metadata.num_columns)
               if not names or metadata.row_group(group).column(i).path_in_schema in names)


def check_columns(recording):
    """Overwrite the pages of all columns except two: a query of these two does not notice."""
    path = os.path.join(sql.WORK.name, "columns")
    convert(recording, path)
    file = f"{path}/samples.parquet"
    query = f"SELECT thread, sum(period) FROM '{file}' GROUP BY 1 ORDER BY 1"
    expected = duckdb.connect().execute(query).fetchall()
    expect(len(expected) > 1 and column_bytes(file, "thread", "period") < column_bytes(file), expected)
    metadata = pyarrow.parquet.ParquetFile(file).metadata
    with open(file, "r+b") as f:
        for i in range(metadata.num_columns):
            column = metadata.row_group(0).column(i)
            if column.path_in_schema not in ("thread", "period"):
                f.seek(column.dictionary_page_offset or column.data_page_offset)
                f.write(b"\xff" * column.total_compressed_size)
    expect(duckdb.connect().execute(query).fetchall() == expected, "the query reads other columns")
    try:
        duckdb.connect().execute(f"SELECT sum(time) FROM '{file}'").fetchall()
    except duckdb.Error:
        return
    raise sql.Failure("what was overwritten is read")


def main():
    pdconv, testdata = (os.path.abspath(path) for path in sys.argv[1:])
    n = collections.Counter()
    shop = None
    for recording in itertools.chain(sql.recordings(pdconv, testdata), made_recordings(pdconv, testdata)):
        check_recording(recording, n)
        if recording.name == "shop/before.data":
            shop = recording
    empty = [name for name in n if not n[name]]
    # As in databases: it takes the switches of a whole machine.
    expect(empty == ["cpus"], "no recording has", empty)
    n_questions, n_answers = check_questions(shop, os.path.join(os.path.dirname(testdata), "doc", "sql.md"))
    check_columns(shop)
    sql.Recording = DirectoryRecording
    sql.check_questions(pdconv, testdata)
    os.chdir("/")
    print(f"{sum(n.values())} rows of {len(n)} tables and views, and {n_answers} answers to {n_questions} questions are the same")


if __name__ == "__main__":
    try:
        main()
    except sql.Failure as failure:
        sys.exit(str(failure))
