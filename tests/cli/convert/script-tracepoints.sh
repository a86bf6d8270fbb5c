. "$root/tests/cli/common.sh"
convert tracepoints -f script -q
