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
    # Its conversions are killed as well, and hold the folder until they have ended.
    for folder in killed/.pdconv/tmp.*; do
        [ ! -d "$folder" ] || flock "$folder" true
    done
}

for n in 1 4 7 10 13; do
    kill_after $n
done
batch in -o killed >/dev/null
echo "status $?"
same whole killed
ls killed/.pdconv | grep -v inputs

"$PDCONV" batch in -o both -j2 --symfs "$nowhere" --label 'service={dir2}' --label 'node={dir1}' -q &
batch in -o both -j2 -q
echo "status $?"
wait $!
echo "status $?"
same whole both

# Batches that start at the same moment do not take the temporary folders of the others for old ones.
for round in 1 2 3 4 5; do
    pids=
    for i in 1 2 3 4; do
        "$PDCONV" batch in/nested/a -o together$round -j1 -q --symfs "$nowhere" &
        pids="$pids $!"
    done
    for pid in $pids; do
        wait $pid || echo "a batch failed"
    done
    [ -z "$(find together$round/.pdconv -name 'tmp.*')" ] || echo "a temporary folder is left"
done
