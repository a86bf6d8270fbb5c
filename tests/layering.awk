# Check which folder includes which. Reads the table first, lines "FOLDER: FOLDER ...", and then sources. A sub-folder
# is a separate folder of the table, and so is a file that may include more than its folder ("output/perfdata").
# Prints each include that the table does not allow, and exits with 1 if there are any.
# <pdconv/...> is the folder include/, which may include only itself and the C library.
FILENAME ~ /layering\.txt$/ {
    if (/^#/ || !NF)
        next
    split($0, side, ":")
    if (side[1] == "*")
        each = side[2]
    else
        allowed[side[1]] = " " side[1] side[2] each " "
    next
}
FNR == 1 {
    folder = FILENAME
    sub(/^\.\//, "", folder)
    sub(/\/[^\/]*$/, "", folder)
    sub(/^include\/.*/, "include", folder)
    file = FILENAME
    sub(/^\.\//, "", file)
    sub(/\.[ch]$/, "", file)
    if (file in allowed)
        folder = file
    n_files++
}
function check(from) {
    if ((folder in allowed) && index(allowed[folder], " " from " "))
        return
    printf "%s:%d: %s/ may not include %s\n", FILENAME, FNR, folder, from
    bad = 1
}
/^#include <pdconv\// {
    check("include")
    next
}
folder == "include" && /^#include </ && !/<(stdbool|stddef|stdint|stdio|stdlib|string|sys\/types)\.h>/ {
    check($2)
    next
}
match($0, /^#include "[a-z\/]+\//) {
    check(substr($0, RSTART + 10, RLENGTH - 11))
    next
}
/^#include "/ {
    printf "%s:%d: the path of an include must start at the root\n", FILENAME, FNR
    bad = 1
}
END {
    if (!n_files)
        bad = 1
    exit bad
}
