. "$root/tests/cli/common.sh"
# A stream that names the build id of a program at its end, while the file found has another one.
{
    cat "$root/testdata/piped/perf.data"
    printf '\103\0\0\0\002\0\110\0\377\377\377\377'
    printf '\252\252\252\252\252\252\252\252\252\252\252\252\252\252\252\252\252\252\252\252\0\0\0\0'
    printf '/tmp/pdconv-testdata/nested\0\0\0\0\0\0\0\0\0'
} >late.data
"$PDCONV" late.data --symfs "$nowhere" --debug-paths "$root/testdata/nested" --folded 2>&1 |
    grep -o -e 'has build id.*' -e '^nested;.*'
"$PDCONV" dump late.data --type BUILD_ID
