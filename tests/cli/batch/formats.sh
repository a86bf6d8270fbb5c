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
echo "# copies of stacks are private, and filters apply"
umask 022
batch in -o private -f perfdata --keep-stacks -q
batch in -o filtered -f folded --focus '^inner$' --debug-paths "$root/testdata/nested" -q
stat -c %a perfdata/date=*/*/*/* private/date=*/*/*/*
cat filtered/date=*/*/*/*
