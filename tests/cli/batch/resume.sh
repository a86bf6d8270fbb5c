# A batch that is killed is started again, and the outputs are those of one that was not. Two at the same time do no harm.
. "$root/tests/cli/batch/common.sh"
recordings
batch in -o whole -j1

# kill_after N: start a batch, and kill it when N recordings are done.
kill_after() {
    "$PDCONV" batch in -o killed -j2 --symfs "$nowhere" --label 'service={dir2}' --label 'node={dir1}' -q &
    pid=$!
    while kill -0 $pid 2>/dev/null && [ "$(cat killed/manifest.jsonl 2>/dev/null | wc -l)" -lt "$1" ]; do
        sleep 0.01
    done
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
}

for n in 1 4 7 10 13; do
    kill_after $n
done
batch in -o killed >/dev/null
echo "status $?"
same whole killed
ls killed/.pdconv

"$PDCONV" batch in -o both -j2 --symfs "$nowhere" --label 'service={dir2}' --label 'node={dir1}' -q &
batch in -o both -j2 -q
echo "status $?"
wait $!
echo "status $?"
same whole both
