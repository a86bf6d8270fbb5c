# Patterns select samples by any frame of the stack, hide frames, and a function can be made the root.
. "$root/tests/cli/common.sh"
show() {
    echo "$*"
    convert "$@" -q --folded
}
show nested --focus 'mid+le'
show nested --focus 'nested\.c$' --ignore '^side$'
show nested --ignore side --ignore inner
# A frame matches by its binary, too.
show nested --hide libc --hide '^_start$'
# What a hidden leaf costs is that of its caller; without any frame a sample still counts.
show nested --hide '^inner$' --root outer
show nested --hide .
show nested --root main,side
# The root is inlined; what it was inlined into is left out.
show cxx --root 'shop::Item::operator=' --no-lines
convert cxx -q --focus 'shop::Item::operator=' -o out.txt && grep -E '^[a-z]+\.data: |^  event|^  excluded' out.txt
# Single samples have the addresses of the frames that remain.
convert nested -q --script -F ip,sym --hide '^(main|_start|__libc.*)$' --focus inner
status convert nested --folded --focus '('
status convert nested --perfdata --hide main
