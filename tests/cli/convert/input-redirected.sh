# A recording as standard input is read without being named; another file there, such as the input of a script, is not.
. "$root/tests/cli/common.sh"
common="-q --symfs $nowhere --debug-paths $root/testdata/nested --no-cache --folded"
"$PDCONV" $common <"$root/testdata/nested/perf.data" | head -n 1
gzip -c "$root/testdata/nested/perf.data" >nested.gz
"$PDCONV" $common <nested.gz | head -n 1
cp "$root/testdata/signal/perf.data" .
echo text >text
"$PDCONV" $common <text | head -n 1
"$PDCONV" $common </dev/null | head -n 1
