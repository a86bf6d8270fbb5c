# Generated code without a dump, named by a perf-PID.map. A later line is of what was there later.
. "$root/tests/cli/common.sh"
mkdir programs maps
cp "$root/testdata/jit/jit" programs
printf '7f6512f46000 1000 before\n0x7f6512f46000 0x8 third in the map\n7f6512f46008 8 first or second\n' >maps/perf-21272.map
names() { awk '$1 ~ /^7f6512f46/ { $1 = ""; print }' | sort | uniq -c | sed 's/^ *//'; }
with_programs jit programs -f script --quiet --perf-map-path maps | names
# Where it is, if the option does not say: below the root of the recording's machine, or beside binaries.
mkdir -p root/tmp/pdconv-testdata
cp programs/jit root/tmp/pdconv-testdata
cp maps/perf-21272.map root/tmp
"$PDCONV" jit.data -f script --quiet --symfs root | names
cp maps/perf-21272.map programs
with_programs jit programs -f script --quiet | names
# Of another process.
mv programs/perf-21272.map programs/perf-21273.map
with_programs jit programs -f script --quiet | names
# The dump knows which code was when at an address.
cp "$root"/testdata/jit/jit-*.dump programs
with_programs jit programs -f script --quiet --perf-map-path maps | names
