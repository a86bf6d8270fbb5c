. "$root/tests/cli/common.sh"
# The records in a compressed record follow it, with its offset.
"$PDCONV" dump "$root/testdata/compressed/perf.data" --type COMPRESSED,MMAP2,EXIT | cut -c 1-120
