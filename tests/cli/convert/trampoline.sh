# Code that is only known by a perf-PID.map. Of some programs, names and sizes show how it uses the stack.
. "$root/tests/cli/common.sh"
chains() { convert trampoline --perf-map-path "$root/testdata/trampoline" --folded "$@" | sed 's/ [0-9]*$//'; }
chains
# What leads on from a trampoline is a guess.
convert trampoline --perf-map-path "$root/testdata/trampoline" -f script --no-inline --quiet |
    awk '$1 == "401056" { print $NF }' | sort -u
chains --unwind=cfi
# The same code under other names, and other code under the same names.
mkdir maps
for change in s/py::/PY::/ 's/ \([bfc8]\) / 1\1 /'; do
    sed "$change" "$root"/testdata/trampoline/perf-*.map >maps/"$(basename "$root"/testdata/trampoline/perf-*.map)"
    convert trampoline --perf-map-path maps --folded --quiet | sed 's/ [0-9]*$//'
done
