# The document of the tables is that of the program. `make schema` writes it.
. "$root/tests/cli/common.sh"
needs_linux
"$PDCONV" sql --schema | diff "$root/doc/schema/tables.md" - && echo "the same"
# The tables of a file have the columns that the document lists.
convert nested -q -f sqlite -o out.db
python3 - out.db "$root/doc/schema/tables.md" <<'CODE'
import re
import sqlite3
import sys
db = sqlite3.connect(sys.argv[1])
listed, name = {}, None
for line in open(sys.argv[2]):
    if line.startswith("## "):
        name = line[3:].strip()
    match = re.match(r"\| `(\w+)` \| (\w+)( or NULL)?", line)
    if match and name != "Views":
        listed.setdefault(name, []).append(match.groups())
    elif match:
        assert db.execute("SELECT type FROM sqlite_schema WHERE name = ?", [match[1]]).fetchone() == ("view",), match[1]
for name, columns in listed.items():
    found = [(column, kind, " or NULL" if not (not_null or key) else None)
             for _, column, kind, not_null, _, key in db.execute(f"PRAGMA table_info({name})")]
    assert found == columns, (name, set(found) ^ set(columns))
print(len(listed), "tables,", sum(map(len, listed.values())), "columns")
CODE
