#!/bin/sh
# Convert a recording of testdata to a report, a pprof profile and folded stacks in demo/, and show the report.
set -eu
cd "$(dirname "$0")/.."
mkdir -p demo

convert() { # FORMAT FILE
    echo "\$ ./pdconv testdata/cxx/perf.data --debug-paths testdata/cxx -q -f $1 -o demo/$2"
    ./pdconv testdata/cxx/perf.data --debug-paths testdata/cxx -q -f "$1" -o "demo/$2"
}

echo "testdata/cxx/perf.data was recorded on another machine with 'perf record --call-graph dwarf'."
convert pprof profile.pb.gz
convert folded stacks.folded
convert report report.txt
echo
cat demo/report.txt
cat <<TEXT

Files in $PWD/demo:
  report.txt      the report above
  profile.pb.gz   view with: go tool pprof -http=: demo/profile.pb.gz
  stacks.folded   view with: flamegraph.pl demo/stacks.folded > flame.svg
Next: 'perf record --call-graph dwarf -- PROGRAM', then './pdconv'; or './pdconv record -- PROGRAM'. See './pdconv --help'.
TEXT
