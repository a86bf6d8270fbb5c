. "$root/tests/cli/common.sh"
# The bytes are those of the recorded program, the build id is not.
mkdir dir
LC_ALL=C sed 's/\xa6\x2d\x6e\x59/\x01\x02\x03\x04/' "$root/testdata/nested/nested" >dir/nested
status with_programs nested dir --folded
status with_programs nested dir --folded --force-mismatch
status with_programs nested dir --folded --force-mismatch --unwind=cfi
with_programs nested dir --script --force-mismatch -q | sed -n 2,4p
