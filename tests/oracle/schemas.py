"""JSON of the commands report and info for all recordings of a directory, against doc/schema.

usage: schemas.py PDCONV TESTDATA SCHEMAS

Every key is described: the schemas permit no others. What a limit left out is counted in the answer. Documents that were
changed do not pass, so that the schemas are known to find errors.
"""
import copy
import glob
import json
import os
import subprocess
import sys
import tempfile

import jsonschema

REPORT_OPTIONS = [
    [], ["--limit", "2"], ["--limit", "100000"], ["--sort", "comm,dso,sym"], ["--sort", "srcline,sym"], ["--sort", "pid,tid,event"],
    ["--sort", "comm", "--group-by", "dso"], ["--tree"], ["--callers"], ["--callees"], ["--callers=main", "--tree"],
    ["--event", "all"], ["--no-children"], ["--no-inline"], ["--no-kernel"], ["--time", "0%-50%"], ["--comms", "nobody"],
    ["--stitch"], ["--sample-counts"], ["--total-period"], ["--ledger"], ["--critical-path"], ["--ledger", "--sort", "comm"],
    ["--pgo"], ["--intervals"], ["--intervals", "--limit", "1"],
]
INFO_OPTIONS = [[], ["--limit", "1"], ["--time", "0%-50%"], ["--comms", "nobody"]]


def validator(schemas, name):
    with open(os.path.join(schemas, name + ".json")) as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema), schema


def undescribed(schema, path=""):
    """Paths of properties without a description."""
    for key, value in schema.get("properties", {}).items():
        if "description" not in value and "$ref" not in value:
            yield f"{path}/{key}"
        yield from undescribed(value, f"{path}/{key}")
    if isinstance(schema.get("items"), dict):
        yield from undescribed(schema["items"], path + "[]")
    for key, value in schema.get("$defs", {}).items():
        yield from undescribed(value, f"{path}#{key}")


def run(pdconv, command, path, options, nowhere):
    folder = os.path.dirname(path)
    line = [pdconv, command, path, "--symfs", nowhere, "--debug-paths", folder, "--json", *options]
    done = subprocess.run(line, capture_output=True, text=True, env={**os.environ, "XDG_CACHE_HOME": nowhere})
    if done.returncode in (2, 4) or (done.returncode == 1 and "has no" in done.stderr):
        return None
    if done.returncode:
        sys.exit(f"{' '.join(line)}: status {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def tables(value):
    """All tables of a document."""
    if isinstance(value, dict):
        if isinstance(value.get("rows"), list):
            yield value
        for part in value.values():
            yield from tables(part)
    elif isinstance(value, list):
        for part in value:
            yield from tables(part)


def check_limits(pdconv, path, nowhere):
    """The rows of functions and those left out are as many as without a limit."""
    few = run(pdconv, "report", path, ["--limit", "2"], nowhere)
    all_of_them = run(pdconv, "report", path, ["--limit", "100000"], nowhere)
    n = 0
    for section, whole in zip(few.get("by_event", []), all_of_them.get("by_event", [])):
        for key in ("functions_by_self", "functions_by_total"):
            if key not in whole:
                continue
            n += 1
            if len(section[key]["rows"]) > 2 or whole[key]["left_out"] or \
                    len(section[key]["rows"]) + section[key]["left_out"] != len(whole[key]["rows"]):
                sys.exit(f"{path}: {key}: the limit does not add up")
    return n


def changed(document):
    """Documents with an error each."""
    yield {**document, "unknown_key": 1}
    yield {key: value for key, value in document.items() if key != "samples"}
    yield {**document, "samples": "12"}
    for table in tables(document):
        if table["rows"]:
            index = list(map(id, tables(document))).index(id(table))
            for change in ({"left_out": -1}, {"rows": [{"unknown_key": 1}]}):
                other = copy.deepcopy(document)
                list(tables(other))[index].update(change)
                yield other


def main():
    pdconv, testdata, schemas = sys.argv[1:]
    paths = sorted(glob.glob(os.path.join(testdata, "*", "*.data")))
    n = n_changed = n_limits = 0
    with tempfile.TemporaryDirectory() as nowhere:
        for command, all_options in (("report", REPORT_OPTIONS), ("info", INFO_OPTIONS)):
            check, schema = validator(schemas, command)
            missing = list(undescribed(schema))
            if missing:
                sys.exit(f"{command}: without a description: {missing}")
            for path in paths:
                documents = [run(pdconv, command, path, options, nowhere) for options in all_options]
                if documents[0] is None:
                    sys.exit(f"{command} {path}: no answer")
                for options, document in zip(all_options, documents):
                    if document is None:
                        continue
                    n += 1
                    for error in check.iter_errors(document):
                        where = "/".join(map(str, error.absolute_path))
                        sys.exit(f"{command} {path} {' '.join(options)}: {where}: {error.message[:500]}")
                for document in changed(documents[0]):
                    n_changed += 1
                    if check.is_valid(document):
                        sys.exit(f"{command} {path}: a changed document is valid")
                if command == "report":
                    n_limits += check_limits(pdconv, path, nowhere)
    if n < 10 * len(paths) or not n_limits:
        sys.exit(f"only {n} documents of {len(paths)} recordings")
    print(f"{n} documents of {len(paths)} recordings are valid, {n_changed} changed ones are not")


main()
