# Options of conversions need a format, and their letters have other meanings here.
. "$root/tests/cli/common.sh"
for options in '--symbol-dir .' '--no-inline' '--sort sym' '--jobs 1' '--format folded --sort sym' '--format report -s sym'; do
    # shellcheck disable=SC2086
    status "$PDCONV" record $options -o never.data -- true 2>&1
done
"$PDCONV" record --help | grep -c -e --symbol-dir -e --sort
ls
