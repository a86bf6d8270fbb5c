. "$root/tests/cli/common.sh"
status with_programs nested "$nowhere" --folded
status with_programs nested "$nowhere"
status with_programs nested "$nowhere" --folded --quiet
