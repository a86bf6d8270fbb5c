# Functions of a POSIX shell.
zoo_inner() { i=0; while [ $i -lt 2000 ]; do n=$(((n * 1103 + i) % 65536)); i=$((i + 1)); done; }
zoo_middle() { zoo_inner; n=$((n + 1)); }
zoo_outer() { zoo_middle; n=$((n + 1)); }
n=1
round=0
while [ $round -lt 160 ]; do zoo_outer; round=$((round + 1)); done
echo $n
