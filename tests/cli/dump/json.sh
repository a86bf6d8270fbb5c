. "$root/tests/cli/common.sh"
"$PDCONV" dump "$root/testdata/fp/perf.data" --json --type SAMPLE --limit 2
"$PDCONV" dump "$root/testdata/fp/perf.data" --json --type 9 | wc -l
"$PDCONV" dump "$root/testdata/fp/perf.data" --json --type MMAP2,EXIT
