# An argument that is not a recording is the function, also if a file or a folder has that name.
. "$root/tests/cli/common.sh"
cp "$root/testdata/nested/perf.data" perf.data
cp perf.data recording
mkdir -p inner folder.data
echo text >middle
annotate() {
    "$PDCONV" annotate "$@" --symfs "$nowhere" --symbol-dir "$root/testdata/nested" 2>&1 | head -n 1
}
annotate inner -i perf.data
annotate inner
annotate middle
annotate middle perf.data
annotate recording middle
annotate middle recording
annotate recording
annotate ./middle
annotate folder.data
