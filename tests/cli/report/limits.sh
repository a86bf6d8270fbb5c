# A limit applies to trees: the largest calls are shown.
. "$root/tests/cli/common.sh"
convert nested --tree --limit 3 | sed -n '/Call tree/,/^$/p'
convert nested --callers=inner --limit 2 | sed -n '/Callers/,/^$/p'
convert nested --tree --limit 0 | sed -n '/Call tree/,/^$/p'
