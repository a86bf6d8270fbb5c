# Recordings that fail cost no other anything, and are tried again.
. "$root/tests/cli/batch/common.sh"
mkdir -p in/good/a in/cut/a in/bad/a
cp "$root/testdata/nested/perf.data" in/good/a/
head -c 50000 "$root/testdata/nested/perf.data" >in/cut/a/perf.data
head -c 60 "$root/testdata/nested/perf.data" >in/bad/a/perf.data
touch -d '2026-11-16 12:00:00Z' in/*/a/perf.data
batch in/bad in/missing.data in/good -o lake -j1
echo "status $?"
sed 's/"seconds.*"error"/"error"/' lake/manifest.jsonl | cut -c 1-90
echo "# what is incomplete is converted as far as it goes, unless --strict"
batch in/cut -o strict --strict
echo "status $?"
batch in/cut -o lake
echo "status $?"
grep cut lake/manifest.jsonl | grep -o '"warnings": [0-9]*'
echo "# repaired"
cp in/good/a/perf.data in/bad/a/perf.data
touch -d '2026-11-16 12:00:00Z' in/bad/a/perf.data
batch in/bad in/good -o lake
echo "# nothing can be written"
(
    trap '' XFSZ
    ulimit -f 8
    batch in/good -o full
    echo "status $?"
)
batch in/good -o full
