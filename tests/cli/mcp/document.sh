# doc/agents.md lists the tools that the server has, in its words; pdconv query completes them.
. "$root/tests/cli/common.sh"
needs_linux
echo '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' | "$PDCONV" mcp | python3 -c '
import json, sys
for tool in json.load(sys.stdin)["result"]["tools"]:
    print("| `%s` | %s |" % (tool["name"], tool["description"]))' >listed
grep '^| `[a-z_]*` | [A-Z].*\. |$' "$root/doc/agents.md" >written
diff written listed && wc -l <listed
touch x.data
"$PDCONV" --complete pdconv query x.data c
"$PDCONV" --complete pdconv query x.data callers m
"$PDCONV" --complete pdconv mcp ''
"$PDCONV" mcp --help | sed -n '/^Tools/,/^  summary/p'
