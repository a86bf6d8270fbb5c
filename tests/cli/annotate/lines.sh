# Source lines by file, of everything and of a function.
. "$root/tests/cli/common.sh"
lines() {
    echo "--- $*" | sed "s|$root/||; s|$PWD|PWD|"
    name=$1
    shift
    [ -e "$name.data" ] || ln -s "$root/testdata/$name/perf.data" "$name.data"
    "$PDCONV" annotate --lines -i "$name.data" --symfs "$nowhere" --symbol-dir "$root/testdata/$name" "$@"
}
lines nested --source-dir "$root/testdata/nested"
lines nested side
lines nested --limit 1
lines threads
# Path maps apply to source files. Tabs become spaces, and control characters in sources are not written.
mkdir moved
awk 'BEGIN { for (i = 1; i <= 32; i++) print i == 31 ? "\033[31mred" : i == 32 ? "\ttab" : "" }' >moved/nested.c
lines nested --path-map /tmp/pdconv-testdata="$PWD/moved"
