. "$root/tests/cli/common.sh"
export HOME=/nonexistent
# libarchive can start these programs to decompress a tarball. Opening a recording must start none.
mkdir bin
for program in lrzip grzip lzop gzip bzip2 xz zstd lz4 lzma compress uncompress uudecode rpm2cpio; do
	printf '#!/bin/sh\necho "$0" >>"%s/started"\n' "$PWD" >bin/$program
	chmod +x bin/$program
done
mkdir root
cp "$root/testdata/nested/nested" root/nested
tar cf plain.tar root
ln -s "$root/testdata/nested/perf.data" nested.data
convert() { # TARBALL
	echo "--- $1"
	PATH=$PWD/bin:$PATH "$PDCONV" nested.data --folded -q --symfs "$nowhere" --symbol-dir "$1" | head -n 1 | cut -c 1-60
}
# The first bytes decide which program is started.
{ printf 'LRZI\000\006\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000'; cat plain.tar; } >lrzip.tar
{ printf 'GRZipII\000\002\004:)'; cat plain.tar; } >grzip.tar
{ printf '\211LZO\000\r\n\032\n\020\100'; cat plain.tar; } >lzop.tar
cp lrzip.tar nested.data.tar.gz
echo "--- next to the recording"
PATH=$PWD/bin:$PATH "$PDCONV" nested.data --folded -q --symfs "$nowhere" | head -n 1 | cut -c 1-60
rm nested.data.tar.gz
for kind in lrzip grzip lzop; do
	convert $kind.tar
done
# Each compression works without any program.
gzip -c plain.tar >gzip.tar
bzip2 -c plain.tar >bzip2.tar
xz -c plain.tar >xz.tar
zstd -q -c plain.tar >zstd.tar
for kind in plain gzip bzip2 xz zstd; do
	convert $kind.tar
done
[ ! -e started ] || cat started
