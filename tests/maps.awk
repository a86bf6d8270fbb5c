# Files that others can change are mapped by base/system/file_map_linux.c, which knows what to do if they shrink. The files of
# spilled arrays have no name, huge_linux.c maps memory without a file, and recording maps rings and programs that it is given.
/(^|[^_a-z])mmap\([^)]|ELF_C_READ_MMAP/ && FILENAME !~ /^(base\/system\/(file_map|spill_file|huge)_linux\.c|capture\/)/ {
    printf "%s:%d: %s\n", FILENAME, FNR, $0
    found = 1
}
END { exit found }
