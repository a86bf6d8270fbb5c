. "$root/tests/cli/common.sh"
cp "$root/testdata/nested/perf.data" .
programs="--symfs /nonexistent --debug-paths $root/testdata/nested"
"$PDCONV" perf.data --folded $programs >expected
"$PDCONV" --folded $programs | cmp - expected
"$PDCONV" -i perf.data --folded $programs | cmp - expected
"$PDCONV" --input=perf.data --folded $programs | cmp - expected
"$PDCONV" --folded $programs -- perf.data | cmp - expected
"$PDCONV" - --folded $programs <perf.data | cmp - expected
status "$PDCONV" -i perf.data perf.data
wc -l <expected
