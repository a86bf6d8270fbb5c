. "$root/tests/cli/common.sh"
for n in 20 100 130 180; do
    head -c $n "$root/testdata/nested/perf.data" >cut.data
    status "$PDCONV" cut.data
done
