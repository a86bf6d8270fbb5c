# Records other than samples, at their place in time order.
. "$root/tests/cli/common.sh"
convert tracepoints --script -q --show-task-events --show-mmap-events
echo ==
convert threads --script -q --show-task-events -F comm,tid,time | grep -v ': $' | head -n 6
echo ==
convert tracepoints --script -q --show-switch-events --show-lost-events -F comm,time
