# A function with its instructions, source lines and jumps.
. "$root/tests/cli/common.sh"
needs_linux
annotate() {
    echo "--- $*" | sed "s|$root/||"
    name=$1
    program=$name
    [ "$name" != group ] || program=nested
    shift
    [ -e "$name.data" ] || ln -s "$root/testdata/$name/perf.data" "$name.data"
    "$PDCONV" annotate -i "$name.data" --symfs "$nowhere" --symbol-dir "$root/testdata/$program" "$@" >out.txt
    status=$?
    sed "s|$root/||" out.txt
    return $status
}
annotate nested
annotate nested inner --source-dir "$root/testdata/nested"
annotate nested --source-dir "$root/testdata/nested" --no-source
# Each event has columns.
annotate group --source-dir "$root/testdata/nested"
# Functions without debug information.
annotate fp
# Filters apply.
annotate nested --time 0%-50% --no-source
annotate threads --tid 1
# The name of a function that does not exist; an inlined one.
status annotate nested sidee
status annotate nested nothing
status "$PDCONV" annotate nosuch.data
# Names without template arguments; inlined calls.
annotate cxx __unguarded_linear_insert --no-source | head -n 60
annotate cxx sort | head -n 12
# Filters of stacks need the whole stacks, all others only the leaves.
annotate nested --focus '^middle$' --no-source | head -n 4
annotate nested --hide '^inner$' --no-source inner
annotate nested --hide '^inner$' --no-source middle | head -n 4
annotate nested --kernel 2>&1
