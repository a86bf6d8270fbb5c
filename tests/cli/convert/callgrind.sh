# Lines, calls and inlined functions of a C++ program, then the head of a recording with several events.
. "$root/tests/cli/common.sh"
convert cxx -q -f callgrind | grep -v '^cmd:' | head -n 60
convert group -q -f callgrind | grep -v '^cmd:' | head -n 11
