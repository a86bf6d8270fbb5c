. "$root/tests/cli/common.sh"
for format in report folded pprof; do
    status convert nested -f $format -o /dev/full
done
convert nested --folded >/dev/full
echo "status $?"
for option in --help --man --version; do
    "$PDCONV" $option >/dev/full
    echo "status $?"
done
# More output than a buffer holds.
status convert cxx --folded --quiet -o /dev/full
