. "$root/tests/cli/common.sh"
convert nested --pprof >stdout.pb.gz
convert nested -f pprof -o file.pb.gz
cmp stdout.pb.gz file.pb.gz
gzip -t file.pb.gz
# Strings of the profile; the "2" is the tag of the string that follows.
gzip -dc file.pb.gz | tr -c '[:print:]' '\n' | grep -x -e side2 -e inner2 -e cpu-clock:u2 -e nanoseconds2 | sort
ls
