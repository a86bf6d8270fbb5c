#!/usr/bin/env python3
"""Write tables as Parquet files, and compare what readers find in them with the tables.

usage: parquet.py PARQUET_TABLE NODE_DIRECTORY [--chdb]

The readers are pyarrow, DuckDB and Polars, and hyparquet, which is in NODE_DIRECTORY; with --chdb ClickHouse as well. Each
value of each table is compared. Bounds in the file must be those of the values, and readers must skip by them what cannot
match: they are asked for a few rows of files in which all other rows are overwritten.
"""
import collections
import json
import math
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

import duckdb
import polars
import pyarrow
import pyarrow.compute
import pyarrow.parquet

Column = collections.namedtuple("Column", "name type optional")
Table = collections.namedtuple("Table", "name columns rows options")
INTS = {"INT32": (-2**31, 2**31 - 1), "INT64": (-2**63, 2**63 - 1), "TIMESTAMP": (0, 2**62),
        "UINT32": (0, 2**32 - 1), "UINT64": (0, 2**64 - 1)}
TYPES = ["BOOLEAN", *INTS, "DOUBLE", "STRING", "BINARY"]
PAGE_ROWS = 65536


class Failure(Exception):
    pass


def expect(condition, *what):
    if not condition:
        raise Failure(" ".join(str(word) for word in what))


def field(value, kind):
    """Spell a value as parquet_table takes it, and as tests/oracle/parquet/read.mjs prints it."""
    if value is None:
        return "-"
    if kind == "DOUBLE":
        return "nan" if math.isnan(value) else struct.pack(">d", value).hex()
    if kind in ("STRING", "BINARY"):
        return (value.encode() if isinstance(value, str) else bytes(value)).hex()
    return str(int(value))


def spell(rows, columns):
    return ["\t".join(field(value, column.type) for value, column in zip(row, columns)) for row in rows]


def write(program, table, path, jobs=1):
    head = "\t".join(f"{c.type}{'?' if c.optional else ''}:{c.name.encode().hex()}" for c in table.columns)
    text = "\n".join([head, *spell(table.rows, table.columns)]).replace("nan", "7ff8000000000000") + "\n"
    options = [*table.options, 0, 0][:2]
    subprocess.run([program, path, *map(str, options), str(jobs)], input=text.encode(), check=True)


# Readers. Each returns the rows of a file; with a condition (column, least, most) those that it is true for.

def numbers(array):
    """Make a column of times one of numbers: Python has no nanoseconds."""
    return array.cast(pyarrow.int64()) if pyarrow.types.is_timestamp(array.type) else array


def read_pyarrow(path, columns, condition=None):
    filters = condition and [(condition[0], ">=", condition[1]), (condition[0], "<=", condition[2])]
    table = pyarrow.parquet.read_table(path, filters=filters, page_checksum_verification=not condition)
    return list(zip(*[numbers(table.column(column.name)).to_pylist() for column in columns]))


def quote(name):
    return '"' + name.replace('"', '""') + '"'


def read_duckdb(path, columns, condition=None):
    fields = [f"epoch_ns({quote(c.name)})" if c.type == "TIMESTAMP" else quote(c.name) for c in columns]
    where = f"WHERE {quote(condition[0])} BETWEEN $least AND $most" if condition else ""
    bounds = {"least": condition[1], "most": condition[2]} if condition else {}
    return duckdb.connect().execute(
        f"SELECT {', '.join(fields)} FROM read_parquet($path) {where}", {"path": path, **bounds}).fetchall()


def read_polars(path, columns, condition=None):
    frame = polars.scan_parquet(path)
    if condition:
        frame = frame.filter(polars.col(condition[0]).is_between(condition[1], condition[2]))
    return frame.select(polars.col(c.name).to_physical() if c.type == "TIMESTAMP" else polars.col(c.name)
                        for c in columns).collect().rows()


def read_chdb(path, columns, condition=None):
    import chdb
    fields = {"TIMESTAMP": "toUnixTimestamp64Nano({})", "BOOLEAN": "toUInt8({})", "STRING": "hex({})", "BINARY": "hex({})",
              "DOUBLE": "leftPad(hex(reinterpretAsUInt64({})), 16, '0')"}
    names = ["`" + c.name.replace("\\", "\\\\").replace("`", "\\`") + "`" for c in columns]
    texts = [f"lower(toString({fields.get(c.type, '{}').format(name)}))" for c, name in zip(columns, names)]
    output = str(chdb.query(f"SELECT {', '.join(texts)} FROM file('{path}', Parquet) "
                            "SETTINGS input_format_parquet_preserve_order = 1", "TabSeparated"))
    rows = [["-" if text == "\\N" else text for text in line.split("\t")] for line in output.splitlines()]
    nan = struct.pack(">d", math.nan).hex()
    # A type that a value is spelled with already.
    return [["nan" if c.type == "DOUBLE" and text == nan else text for c, text in zip(columns, row)] for row in rows]


READERS = {"pyarrow": read_pyarrow, "duckdb": read_duckdb, "polars": read_polars}


def read_hyparquet(directory, files):
    """Read files at once: [(path, condition)]. Returns for each its rows as spelled."""
    names = [" ".join([path, path + ".text", *map(str, condition or ())]) for path, condition in files]
    subprocess.run(["node", f"{directory}/read.mjs"], input="\n".join(names).encode(), check=True)
    texts = []
    for path, _ in files:
        with open(path + ".text") as file:
            texts.append(file.read().splitlines())
    return texts


# Tables.

def every_type(optional=False):
    return [Column(kind.lower(), kind, optional) for kind in TYPES]


def extremes():
    strings = ["", "a", "\0", "zero \0 within", "é€😀", "\U0010ffff", "\ud7ff\ue000", "-", "tab\tline\n"]
    column = {kind: [*bounds, 1, 0] for kind, bounds in INTS.items()}
    for kind in ("INT32", "INT64"):
        column[kind] += [-1, -2, 2]
    column["BOOLEAN"] = [False, True]
    column["DOUBLE"] = [0.0, -0.0, math.inf, -math.inf, math.nan, 5e-324, -1.5, 1.7976931348623157e308]
    column["STRING"] = strings
    column["BINARY"] = [bytes(range(256)), b"", b"\xff" * 300, b"\x80", *(text.encode() for text in strings)]
    n = max(map(len, column.values()))
    return [tuple(column[kind][i % len(column[kind])] for kind in TYPES) for i in range(n)]


def with_nulls(rows, rng):
    return [tuple(None if rng.random() < 0.3 else value for value in row) for row in rows]


def long_bounds():
    """Return rows whose strings are longer than bounds. Some have no short bound above them."""
    columns = [Column(name, kind, False) for name, kind in (
        ("cut", "STRING"), ("carry", "STRING"), ("surrogates", "STRING"), ("none", "STRING"), ("bytes", "BINARY"),
        ("no bytes", "BINARY"))]
    rows = [("x" * 63 + "€" + str(i), "y" * 20 + "\U0010ffff" * 20 + str(i), "\ud7ff" * 40 + str(i),
             "\U0010ffff" * 30 + str(i), b"q" * 10 + b"\xff" * 60 + bytes([i]), b"\xff" * 80 + bytes([i]))
            for i in range(5)]
    return Table("long-bounds", columns, rows, ())


def pages(n, rng):
    """Return a table with several pages in a row group, whose columns need different encodings."""
    time = 0
    names = [f"function_{i}_{rng.getrandbits(64):x}" for i in range(500)]
    rows = []
    for i in range(n):
        time += rng.randrange(1000, 1100)
        page = i // PAGE_ROWS
        # Pages 1 and 3 are unlike the others.
        is_other = page % 2 == 1
        rows.append((
            time, -time, 250000, i // 1000 % 7, rng.getrandbits(64) - 2**63, rng.getrandbits(32),
            2**63 + rng.getrandbits(20), None if is_other else time, None if i % 5000 else i,
            None if rng.random() < 0.5 else i % 100, rng.random() < 0.001, None if is_other else i % 2 == 0,
            math.nan if is_other else rng.random(), math.nan if i % 3 else float(i % 50),
            rng.choice(names), None if is_other else f"unique {i}", names[i // 3000], b"\xff\0"[i % 2:] * (i % 4)))
    kinds = ("INT64 INT64 INT64 INT32 INT64 UINT32 UINT64 TIMESTAMP? INT64? INT32? BOOLEAN BOOLEAN? DOUBLE DOUBLE STRING "
             "STRING? STRING BINARY").split()
    columns = [Column(f"c{i}", kind.rstrip("?"), kind.endswith("?")) for i, kind in enumerate(kinds)]
    return Table("pages", columns, rows, ())


def random_table(seed):
    rng = random.Random(seed)
    columns = [Column(f"{rng.choice(['a', 'é', 'a b', 'x.y', '`', chr(34)])}{i}", rng.choice(TYPES), rng.random() < 0.5)
               for i in range(rng.randrange(1, 12))]
    makers = []
    for column in columns:
        width = rng.choice([1, 3, 8, 20, 31])
        if column.type in INTS:
            least, most = INTS[column.type]
            base = rng.choice([least, most - 2**width, max(0, least)])
            make = lambda base=base, width=width: base + rng.getrandbits(width)
        elif column.type == "BOOLEAN":
            make = lambda width=width: rng.random() < 1 / width
        elif column.type == "DOUBLE":
            make = lambda width=width: rng.choice([math.nan, rng.getrandbits(width) / 3])
        elif column.type == "STRING":
            make = lambda width=width: "é€a😀"[rng.randrange(4)] * rng.randrange(width) + str(rng.getrandbits(width))
        else:
            make = lambda width=width: rng.getrandbits(width).to_bytes(4, "big") * rng.randrange(width)
        makers.append((make, rng.choice([0, 0.01, 0.5, 0.99]) if column.optional else 0))
    rows = []
    for _ in range(rng.choice([1, 7, 64, 1000, 3000])):
        # Rows come in runs.
        row = tuple(None if rng.random() < nulls else make() for make, nulls in makers)
        rows += [row] * rng.choice([1, 1, 1, 2, 9, 40])
    return Table(f"random-{seed}", columns, rows, (rng.choice([1, 10, 1000, 100000]) + len(rows) // 50, ))


def tables():
    rng = random.Random(1)
    rows = extremes()
    yield Table("extremes", every_type(), rows, ())
    yield Table("optional", every_type(True), with_nulls(rows * 20, rng), ())
    yield Table("empty", every_type(True), [], ())
    yield Table("one-row", every_type(), rows[:1], ())
    yield Table("nulls", every_type(True), [(None, ) * len(TYPES)] * 100, (40, ))
    yield Table("groups", every_type(True), with_nulls(rows * 100, rng), (7, ))
    # Each row group ends by its bytes.
    yield Table("long", [Column("text", "STRING", False), Column("i", "INT32", False)],
                [(chr(97 + i % 26) * (1 << 20), i) for i in range(20)], (1000, 3 << 20))
    yield long_bounds()
    yield pages(3 * PAGE_ROWS - 30000, rng)
    for seed in range(20):
        yield random_table(seed)


# Comparisons.

def check_rows(reader, table, found, expected):
    for i, (ours, theirs) in enumerate(zip(found, expected)):
        expect(ours == theirs, reader, table.name, "row", i, ours[:300], "instead of", theirs[:300])
    expect(len(found) == len(expected), reader, table.name, len(found), "rows instead of", len(expected))


def plain(value):
    return value.encode() if isinstance(value, str) else value


def has_short_bound(value, kind):
    """Tell whether the begin of a string has a character that can be replaced by the next one."""
    return len(value) <= 64 or value[:64].rstrip(b"\xff") if kind == "BINARY" else \
        len(value) <= 64 or value[:64].decode(errors="ignore").rstrip("\U0010ffff")


def check_bounds(table, path):
    """Compare the statistics of each column and row group. Returns how many there are."""
    metadata = pyarrow.parquet.ParquetFile(path).metadata
    begin = n = 0
    for group in range(metadata.num_row_groups):
        rows = table.rows[begin:begin + metadata.row_group(group).num_rows]
        begin += len(rows)
        for i, column in enumerate(table.columns):
            statistics = metadata.row_group(group).column(i).statistics
            values = [plain(row[i]) for row in rows if row[i] is not None]
            where = (table.name, column.name, group)
            expect(statistics.null_count == len(rows) - len(values), *where, "null_count", statistics.null_count)
            values = [value for value in values if column.type != "DOUBLE" or not math.isnan(value)]
            if not statistics.has_min_max:
                expect(not values or not has_short_bound(max(values), column.type), *where, "no bounds")
                continue
            n += 1
            if column.type == "TIMESTAMP":
                least, most = statistics.min_raw, statistics.max_raw
            else:
                least, most = plain(statistics.min), plain(statistics.max)
            if max((len(value) for value in values if isinstance(value, bytes)), default=0) > 64:
                expect(least <= min(values) and max(values) <= most, *where, least, most)
                expect(len(least) <= 64 and len(most) <= 68, *where, "long bounds")
                # Bounds are cut in the middle of no character.
                expect(column.type == "BINARY" or least.decode() and most.decode(), *where)
            else:
                expect(least == min(values) and most == max(values), *where, least, most, min(values), max(values))
    expect(begin == len(table.rows), table.name, "row groups have", begin, "rows")
    return n


def overwrite_groups(path, kept, _):
    """Overwrite the pages of each row group except the one whose number is @kept."""
    metadata = pyarrow.parquet.ParquetFile(path).metadata
    with open(path, "r+b") as file:
        for group in range(metadata.num_row_groups):
            for i in range(metadata.num_columns):
                column = metadata.row_group(group).column(i)
                if group != kept:
                    file.seek(column.dictionary_page_offset or column.data_page_offset)
                    file.write(b"\xff" * column.total_compressed_size)


def overwrite_pages(path, kept, node):
    """Overwrite the data pages except number @kept in each column of the only row group, by the index of pages."""
    with open(path, "rb") as file:
        content = bytearray(file.read())
    for locations in json.loads(subprocess.run(["node", "locations.mjs", path], cwd=node, check=True,
                                               stdout=subprocess.PIPE).stdout):
        for i, (offset, size) in enumerate(locations):
            if i != kept:
                content[offset:offset + size] = b"\xff" * size
    with open(path, "wb") as file:
        file.write(content)


def check_skipping(program, node, directory):
    rng = random.Random(2)
    columns = [Column("time", "INT64", False), Column("name", "STRING", True), Column("value", "DOUBLE", False)]
    rows = [(i * 10 + rng.randrange(10), rng.choice([None, "a", "b"]), rng.random()) for i in range(3 * PAGE_ROWS)]
    # pyarrow and Polars do not skip pages.
    for what, options, overwrite, readers in (("groups", (1000, ), overwrite_groups, ("pyarrow", "duckdb", "polars")),
                                              ("pages", (), overwrite_pages, ("duckdb", ))):
        table = Table(what, columns, rows, options)
        path = f"{directory}/skip-{what}"
        write(program, table, path)
        overwrite(path, 1, node)
        begin = (options or (PAGE_ROWS, ))[0]
        matching = rows[begin + 10:begin + 990]
        condition = ("time", matching[0][0], matching[-1][0])
        expected = spell(matching, columns)
        for name in readers:
            read = READERS[name]
            check_rows(name, table, spell(read(path, columns, condition), columns), expected)
            try:
                read(path, columns)
            except Exception:
                continue
            raise Failure(f"{name} reads what was overwritten")
        check_rows("hyparquet", table, read_hyparquet(node, [(path, condition)])[0], expected)


def check_notes(path):
    metadata = pyarrow.parquet.ParquetFile(path).metadata
    expect(metadata.metadata == {b"made by": b"a test", "é".encode(): b""}, "notes:", metadata.metadata)
    expect(metadata.created_by == "parquet_table version 1.0", metadata.created_by)


def main():
    program, node = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    for name in ("read.mjs", "locations.mjs"):
        shutil.copy(f"{os.path.dirname(os.path.abspath(__file__))}/parquet/{name}", node)
    if "--chdb" in sys.argv:
        READERS["chdb"] = read_chdb
    n_values = n_bounds = 0
    with tempfile.TemporaryDirectory() as directory:
        made = list(tables())
        for table in made:
            path = f"{directory}/{table.name}"
            write(program, table, path)
            write(program, table, path + ".jobs", 2)
            with open(path, "rb") as one, open(path + ".jobs", "rb") as two:
                expect(one.read() == two.read(), table.name, "depends on the number of threads")
            expected = spell(table.rows, table.columns)
            for name, read in READERS.items():
                rows = read(path, table.columns)
                check_rows(name, table, ["\t".join(row) for row in rows] if name == "chdb" else
                           spell(rows, table.columns), expected)
            n_bounds += check_bounds(table, path)
            n_values += len(table.rows) * len(table.columns)
        check_notes(f"{directory}/extremes")
        texts = read_hyparquet(node, [(f"{directory}/{table.name}", None) for table in made])
        for table, text in zip(made, texts):
            check_rows("hyparquet", table, text, spell(table.rows, table.columns))
        check_skipping(program, node, directory)
    print(f"{len(made)} tables, {n_values} values and {n_bounds} bounds are read by {', '.join(READERS)} and hyparquet")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(str(failure))
