# Print the lines of C comments that are wider than 100 columns, a tab being as wide as up to the next multiple of 8.
# Exits with 1 if there are any. Run it with LC_ALL=C: it counts characters of UTF-8.
function width(text,    i, n) {
    # Bytes that continue a character.
    gsub(/[\200-\277]/, "", text)
    n = 0
    for (i = 1; i <= length(text); i++)
        n = substr(text, i, 1) == "\t" ? n - n % 8 + 8 : n + 1
    return n
}
FNR == 1 { inside = 0 }
{
    code = $0
    gsub(/"([^"\\]|\\.)*"|'([^'\\]|\\.)'/, "", code)
    opens = index(code, "/*")
    if ((inside || opens || code ~ /\/\//) && length($0) > 60 && width($0) > 100) {
        printf "%s:%d: a comment %d columns wide\n", FILENAME, FNR, width($0)
        bad = 1
    }
    # A comment that begins on this line goes on unless it ends after where it begins.
    if (opens)
        inside = !index(substr(code, opens + 2), "*/")
    else if (inside)
        inside = !index(code, "*/")
}
END { exit bad }
