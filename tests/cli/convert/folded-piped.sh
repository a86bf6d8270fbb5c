. "$root/tests/cli/common.sh"
convert piped --folded >from-file
cat from-file
programs="--symfs $nowhere --debug-paths $root/testdata/nested"
stream=$root/testdata/piped/perf.data
cat "$stream" | "$PDCONV" - --folded $programs | cmp - from-file
gzip -c "$stream" | "$PDCONV" - --folded $programs | cmp - from-file
# Messages of perf follow the stream if both are written to one file.
{
    cat "$stream"
    echo "[ perf record: Woken up 1 times to write data ]"
} >perf.data
"$PDCONV" --folded $programs | cmp - from-file
# The recorder was killed.
head -c 100000 "$stream" | "$PDCONV" - --folded $programs | wc -l
