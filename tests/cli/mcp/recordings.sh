# Several recordings at once, below the directories that were given, and nowhere else.
. "$root/tests/cli/common.sh"
needs_linux
mkdir -p given/below other
cp "$root/testdata/shop/before.data" "$root/testdata/shop/after.data" given/below
cp "$root/testdata/wakers/perf.data" given
cp "$root/testdata/wakers/perf.data" other/secret.data
ln -s ../other/secret.data given/link.data
ln -s ../other given/dir
ln -s below/after.data given/inside.data
here=$PWD
tool() { # NAME ARGUMENTS
    n=$((${n:-0} + 1))
    printf '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s","arguments":%s}}\n' "$n" "$1" "$2"
}
{
    tool open '{}'
    tool functions '{"limit":1}'
    tool open '{"path":"below/before.data"}'
    tool open '{"path":"inside.data"}'
    tool functions '{"limit":1}'
    tool functions '{"recording":"r-1","limit":1}'
    tool functions '{"limit":1}'
    tool threads '{"recording":"perf.data"}'
    tool compare '{"before":"r-1","after":"r-2"}'
    tool compare '{"before":"r-1","after":"r-1"}'
    tool functions '{"recording":"r-9"}'
    tool open '{"path":"link.data"}'
    tool open '{"path":"dir/secret.data"}'
    tool open '{"path":"../other/secret.data"}'
    tool open '{"path":"/etc/passwd"}'
    tool open '{"path":"/etc/nosuch"}'
    tool open "{\"path\":\"$here/other/secret.data\"}"
    tool open "{\"path\":\"$here/given/../other/secret.data\"}"
    tool open "{\"path\":\"$here/given-not/secret.data\"}"
    tool open '{"path":"nosuch.data"}'
    tool open '{"path":""}'
    tool open '{"path":"."}'
    tool open '{"path":"below"}'
    tool compare '{"before":"r-1","after":"../other/secret.data"}'
    tool functions '{"recording":"../other/secret.data"}'
} | "$PDCONV" mcp given --symfs "$nowhere" --symbol-dir "$root/testdata/shop" | sed "s|$here|HERE|g"
echo "--- no such directory"
status "$PDCONV" mcp nosuch 2>&1 </dev/null
echo "--- a recording that changes"
{
    tool functions '{"recording":"perf.data","limit":1}'
    i=0
    until grep -q '"id": 1[,}]' answers 2>/dev/null || [ $((i += 1)) -gt 1000 ]; do sleep 0.05; done
    cp given/below/before.data given/perf.data
    tool functions '{"recording":"r-1","limit":1}'
} | "$PDCONV" mcp given --symfs "$nowhere" >answers
sed "s|$here|HERE|g" answers
