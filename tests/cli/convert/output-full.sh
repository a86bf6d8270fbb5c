. "$root/tests/cli/common.sh"
for format in report folded pprof; do
    status convert nested -f $format -o /dev/full
done
convert nested --folded >/dev/full
echo "status $?"
