. "$root/tests/cli/common.sh"
# What comes through a pipe is told as what is in a file.
for name in piped fp compressed; do
    "$PDCONV" info --symfs "$nowhere" "$root/testdata/$name/perf.data" | sed 1d >mapped
    cat "$root/testdata/$name/perf.data" | "$PDCONV" info --symfs "$nowhere" | sed 1d | cmp - mapped && echo same
    gzip -c "$root/testdata/$name/perf.data" | "$PDCONV" info --symfs "$nowhere" - | sed 1d | cmp - mapped && echo same
done
