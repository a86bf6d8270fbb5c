# Tables by properties of samples and of frames.
. "$root/tests/cli/common.sh"
table() {
    echo "$*"
    name=$1
    shift
    convert "$name" -q "$@" -o out.txt
    awk '/^$/ { n++ } n == 1 && NF' out.txt
}
table threads --sort comm
table threads --sort comm,sym --limit 5
table nested --sort dso,sym,srcline
table forkexec --sort pid,dso
table tracepoints --sort cpu --event sched:sched_switch
# Steps of time are as long as the user says.
table nested --sort time --time-quantum 20
convert nested -q --sort time --time-quantum 5 | grep -c '^ .*%'
status convert nested --sort sym,dsp
status convert nested --sort sym --folded
