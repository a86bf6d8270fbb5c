# Text on a terminal goes through a pager, as that of git does.
. "$root/tests/cli/common.sh"
needs_linux
unset PDCONV_PAGER PAGER LESS
export TERM=xterm
convert nested --folded >/dev/null
convert piped --folded >/dev/null
on_terminal() {
    timeout 60 python3 "$root/tests/cli/terminal.py" "$@"
}
nested="$PDCONV nested.data --symfs $nowhere -q"

echo "Which one is used:"
first() { on_terminal "$@" | sed -n '1s/:.*//p'; }
PDCONV_PAGER='sed s/^/own:/' PAGER='sed s/^/any:/' first $nested
PAGER='sed s/^/any:/' first $nested
PDCONV_PAGER= PAGER='sed s/^/any:/' first $nested
PDCONV_PAGER=cat PAGER='sed s/^/any:/' first $nested
PAGER='sed s/^/any:/' TERM=dumb first $nested
PAGER='sed s/^/any:/' first $nested --no-pager
PAGER='sed s/^/any:/' first sh -c "$nested | cat"
PAGER='sed s/^/any:/' on_terminal $nested -o report
PAGER='echo "$LESS:"' first $nested
PAGER='echo "$LESS:"' LESS=S first $nested

echo "Each command:"
for command in "report nested.data" "nested.data -q --script" "nested.data -q --folded" "annotate nested.data side --symbol-dir $root/testdata/nested" \
    "diff nested.data nested.data" "info nested.data" "dump nested.data" "--help" "report --help" "help" "help keys" "--version" "--man"; do
    for option in -- --no-pager; do
        [ "$option" = -- ] && option=
        PAGER='sed s/^/paged:/' on_terminal "$PDCONV" $command $option | awk -v command="$command${option:+ $option}" -v root="$root" '
            /^paged:/ { paged++ }
            END { sub(root, "", command); print command ": " (paged && paged >= NR - 3 ? "paged" : paged ? "in part" : "not paged") ", " $0 }'
    done
done

echo "The widths are those of the terminal:"
PAGER='tr a-z A-Z' on_terminal --columns 60 "$PDCONV" --help | awk '{ if (length($0) > max) max = length($0) } END { print ((max <= 60 && max > 50 && NR > 100) ? "yes" : max " columns, " NR " lines") }'

echo "Messages come after the pager has ended:"
PAGER='sleep 0.5; sed s/^/paged:/' on_terminal "$PDCONV" nested.data --symfs "$nowhere" --folded --stats --no-cache | grep -v '^Read and' | cut -c 1-40

echo "A pager that is left early:"
PAGER='head -n 1' on_terminal "$PDCONV" dump piped.data | cut -c 1-20
mkfifo endless
{ cat piped.data; sleep 30 & echo $! >sleeping; wait; } >endless 2>/dev/null &
PAGER='head -n 1' on_terminal sh -c "'$PDCONV' dump - <endless" | cut -c 1-20
kill "$(cat sleeping)"
PAGER='head -n 1' on_terminal $nested --script --fail-under-rooted 100 | cut -c 1-12

echo "less, left by q, and Ctrl-C in it:"
last() { tail -n 1 | sed 's/.*\(:\|END) *\)//'; }
on_terminal --rows 8 --type 'event' q $nested | last
on_terminal --rows 8 --type 'event' ^C --type '' q $nested | last
on_terminal --rows 8 --type 'HEADER' ^C --type '' q "$PDCONV" dump piped.data | last
on_terminal --rows 50 $nested --percent-limit 100 | last

echo "One that cannot be run:"
PAGER=./none on_terminal "$PDCONV" nested.data --symfs "$nowhere" --folded | sed -n 1,2p | cut -c 1-60
PAGER=./none first $nested --folded | cut -c 1-60
PAGER='./none ' on_terminal $nested
on_terminal env PATH=/nowhere $nested --folded
