#!/usr/bin/env python3
"""Check that each file and folder that a document names in backticks exists, if it begins with a folder of the top level.

usage: document_paths.py DOCUMENT...
"""
import os
import re
import sys

PATH = re.compile(r"`([a-z_]+(?:/[\w.-]+)+/?)`")


def missing(document):
    with open(document, encoding="utf-8") as text:
        for number, line in enumerate(text, 1):
            for path in PATH.findall(line):
                if os.path.isdir(path.split("/")[0]) and not path.startswith("build/") and not os.path.exists(path):
                    yield f"{document}:{number}: {path} does not exist"


def main():
    found = [line for document in sys.argv[1:] for line in missing(document)]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
