. "$root/tests/cli/common.sh"
# A pipe and a file have the same description.
for name in piped fp compressed; do
    "$PDCONV" info --symfs "$nowhere" "$root/testdata/$name/perf.data" | sed 1d >mapped
    cat "$root/testdata/$name/perf.data" | "$PDCONV" info --symfs "$nowhere" | sed 1d | cmp - mapped && echo same
    gzip -c "$root/testdata/$name/perf.data" | "$PDCONV" info --symfs "$nowhere" - | sed 1d | cmp - mapped && echo same
done
