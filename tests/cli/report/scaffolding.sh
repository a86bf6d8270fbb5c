# Functions that only pass control on are left out of the totals and paths of the report, and of all stacks on request.
. "$root/tests/cli/common.sh"
tables() {
    sed -n '/by total/,/^Quality/p'
}
convert nested | tables
echo "all functions"
convert nested --scaffolding | tables
convert nested --folded | sort | head -n 2
convert nested --folded --hide-scaffolding | sort | head -n 2
convert nested --tree --hide-scaffolding | tail -n +5 | sed '/^Quality/,$d'
# They are never left out of tables by keys.
convert nested --sort sym -q | grep -c -e _start -e __libc_start
