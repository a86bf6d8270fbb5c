# Tables with groups, limits, columns of sums, and several events.
. "$root/tests/cli/common.sh"
table() {
    echo "$*"
    name=$1
    shift
    rm -f out.txt
    convert "$name" -q "$@" -o out.txt
    # The tables lie between the list of events and the statistics.
    awk '/^  event / { on = 1; next } /^Quality/ { on = 0 } on' out.txt | sed '/^$/d'
}
table threads --group-by comm --sort sym --limit 2
table threads --group-by comm,dso --sort sym --no-children
table forkexec --group-by pid --sample-counts
table nested --sort sym --percent-limit 50
table nested --sort sym --no-children --show-nr-samples --total-period
table nested --sort sample,period,overhead_children,sym
table nested --sort overhead_us,overhead_sys,dso
table cxx --sort parent,dso --parent '^main$'
table nested --no-children --limit 1
# Events that count something share a table; as rows they have shares of their own.
table group
table group --sort comm,dso --sample-counts
table group --sort event,comm
table tracepoints --group-by event --sort comm
table tracepoints --sort trace --event sched:sched_process_exec
convert group -q --sort comm --json | grep -o '"[a-z_]*\[[^"]*": [0-9.]*'
status convert nested --sort dso_from
status convert nested --sort socket
status convert nested --sort overhead
status convert nested --sort mem,in_tx
status convert nested --sort symbol_size
status convert nested --sort parent --parent '('
ln -s nested.data again.data
status "$PDCONV" nested.data again.data --sort addr
"$PDCONV" help keys | sed -n '1,6p;/Other names/,$p'
