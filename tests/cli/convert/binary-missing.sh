. "$root/tests/cli/common.sh"
status with_programs nested /nonexistent --folded
status with_programs nested /nonexistent
status with_programs nested /nonexistent --folded --quiet
