. "$root/tests/cli/common.sh"
export HOME=/nonexistent
id=a62d6e5994353533878b62cd258e35558e60ae0a
# A tarball like that of perf archive: files of the build-id cache, and links to them.
mkdir -p cache/tmp/pdconv-testdata/nested/$id cache/.build-id/a6
cp "$root/testdata/nested/nested" cache/tmp/pdconv-testdata/nested/$id/elf
ln -s ../../tmp/pdconv-testdata/nested/$id cache/.build-id/a6/${id#a6}
ln -s "$root/testdata/nested/perf.data" nested.data
echo "--- next to the recording"
tar czf nested.data.tar.gz -C cache .build-id tmp
"$PDCONV" nested.data --folded --symfs "$nowhere"
"$PDCONV" info --binaries nested.data --symfs "$nowhere" | sed 1,/cache/d
echo "--- named"
mv nested.data.tar.gz packed
"$PDCONV" nested.data --folded --symfs "$nowhere" --buildid-dir packed
"$PDCONV" nested.data --folded --symfs "$nowhere" --symbol-dir packed
echo "--- with a directory, in either order"
mkdir empty
"$PDCONV" nested.data --folded --symfs "$nowhere" --symbol-dir empty:packed
"$PDCONV" nested.data --folded --symfs "$nowhere" --symbol-dir packed:empty
echo "--- any tarball with the binary in it"
mkdir -p root/usr/bin
cp "$root/testdata/nested/nested" root/usr/bin/other
tar cf any.tar root
"$PDCONV" nested.data --folded --symfs "$nowhere" --symbol-dir any.tar
echo "--- damaged"
head -c 100000 packed >cut
# The reason is that of libarchive: 3.6 has the first text, 3.8 the second one.
status "$PDCONV" nested.data --folded --symfs "$nowhere" --symbol-dir cut 2>&1 | grep -v stacks |
    sed 's/: truncated gzip input$/: TRUNCATED/; s/: Truncated tar archive detected while reading data$/: TRUNCATED/'
status "$PDCONV" nested.data --folded --symfs "$nowhere" --symbol-dir nested.data 2>&1 | grep -v stacks
