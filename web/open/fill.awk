# Fill the marks of web/open/page.html, except for @WASM@: usage: awk -v main=FILE -v worker=FILE -v style=FILE
#     -v hashes="MARK=TEXT ..." -f fill.awk page.html

function replace(line, mark, text,    at) {
    while ((at = index(line, mark)) > 0)
        line = substr(line, 1, at - 1) text substr(line, at + length(mark))
    return line
}

function contents(path,    line, text) {
    text = ""
    while ((getline line <path) > 0)
        text = text line "\n"
    close(path)
    return text
}

BEGIN {
    n = split(hashes, pairs, " ")
    file["@MAIN@"] = main
    file["@WORKER@"] = worker
    file["@OPEN_STYLE@"] = style
}

{
    line = $0
    for (i = 1; i <= n; i++) {
        # A hash ends with "=".
        at = index(pairs[i], "=")
        line = replace(line, "@" substr(pairs[i], 1, at - 1) "@", substr(pairs[i], at + 1))
    }
    for (mark in file)
        if ((at = index(line, mark)) > 0)
            line = substr(line, 1, at - 1) contents(file[mark]) substr(line, at + length(mark))
    print line
}
