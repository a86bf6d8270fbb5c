. "$root/tests/cli/common.sh"
# Names of a host and a thread that would set colours on a terminal.
esc=$(printf '\033')
LC_ALL=C sed "s/recorder/rec${esc}[31m/; s/blue/b${esc}[m/g" "$root/testdata/threads/perf.data" >threads.data
convert threads | grep -e machine
convert threads --folded | tr '\033' '@'
status "$PDCONV" "no${esc}[31msuch" 2>&1
