# A directory of Parquet files: what it replaces, what it refuses, and what is left when it fails.
. "$root/tests/cli/common.sh"
needs_linux
convert nested -q -f parquet -o new/ && ls new && [ "$(cat new/*.parquet | head -c 4)" = PAR1 ] && ls -A
convert nested -q -f parquet -j1 -o one && diff -r new one && echo "the same with one thread"
echo "-- replaced: an earlier output, through a link, and an empty directory"
chmod 700 one && ln -s one link && convert cxx -q -f parquet -o link && stat -c %a one
! cmp -s new/samples.parquet one/samples.parquet && test -L link && echo "another recording"
mkdir empty && convert cxx -q -f parquet -o empty && diff -r one empty && ls -A
echo "-- refused, and left as it is"
echo "mine" >one/notes.txt && cp -r one kept
status convert nested -q -f parquet -o one
rm one/notes.txt kept/notes.txt && mkdir one/new && status convert nested -q -f parquet -o one
rmdir one/new && echo "mine" >file && status convert nested -q -f parquet -o file
status convert nested -q -f parquet -o -
status convert nested -q -f parquet | cat
status convert nested -q -f parquet -o nowhere/out
status "$PDCONV" "$root/testdata/nested/perf.data" "$root/testdata/cxx/perf.data" -f parquet -o one
status "$PDCONV" record -f parquet -o file -- true
echo "-- a conversion that fails leaves what was there, and nothing else"
for out in one another; do
    (trap '' XFSZ && ulimit -f 16 && status "$PDCONV" "$root/testdata/shop/before.data" --symfs "$nowhere" -q -f parquet -o $out)
done
diff -r one kept && ls -A
