. "$root/tests/cli/common.sh"
# The writer may start later, and a recording in file mode can be piped, too.
mkfifo fifo
(sleep 0.1; cat "$root/testdata/fp/perf.data" >fifo) &
"$PDCONV" fifo --folded -q --symfs "$nowhere" >from-fifo
"$PDCONV" "$root/testdata/fp/perf.data" --folded -q --symfs "$nowhere" | cmp - from-fifo
cat "$root/testdata/fp/perf.data" | "$PDCONV" - --folded -q --symfs "$nowhere" | cmp - from-fifo
: | status "$PDCONV" -
