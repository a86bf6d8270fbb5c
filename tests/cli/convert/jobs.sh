. "$root/tests/cli/common.sh"
for format in report folded pprof; do
    convert cxx -q -f $format -j 1 -o one
    for jobs in 2 4 16; do
        convert cxx -q -f $format -j $jobs -o many
        cmp one many
    done
done
