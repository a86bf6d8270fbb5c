. "$root/tests/cli/common.sh"
for command in '' report diff view archive record info dump perf_to_profile; do
    "$PDCONV" $command --man >page
    head -n 1 page
    grep -e '^\.SH' page | tr '\n' ' '
    echo
    # It lists as many options as the help text.
    [ "$(sed '/^.SH BINARIES/,/^.SH EX/d' page | grep -c '^.fB.-')" -eq "$("$PDCONV" $command --help | grep -c '^  *-[-A-Za-z]')" ] || echo "other options"
done
