# Print the folders of tests/layering.txt that include each other in a circle, directly or through others. Exits with 1
# if there are any: folders are then no longer layers.
/^#/ || !NF { next }
{
    split($0, side, ":")
    if (side[1] == "*") {
        each = side[2]
        next
    }
    n = split(side[2] each, names, " ")
    left[side[1]]
    for (i = 1; i <= n; i++)
        includes[side[1], names[i]]
}
# Take away folders that include none of those left, until there are none to take.
function peel(    from, to, is_free, n_taken) {
    n_taken = 0
    for (from in left) {
        is_free = 1
        for (to in left)
            if (to != from && (from, to) in includes)
                is_free = 0
        if (is_free) {
            delete left[from]
            n_taken++
        }
    }
    return n_taken
}
END {
    if (!NR)
        exit 1
    while (peel())
        ;
    for (folder in left) {
        printf "%s/ includes itself through others\n", folder
        bad = 1
    }
    exit bad
}
