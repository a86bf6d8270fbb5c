#!/bin/sh
# Convert recordings of testdata to a page, a report, a pprof profile and folded stacks in demo/, and show the report.
set -eu
cd "$(dirname "$0")/.."
mkdir -p demo

convert() { # RECORDING FORMAT FILE OPTIONS...
    recording=$1 format=$2 file=$3
    shift 3
    echo "\$ ./pdconv testdata/$recording $* -q -f $format -o demo/$file"
    ./pdconv "testdata/$recording" "$@" -q -f "$format" -o "demo/$file"
}

echo "testdata/shop/before.data was recorded on another machine with 'pdconv record --off-cpu'."
convert shop/before.data html page.html --symbol-dir testdata/shop
echo
echo "testdata/cxx/perf.data was recorded on another machine with 'perf record --call-graph dwarf'."
convert cxx/perf.data pprof profile.pb.gz --debug-paths testdata/cxx
convert cxx/perf.data folded stacks.folded --debug-paths testdata/cxx
convert cxx/perf.data report report.txt --debug-paths testdata/cxx
echo
cat demo/report.txt
cat <<TEXT

Files in $PWD/demo:
  page.html       open in a browser: file://$PWD/demo/page.html
  report.txt      the report above
  profile.pb.gz   view with: go tool pprof -http=: demo/profile.pb.gz
  stacks.folded   view with: flamegraph.pl demo/stacks.folded > flame.svg
Next: 'perf record --call-graph dwarf -- PROGRAM', then './pdconv'; or './pdconv record -- PROGRAM'. See './pdconv --help'.
TEXT
