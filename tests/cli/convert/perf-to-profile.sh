# pprof creates the output file and keeps it open.
. "$root/tests/cli/common.sh"
ln -s "$PDCONV" perf_to_profile
cp "$root/testdata/nested/perf.data" nested.data
: >out.pb.gz
exec 3<out.pb.gz
./perf_to_profile -i nested.data -o out.pb.gz -f && zcat <&3 | grep -c 'recorder'
status ./perf_to_profile -i nested.data -o out.pb.gz
status ./perf_to_profile -i nested.data -o new.pb.gz -j
zcat new.pb.gz | grep -c nested
status ./perf_to_profile -i nested.data
status ./perf_to_profile -i missing.data -o other.pb.gz
ls
