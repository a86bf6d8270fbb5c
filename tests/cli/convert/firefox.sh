# Threads with life times, weights and CPU times of two events, the counters of a group, and the fields of tracepoints as
# markers.
. "$root/tests/cli/common.sh"
convert group -q -f firefox | gunzip | grep -o '"threads":.*' | cut -c 1-1500
convert group -q -f firefox | gunzip | grep -o '"counters":.*"shared"' | sed 's/"time":\[[^]]*\]/"time":[]/g'
convert tracepoints -q -f firefox | gunzip | sed 's/"pdconv [0-9.]*"/"pdconv"/' | head -c 12000
echo
