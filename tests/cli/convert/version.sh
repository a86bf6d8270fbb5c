. "$root/tests/cli/common.sh"
"$PDCONV" --version
