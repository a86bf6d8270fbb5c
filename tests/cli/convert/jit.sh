# Generated code: unwound by what its program told of it, and named by what was there at that time.
. "$root/tests/cli/common.sh"
convert jit --folded --unwind=cfi
convert jit -f script --no-inline --quiet | awk 'BEGIN { RS = ""; FS = "\n" } NR == 1 { for (i = 2; i <= NF; i++) print $i }'
# Without the dump there is neither.
mkdir jit-only
cp "$root/testdata/jit/jit" jit-only
with_programs jit jit-only --folded
echo rubbish >"jit-only/$(basename "$root"/testdata/jit/jit-*.dump)"
with_programs jit jit-only --folded
# Frames that only the frame pointer shows are marked.
convert jit -f script --no-inline --quiet | grep -F '[fp]' | sort | uniq -c | sed 's/^ *[0-9]* *//'
convert jit --stats --quiet -o /dev/null 2>&1 | grep 'frame pointers only'
