. "$root/tests/cli/common.sh"
mkdir dir
head -c 4096 /dev/zero >dir/nested
status with_programs nested dir --folded
# An ELF file without its end.
head -c 200000 "$root/testdata/nested/nested" >dir/nested
status with_programs nested dir --folded
printf '\177ELF' >dir/nested
status with_programs nested dir --folded
: >dir/nested
status with_programs nested dir --folded
