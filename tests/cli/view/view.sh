# The page is written to a file for the user alone, or to one that was asked for, and opened in a browser.
. "$root/tests/cli/common.sh"
needs_linux
unset DISPLAY WAYLAND_DISPLAY BROWSER
export TMPDIR=$PWD
cp "$root/testdata/nested/perf.data" nested.data
cp "$root/testdata/cxx/perf.data" cxx.data

# Start of a page, the names of its profiles, and its end.
describe() { # FILE
    head -c 15 "$1" && echo
    grep -o 'class="profile" data-name="[^"]*"' "$1"
    tail -n 1 "$1"
}

# The browser runs after pdconv has ended.
wait_for() { # FILE
    for i in $(seq 100); do
        [ ! -s "$1" ] || return 0
        sleep 0.1
    done
}

cat >browser <<'END'
#!/bin/sh
echo "$# $*" | sed "s,$TMPDIR,.," >seen.new
mv seen.new seen
END
chmod +x browser

echo "--- no browser"
path=$("$PDCONV" view nested.data)
echo "$path" | sed "s,^$PWD/pdconv-......\.html$,a temporary page,"
stat -c %a "$path"
describe "$path"
rm "$path"
"$PDCONV" view -q nested.data >/dev/null

echo "--- two recordings, and a browser after one that does not exist"
BROWSER="$PWD/missing:$PWD/browser --new %s" "$PDCONV" view nested.data cxx.data -o page.html
wait_for seen
cat seen
describe page.html
rm seen

echo "--- the file is the last argument if %s is not there"
BROWSER="$PWD/browser" "$PDCONV" view -o page.html nested.data
wait_for seen
cat seen
rm seen

echo "--- not opened"
BROWSER="$PWD/browser" "$PDCONV" view --no-open -o page.html nested.data
"$PDCONV" view -o - nested.data >piped.html
cmp page.html piped.html
[ ! -e seen ] || echo "it was opened"

echo "--- the same page as -f html, and filters"
"$PDCONV" -f html -o same.html nested.data
cmp page.html same.html
"$PDCONV" view --no-open -o part.html --time 10%-20% nested.data
[ $(stat -c %s part.html) -lt $(stat -c %s page.html) ] || echo "the filter had no effect"

echo "--- errors"
rm -f pdconv-*.html
status "$PDCONV" view nested.data cxx.data nested.data
status "$PDCONV" view missing.data
status "$PDCONV" view nested.data missing.data -o broken.html
status "$PDCONV" view nested.data -o nested.data
status env TMPDIR=missing "$PDCONV" view nested.data
# Other users could replace the page before the browser reads it.
mkdir -m 777 everybody
chmod 777 everybody
status env TMPDIR=everybody "$PDCONV" view nested.data
rmdir everybody
status "$PDCONV" view nested.data -f pprof
status "$PDCONV" nested.data cxx.data -f html
ls

echo "--- a page whose path cannot be printed is removed"
"$PDCONV" view --no-open nested.data >/dev/full
find . -name 'pdconv-*.html'
