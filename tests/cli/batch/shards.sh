# Shards are disjoint, and together they are the whole, wherever the folder is.
. "$root/tests/cli/batch/common.sh"
recordings
batch in -o whole -q
ln -s in elsewhere
for i in 0 1 2; do
    folder=in
    [ $i = 1 ] && folder=elsewhere
    batch $folder -o shards --shard $i/3 -q
done
cat shards/manifest.*.jsonl | wc -l
sed -i 's,"elsewhere/,"in/,' shards/manifest.*.jsonl
same whole shards
for i in 0 1 2; do
    [ -s shards/manifest.$i-of-3.jsonl ] || echo "shard $i has nothing"
done
