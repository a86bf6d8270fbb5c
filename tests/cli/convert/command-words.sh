# The name of a format is a command, commands may follow options, and list shows events of this machine.
. "$root/tests/cli/common.sh"
needs_linux
cp "$root/testdata/nested/perf.data" .
common="-q --symfs $nowhere --debug-paths $root/testdata/nested --no-cache"
"$PDCONV" folded $common perf.data | head -n 1
"$PDCONV" script $common -F comm,event | head -n 1
"$PDCONV" --no-pager annotate inner $common | head -n 1
"$PDCONV" -o out.txt -q report $common && head -n 1 out.txt
"$PDCONV" --sort sym report perf.data $common --limit 1 | grep -c '%'
"$PDCONV" help list | head -n 2
# A file of that name is a recording.
cp perf.data folded
"$PDCONV" folded $common --sort comm | head -n 1
rm folded
status "$PDCONV" list nosuchevent 2>/dev/null
status "$PDCONV" list a b
status "$PDCONV" foldedd
