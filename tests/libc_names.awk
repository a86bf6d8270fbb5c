# A function that is called like one of the C library stops compiling when a header declares it. The first file lists such
# names (tests/libc_names.sh). What replaces functions of the C library is in tests/failures and tests/oracle/preload.
NR == FNR {
    taken[$1] = 1
    next
}
/^[a-z].*[a-z0-9_]\(/ && FILENAME !~ /^tests\/(failures|oracle\/preload)\// {
    name = $0
    sub(/\(.*/, "", name)
    sub(/.*[^a-z0-9_]/, "", name)
    if (name in taken) {
        printf "%s:%d: %s is a function of the C library or a system call\n", FILENAME, FNR, name
        found = 1
    }
}
END { exit found }
