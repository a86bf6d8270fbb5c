# Fields are shown in the order of perf, in whatever order they are given.
. "$root/tests/cli/common.sh"
show() { convert "$@" --script -q --no-inline | head -n 2; }
show group -F time,comm
show group -F sym,ip
show group -F +pid
show group -F -comm,-period --ns
show group -F pid -F +tid -F -pid
show group -F sw: | wc -l
show group -F sw:ip,sym,dso,symoff
show nested -F ip,sym -G
show nested -F comm,addr
show nested -F uregs
show tracepoints -F trace:comm,event
show tracepoints -F +ip
show nested -F ip,srcline | tail -n 1
# All fields.
"$PDCONV" help fields
