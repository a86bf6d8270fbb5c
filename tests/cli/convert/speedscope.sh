# A profile for each thread, and for each event.
. "$root/tests/cli/common.sh"
convert signal -q -f speedscope
convert group -q -f speedscope | cut -c 1-1500
