# Recordings that are empty, cut or without samples.
. "$root/tests/cli/common.sh"
needs_linux
: >empty.data
status "$PDCONV" sql empty.data 'select 1'
status "$PDCONV" empty.data -f sqlite -o out.db
ls
head -c 50000 "$root/testdata/nested/perf.data" >cut.data
status "$PDCONV" sql cut.data --symfs "$nowhere" \
    "select samples, (select sum(samples) from events) as kept from recording; select name, n from losses where n > 0"
status "$PDCONV" sql cut.data --symfs "$nowhere" --comm nobody 'select 1'
# Every table of a recording with nothing in it can be read.
head -c 700 "$root/testdata/nested/perf.data" >header.data
"$PDCONV" header.data -q -f sqlite -o header.db
python3 - header.db <<'CODE'
import sqlite3
import sys
db = sqlite3.connect(sys.argv[1])
for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name").fetchall():
    print(name, db.execute(f"SELECT count(*) FROM {name}").fetchone()[0])
CODE
