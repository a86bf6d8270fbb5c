# Make one classic script of ES modules: usage: awk -f bundle.awk web/views/main.js
#
# A module follows those that it imports. Import declarations and the word "export" are left out, so only named imports
# are possible, and names at the top level are unique over all modules. Imports and exports begin a line; an import
# ends with ";". Lines of comments and indentation are left out: texts with several lines cannot depend on theirs.

function fail(path, text) {
    print path ": " text >"/dev/stderr"
    has_failed = 1
    exit 1
}

# Make a path of "from", which is relative to the module "path": "web/model/a.js" and "../views/b.js".
function resolve(path, from,    parts, n, i, words, m, ret) {
    sub(/[^\/]*$/, "", path)
    n = split(path from, parts, "/")
    m = 0
    for (i = 1; i <= n; i++) {
        if (parts[i] == "..")
            m--
        else if (parts[i] != "." && parts[i] != "")
            words[++m] = parts[i]
    }
    ret = path ~ /^\// ? "/" : ""
    for (i = 1; i <= m; i++)
        ret = ret words[i] (i < m ? "/" : "")
    return ret
}

# Note the names that a line of the module declares at the top level, which another module may not declare again.
function declare(path, line,    name) {
    if (line !~ /^(async )?(function|class|const|let|var)[ *]/)
        return
    name = line
    sub(/^(async )?(function|class|const|let|var)[ *]+/, "", name)
    sub(/[^A-Za-z0-9_$].*$/, "", name)
    if (name == "")
        return
    if (name in declared)
        fail(path, name " is declared in " declared[name] " as well")
    declared[name] = path
}

function import_of(path, text,    from) {
    if (text !~ /^import *{[^}]*} *from *['"][^'"]*['"];/)
        fail(path, "not an import of names: " text)
    if (text ~ / as /)
        fail(path, "an import cannot rename: " text)
    from = text
    sub(/^.*from *['"]/, "", from)
    sub(/['"].*$/, "", from)
    add(resolve(path, from))
}

# Return whether the line is empty or part of a comment that shares no line with code.
function is_comment(line) {
    if (in_comment || line ~ /^[ \t]*\/\*/) {
        in_comment = line !~ /\*\//
        return in_comment || line ~ /\*\/[ \t]*$/
    }
    return line ~ /^[ \t]*(\/\/.*)?$/
}

# Append the module to the script, after those that it imports.
function add(path,    line, text, body, status) {
    if (path in is_added)
        return
    is_added[path] = 1
    body = ""
    while ((status = (getline line <path)) > 0) {
        if (line ~ /^import[ {*]/) {
            text = line
            while (text !~ /;/ && (getline line <path) > 0)
                text = text " " line
            import_of(path, text)
            continue
        }
        if (line ~ /^export default|^export *[{*]/)
            fail(path, "exports must be declarations: " line)
        if (tolower(line) ~ /<\/script|<!--/)
            fail(path, "this would end the script: " line)
        sub(/^export /, "", line)
        declare(path, line)
        if (is_comment(line))
            continue
        sub(/^[ \t]+/, "", line)
        body = body line "\n"
    }
    if (status < 0)
        fail(path, "cannot read it")
    close(path)
    script = script body
}

BEGIN {
    add(ARGV[1])
    printf "(() => {\n'use strict';\n%s})();\n", script
}

END {
    exit has_failed
}
