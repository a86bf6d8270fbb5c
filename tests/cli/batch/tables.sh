# A folder of recordings becomes tables in folders; what is done is not done again unless options change.
. "$root/tests/cli/batch/common.sh"
mkdir -p in/nested/a
cp "$root/testdata/nested/perf.data" in/nested/a/
cp "$root/testdata/nested/perf.data" in/nested/a/copy.data
echo text >in/nested/a/notes.txt
touch -d '2026-11-16 12:00:00Z' in/nested/a/*.data
batch in/nested/a/perf.data in/nested/a/copy.data -o lake -j1
find lake -type f ! -path '*/inputs/*' | sort
sed 's/"output_bytes": [0-9]*, "seconds": [0-9.]*, "memory_bytes": [0-9]*/N/' lake/manifest.jsonl
cat lake/views.sql
echo "# again, in another spelling, and as a list"
batch in/ -o lake
find in -name '*.data' | batch - -o lake -q --jobs 2
echo "# other options"
batch in -o lake -j1 --label 'service={arch}-{dir2}' --tables threads
find lake/threads lake/folded -type f | sort
wc -l <lake/manifest.jsonl
echo "# other labels"
"$PDCONV" batch in/nested/a/perf.data -o labels -q
"$PDCONV" batch in/nested/a/perf.data -o labels -q --label 'service={dir2}'
"$PDCONV" batch in/nested/a/perf.data -o labels -q --label 'node={dir1}'
find labels/folded -type f
