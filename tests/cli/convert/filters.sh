. "$root/tests/cli/common.sh"
left() {
    echo "$*"
    convert "$@" -o out.txt && grep -E '^[a-z]+\.data: |^  event|^  excluded' out.txt
}
left threads --pid 1
left threads --tid 0-100000
left threads --comms red
left threads --comm nobody,blue
left tracepoints --cpu 0
left nested --time 50%/1
left nested --time 0%-25%,75%-100%
left nested --time 10ms-20ms --dsos nested
left nested --time-range 10ms+20ms
left nested --time 7.5, --pid 1
left nested --dso libc.so.6
left nested -S side,'f<int, char>'
left forkexec --dsos forkexec
# Nothing is lost: the samples that a filter excludes and the rest are all samples.
convert nested -q --folded -S side
convert nested -q --folded --time 40%/1
for bad in '--time 1' '--time 2,1' '--time 60%/2' '--time 1s' '--pid x' '--cpu 3-1' '--comms ,' '--cpu 1'; do
    status convert nested --folded $bad
done
status sh -c "cat '$root/testdata/piped/perf.data' | '$PDCONV' - --folded --time 10%/1"
