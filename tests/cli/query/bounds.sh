# Answers are bounded, say what was cut, and are the same each time.
. "$root/tests/cli/common.sh"
needs_linux
ln -s "$root/testdata/shop/before.data" "$root/testdata/shop/after.data" .
ask() {
    "$PDCONV" query before.data "$@" --symfs "$nowhere" --symbol-dir "$root/testdata/shop"
}
for tokens in 200 1000; do
    for tool in open summary functions tree path lines annotate threads waits wakers timeline quality why_not "compare after.data"; do
        # shellcheck disable=SC2086 # a tool and its argument
        ask $tool limit=1000 max_tokens=$tokens >out 2>err || grep -q 'ask why_not' err || cat err
        [ "$(wc -c <out)" -le $((tokens * 3)) ] || echo "$tool: $(wc -c <out) bytes for $tokens tokens"
        # shellcheck disable=SC2086
        ask $tool limit=1000 max_tokens=$tokens -j 1 >again 2>err
        cmp out again
    done
done
ask functions max_tokens=200
ask functions limit=2
ask why_not max_tokens=200
# All of it.
ask functions limit=1000 max_tokens=100000 | grep -c '^ *f-'
ask functions limit=1000 max_tokens=100000 | grep cut:
# JSON is bounded by rows.
ask functions limit=1000 max_tokens=1000 --json | python3 -c '
import json, sys
answer = json.load(sys.stdin)
print(answer["kind"], list(answer["functions"]["rows"][0]), answer["functions"]["left_out"] > 0)'
# Two recordings.
ask compare after.data
