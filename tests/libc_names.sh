#!/bin/sh
# Print the names that functions of ours do not have: those of Linux's system calls, for which C libraries may declare a
# function in the next version, and of functions that the C library of this machine defines.
#
# usage: CC=cc tests/libc_names.sh
set -eu
cc=${CC:-cc}
echo '#include <asm/unistd.h>' | $cc -E -dM - | sed -n 's/^#define __NR_\([a-z0-9_]*\) .*/\1/p'
for library in libc.so.6 libm.so.6; do
    # A version with one "@" is for old programs: the name can no longer be linked with.
    nm -D --defined-only "$($cc -print-file-name=$library)" | sed -n 's/.* [TWi] \([a-z][a-z0-9_]*\)\(@@.*\)*$/\1/p'
done
