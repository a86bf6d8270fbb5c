# The date is the modification time of the file.
. "$root/tests/cli/common.sh"
header() { convert "$1" --script --header-only -q | sed '/^# captured on/s/:.*/: .../'; }
header group
header tracepoints
header piped
header parallel
header compressed | tail -n 5
convert group --script --header -q | sed -n '/^#$/,$p' | head -n 2
