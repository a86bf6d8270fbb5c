# Fill the marks of web/open/page.html, except for @WASM@: usage: awk -v main=FILE -v worker=FILE -v style=FILE
#     -v hashes="MARK=TEXT ..." -f ../marks.awk -f fill.awk page.html

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
