. "$root/tests/cli/common.sh"
# The file of a recorder that was killed: data.size, at 48, is 0 and nothing follows the records.
size=$(od -An -tu8 -j48 -N8 "$root/testdata/nested/perf.data")
offset=$(od -An -tu8 -j40 -N8 "$root/testdata/nested/perf.data")
{
    head -c 48 "$root/testdata/nested/perf.data"
    printf '\0\0\0\0\0\0\0\0'
    tail -c +57 "$root/testdata/nested/perf.data" | head -c $((offset + size - 56))
} >nested.data
status convert nested --folded
