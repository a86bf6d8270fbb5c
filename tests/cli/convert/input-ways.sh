. "$root/tests/cli/common.sh"
cp "$root/testdata/nested/perf.data" .
programs="--symfs $nowhere --debug-paths $root/testdata/nested"
"$PDCONV" perf.data --folded $programs >expected
"$PDCONV" --folded $programs | cmp - expected
"$PDCONV" -i perf.data --folded $programs | cmp - expected
"$PDCONV" --input=perf.data --folded $programs | cmp - expected
"$PDCONV" --folded $programs -- perf.data | cmp - expected
"$PDCONV" - --folded $programs <perf.data | cmp - expected
# A pipe on standard input is the default input, as with perf.
mkdir elsewhere
cat perf.data | (cd elsewhere && "$PDCONV" --folded $programs) | cmp - expected
status "$PDCONV" -i perf.data perf.data
wc -l <expected
