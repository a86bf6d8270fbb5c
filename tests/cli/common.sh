# Functions for the command line tests.

# An empty directory. As --symfs it keeps pdconv away from the files of this machine.
nowhere=${PWD%/*}/nowhere
mkdir -p "$nowhere"

# convert NAME ARGUMENTS...: run pdconv on the recording testdata/NAME, with programs from testdata only, not from this
# machine.
convert() {
    name=$1
    shift
    program=$name
    case $name in
    compressed | piped | group) program=nested ;;
    parallel) program=threads ;;
    tracepoints) program=forkexec ;;
    esac
    [ -e "$name.data" ] || ln -s "$root/testdata/$name/perf.data" "$name.data"
    "$PDCONV" "$name.data" --symfs "$nowhere" --debug-paths "$root/testdata/$program" "$@"
}

# with_programs NAME DIRS ARGUMENTS...: run pdconv on the recording testdata/NAME, with programs from DIRS.
with_programs() {
    name=$1
    dirs=$2
    shift 2
    [ -e "$name.data" ] || ln -s "$root/testdata/$name/perf.data" "$name.data"
    "$PDCONV" "$name.data" --symfs "$nowhere" --debug-paths "$dirs" "$@"
}

# Skip a case about what the plain build lacks: devices, the sandbox, the pager, disassembly, names of system calls.
needs_linux() {
    [ -z "$PLAIN" ] && return
    echo "needs Linux"
    exit "$SKIPPED"
}

# status COMMAND...: run a command, and print its exit status.
status() {
    "$@"
    echo "status $?"
}
