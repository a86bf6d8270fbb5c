# JSON and Markdown.
. "$root/tests/cli/common.sh"
needs_linux
ln -s "$root/testdata/nested/perf.data" nested.data
annotate() {
    "$PDCONV" annotate -i nested.data --symfs "$nowhere" --symbol-dir "$root/testdata/nested" \
        --source-dir "$root/testdata/nested" "$@" | sed "s|$root/||"
}
annotate --json
annotate --json --lines
annotate --markdown
