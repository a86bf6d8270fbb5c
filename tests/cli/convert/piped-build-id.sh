. "$root/tests/cli/common.sh"
# HEADER_BUILD_ID after the mappings and the samples, with another build id than the file there.
path=/tmp/pdconv-testdata/nested
mkdir -p "root${path%/*}"
cp "$root/testdata/nested/nested" "root$path"
{
    cat "$root/testdata/piped/perf.data"
    printf '\103\0\0\0\002\0\104\0\377\377\377\377aaaaaaaaaaaaaaaaaaaa\0\0\0\0%s\0\0\0\0\0' $path
} >perf.data
"$PDCONV" perf.data --symfs root --folded
