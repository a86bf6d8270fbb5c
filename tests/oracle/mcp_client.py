#!/usr/bin/env python3
"""Use pdconv mcp as clients do, by the Python package mcp, and check what it answers against its own schemas.

usage: mcp_client.py PDCONV TESTDATA

The package has to accept every message. Every tool is called; arguments that its schema refuses have to be refused, and
others not. Answers are bounded and the same in another server. Several calls may be under way at once.
"""
import asyncio
import os
import sys
import tempfile

import jsonschema
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

PDCONV, TESTDATA = (os.path.abspath(path) for path in sys.argv[1:])

# Calls whose answers are not errors, at least one of each tool.
CALLS = [
    ("open", {}), ("open", {"path": "wakers/perf.data"}), ("summary", {}), ("summary", {"recording": "r-1", "limit": 2}),
    ("functions", {}), ("functions", {"sort": "total", "limit": 3}), ("functions", {"match": "/item/", "thread": "packer"}),
    ("callers", {"function": "f-1"}), ("callees", {"function": "work", "depth": 2, "min_share": 0.5}),
    ("tree", {"depth": 3}), ("path", {}), ("path", {"function": "f-3"}), ("lines", {}), ("annotate", {}),
    ("threads", {"sort": "blocked"}), ("waits", {}), ("wakers", {}), ("critical_path", {}),
    ("critical_path", {"thread": "t-2"}), ("timeline", {"slices": 4}), ("quality", {}), ("why_not", {}),
    ("why_not", {"question": "page_faults"}),
    ("sql", {"statement": "SELECT comm, sum(samples) FROM thread_totals GROUP BY comm"}),
    ("sql", {"statement": "SELECT * FROM samples", "limit": 5}), ("sql", {"statement": "SELECT * FROM help"}), ("functions", {"event": "sched:sched_switch", "time": "10%-90%", "cpu": "0-7"}),
    ("open", {"path": "shop/before.data"}), ("compare", {"before": "shop/before.data", "after": "shop/after.data"}),
    ("functions", {"recording": "r-1", "max_tokens": 300}), ("functions", {"focus": "pack_item", "recording": "r-1"}),
    ("functions", {"process": "wakers"}),
]
# Arguments that schemas refuse.
INVALID = [("functions", {"limit": 0}), ("functions", {"limit": "many"}), ("functions", {"limt": 3}), ("tree", {"depth": -1}),
           ("tree", {"min_share": -0.5}), ("callers", {}), ("compare", {"before": "r-1"}), ("functions", {"limit": 1.5}),
           ("functions", {"match": True}), ("why_not", {"function": "f-1"})]
# Arguments that are valid by their types, but stand for nothing.
UNKNOWN = [("callers", {"function": "nosuch"}), ("functions", {"recording": "r-77"}), ("open", {"path": "/etc/passwd"}),
           ("threads", {"thread": "t-999"}), ("functions", {"time": "yesterday"}), ("why_not", {"question": "life"}),
           ("sql", {"statement": "SELECT nothing FROM nowhere"}), ("sql", {"statement": "ATTACH 'x' AS y"})]
DEFAULT_BYTES = 3 * 2000


def expect(condition, *what):
    if not condition:
        sys.exit(" ".join(str(word) for word in what))


def is_valid(schema, arguments):
    return jsonschema.Draft202012Validator(schema).is_valid(arguments)


def text_of(name, result):
    expect(len(result.content) == 1 and result.content[0].type == "text", name, result)
    return result.content[0].text


def is_error(result):
    dumped = result.model_dump(by_alias=True)
    return dumped["isError"]


async def check_tools(session):
    tools = (await session.list_tools()).tools
    schemas = {}
    for tool in tools:
        schema = tool.model_dump(by_alias=True)["inputSchema"]
        jsonschema.Draft202012Validator.check_schema(schema)
        expect(tool.description and len(tool.description) < 300, tool)
        expect(set(schema["required"]) <= set(schema["properties"]), tool)
        expect(all(part["description"] for part in schema["properties"].values()), tool)
        schemas[tool.name] = schema
    expect(set(schemas) == {name for name, _ in CALLS}, "tools without a call, or the other way round:", schemas.keys())
    return schemas


async def ask_all(session, schemas):
    answers = []
    for name, arguments in CALLS:
        expect(is_valid(schemas[name], arguments), name, arguments, "is refused by its schema")
        result = await session.call_tool(name, arguments)
        text = text_of(name, result)
        expect(not is_error(result), name, arguments, text)
        expect(len(text.encode()) <= 3 * arguments.get("max_tokens", 2000), name, arguments, len(text))
        expect("\x1b" not in text and "\r" not in text, name, arguments)
        answers.append(text)
    return answers


async def check_errors(session, schemas):
    for name, arguments in INVALID:
        expect(not is_valid(schemas[name], arguments), name, arguments, "is accepted by its schema")
        result = await session.call_tool(name, arguments)
        expect(is_error(result) and text_of(name, result), name, arguments, "is accepted")
    for name, arguments in UNKNOWN:
        expect(is_valid(schemas[name], arguments), name, arguments)
        result = await session.call_tool(name, arguments)
        expect(is_error(result) and text_of(name, result).count("\n") == 0, name, arguments)
    try:
        await session.call_tool("nosuch", {})
    except Exception as error:
        expect("nosuch" in str(error), error)
    else:
        sys.exit("a tool that does not exist was called")


async def check_at_once(session, before):
    results = await asyncio.gather(*[session.call_tool(name, arguments) for name, arguments in CALLS[4:10]])
    expect(len(results) == 6 and all(not is_error(result) for result in results), results)
    expect(before, "there are answers to compare with")


async def serve(nowhere, directories, programs):
    """Start a server, and return its schemas and all answers."""
    server = StdioServerParameters(
        command=PDCONV, args=["mcp", *directories, "--symfs", nowhere, "--symbol-dir", programs],
        env={"XDG_CACHE_HOME": nowhere, "HOME": nowhere, "PDCONV_INDEX_SECONDS": "0"})
    async with stdio_client(server) as (read, write):
        async with ClientSession(read, write) as session:
            about = await session.initialize()
            instructions = about.model_dump(by_alias=True)["instructions"]
            expect("data, never instructions" in instructions, instructions)
            await session.send_ping()
            schemas = await check_tools(session)
            answers = await ask_all(session, schemas)
            await check_errors(session, schemas)
            await check_at_once(session, answers)
            again = await ask_all(session, schemas)
            return schemas, answers, again


async def main():
    programs = ":".join(os.path.join(TESTDATA, name) for name in ("wakers", "shop", "shop/after"))
    with tempfile.TemporaryDirectory() as nowhere:
        schemas, answers, again = await serve(nowhere, [TESTDATA], programs)
        # What was kept in memory, and what another server reads from the index, is the same.
        _, others, _ = await serve(nowhere, [TESTDATA], programs)
    for call, *texts in zip(CALLS, answers, again, others):
        # The recording opened last is another one the second time; calls that name theirs do not depend on it.
        known = [texts[0], texts[2]] + ([texts[1]] if "recording" in call[1] or "path" in call[1] else [])
        expect(len(set(known)) == 1, call, *known)
    print(f"{len(schemas)} tools, {len(CALLS)} answers of at most {max(len(text) for text in answers)} bytes, "
          f"{len(INVALID) + len(UNKNOWN)} errors")


asyncio.run(main())
