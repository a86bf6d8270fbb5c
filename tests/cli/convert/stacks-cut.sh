# Truncated stacks: marked, not marked, and completed from neighbours with a mark.
. "$root/tests/cli/common.sh"
convert deep --folded | sort | head -n 12
echo ==
convert deep --folded --no-truncated --quiet | grep -c truncated
convert deep -f script --quiet | grep -c '\[truncated\]'
convert deep -f pprof --quiet -o deep.pb.gz && gzip -dc deep.pb.gz | grep -ac '\[truncated\]'
echo ==
convert deep --stitch --stats -o /dev/null 2>&1 | grep -v '^Read and'
convert deep --folded --stitch --quiet | grep stitched | head -n 4
