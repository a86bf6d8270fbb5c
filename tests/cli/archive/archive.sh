. "$root/tests/cli/common.sh"
export HOME=/nonexistent
ln -s "$root/testdata/nested/perf.data" nested.data
id=a62d6e5994353533878b62cd258e35558e60ae0a
here="--symfs $nowhere --symbol-dir $root/testdata/nested"
names() { zstd -dcq "$1" | tar tvf - | sed 's/^\(.\).* [0-9:]* /\1 /' | grep -v '^[-l] \[\|libc\|ld-linux'; }
echo "--- next to the recording, where it is found"
# shellcheck disable=SC2086
"$PDCONV" nested.data --folded -q $here >expected
# shellcheck disable=SC2086
"$PDCONV" archive nested.data $here 2>&1 | sed 's/[0-9.]* MB/N MB/; s/^pdconv: [0-9]* files\{0,1\}/pdconv: N files/'
names nested.data.tar.zst
"$PDCONV" nested.data --folded -q --symfs "$nowhere" | cmp - expected && echo "named by the archive"
stat -c %a nested.data.tar.zst
mv nested.data.tar.zst first
echo "--- given"
# shellcheck disable=SC2086
"$PDCONV" archive -q nested.data $here -o given.tar.zst
cmp first given.tar.zst && echo "the same bytes"
"$PDCONV" nested.data --folded -q --symfs "$nowhere" --symbol-dir given.tar.zst | cmp - expected && echo "named"
# shellcheck disable=SC2086
"$PDCONV" archive -q $here -o - <nested.data -i - | cmp - first && echo "the same stream"
echo "--- perf's cache"
mkdir cache
zstd -dcq first | tar xf - -C cache
cmp "$root/testdata/nested/nested" "cache/.build-id/a6/${id#a6}/elf" && echo "a link leads to the binary"
"$PDCONV" nested.data --folded -q --symfs "$nowhere" --buildid-dir cache | cmp - expected && echo "named"
echo "--- the binary is not found"
"$PDCONV" archive nested.data --symfs "$nowhere" 2>&1 | sed 's/[0-9.]* MB/N MB/'
names nested.data.tar.zst
echo "--- generated code"
ln -s "$root/testdata/jit/perf.data" jit.data
jit="--symfs $nowhere --symbol-dir $root/testdata/jit"
# shellcheck disable=SC2086
"$PDCONV" archive -q jit.data $jit
# shellcheck disable=SC2086
"$PDCONV" jit.data --folded -q $jit >expected
"$PDCONV" jit.data --folded -q --symfs "$nowhere" | cmp - expected && echo "named by the archive"
names jit.data.tar.zst | grep -o 'jit-[0-9]*.dump'
echo "--- errors"
status "$PDCONV" archive - <nested.data
status "$PDCONV" archive missing.data
status "$PDCONV" archive nested.data -o nested.data
status "$PDCONV" archive nested.data --vmlinux x
status "$PDCONV" archive nested.data -o missing/x
[ ! -e missing.data.tar.zst ]
