# Each invalid value is reported with its option.
. "$root/tests/cli/common.sh"
needs_linux
for options in '--freq abc' '--freq 0' '--call-graph perf' '--call-graph dwarf,70000' '--call-graph fp,8' '--cpu 1-' \
    '--cpu 60000' '--freq 99 --count 9' '--mmap-pages 7X' '--duration never' '--clockid sundial'; do
    # shellcheck disable=SC2086
    "$PDCONV" record $options -o never.data -- true 2>&1
    echo "status $?"
done
ls
