# The core of stackcollapse-perf.pl: one line per stack from the text of perf script.
/^[^ \t]/ { comm = $1; next }
/^[ \t]+[0-9a-f]/ {
    name = $2
    sub(/\+0x[0-9a-f]+$/, "", name)
    stack = stack ? name ";" stack : name
    next
}
NF == 0 {
    if (stack)
        count[comm ";" stack]++
    stack = ""
}
END {
    for (s in count)
        print s, count[s]
}
