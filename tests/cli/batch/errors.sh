# Mistakes on the command line are reported before anything is written.
. "$root/tests/cli/batch/common.sh"
try() {
    "$PDCONV" batch "$@" 2>&1 | head -1
    [ -e out ] && echo "there is an output"
}
touch x
try
try x
try x -o -
try x -o out --label 'A=b'
try x -o out --label 'a={hots}'
try x -o out --label 'samples={host}'
try x -o out --label 'host={host}'
try x -o out --tables bogus
try x -o out --tables event
try x -o out -f folded --tables threads
try x -o out --shard 3/3
try x -o out --shard x
try x -o out -f nothing
try x -o out -f bolt
try x -o x
try x -o out --stats
