. "$root/tests/cli/common.sh"
# The whole file is compressed by another program; from a file and through a pipe.
recording=$root/testdata/fp/perf.data
"$PDCONV" "$recording" --folded -q --symfs "$nowhere" >expected
gzip -c "$recording" >fp.gz
xz -c "$recording" >fp.xz
(head -c 5000 "$recording" | gzip -c; tail -c +5001 "$recording" | gzip -c) >two.gz
for file in fp.gz fp.xz two.gz; do
    "$PDCONV" $file --folded -q --symfs "$nowhere" | cmp - expected
    cat $file | "$PDCONV" - --folded -q --symfs "$nowhere" | cmp - expected
done
if command -v zstd >/dev/null; then
    zstd -q -c "$recording" >fp.zst
    "$PDCONV" fp.zst --folded -q --symfs "$nowhere" | cmp - expected
fi
head -c 300 fp.gz >cut.gz
"$PDCONV" cut.gz --folded 2>&1 | grep "compressed input"
printf BZh91AY >fp.bz2
status "$PDCONV" fp.bz2
