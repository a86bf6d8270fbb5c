# Heap profiles of gperftools and jemalloc get a table of names, which pprof and jeprof read.
. "$root/tests/cli/common.sh"
cp "$root/testdata/nested/nested" program
main=$(nm program | awk '$3 == "main" { print $1 }')
segment=$(readelf -lW program | awk '$1 == "LOAD" && $8 == "E" { print $2, $3 }')
at() {
    printf '0x%x' $((0x55d000000000 + 0x$main - ${segment#* } + ${segment% *} + $1))
}
maps() {
    cat <<MAPS

MAPPED_LIBRARIES:
55d000000000-55d000001000 r--p 00000000 08:02 173521      /opt/program
$(printf '%x' $((0x55d000000000 + ${segment% *})))-55d000100000 r-xp $(printf '%08x' $((${segment% *}))) 08:02 173521      /opt/program
7f0000000000-7f0000100000 r-xp 00000000 08:02 173522      /opt/absent.so (deleted)
7f0000200000-7f0000300000 rw-p 00000000 00:00 0
ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0          [vsyscall]
not a mapping
7f0000000000-zz
MAPS
}
{
    echo "heap profile:      2:     4096 [     3:     8192] @ heapprofile"
    echo "     1:     4096 [     1:     4096] @ $(at 5) $(at 9) 0x7f0000000010"
    echo "     1:        0 [     2:     4096] @ $(at 5) 0x1 0xffffffffff600010"
    maps
} >tcmalloc
{
    printf 'heap_v2/524288\n  t*: 1: 8 [0: 0]\n@ %s 0x7f0000000010\n  t*: 1: 8 [0: 0]\n' "$(at 5)"
    maps
} >jemalloc
{
    printf 'heap_v2/524288\n@ 0x10 0x\n@ 0x12345678901234567 0x20\n@\n'
} >bare
for name in tcmalloc jemalloc bare; do
    echo "== $name"
    "$PDCONV" symbolize $name -o named --symfs "$nowhere" --symbol-dir "$PWD" --no-cache 2>&1 | sed "s#$PWD/##g"
    sed '/^---$/q' named | sed 's/0x[0-9a-f]*/0xN/'
    sed '1,/^---$/d' named | cmp - $name && echo "and the profile"
done
