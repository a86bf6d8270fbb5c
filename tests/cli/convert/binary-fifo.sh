. "$root/tests/cli/common.sh"
mkdir dir
mkfifo dir/nested
status with_programs nested dir --folded
rm dir/nested
mkdir dir/nested
status with_programs nested dir --folded
