# Profiles that gperftools and pprof wrote: without their binaries nothing changes, and what is missing is listed.
. "$root/tests/cli/common.sh"
foreign() {
    python3 "$root/tests/cli/foreign.py" "$@"
}
for name in cpu.pb.gz heap.prof stacks.txt; do
    cp "$root/testdata/foreign/$name" .
    "$PDCONV" symbolize $name -o named --symfs "$nowhere" --no-cache
    case $name in
    cpu*)
        foreign show named >named.txt
        foreign show $name | grep -v ^mapping | diff - named.txt | grep '^[<>]' | grep -v '^> mapping'
        ;;
    heap*) sed '1,/^---$/d' named | cmp - $name ;;
    *) cmp named $name ;;
    esac
done
