# Messages of JSON-RPC and of the Model Context Protocol, valid and invalid.
. "$root/tests/cli/common.sh"
needs_linux
mkdir given
cp "$root/testdata/wakers/perf.data" given/wakers.data
serve() {
    "$PDCONV" mcp given --symfs "$nowhere" --symbol-dir "$root/testdata/wakers" | sed "s|$PWD|HERE|g"
}
request() { # METHOD PARAMS
    n=$((${n:-0} + 1))
    printf '{"jsonrpc":"2.0","id":%s,"method":"%s","params":%s}\n' "$n" "$1" "$2"
}
tool() { # NAME ARGUMENTS
    request tools/call "{\"name\":\"$1\",\"arguments\":$2}"
}
{
    for version in 2025-06-18 2025-03-26 2024-11-05 1999-01-01; do
        request initialize "{\"protocolVersion\":\"$version\",\"capabilities\":{},\"clientInfo\":{\"name\":\"x\",\"version\":\"1\"}}"
    done
    echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
    echo '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'
    request ping '{}'
    echo '{"jsonrpc":"2.0","id":"text","method":"ping"}'
    printf '\r\n\n'
    printf '{"jsonrpc":"2.0","id":1.5,"method":"ping"}\r\n'
} | serve
echo "--- invalid"
{
    echo 'rubbish'
    echo '{"jsonrpc":"2.0","id":1'
    printf '\377\n'
    echo '[]'
    echo '[{"jsonrpc":"2.0","id":1,"method":"ping"}]'
    echo '5'
    echo '{}'
    echo '{"jsonrpc":"1.0","id":2,"method":"ping"}'
    echo '{"jsonrpc":"2.0","id":3}'
    echo '{"jsonrpc":"2.0","id":null,"method":"ping"}'
    echo '{"jsonrpc":"2.0","id":{},"method":"ping"}'
    echo '{"jsonrpc":"2.0","id":4,"method":5}'
    echo '{"jsonrpc":"2.0","id":5,"method":"ping","params":[]}'
    echo '{"jsonrpc":"2.0","id":6,"id":7,"method":"ping"}'
    echo '{"jsonrpc":"2.0","id":8,"result":{}}'
    echo '{"jsonrpc":"2.0","id":"a\u0000b","method":"ping"}'
    request resources/list '{}'
    request tools/call '{}'
    request tools/call '{"name":5}'
    request tools/call '{"name":"functions","arguments":[]}'
    tool functons '{}'
    python3 -c 'print("x" * (2 << 20))'
    python3 -c 'print("[" * 100000)'
    request ping '{}'
    printf '{"jsonrpc":"2.0","id":9,"method":"ping"}'
} | serve
echo "--- tools"
{
    tool summary '{}'
    tool open '{}'
    tool open '{"path":"wakers.data","limit":null}'
    tool functions '{"limit":2.0}'
    tool functions '{"limit":2.5}'
    tool functions '{"limit":true}'
    tool functions '{"limt":2}'
    tool functions '{"limit":"2","sort":"total"}'
    tool callers '{}'
    tool callers '{"function":"pack_itm"}'
    tool callers '{"function":"f-2","depth":2}'
    tool callers '{"function":"a\nb\u001b[31m"}'
} | serve
