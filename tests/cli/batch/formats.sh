# Formats of one file are written to folders, too, and are those of single conversions.
. "$root/tests/cli/batch/common.sh"
mkdir -p in/nested
cp "$root/testdata/nested/perf.data" in/nested/
touch -d '2026-11-16 12:00:00Z' in/nested/perf.data
for format in folded pprof html sqlite perfdata; do
    batch in -o "$format" -f $format
    found=$(find $format -type f ! -path '*/.pdconv/*' ! -name manifest.jsonl)
    echo "$found"
    "$PDCONV" in/nested/perf.data --symfs "$nowhere" -q -f $format -o expected
    cmp "$found" expected
done
