# Mistyped words get a suggestion, or the list of what is possible.
. "$root/tests/cli/common.sh"
status "$PDCONV" reprot perf.data
status "$PDCONV" recrod -- true
status "$PDCONV" hlep
status "$PDCONV" help recrod
status "$PDCONV" help nonsense
status convert nested --folded-pd
status convert nested --stats=yes
status convert nested --st
status convert nested -f foldet
status convert nested -f gif
status convert nested --demangle ful
status convert nested --unwind dwarf
status convert nested --folded --weight sample
status convert nested --pprof --labels cpu,cgrup
status convert nested --pprof --labels nothing
# A recording may have a name that is like that of a command.
cp "$root/testdata/fp/perf.data" reprot
"$PDCONV" reprot --symfs "$nowhere" -q | head -n 1
