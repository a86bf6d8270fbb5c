# Source text and instructions in a page, and what is refused.
. "$root/tests/cli/common.sh"
needs_linux
cp "$root/testdata/nested/perf.data" nested.data

page() { # FILE ARGUMENTS...
    file=$1
    shift
    "$PDCONV" view --no-open -o "$file" nested.data --symfs "$nowhere" --symbol-dir "$root/testdata/nested" "$@"
}

# Print how many values the columns of code have. They are in a zlib stream, in base64.
count() { # FILE
    python3 - "$1" <<'END'
import base64, json, re, sys, zlib

page = open(sys.argv[1], encoding="utf-8").read()
data = zlib.decompress(base64.b64decode(re.search('class="profile"[^>]*>([^<]*)<', page)[1]))
about = json.loads(data[8:8 + int.from_bytes(data[4:8], "little")])
print(about.get("embedded"), {column["name"]: column["n"] for column in about["columns"]
                              if re.match("(code.function|instruction.text|source.path|line.text)$", column["name"])})
END
}

echo "--- without, with instructions, and with source text"
page plain.html
count plain.html
page code.html --embed-source
count code.html
page source.html --embed-source --source-dir "$root/testdata/nested"
count source.html
echo "--- the same page as -f html"
"$PDCONV" -f html -o same.html nested.data --symfs "$nowhere" --symbol-dir "$root/testdata/nested" --embed-source \
    --source-dir "$root/testdata/nested"
cmp source.html same.html
echo "--- errors"
status "$PDCONV" view nested.data --source-dir .
status "$PDCONV" nested.data --embed-source -f pprof
status "$PDCONV" nested.data --source-dir . --embed-source
ls
