. "$root/tests/cli/common.sh"
convert cxx
