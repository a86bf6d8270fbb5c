. "$root/tests/cli/common.sh"
convert nested --folded --max-stack 2
convert cxx --folded --no-user
convert cxx --folded --no-inline --max-stack 3 --quiet | grep sort
convert cxx --folded --no-inline --no-demangle --max-stack 1 --quiet | grep _ZSt
# Recorded call chains are cut like unwound stacks.
convert fp --folded --max-stack 3 --quiet | head -n 2
