# Print the functions and variables pd_* that preprocessed C (cc -E -P) declares, one per line. Ignores types, static
# functions and everything in braces; functions that headers define are exported.
function flush_statement(s) {
    gsub(/__attribute__ *\(\([^()]*(\([^()]*\))*[^()]*\)\)/, " ", s)
    if (s ~ /^[ \t\n]*(static|typedef)[ \t\n]/)
        return
    if (match(s, /pd_[a-z0-9_]+[ \t\n]*\(/)) {
        name = substr(s, RSTART, RLENGTH)
        sub(/[ \t\n]*\($/, "", name)
        print name
    } else if (s ~ /^[ \t\n]*extern[ \t\n]/) {
        n = split(s, names, ",")
        for (i = 1; i <= n; i++) {
            match(names[i], /pd_[A-Za-z0-9_]+[ \t\n]*$/)
            name = substr(names[i], RSTART, RLENGTH)
            sub(/[ \t\n]+$/, "", name)
            if (name != "")
                print name
        }
    }
}
/^#/ { next }
{
    line = $0 "\n"
    while (match(line, /[{};]/)) {
        c = substr(line, RSTART, 1)
        if (!depth)
            statement = statement substr(line, 1, RSTART - 1)
        line = substr(line, RSTART + 1)
        depth += (c == "{") - (c == "}")
        if (depth == 0 && (c == ";" || (c == "}" && statement ~ /^[ \t\n]*(static|inline)[ \t\n]/))) {
            flush_statement(statement)
            statement = ""
        }
    }
    if (!depth)
        statement = statement line
}
