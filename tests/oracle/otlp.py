#!/usr/bin/env python3
"""Read profiles for OpenTelemetry as a receiver does, check the rules of the format, and compare them with those of pprof.

usage: otlp.py PDCONV TESTDATA [RECORDING...]

RECORDINGs are names in TESTDATA; the default is all. The messages and fields below are those of opentelemetry-proto 1.10, all of
them: a field that is not there is an error. For each recording

- the rules of the protocol hold, in the words of profiles.proto: zero elements, no duplicates, no orphans, indexes in range, unique
  keys, ranges of mappings, shapes of samples, times within the profile, periods and their types;
- JSON says the same as protocol buffers;
- each kind of value has the same sum for each thread and stack, with inlined functions and lines, as in pprof;
- timestamps are the times that `pdconv -f script` prints;
- a copy without names gets the same ones by `pdconv symbolize`, and is still valid.

Every rule is broken in a copy, which has to be refused.
"""
import collections
import copy
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile

# Fields by number: name, type, whether it is repeated.
PROFILES = {
    "ProfilesData": {1: ("resource_profiles", "ResourceProfiles", True), 2: ("dictionary", "ProfilesDictionary", False)},
    "ProfilesDictionary": {
        1: ("mapping_table", "Mapping", True), 2: ("location_table", "Location", True), 3: ("function_table", "Function", True),
        4: ("link_table", "Link", True), 5: ("string_table", "string", True), 6: ("attribute_table", "KeyValueAndUnit", True),
        7: ("stack_table", "Stack", True)},
    "ResourceProfiles": {
        1: ("resource", "Resource", False), 2: ("scope_profiles", "ScopeProfiles", True), 3: ("schema_url", "string", False)},
    "ScopeProfiles": {
        1: ("scope", "InstrumentationScope", False), 2: ("profiles", "Profile", True), 3: ("schema_url", "string", False)},
    "Profile": {
        1: ("sample_type", "ValueType", False), 2: ("samples", "Sample", True), 3: ("time_unix_nano", "fixed64", False),
        4: ("duration_nano", "uint64", False), 5: ("period_type", "ValueType", False), 6: ("period", "int64", False),
        7: ("profile_id", "bytes", False), 8: ("dropped_attributes_count", "uint32", False),
        9: ("original_payload_format", "string", False), 10: ("original_payload", "bytes", False),
        11: ("attribute_indices", "int32", True)},
    "Link": {1: ("trace_id", "bytes", False), 2: ("span_id", "bytes", False)},
    "ValueType": {1: ("type_strindex", "int32", False), 2: ("unit_strindex", "int32", False)},
    "Sample": {
        1: ("stack_index", "int32", False), 2: ("attribute_indices", "int32", True), 3: ("link_index", "int32", False),
        4: ("values", "int64", True), 5: ("timestamps_unix_nano", "fixed64", True)},
    "Mapping": {
        1: ("memory_start", "uint64", False), 2: ("memory_limit", "uint64", False), 3: ("file_offset", "uint64", False),
        4: ("filename_strindex", "int32", False), 5: ("attribute_indices", "int32", True)},
    "Stack": {1: ("location_indices", "int32", True)},
    "Location": {
        1: ("mapping_index", "int32", False), 2: ("address", "uint64", False), 3: ("lines", "Line", True),
        4: ("attribute_indices", "int32", True)},
    "Line": {1: ("function_index", "int32", False), 2: ("line", "int64", False), 3: ("column", "int64", False)},
    "Function": {
        1: ("name_strindex", "int32", False), 2: ("system_name_strindex", "int32", False), 3: ("filename_strindex", "int32", False),
        4: ("start_line", "int64", False)},
    "KeyValueAndUnit": {1: ("key_strindex", "int32", False), 2: ("value", "AnyValue", False), 3: ("unit_strindex", "int32", False)},
    "AnyValue": {
        1: ("string_value", "string", False), 2: ("bool_value", "int32", False), 3: ("int_value", "int64", False),
        8: ("string_value_strindex", "int32", False)},
    "KeyValue": {1: ("key", "string", False), 2: ("value", "AnyValue", False), 3: ("key_strindex", "int32", False)},
    "Resource": {1: ("attributes", "KeyValue", True), 2: ("dropped_attributes_count", "uint32", False)},
    "InstrumentationScope": {
        1: ("name", "string", False), 2: ("version", "string", False), 3: ("attributes", "KeyValue", True),
        4: ("dropped_attributes_count", "uint32", False)},
}
PPROF = {
    "Profile": {
        1: ("sample_type", "ValueType", True), 2: ("sample", "Sample", True), 3: ("mapping", "Mapping", True),
        4: ("location", "Location", True), 5: ("function", "Function", True), 6: ("string_table", "string", True),
        7: ("drop_frames", "int64", False), 8: ("keep_frames", "int64", False), 9: ("time_nanos", "int64", False),
        10: ("duration_nanos", "int64", False), 11: ("period_type", "ValueType", False), 12: ("period", "int64", False),
        13: ("comment", "int64", True), 14: ("default_sample_type", "int64", False)},
    "ValueType": {1: ("type", "int64", False), 2: ("unit", "int64", False)},
    "Sample": {1: ("location_id", "uint64", True), 2: ("value", "int64", True), 3: ("label", "Label", True)},
    "Label": {1: ("key", "int64", False), 2: ("str", "int64", False), 3: ("num", "int64", False), 4: ("num_unit", "int64", False)},
    "Mapping": {
        1: ("id", "uint64", False), 2: ("memory_start", "uint64", False), 3: ("memory_limit", "uint64", False),
        4: ("file_offset", "uint64", False), 5: ("filename", "int64", False), 6: ("build_id", "int64", False),
        7: ("has_functions", "int32", False), 8: ("has_filenames", "int32", False), 9: ("has_line_numbers", "int32", False),
        10: ("has_inline_frames", "int32", False)},
    "Location": {
        1: ("id", "uint64", False), 2: ("mapping_id", "uint64", False), 3: ("address", "uint64", False), 4: ("line", "Line", True),
        5: ("is_folded", "int32", False)},
    "Line": {1: ("function_id", "uint64", False), 2: ("line", "int64", False)},
    "Function": {
        1: ("id", "uint64", False), 2: ("name", "int64", False), 3: ("system_name", "int64", False), 4: ("filename", "int64", False),
        5: ("start_line", "int64", False)},
}
EMPTY = tempfile.TemporaryDirectory()
PROGRAMS = {"compressed": "nested", "piped": "nested", "group": "nested", "parallel": "threads", "tracepoints": "forkexec"}
TABLES = ("mapping_table", "location_table", "function_table", "link_table", "string_table", "attribute_table", "stack_table")


class Failure(Exception):
    pass


def expect(condition, *what):
    if not condition:
        raise Failure(" ".join(str(word) for word in what))


def take_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            expect(shift <= 70, "number of more than 10 bytes")
            return value, at


def take_number(kind, data, at):
    if kind == "fixed64":
        return int.from_bytes(data[at:at + 8], "little"), at + 8
    value, at = take_varint(data, at)
    if kind in ("int32", "int64") and value >= 1 << 63:
        value -= 1 << 64
    expect(kind != "int32" or -1 << 31 <= value < 1 << 31, "number out of range:", value)
    return value, at


def empty_message(schema, name):
    return {field: [] if repeated else {"string": "", "bytes": b""}.get(kind, None if kind in schema else 0)
            for field, kind, repeated in schema[name].values()}


def decode(schema, name, data):
    """Decode a message. Fields that are not there have their defaults; a message that is not there is None."""
    message = empty_message(schema, name)
    at = 0
    while at < len(data):
        tag, at = take_varint(data, at)
        expect(tag >> 3 in schema[name], "unknown field", tag >> 3, "of", name)
        field, kind, repeated = schema[name][tag >> 3]
        is_number = kind not in schema and kind not in ("string", "bytes")
        if tag & 7 != 2:
            expect(is_number and tag & 7 == (1 if kind == "fixed64" else 0), "wire type of", name, field)
            value, at = take_number(kind, data, at)
            values = [value]
        else:
            size, at = take_varint(data, at)
            body = data[at:at + size]
            expect(len(body) == size, name, field, "is truncated")
            at += size
            values = []
            if kind in schema:
                values = [decode(schema, kind, body)]
            elif kind == "string":
                values = [body.decode("utf-8")]
            elif kind == "bytes":
                values = [body]
            else:
                expect(repeated, "size of", name, field)
                inner = 0
                while inner < len(body):
                    value, inner = take_number(kind, body, inner)
                    values.append(value)
        if repeated:
            message[field] += values
        else:
            # Parsers may join or replace messages that occur twice.
            expect(not message[field], name, field, "twice")
            message[field] = values[0]
    return message


def to_json(name, message):
    """The JSON that OTLP has for a message: names in lowerCamelCase, 64 bits as strings, no defaults."""
    ret = {}
    for field, kind, repeated in PROFILES[name].values():
        value = message[field]
        if value in ([], None, "", b"", 0):
            # Of the members of a oneof, 0 is there.
            if not (name == "AnyValue" and field == "int_value" and not message["string_value"]):
                continue
        if kind in PROFILES:
            value = [to_json(kind, item) for item in value] if repeated else to_json(kind, value)
        elif kind in ("int64", "uint64", "fixed64"):
            value = [str(item) for item in value] if repeated else str(value)
        ret[re.sub("_(.)", lambda match: match[1].upper(), field)] = value
    return ret


def check_table(dictionary, table):
    items = dictionary[table]
    kind = {"string_table": ""}.get(table)
    if kind is None:
        kind = empty_message(PROFILES, {field: kind for field, kind, _ in PROFILES["ProfilesDictionary"].values()}[table])
    expect(items, table, "is empty")
    expect(items[0] == kind, table, "has no zero element at 0:", items[0])
    texts = [json.dumps(item, sort_keys=True, default=str) for item in items]
    for text, n in collections.Counter(texts).items():
        expect(n == 1, table, "has a duplicate:", text)


class Rules:
    """Rules of profiles.proto. References are counted, to find orphans."""

    def __init__(self, data):
        expect(data["dictionary"], "no dictionary")
        self.data, self.dictionary = data, data["dictionary"]
        self.used = {table: {0} for table in TABLES}
        self.check()

    def refer(self, table, index, what):
        expect(0 <= index < len(self.dictionary[table]), what, "refers to", table, index, "of", len(self.dictionary[table]))
        self.used[table].add(index)

    def refer_attributes(self, indices, what):
        keys = []
        for index in indices:
            expect(index != 0, what, "has the attribute 0")
            self.refer("attribute_table", index, what)
            keys.append(self.dictionary["attribute_table"][index]["key_strindex"])
        expect(len(set(keys)) == len(keys), what, "has a key twice")

    def check(self):
        for table in TABLES:
            check_table(self.dictionary, table)
        expect(self.data["resource_profiles"], "no resource profiles")
        for resource in self.data["resource_profiles"]:
            keys = [attribute["key"] for attribute in resource["resource"]["attributes"]]
            expect(keys and all(keys) and len(set(keys)) == len(keys), "keys of the resource:", keys)
            expect(resource["scope_profiles"], "no scope profiles")
            for scope in resource["scope_profiles"]:
                expect(scope["scope"]["name"], "no name of the scope")
                expect(scope["profiles"], "no profiles")
                for profile in scope["profiles"]:
                    self.check_profile(profile)
        self.check_dictionary()
        for table in TABLES:
            orphans = set(range(len(self.dictionary[table]))) - self.used[table]
            expect(not orphans, table, "has orphans:", sorted(orphans)[:5])

    def check_type(self, kind, what):
        expect(kind and kind["type_strindex"] and kind["unit_strindex"], what, "is not set")
        self.refer("string_table", kind["type_strindex"], what)
        self.refer("string_table", kind["unit_strindex"], what)

    def check_profile(self, profile):
        self.check_type(profile["sample_type"], "sample_type")
        self.check_type(profile["period_type"], "period_type")
        expect(profile["period"] > 0, "period", profile["period"])
        self.refer_attributes(profile["attribute_indices"], "profile")
        start = profile["time_unix_nano"]
        end = start + profile["duration_nano"]
        shapes, identities = set(), set()
        for sample in profile["samples"]:
            self.refer("stack_table", sample["stack_index"], "sample")
            self.refer("link_table", sample["link_index"], "sample")
            self.refer_attributes(sample["attribute_indices"], "sample")
            values, times = sample["values"], sample["timestamps_unix_nano"]
            expect(values or times, "a sample has neither values nor times")
            expect(not values or not times or len(values) == len(times), "values and times differ in number")
            expect(times or len(values) == 1, "a sample without times has", len(values), "values")
            expect(all(value >= 0 for value in values), "negative value")
            expect(all(start <= time < end for time in times), "a time is not in the profile", times, start, end)
            shapes.add((bool(values), bool(times)))
            identities.add((sample["stack_index"], frozenset(sample["attribute_indices"]), sample["link_index"]))
        expect(len(shapes) <= 1, "samples have several shapes")
        expect(len(identities) == len(profile["samples"]), "samples of one identity are not combined")

    def check_dictionary(self):
        for stack in self.dictionary["stack_table"]:
            for index in stack["location_indices"]:
                expect(index != 0, "a stack has the location 0")
                self.refer("location_table", index, "stack")
        for location in self.dictionary["location_table"]:
            self.refer("mapping_table", location["mapping_index"], "location")
            self.refer_attributes(location["attribute_indices"], "location")
            for line in location["lines"]:
                expect(line["function_index"] != 0 and line["line"] >= 0, "line:", line)
                self.refer("function_table", line["function_index"], "line")
        for mapping in self.dictionary["mapping_table"]:
            self.refer("string_table", mapping["filename_strindex"], "mapping")
            self.refer_attributes(mapping["attribute_indices"], "mapping")
            start, limit = mapping["memory_start"], mapping["memory_limit"]
            expect(start < limit or start == limit == 0, "range of a mapping:", start, limit)
        for i, function in enumerate(self.dictionary["function_table"]):
            names = [function[name] for name in ("name_strindex", "system_name_strindex", "filename_strindex")]
            expect(not i or any(names), "a function has no name")
            expect(function["start_line"] >= 0, "line of a function")
            for index in names:
                self.refer("string_table", index, "function")
        for i, attribute in enumerate(self.dictionary["attribute_table"]):
            expect(bool(attribute["key_strindex"]) == bool(i), "attribute without a key")
            self.refer("string_table", attribute["key_strindex"], "attribute")
            self.refer("string_table", attribute["unit_strindex"], "attribute")


def breakages():
    """Changes that break one rule each."""
    def profile(data):
        return data["resource_profiles"][0]["scope_profiles"][0]["profiles"][0]

    def dictionary(data):
        return data["dictionary"]

    yield "no resource", lambda d: d["resource_profiles"].clear()
    yield "no scope", lambda d: d["resource_profiles"][0]["scope_profiles"].clear()
    yield "no profile", lambda d: d["resource_profiles"][0]["scope_profiles"][0]["profiles"].clear()
    yield "period 0", lambda d: profile(d).update(period=0)
    yield "no period type", lambda d: profile(d).update(period_type=None)
    yield "no sample type", lambda d: profile(d).update(sample_type=None)
    yield "no values", lambda d: profile(d)["samples"][0].update(values=[], timestamps_unix_nano=[])
    yield "one value more", lambda d: profile(d)["samples"][0]["values"].append(1)
    yield "negative value", lambda d: profile(d)["samples"][0].update(values=[-1])
    yield "sample twice", lambda d: profile(d)["samples"].append(profile(d)["samples"][0])
    yield "attribute twice", lambda d: profile(d)["samples"][0]["attribute_indices"].append(
        profile(d)["samples"][0]["attribute_indices"][0])
    yield "stack out of range", lambda d: profile(d)["samples"][0].update(stack_index=1 << 30)
    yield "time at the end", lambda d: profile(d)["samples"][0].update(
        timestamps_unix_nano=[profile(d)["time_unix_nano"] + profile(d)["duration_nano"]], values=[1])
    yield "empty range", lambda d: dictionary(d)["mapping_table"][-1].update(memory_start=7, memory_limit=7)
    yield "negative line", lambda d: dictionary(d)["function_table"][-1].update(start_line=-1)
    for table in TABLES:
        yield f"{table} without a zero element", lambda d, table=table: dictionary(d)[table].pop(0)
        yield f"duplicate in {table}", lambda d, table=table: dictionary(d)[table].append(dictionary(d)[table][-1])
    yield "orphan string", lambda d: dictionary(d)["string_table"].append("nobody refers to it")
    yield "orphan stack", lambda d: dictionary(d)["stack_table"].append({"location_indices": [1, 1, 1, 1, 1, 1, 1]})


def check_breakages(data):
    for name, change in breakages():
        broken = copy.deepcopy(data)
        change(broken)
        try:
            Rules(broken)
        except Failure:
            continue
        raise Failure(f"no rule is broken by: {name}")


def attribute_text(data, index):
    attribute = data["dictionary"]["attribute_table"][index]
    value = attribute["value"]
    return data["dictionary"]["string_table"][attribute["key_strindex"]], value["string_value"] or value["int_value"]


def read_otlp(data):
    """Sums by type, thread and stack."""
    dictionary = data["dictionary"]
    strings = dictionary["string_table"]

    def describe(index):
        location = dictionary["location_table"][index]
        mapping = dictionary["mapping_table"][location["mapping_index"]]
        ids = dict(attribute_text(data, i) for i in mapping["attribute_indices"])
        lines = []
        for line in location["lines"]:
            function = dictionary["function_table"][line["function_index"]]
            lines.append((strings[function["name_strindex"]], strings[function["system_name_strindex"]],
                          strings[function["filename_strindex"]], function["start_line"], line["line"]))
        return (strings[mapping["filename_strindex"]], ids.get("process.executable.build_id.gnu", ""), location["address"],
                tuple(lines))

    locations = [describe(i) for i in range(len(dictionary["location_table"]))]
    sums = collections.Counter()
    for profile in data["resource_profiles"][0]["scope_profiles"][0]["profiles"]:
        kind = tuple(strings[profile["sample_type"][name]] for name in ("type_strindex", "unit_strindex"))
        for sample in profile["samples"]:
            attributes = dict(attribute_text(data, i) for i in sample["attribute_indices"])
            stack = tuple(locations[i] for i in dictionary["stack_table"][sample["stack_index"]]["location_indices"])
            thread = tuple(attributes.get(key) for key in ("process.pid", "thread.id", "thread.name", "cpu.logical_number"))
            sums[kind, thread, stack] += sum(sample["values"])
    return sums


def read_pprof(profile):
    strings = profile["string_table"]
    # Parca accepts no other numbers.
    for table in ("mapping", "location", "function"):
        numbers = [item["id"] for item in profile[table]]
        expect(numbers == list(range(1, len(numbers) + 1)), table, "has other numbers than 1, 2, 3:", numbers)
    mappings = {item["id"]: (strings[item["filename"]], strings[item["build_id"]]) for item in profile["mapping"]}
    functions = {item["id"]: (strings[item["name"]], strings[item["system_name"]], strings[item["filename"]], item["start_line"])
                 for item in profile["function"]}
    locations = {}
    for item in profile["location"]:
        lines = tuple(functions[line["function_id"]] + (line["line"],) for line in item["line"])
        if not lines and not item["mapping_id"] and not item["address"]:
            lines = (("[unknown]", "", "", 0, 0),)
        locations[item["id"]] = mappings.get(item["mapping_id"], ("", "")) + (item["address"], lines)
    sums = collections.Counter()
    for sample in profile["sample"]:
        labels = {strings[label["key"]]: strings[label["str"]] or label["num"] for label in sample["label"]}
        # A number that is 0 is left out.
        thread = (labels.get("pid", 0), labels.get("tid", 0), labels.get("comm"),
                  labels.get("cpu", 0) if "cpu" in labels else None)
        stack = tuple(locations[i] for i in sample["location_id"])
        for kind, value in zip(profile["sample_type"], sample["value"]):
            sums[(strings[kind["type"]], strings[kind["unit"]]), thread, stack] += value
    return sums


def check_sums(ours, theirs):
    """Values of 0 are no difference: a sample of pprof has those of all events."""
    ours, theirs = ({key: value for key, value in sums.items() if value} for sums in (ours, theirs))
    for key in set(ours) | set(theirs):
        expect(ours.get(key) == theirs.get(key), "sums:", ours.get(key), "instead of", theirs.get(key), "for", key)
    return len(ours)


def check_attributes(data):
    """Values of attributes that the semantic conventions restrict."""
    n = collections.Counter()
    for index in range(1, len(data["dictionary"]["attribute_table"])):
        key, value = attribute_text(data, index)
        n[key] += 1
        if key == "profile.frame.type":
            expect(value in ("native", "kernel", "go", "jvm", "v8js", "cpython", "ruby", "php", "perl", "dotnet", "beam"), value)
        if key == "process.executable.build_id.gnu":
            expect(re.fullmatch("([0-9a-f]{2})+", value), value)
        if key == "container.id":
            expect(re.fullmatch("[0-9a-f]{64}", value), value)
        if key == "process.executable.path":
            expect(value.startswith("/"), value)
    return n


def check_times(data, run):
    """Timestamps are the times of the recording, from an unknown zero on."""
    times = sorted(time for profile in data["resource_profiles"][0]["scope_profiles"][0]["profiles"]
                   for sample in profile["samples"] for time in sample["timestamps_unix_nano"])
    if not times:
        return 0
    text = run("-f", "script", "--fields", "time", "--ns", "--hide-call-graph").stdout.decode()
    recorded = sorted({int(number.replace(".", "")) for number in re.findall(r"(\d+\.\d{9}):", text)})
    expect(sorted({time - times[0] for time in times}) == [time - recorded[0] for time in recorded],
           "other times than those of the recording:", len(set(times)), len(recorded))
    return len(times)


def check(pdconv, recording, programs):
    def run(*arguments):
        result = subprocess.run([pdconv, recording, "-q", "--symfs", EMPTY.name, "--symbol-dir", programs, *arguments],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        expect(result.returncode == 0, arguments, result.stderr)
        return result

    raw = run("-f", "otlp").stdout
    data = decode(PROFILES, "ProfilesData", raw)
    Rules(data)
    expect(json.loads(run("-f", "otlp-json").stdout) == to_json("ProfilesData", data), "JSON says something else")
    pprof = decode(PPROF, "Profile", gzip.decompress(run("-f", "pprof", "--labels", "cpu").stdout))
    n = check_sums(read_otlp(data), read_pprof(pprof))
    attributes = check_attributes(data)
    return data, n, check_times(data, run), attributes


def put_varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def encode_value(kind, value):
    if kind in PROFILES:
        value = encode(kind, value)
    if isinstance(value, int):
        return value.to_bytes(8, "little") if kind == "fixed64" else put_varint(value)
    return value.encode() if isinstance(value, str) else value


def encode(name, message):
    """Encode a message of PROFILES, as decode() returns it."""
    out = b""
    for number, (field, kind, repeated) in PROFILES[name].items():
        value = message[field]
        is_number = kind not in PROFILES and kind not in ("string", "bytes")
        # Of the members of a oneof, 0 is there.
        if value in ([], None, "", b"", 0) and not (field == "int_value" and not message["string_value"]):
            continue
        if repeated and is_number:
            value, repeated, is_number = b"".join(encode_value(kind, item) for item in value), False, False
        for item in value if repeated else [value]:
            encoded = encode_value(kind if is_number or not isinstance(item, bytes) else "bytes", item)
            wire = (1 if kind == "fixed64" else 0) if is_number else 2
            out += put_varint(number << 3 | wire) + (encoded if is_number else put_varint(len(encoded)) + encoded)
    return out


def collect(dictionary, table, references):
    """Remove the entries of a table that none of the references uses. A reference is a dictionary and a key."""
    used = sorted({0} | {holder[key] for holder, key in references})
    numbers = {old: new for new, old in enumerate(used)}
    dictionary[table] = [dictionary[table][i] for i in used]
    for holder, key in references:
        holder[key] = numbers[holder[key]]


def string_references(message):
    """Yield all references to strings below a message."""
    for key, value in message.items():
        if key.endswith("_strindex"):
            yield message, key
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, dict):
                yield from string_references(item)


def without_names(data):
    """Return a copy whose locations in files have no lines, and the number of those that had some."""
    data = copy.deepcopy(data)
    dictionary = data["dictionary"]

    def is_in_file(location):
        path = dictionary["string_table"][dictionary["mapping_table"][location["mapping_index"]]["filename_strindex"]]
        return re.match("/[^/]", path) and not re.search(r"/(perf-\d+\.map|jit.*\.dump)$", path)

    named = [location for location in dictionary["location_table"] if location["lines"] and is_in_file(location)]
    for location in named:
        location["lines"] = []
    collect(dictionary, "function_table",
            [(line, "function_index") for location in dictionary["location_table"] for line in location["lines"]])
    collect(dictionary, "string_table", list(string_references(data)))
    return data, len(named)


def check_symbolized(pdconv, data, programs):
    """A copy without names gets the same ones by `pdconv symbolize`. Returns the number of locations with names."""
    bare, n = without_names(data)
    Rules(bare)
    path = os.path.join(EMPTY.name, "bare.otlp")
    with open(path, "wb") as file:
        file.write(encode("ProfilesData", bare))
    result = subprocess.run([pdconv, "symbolize", path, "-q", "--no-cache", "--symfs", EMPTY.name, "--symbol-dir", programs],
                            stdout=subprocess.PIPE, check=True)
    os.remove(path)
    named = decode(PROFILES, "ProfilesData", result.stdout)
    Rules(named)
    check_sums(read_otlp(named), read_otlp(data))
    return n


def check_labels(pdconv, testdata):
    """Labels of the user are attributes of the resource, and replace those that the recording has."""
    result = subprocess.run([pdconv, f"{testdata}/nested/perf.data", "-q", "-f", "otlp", "--tag", "service.name=api", "--tag",
                             "host.name=other"], stdout=subprocess.PIPE, check=True)
    data = decode(PROFILES, "ProfilesData", result.stdout)
    Rules(data)
    attributes = {item["key"]: item["value"]["string_value"] for item in data["resource_profiles"][0]["resource"]["attributes"]}
    expect(attributes["service.name"] == "api" and attributes["host.name"] == "other", attributes)


def check_merged(pdconv, testdata):
    """Two recordings have two clocks: no times, and samples say which one they are of."""
    result = subprocess.run([pdconv, f"{testdata}/jit/perf.data", f"{testdata}/nested/perf.data", "-q", "-f", "otlp"],
                            stdout=subprocess.PIPE, check=True)
    data = decode(PROFILES, "ProfilesData", result.stdout)
    Rules(data)
    inputs = {value for index in range(1, len(data["dictionary"]["attribute_table"]))
              for key, value in [attribute_text(data, index)] if key == "pdconv.input"}
    expect(len(inputs) == 2, "inputs:", inputs)
    for profile in data["resource_profiles"][0]["scope_profiles"][0]["profiles"]:
        expect(not any(sample["timestamps_unix_nano"] for sample in profile["samples"]), "times of two clocks")


def main():
    pdconv, testdata, *names = sys.argv[1:]
    is_all = not names
    if is_all:
        names = sorted(f"{name}/{file}" for name in os.listdir(testdata) if os.path.isdir(f"{testdata}/{name}")
                       for file in os.listdir(f"{testdata}/{name}") if file.endswith(".data"))
    failed = False
    n_times, n_names, keys = 0, 0, collections.Counter()
    for name in names:
        program = name.split("/")[0]
        try:
            programs = f"{testdata}/{PROGRAMS.get(program, program)}"
            data, n, times, attributes = check(pdconv, f"{testdata}/{name}", programs)
            check_breakages(data)
            named = check_symbolized(pdconv, data, programs)
        except Failure as failure:
            print(f"{name}: {failure}")
            failed = True
            continue
        n_times += times
        n_names += named
        keys += attributes
        print(f"{name}: {n} sums, {times} times, {named} names")
    if is_all and not failed:
        expect(n_times > 0, "no recording has times")
        expect(n_names > 0, "no recording has names in files")
        expected = {"process.pid", "process.executable.name", "process.executable.path", "thread.id", "thread.name",
                    "cpu.logical_number", "profile.frame.type", "process.executable.build_id.gnu"}
        expect(expected <= set(keys), "attributes that no recording has:", expected - set(keys))
        check_labels(pdconv, testdata)
        check_merged(pdconv, testdata)
    return failed


if __name__ == "__main__":
    sys.exit(main())
