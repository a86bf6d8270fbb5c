# What the cases share.

# An empty directory. As --symfs it keeps pdconv away from the files of this machine.
nowhere=${PWD%/*}/nowhere
mkdir -p "$nowhere"

# convert NAME ARGUMENTS...: the recording of testdata/NAME. Programs come from testdata only,
# whatever this machine has under the paths that were recorded.
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

# with_programs NAME DIRS ARGUMENTS...: the same, with programs from DIRS.
with_programs() {
    name=$1
    dirs=$2
    shift 2
    [ -e "$name.data" ] || ln -s "$root/testdata/$name/perf.data" "$name.data"
    "$PDCONV" "$name.data" --symfs "$nowhere" --debug-paths "$dirs" "$@"
}

# status COMMAND...: run it and say how it ended.
status() {
    "$@"
    echo "status $?"
}
