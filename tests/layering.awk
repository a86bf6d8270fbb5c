# Check who includes whom: read "FOLDER: FOLDER ..." lines of the table first, then sources. A sub-folder is
# a folder with a line of its own.
# A root-relative include of a folder that the table does not allow is printed, and the status is 1.
# <pdconv/...> is the folder include/, which itself includes nothing but that and the C library.
FILENAME ~ /layering\.txt$/ {
    if (/^#/ || !NF)
        next
    split($0, side, ":")
    allowed[side[1]] = " " side[1] side[2] " "
    next
}
FNR == 1 {
    folder = FILENAME
    sub(/^\.\//, "", folder)
    sub(/\/[^\/]*$/, "", folder)
    sub(/^include\/.*/, "include", folder)
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
    printf "%s:%d: includes are written from the root\n", FILENAME, FNR
    bad = 1
}
END {
    if (!n_files)
        bad = 1
    exit bad
}
