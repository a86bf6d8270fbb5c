. "$root/tests/cli/common.sh"
needs_linux
# What another user could have written into the cache is not used.
umask 022
export XDG_CACHE_HOME=$PWD/cache PDCONV_INDEX_SECONDS=0
names() { (cd cache/pdconv && stat -c '%a %n' *.names) | sed 's/ [0-9a-f]*/ ID/'; }
shown() { sed "s|$PWD|PWD|"; }
convert nested --folded >first
stat -c %a cache cache/pdconv
names
convert nested --folded >again
cmp first again
for mode in 777 720; do
    chmod $mode cache/pdconv
    convert nested --folded 2>&1 >again | shown
    cmp first again
    convert nested --folded -q | cmp - first
done
chmod 700 cache/pdconv
# Other users may have written these files, so they are made again.
chmod 666 cache/pdconv/*.names cache/pdconv/*.index
convert nested --folded 2>&1 >again | shown
cmp first again
convert nested --folded >again
cmp first again
names
