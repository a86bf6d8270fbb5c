# Compare a file with lines of patterns: "*" matches any text within a line, and a line "..." any number of lines.
# Prints the first line that differs.
function pattern(text,    out, i, c) {
    out = ""
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        if (c == "*")
            out = out ".*"
        else if (c ~ /[][\\.^$+?(){}|]/)
            out = out "\\" c
        else
            out = out c
    }
    return "^" out "$"
}
NR == FNR { want[++n_want] = $0; next }
{ have[++n_have] = $0 }
END {
    h = 1
    for (w = 1; w <= n_want; w++) {
        if (want[w] == "...") {
            if (w == n_want)
                exit 0
            while (h <= n_have && have[h] !~ pattern(want[w + 1]))
                h++
            continue
        }
        if (h > n_have || have[h] !~ pattern(want[w])) {
            printf "expected: %s\nfound:    %s\n", want[w], have[h]
            exit 1
        }
        h++
    }
    if (h <= n_have) {
        printf "not expected: %s\n", have[h]
        exit 1
    }
}
