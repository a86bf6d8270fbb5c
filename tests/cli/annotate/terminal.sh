# On a terminal, source code loses its indentation and its end, but neither line numbers nor what is in brackets.
. "$root/tests/cli/common.sh"
needs_linux
cp "$root/testdata/nested/perf.data" .
for columns in 80 60 45; do
    PDCONV_PAGER=cat TERM=dumb python3 "$root/tests/cli/terminal.py" --columns $columns "$PDCONV" annotate inner -i perf.data --symfs "$nowhere" \
        --symbol-dir "$root/testdata/nested" --source-dir "$root/testdata/nested" --no-pager | grep nested.c
done
