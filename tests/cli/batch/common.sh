# Functions for the tests of batches.

. "$root/tests/cli/common.sh"
needs_linux

# recordings: make the folder in/SERVICE/HOST with recordings of testdata, all last changed on one day.
recordings() {
    for name in nested fp cxx threads signal deep; do
        for host in a b c; do
            mkdir -p in/$name/$host
            cp "$root/testdata/$name/perf.data" in/$name/$host/
            touch -d '2026-11-16 12:00:00Z' in/$name/$host/perf.data
        done
    done
}

# batch ARGUMENTS...: run pdconv without the programs of this machine. Times in its messages become T.
batch() {
    "$PDCONV" batch "$@" --symfs "$nowhere" --label 'service={dir2}' --label 'node={dir1}' 2>err
    status=$?
    sed 's/to [0-9.]* MB in [0-9.]* s$/to N MB in T s/' err
    return $status
}

# same DIR DIR: whether both have the same outputs and recordings that are done, and the same manifest except for times.
same() {
    for lake in "$1" "$2"; do
        (cd "$lake" && find . -type f ! -name 'manifest*' ! -path './.pdconv/*' -exec cksum {} + | sort -k 3) >"$lake.files"
        (cd "$lake" && find .pdconv/done -type f | sort) >>"$lake.files"
        cat "$lake"/manifest*.jsonl | sed 's/"seconds": [0-9.]*, "memory_bytes": [0-9]*/T/' | sort -u >"$lake.lines"
    done
    cmp "$1.files" "$2.files" && cmp "$1.lines" "$2.lines" && [ -s "$1.files" ] && echo same
}
