# Every tool, on recordings whose answers are known.
. "$root/tests/cli/common.sh"
needs_linux
# Where the tests lie must not count against the bound of an answer.
ln -s "$root/testdata" .
# ask NAME TOOL [ARGUMENT...]
ask() {
    echo "--- $*"
    name=$1
    shift
    [ -e "$name.data" ] || ln -s "testdata/$name/perf.data" "$name.data"
    "$PDCONV" query "$name.data" "$@" --symfs "$nowhere" --symbol-dir "testdata/$name"
}
ask wakers open
ask wakers summary
ask wakers functions
ask wakers functions sort=total limit=3
ask wakers functions pack_item
ask wakers functions event=sched:sched_waking
ask wakers callers f-1 depth=2
ask wakers callers function=clock_gettime min_share=20
ask wakers callees work
ask wakers tree depth=3
ask wakers path
ask wakers path pack_item
ask wakers threads sort=runnable
ask wakers waits
ask wakers wakers
ask wakers critical_path
ask wakers critical_path t-2 limit=3
ask wakers timeline slices=5
ask wakers quality
ask wakers why_not
ask wakers why_not page_faults
# Selections; ids are those of the whole recording.
ask wakers functions thread=maker limit=3
ask wakers functions thread=t-1 limit=2
ask wakers functions time=50%-100% limit=2
ask wakers functions focus=pack_item limit=2
ask wakers functions process=wakers limit=1
# Source lines without their text, instructions, inlined functions.
ask nested lines
ask nested annotate inner max_tokens=300
ask cxx functions limit=5
ask cxx callers f-1 depth=3
ask jit functions limit=4
ask jit annotate
ask clock summary
ask paths critical_path limit=4
ask intervals why_not
ask threads threads
