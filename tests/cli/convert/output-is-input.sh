. "$root/tests/cli/common.sh"
# No command overwrites a recording that it reads, under any name of the file.
cp "$root/testdata/nested/perf.data" a.data
cp "$root/testdata/fp/perf.data" b.data
cp -r "$root/testdata/parallel/perf.data" dir.data
ln -s a.data symbolic
ln a.data hard
mkdir dir
ln -s "$PWD" dir/here
find . -type f -exec cksum {} + | sort >../before
for format in report pprof folded script perfdata; do
	status "$PDCONV" a.data -q -f $format -o a.data
done
for output in ./a.data symbolic hard dir/here/a.data "$PWD/a.data"; do
	status "$PDCONV" a.data -q --folded -o "$output" 2>&1 | sed "s|$PWD|PWD|"
done
echo "--- one of several"
status "$PDCONV" a.data b.data -q --folded -o b.data
status "$PDCONV" diff a.data b.data -o symbolic
echo "--- other commands"
status "$PDCONV" dump a.data -o hard
status "$PDCONV" info a.data -o a.data
status "$PDCONV" info a.data --binaries -o a.data
ln -s "$PDCONV" perf_to_profile
status ./perf_to_profile -f -i a.data -o a.data
echo "--- standard input and output"
status "$PDCONV" - --folded -q -o a.data <a.data
"$PDCONV" --folded -q a.data >>a.data
echo "status $?"
echo "--- part of a directory"
status "$PDCONV" dir.data --folded -q -o dir.data/data
echo "--- changed:"
find . -type f -exec cksum {} + | sort | diff ../before -
rm ../before
