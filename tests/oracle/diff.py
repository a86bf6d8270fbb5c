#!/usr/bin/env python3
"""Check `pdconv diff`.

usage: diff.py PDCONV TESTDATA [--schema] [--perf]

--schema: the JSON of comparisons of recordings in TESTDATA is as doc/schema/diff.json describes it. --perf: of programs that
perf records now, a function that takes twice the time is found first, and of three comparisons of equal programs at most
one finds anything.
"""
import json
import os
import subprocess
import sys
import tempfile

FUNCTION = "check_sum"
ROUNDS = "30000"


class Failure(Exception):
    pass


def compare(pdconv, before, after, *options):
    command = [pdconv, "diff", "--json", *before, "--to", *after, *options]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if result.returncode != 0:
        raise Failure("%s: %s" % (" ".join(command), result.stderr.decode()))
    return json.loads(result.stdout)


def validate(pdconv, testdata, scratch):
    """Compare each recording with another one, and with itself."""
    import jsonschema

    with open("doc/schema/diff.json", encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    paths = [os.path.join(testdata, name, "perf.data") for name in sorted(os.listdir(testdata))]
    paths = [path for path in paths if os.path.isfile(path)]
    # Without their files, the programs of two recordings are compared as a whole.
    files = ":".join(os.path.dirname(path) for path in paths)
    shop = [os.path.join(testdata, "shop", name) for name in ("before.data", "after.data")]
    n_rows = 0
    for before, after in [*zip(paths, paths[1:] + paths[:1]), *zip(paths, paths), shop, shop[::-1]]:
        for sides in ([before], [after]), ([before, before], [after, after]):
            for options in ("--symfs", scratch), ("--symbol-dir", files, "--no-own-paths"):
                document = compare(pdconv, *sides, *options, "--percent-limit", "0")
                validator.validate(document)
                n_rows += sum(len(event[table]["rows"]) for event in document.get("by_event", [])
                              for table in ("functions_by_self", "functions_by_total", "paths"))
    print("schema: %d recordings, %d rows" % (len(paths), n_rows))
    if n_rows < 100:
        raise Failure("only %d rows were validated" % n_rows)


def record(program, path, *arguments):
    subprocess.run(["perf", "record", "-q", "-e", "cpu-clock:u", "-F", "999", "-g", "-o", path, program, ROUNDS, *arguments],
                   stderr=subprocess.DEVNULL, check=True)
    return path


def changed(document):
    event = document["by_event"][0]
    return [row["function"]["name"] for row in event["functions_by_self"]["rows"]]


def compare_programs(pdconv, scratch):
    program = os.path.join(scratch, "program")
    subprocess.run(["cc", "-O2", "-g", "-fno-omit-frame-pointer", "-o", program, "bench/diff_program.c"], check=True)
    for _ in range(2):
        # Other work on the machine can make equal programs differ, but hardly twice.
        paths = [record(program, os.path.join(scratch, "%d.data" % i)) for i in range(6)]
        found = [changed(compare(pdconv, [before], [after])) for before, after in zip(paths[::2], paths[1::2])]
        if sum(map(bool, found)) <= 1:
            break
    slower = record(program, os.path.join(scratch, "slower.data"), FUNCTION, "100")
    planted = [changed(compare(pdconv, before, [slower])) for before in (paths[:1], paths[:5])]
    print("equal programs: %s; slower function: %s" % (found, planted))
    if sum(map(bool, found)) > 1:
        raise Failure("equal programs differ")
    if any(names[:1] != [FUNCTION] for names in planted):
        raise Failure("%s is not found first" % FUNCTION)


def main():
    pdconv, testdata, *options = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        if "--schema" in options:
            validate(pdconv, testdata, scratch)
        if "--perf" in options:
            compare_programs(pdconv, scratch)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit("diff.py: %s" % failure)
