# The build id decides which file names a mapping. Without one the path does, which is said.
. "$root/tests/cli/common.sh"
foreign() {
    python3 "$root/tests/cli/foreign.py" "$@"
}
cp "$root/testdata/cxx/cxx" program
id=$(python3 - program <<'CODE'
import re, sys
data = open(sys.argv[1], "rb").read()
print(re.search(rb"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0(.{20})", data, re.S)[1].hex())
CODE
)
profile() {
    foreign make in.pb "{\"mappings\": [[4194304, 8388608, 0, \"$1\", \"$2\"]], \"locations\": $3}"
    status "$PDCONV" symbolize in.pb -o out.pb.gz --symfs "$nowhere" --no-cache $options 2>&1 | sed "s#$PWD/##g"
    foreign show out.pb.gz | grep -v '^field'
}
main=$(python3 - program <<'CODE'
import subprocess, sys
for line in subprocess.run(["nm", sys.argv[1]], stdout=subprocess.PIPE, text=True).stdout.splitlines():
    if line.endswith(" T main"):
        print(int(line.split()[0], 16))
CODE
)
segment=$(readelf -lW program | awk '$1 == "LOAD" && $8 == "E" { print $2, $3 }')
one="[[1, $((4194304 + main - ${segment#* } + ${segment% *})), null]]"
options="--symbol-dir $PWD"
echo "== the same build"
profile /nowhere/program "$id" "$one"
echo "== another build"
profile /nowhere/program "00${id#??}" "$one"
echo "== another build, by force"
options="--symbol-dir $PWD --force-mismatch"
profile /nowhere/program "00${id#??}" "$one"
options="--symbol-dir $PWD"
echo "== not the id of an ELF file"
profile /nowhere/program "abc/def" "$one"
echo "== no build id"
profile /nowhere/program "" "$one"
echo "== a deleted file without a build id"
options=
profile "$PWD/program (deleted)" "" "$one"
echo "== no file"
profile /nowhere/absent "$id" "$one"
echo "== no mapping, outside of the mapping, not a file, no symbol, a name of the profile"
options="--symbol-dir $PWD"
foreign make in.pb "{\"mappings\": [[4194304, 8388608, 0, \"/x/program\", \"$id\"], [16777216, 33554432, 0, \"[heap]\", \"\"]],
    \"locations\": [[0, 1, null], [1, 1, null], [2, 16777217, null], [1, 8388607, null], [1, 8388606, \"known\"]]}"
"$PDCONV" symbolize in.pb -o out.pb.gz --symfs "$nowhere" --no-cache --symbol-dir "$PWD"
foreign show out.pb.gz | grep -v '^field'
echo "== a function with the largest id"
foreign make in.pb "{\"mappings\": [[4194304, 8388608, 0, \"/x/program\", \"$id\"]], \"function_id\": 18446744073709551615,
    \"locations\": [[1, 1, \"known\"], ${one#?}}"
status "$PDCONV" symbolize in.pb -o none.pb.gz --symfs "$nowhere" --no-cache --symbol-dir "$PWD"
echo "== a path with a NUL does not stand for one with a build id"
foreign make in.pb "{\"mappings\": [[4194304, 8388608, 0, \"/x/program\\u000000${id#??}\", \"\"],
    [16777216, 33554432, 0, \"/x/program\", \"00${id#??}\"]], \"locations\": [[2, 16781312, null]]}"
"$PDCONV" symbolize in.pb -o out.pb.gz --symfs "$nowhere" --no-cache --symbol-dir "$PWD" 2>&1 | sed "s#$PWD/##g"
