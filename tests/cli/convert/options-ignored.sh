# Options without effect on the chosen format or command are refused.
. "$root/tests/cli/common.sh"
for options in --weight=samples --kernel --keep-stacks '--labels cpu' '--pprof --kernel' '--script --tag a=b' '--folded -G' \
    '--folded -z3' '--perfdata --no-inline' '--perfdata --no-lines' '--perfdata --no-truncated'; do
    # shellcheck disable=SC2086
    status convert nested $options 2>&1
done
status "$PDCONV" report --folded
status "$PDCONV" report --context
status "$PDCONV" diff --pprof
status "$PDCONV" diff a b --normalize
status "$PDCONV" diff a b --fail-under-rooted 3
status "$PDCONV" record --folded --tag a=b -- true
status "$PDCONV" dump --kallsyms x
status "$PDCONV" dump nested.data --json --hex
status "$PDCONV" dump nested.data --json --fields
status "$PDCONV" nested.data -n 2
