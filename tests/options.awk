# Print the string literals of C sources that speak of a command line option: "--name". Only cmd/ knows the options;
# libraries name the parameter. Exits with 1 if there are any.
FNR == 1 { inside = 0 }
{
    line = $0
    # Comments are not output. One that goes on from the line before ends here or later.
    if (inside) {
        if (!match(line, /\*\//))
            next
        line = substr(line, RSTART + 2)
        inside = 0
    }
    while (match(line, /"([^"\\]|\\.)*"|'([^'\\]|\\.)'|\/\*|\/\//)) {
        found = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        if (found == "//")
            break
        if (found == "/*") {
            if (!match(line, /\*\//)) {
                inside = 1
                break
            }
            line = substr(line, RSTART + 2)
        } else if (found ~ /--[a-z]/ && $0 !~ /^#include/) {
            printf "%s:%d: names an option: %s\n", FILENAME, FNR, found
            bad = 1
        }
    }
}
END { exit bad }
