# Errors say what there is instead.
. "$root/tests/cli/common.sh"
needs_linux
ln -s "$root/testdata/wakers/perf.data" wakers.data
ask() {
    echo "--- $*"
    status "$PDCONV" query wakers.data "$@" --symfs "$nowhere" --symbol-dir "$root/testdata/wakers" 2>&1
}
status "$PDCONV" query 2>&1
status "$PDCONV" query nosuch.data 2>&1
ask functons
ask zzz
ask functions limt=3
ask functions zzz=3 limit=2 limit=3 x
ask functions limit=0
ask functions limit=x
ask functions sort=x
ask functions event=cpu-clok
ask tree min_share=101
ask callers
ask callers pack_itm
ask callers f-9999
ask callers '/(/'
ask callers pack_item thread=maker
ask threads sort=x
ask threads thread=makr
ask threads thread=t-99
ask threads process=x
ask threads cpu=1-x
ask functions time=x
ask functions time=500%-600%
ask why_not waitz
ask why_not zzz
ask compare
ask compare wakers.data
ask compare nosuch.data
ask critical_path t-99
ask functions recording=r-2
for tool in waits wakers critical_path "threads sort=blocked"; do
    # shellcheck disable=SC2086 # a tool and its argument
    status "$PDCONV" query "$root/testdata/cxx/perf.data" $tool --symfs "$nowhere" 2>&1 | sed "s|$root/||"
done
# A word with a = is an argument only if its name is one.
status "$PDCONV" query wakers.data functions 'operator==' --symfs "$nowhere" 2>&1
