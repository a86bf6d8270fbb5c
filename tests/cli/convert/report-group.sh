. "$root/tests/cli/common.sh"
convert group 2>&1 | grep -E '^[a-z]+\.data: |^  event|excluded'
for event in cpu-clock:u page-faults:u context-switches; do
    convert group --no-kernel --folded --event $event 2>&1 | awk '{ sum += $NF } END { print sum }'
done
