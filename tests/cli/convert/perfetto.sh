# Facts about the recording, threads, and the first events of the scheduler.
. "$root/tests/cli/common.sh"
needs_linux
decode() {
    gunzip | protoc -I"$root/output/perfetto" --decode=perfetto.Trace "$root/output/perfetto/perfetto.proto"
}
convert clock -q -f perfetto | decode | sed 's/"pdconv [0-9.]*"/"pdconv"/' | head -n 230
# A thread that is created, wakeups by it, and an end.
echo "== paths"
convert paths -q -f perfetto | decode >paths.txt
grep -m 2 -A 4 'task_newtask' paths.txt
grep -m 1 -B 3 -A 4 'sched_waking {' paths.txt
grep -m 1 -B 2 -A 3 'prev_state: 16' paths.txt
# A sample, and what it refers to.
echo "== samples"
convert cxx -q -f perfetto | decode | grep -A 400 'name: "end"' | head -n 110
# Intervals are slices.
echo "== intervals"
convert intervals -q -f perfetto | decode | grep -B 5 -A 60 'name: "syscalls"' | head -n 60
# The number of threads makes no difference.
for jobs in 1 2 16; do
    convert clock -q -j $jobs -f perfetto | cksum
done | sort -u | wc -l
