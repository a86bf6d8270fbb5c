# A profile of OpenTelemetry gets functions, inlined calls, files and lines; everything else in it stays.
. "$root/tests/cli/common.sh"
foreign() {
    python3 "$root/tests/cli/foreign.py" "$@"
}
cp "$root/testdata/cxx/cxx" program
id=$(readelf -n program | sed -n 's/.*Build ID: //p')
segment=$(readelf -lW program | awk '$1 == "LOAD" && $8 == "E" { print $2, $3 }')
main=$((0x$(nm program | awk '$3 == "main" { print $1 }')))
# Where a process that has mapped the program at 16777216 from the file offset 0 on has an address of the ELF file.
mapped() {
    echo $((16777216 + $1 - ${segment#* } + ${segment% *}))
}
symbolize() {
    "$PDCONV" symbolize "$@" --symfs "$nowhere" --no-cache 2>&1 | sed "s#$PWD/##g"
}
foreign make_otlp in.otlp "{\"mappings\": [[0, 0, 0, \"/x/program\", \"$id\"], [16777216, 33554432, 0, \"/x/program\", \"$id\"],
        [0, 0, 0, \"/x/other\", \"00${id#??}\"], [0, 0, 0, \"/x/go\", \"abc/def\", \"go\"],
        [0, 0, 0, \"/x/hash\", \"$id\", \"htlhash\"], [0, 0, 0, \"$PWD/program\", \"\"]],
    \"locations\": [[1, 4202315, null], [2, $(mapped $main), null], [1, $main, \"known\"], [2, $(mapped 4202315), null], [3, 4202315, null],
        [4, 4202315, null], [5, 4202315, null], [6, $main, null], [0, 4202315, null], [0, 0, \"script.py\"], [2, 16777215, null]]}"
echo "== names"
symbolize in.otlp -o out.otlp --symbol-dir "$PWD"
foreign show_otlp in.otlp
foreign show_otlp out.otlp
echo "== no lines, no inlined calls"
symbolize in.otlp -q -o out.otlp --symbol-dir "$PWD" --no-lines --no-inline
foreign show_otlp out.otlp | grep main
echo "== without binaries, parts of the dictionary become one, and nothing changes after that"
symbolize in.otlp -q -o one.otlp --no-own-paths
gzip -c one.otlp | symbolize - -q -o again.otlp --no-own-paths
cmp one.otlp again.otlp && foreign show_otlp one.otlp | grep -c '?'
echo "== a location that would be there twice stays as it is"
foreign make_otlp in.otlp "{\"mappings\": [[0, 0, 0, \"/x/program\", \"$id\"]], \"locations\": [[1, $main, null]]}"
symbolize in.otlp -q -o named.otlp --symbol-dir "$PWD"
foreign both_otlp in.otlp named.otlp both.otlp
symbolize both.otlp -q -o out.otlp --symbol-dir "$PWD"
foreign show_otlp out.otlp
echo "== JSON"
printf ' {\n "resourceProfiles": []}\n' >json
status "$PDCONV" symbolize json -o out
printf '{"other": [1]}' >json
status "$PDCONV" symbolize json -q
echo
echo "== damage"
foreign make_otlp small.otlp "{\"mappings\": [[4096, 8192, 0, \"/x\", \"abcd\"]], \"locations\": [[1, 4097, null], [1, 4098, \"f\"]]}"
head -c 20 small.otlp >cut.otlp
status "$PDCONV" symbolize cut.otlp -o out
head -c 100 small.otlp >cut.otlp
status "$PDCONV" symbolize cut.otlp -o out
foreign cuts "$PDCONV" small.otlp
