. "$root/tests/cli/common.sh"
convert parallel --folded
cp -r "$root/testdata/parallel/perf.data" cut.data
head -c 5000 "$root/testdata/parallel/perf.data/data.1" >cut.data/data.1
: >cut.data/data.0
"$PDCONV" cut.data --symfs "$nowhere" --debug-paths "$root/testdata/threads" --folded | wc -l
