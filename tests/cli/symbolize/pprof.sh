# A profile of pprof without names gets the ones that the conversion has, and keeps everything else.
. "$root/tests/cli/common.sh"
foreign() {
    python3 "$root/tests/cli/foreign.py" "$@"
}
for name in nested cxx threads; do
    convert $name -q -f pprof -o $name.pb.gz --tag service=shop
    foreign show $name.pb.gz >$name.txt
    foreign strip $name.pb.gz bare.pb
    foreign show bare.pb | grep -c '?$'
    "$PDCONV" symbolize bare.pb -o named.pb.gz --symfs "$nowhere" --symbol-dir "$root/testdata/$name" 2>err
    sed 's/^\(pdconv: [0-9]* in\) .*/\1 .../' err >&2
    foreign show named.pb.gz >named.txt
    # Mappings come last, and only those with names have functions.
    grep -v ^mapping $name.txt | diff - named.txt | grep -v '^> mapping' | grep '^[<>]' | head -5
    grep ^mapping named.txt | sort | uniq -c
done
# Options for names: those of conversions.
"$PDCONV" symbolize bare.pb -q -o named.pb.gz --symfs "$nowhere" --symbol-dir "$root/testdata/threads" --no-lines --no-inline
foreign show named.pb.gz | grep -o '[a-z_]* :0 from' | sort -u | head -3
# A profile with all names is copied.
"$PDCONV" symbolize named.pb.gz -o again.pb.gz --symfs "$nowhere"
foreign show named.pb.gz | sort >named.txt
foreign show again.pb.gz | sort | cmp - named.txt && echo the same
