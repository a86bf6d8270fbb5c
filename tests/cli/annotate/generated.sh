# Code of a jitdump, of a program that was not found, and of the kernel.
. "$root/tests/cli/common.sh"
needs_linux
annotate() {
    echo "--- $*" | sed "s|$root/||"
    name=$1
    shift
    [ -e "$name.data" ] || ln -s "$root/testdata/$name/perf.data" "$name.data"
    "$PDCONV" annotate -i "$name.data" --symfs "$nowhere" "$@" 2>&1 | sed "s|$root/||"
}
annotate jit --symbol-dir "$root/testdata/jit" -s loop
annotate jit --symbol-dir "$root/testdata/jit"
annotate jit
annotate tracepoints
annotate bpf --kallsyms "$root/testdata/bpf/kallsyms"
