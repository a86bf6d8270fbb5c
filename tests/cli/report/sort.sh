# Tables by properties of samples and of frames.
. "$root/tests/cli/common.sh"
table() {
    echo "$*"
    name=$1
    shift
    rm -f out.txt
    convert "$name" -q "$@" -o out.txt
    # The table ends with an empty line.
    awk '/^ +(self +total|share) / { on = 1 } /^$/ { on = 0 } on' out.txt
}
table threads --sort comm
table threads --sort comm,sym --limit 5
table nested --sort dso,sym,srcline
table forkexec --sort pid,dso
# Threads of a process have names of their own.
table threads --sort pid
table threads --sort pid,comm
table tracepoints --sort cpu,comm --event sched:sched_process_exec
# Steps of time are as long as the user says.
table nested --sort time --time-quantum 20
convert nested -q --sort time --time-quantum 5 | grep -c '^ .*%'
status convert nested --sort sym,dsp
status convert nested --sort sym --folded
