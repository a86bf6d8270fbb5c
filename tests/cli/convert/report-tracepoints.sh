. "$root/tests/cli/common.sh"
convert tracepoints 2>&1 | grep -E '^[a-z]+\.data: |^  event|excluded'
