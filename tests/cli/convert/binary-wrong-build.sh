. "$root/tests/cli/common.sh"
mkdir dir
cp "$root/testdata/fp/fp" dir/nested
status with_programs nested dir --folded
