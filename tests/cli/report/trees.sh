# Call trees: from the roots, and from a function to its callers and to what it calls.
. "$root/tests/cli/common.sh"
tree() {
    echo "$*"
    name=$1
    shift
    rm -f out.txt
    convert "$name" -q "$@" -o out.txt
    # The tree is between the first empty line and the next one.
    awk '/^$/ { n++ } n == 1 && NF' out.txt
}
tree nested --tree
tree nested --callers
tree nested --callees=outer
tree fp --tree --percent-limit 10
# Recursion is shown once.
tree deep --tree
tree deep --callers=down
# Inlined functions are marked.
tree cxx --callers=__memcpy_avx512_unaligned_erms --percent-limit 50
tree cxx --callees=main --percent-limit 20
status convert nested --tree --folded
status convert nested --callers=nobody
convert nested -q --limit 1 | grep -A 2 'Top functions'
# An event without the function says so; that the recording has none is an error.
by_event() {
    status "$PDCONV" "$root/testdata/wakers/perf.data" --symfs "$nowhere" --symbol-dir "$root/testdata/wakers" \
        -e cpu-clock,sched:sched_waking --callers="$1" 2>&1 | sed -n '/^Event/,/^Quality/p; /^pdconv/p; /^status/p'
}
by_event handle_amd
by_event nobody
# A tree of all stacks does not make up for it.
status convert nested -q --tree --callers=nobody -o out.txt
# Nodes of a tree are shown from 0.5 % on.
printf 'app;main;large 9901\napp;main;half 50\napp;main;less 49\n' >stacks
"$PDCONV" report --from-folded stacks --callees=main | awk '/^$/ { n++ } n == 1 && NF'
