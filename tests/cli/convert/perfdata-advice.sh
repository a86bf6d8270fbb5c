# Advice how to record again is not given for a copy, whose stacks were unwound when it was written.
. "$root/tests/cli/common.sh"
cp "$root/testdata/forkexec/perf.data" .
"$PDCONV" perf.data -q --symfs "$nowhere" -f perfdata -o copy.data --no-cache
for recording in perf.data copy.data; do
    "$PDCONV" $recording --symfs "$nowhere" --no-cache 2>/dev/null | grep -e advice -e run
done
