# What the built files say about how they were linked and compiled; read by tests/run_library.sh. Each function gets a
# program or a shared library.

hardening="position_independent bind_now relro stack_not_executable write_or_execute no_relocated_text no_search_path"
# Sanitizers replace these.
[ -n "${SAN:-}" ] || hardening="$hardening stack_protector fortify"
case ${SAN:-}$(uname -m) in x86_64) hardening="$hardening shadow_stack" ;; esac
# clang probes the stack with stores like any other.
case ${SAN:-}$(uname -m)$CC in *clang*) ;; x86_64*) hardening="$hardening stack_clash" ;; esac

harden_position_independent() {
    readelf -hW "$1" | grep 'Type: *DYN' || return
    case $1 in *.so.*) ;; *) readelf -dW "$1" | grep 'FLAGS_1.* PIE' ;; esac
}

harden_bind_now() {
    readelf -dW "$1" | grep BIND_NOW
}

harden_relro() {
    readelf -lW "$1" | grep GNU_RELRO
}

harden_stack_not_executable() {
    readelf -lW "$1" | grep 'GNU_STACK.* RW '
}

harden_write_or_execute() {
    readelf -lW "$1" | grep LOAD | tee /dev/stderr | awk '/ RWE / { bad = 1 } END { exit bad || !NR }'
}

harden_no_relocated_text() {
    readelf -dW "$1" >"$work/dynamic" && grep NEEDED "$work/dynamic" && ! grep TEXTREL "$work/dynamic"
}

harden_no_search_path() {
    readelf -dW "$1" >"$work/dynamic" && grep NEEDED "$work/dynamic" && ! grep -E 'RPATH|RUNPATH' "$work/dynamic"
}

harden_stack_protector() {
    nm -D "$1" | grep __stack_chk_fail
}

harden_fortify() {
    nm -D "$1" | grep '__[a-z]*printf_chk'
}

# Functions with large frames touch each page of them.
harden_stack_clash() {
    objdump -d --no-show-raw-insn "$1" | grep -m 1 -E 'orq +\$0x0,(0x[0-9a-f]+)?\(%rsp\)'
}

# The mark of a linked file also depends on the libraries of the system, so that of our own objects counts.
harden_shadow_stack() {
    readelf -nW "$BUILD/base/arena.o" | grep SHSTK
}
