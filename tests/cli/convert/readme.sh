# What the README shows is what the program prints.
expected=$PWD/expected
cd "$root" || exit 1
awk '/^    \$ \.\/pdconv/ { shown = 1; next } /^[^ ]/ { shown = 0 } shown { print substr($0, 5) }' README.md |
    sed '$d' >"$expected"
"$PDCONV" testdata/nested/perf.data --debug-paths testdata/nested | diff "$expected" -
