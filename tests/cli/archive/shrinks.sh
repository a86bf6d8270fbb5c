command -v strace >/dev/null || { echo "strace is not installed"; exit 77; }
[ -z "${SAN:-}" ] || { echo "the leak sanitizer cannot trace a process that is traced"; exit 77; }
. "$root/tests/cli/common.sh"
export HOME=/nonexistent
ln -s "$root/testdata/nested/perf.data" nested.data
cp "$root/testdata/nested/nested" nested
here="--symfs $nowhere --symbol-dir $PWD"
archive() { # RESULT OF READING THE BINARY
    # The binary is mapped while the recording is read, and read for the archive only.
    status strace -qq -o /dev/null -P "$PWD/nested" -e trace=read -e inject=read:"$1":when=2 \
        "$PDCONV" archive nested.data $here 2>&1 | sed "s|$PWD/||"
    [ ! -e nested.data.tar.zst ] || echo "left an archive"
}
echo "--- it becomes shorter"
archive retval=0
echo "--- it cannot be read"
archive error=EIO
