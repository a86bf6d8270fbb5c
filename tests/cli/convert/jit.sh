# Generated code is unwound with the jitdump of its program and named as of the time of the sample.
. "$root/tests/cli/common.sh"
convert jit --folded --unwind=cfi
convert jit -f script --no-inline --quiet | awk 'BEGIN { RS = ""; FS = "\n" } NR == 1 { for (i = 2; i <= NF; i++) print $i }'
# Without the jitdump it is neither unwound nor named.
mkdir jit-only
cp "$root/testdata/jit/jit" jit-only
with_programs jit jit-only --folded
echo rubbish >"jit-only/$(basename "$root"/testdata/jit/jit-*.dump)"
with_programs jit jit-only --folded
# Frames found only by frame pointers are marked.
convert jit -f script --no-inline --quiet | grep -F '[fp]' | sort | uniq -c | sed 's/^ *[0-9]* *//'
convert jit --stats --quiet -o /dev/null 2>&1 | grep 'frame pointers only'
# CPython 3.13.0 writes 0 for the machine, and means its own.
dump=$(basename "$root"/testdata/jit/jit-*.dump)
machine() {
    cp "$root/testdata/jit/$dump" jit-only
    printf "$1" | dd of="jit-only/$dump" bs=1 seek=12 conv=notrunc status=none
    with_programs jit jit-only --folded --unwind=cfi
}
machine '\0\0'
# Code for another machine, or in another byte order, is named only.
machine '\267\0'
