# Check which folder includes which. Reads the table first, lines "FOLDER: FOLDER ...", and then sources. A sub-folder
# is a separate folder of the table, and so is a file that may include more than its folder ("output/perfdata").
# Prints each include that the table does not allow, and with whole=1, where the sources are all there are, each
# permission that none of them needs. Exits with 1 if there are any.
# <pdconv/...> is the folder include/, which may include only itself and the C library.
FILENAME ~ /layering\.txt$/ {
    if (/^#/ || !NF)
        next
    split($0, side, ":")
    if (side[1] == "*") {
        each = side[2]
        next
    }
    allowed[side[1]] = " " side[1] side[2] each " "
    n = split(side[2], named, " ")
    for (i = 1; i <= n; i++)
        unused[side[1] " may include " named[i]] = FNR
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
    delete unused[folder " may include " from]
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
    for (permission in unused) {
        if (whole) {
            printf "tests/layering.txt:%d: %s, and does not\n", unused[permission], permission
            bad = 1
        }
    }
    exit bad
}
