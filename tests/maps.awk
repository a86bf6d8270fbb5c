# Files that others can change are mapped by base/file_map.c, which knows what to do if they shrink. The files of
# base/spill.c have no name, base/huge.c maps memory without a file, and recording maps rings and programs that it is given.
/(^|[^_a-z])mmap\([^)]|ELF_C_READ_MMAP/ && FILENAME !~ /^(base\/(file_map|spill|huge)\.c|capture\/)/ {
    printf "%s:%d: %s\n", FILENAME, FNR, $0
    found = 1
}
END { exit found }
