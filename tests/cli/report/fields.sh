# Fields of tracepoints as keys, of one event or of all.
. "$root/tests/cli/common.sh"
table() {
    echo "$*"
    rm -f out.txt
    convert tracepoints -q "$@" -o out.txt
    awk '/^ +share |^sched:|^syscalls:/ { on = 1 } /^$/ { on = 0 } on' out.txt
}
table --event sched:sched_process_fork --sort parent_comm,child_comm
table --event sched:sched_process_exec --sort filename --group-by comm
table --sort event,sched:sched_process_exec.filename
table --event syscalls:sys_enter_execve --sort sys_enter_execve.__syscall_nr/raw
convert tracepoints -q --event sched:sched_process_exec --sort sched_process_exec.filename --json | grep -c '"field.sched_process_exec.filename": "./'
status convert tracepoints -q --sort sched_process_exec.filenam
status convert tracepoints -q --sort filenam
status convert tracepoints -q --sort .filename
status convert nested --sort prev_comm
