#!/bin/sh
# Convert a recording that ships with pdconv to every format, and show the report.
set -eu
cd "$(dirname "$0")/.."
mkdir -p demo
from="testdata/cxx/perf.data --debug-paths testdata/cxx"
for format in report:report.txt pprof:profile.pb.gz folded:stacks.folded; do
    ./pdconv $from -f "${format%%:*}" -o "demo/${format##*:}"
done
cat demo/report.txt
cat <<EOF

The same as files:
  $PWD/demo/report.txt      this report
  $PWD/demo/profile.pb.gz   for: go tool pprof -http=: demo/profile.pb.gz
  $PWD/demo/stacks.folded   for: flamegraph.pl demo/stacks.folded > flame.svg
Made from testdata/cxx/perf.data, recorded with \`perf record --call-graph dwarf\` on another machine.
EOF
