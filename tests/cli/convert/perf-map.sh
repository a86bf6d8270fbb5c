# Generated code without a jitdump is named by a perf-PID.map. Later lines replace earlier ones.
. "$root/tests/cli/common.sh"
mkdir programs maps
cp "$root/testdata/jit/jit" programs
printf '7f6512f46000 1000 before\n0x7f6512f46000 0x8 third in the map\n7f6512f46008 8 first or second\n' >maps/perf-21272.map
names() { awk '$1 ~ /^7f6512f46/ { $1 = ""; print }' | sort | uniq -c | sed 's/^ *//'; }
with_programs jit programs -f script --quiet --perf-map-path maps | names
# Without the option it is looked for below the root of the recording machine, and next to binaries.
mkdir -p root/tmp/pdconv-testdata
cp programs/jit root/tmp/pdconv-testdata
cp maps/perf-21272.map root/tmp
"$PDCONV" jit.data -f script --quiet --symfs root | names
cp maps/perf-21272.map programs
with_programs jit programs -f script --quiet | names
# A map of another process.
mv programs/perf-21272.map programs/perf-21273.map
with_programs jit programs -f script --quiet | names
# The jitdump knows which code was at an address at each time.
cp "$root"/testdata/jit/jit-*.dump programs
with_programs jit programs -f script --quiet --perf-map-path maps | names
