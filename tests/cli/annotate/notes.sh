# The hottest lines for editors, reviews and collections of findings.
. "$root/tests/cli/common.sh"
needs_linux
notes() {
    echo "--- $*" | sed "s|$PWD|DIR|"
    name=$1
    shift
    [ -e "$name.data" ] || ln -s "$root/testdata/$name/perf.data" "$name.data"
    "$PDCONV" annotate -i "$name.data" --symfs "$nowhere" --symbol-dir "$root/testdata/$name" "$@" | sed "s|$root/|/root/|"
}
notes nested --errorformat
notes nested --errorformat inner
# Files below the current directory are relative to it.
mkdir -p src
cp "$root/testdata/nested/nested.c" src
notes nested --errorformat --source-dir src
notes nested --errorformat --source-dir "$PWD/src" --limit 1
notes nested --github --source-dir "$PWD/src"
notes nested --sarif --source-dir "$PWD/src" --limit 1
# Paths cannot end a property of a command, and are URIs.
mkdir -p 'a, b%'
cp "$root/testdata/nested/nested.c" 'a, b%'
notes nested --github --source-dir "$PWD/a, b%" --limit 1
notes nested --sarif --source-dir "$PWD/a, b%" --limit 1 | grep uri
notes nested --sarif --limit 1 | grep uri
status "$PDCONV" annotate -i nested.data --sarif --github nosuch
