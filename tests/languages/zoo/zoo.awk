# Functions of awk.
function zoo_inner(n,   i) { for (i = 0; i < 2000; i++) n = (n * 1103 + i) % 65536; return n }
function zoo_middle(n) { return zoo_inner(n) + 1 }
function zoo_outer(n) { return zoo_middle(n) + 1 }
BEGIN { for (i = 0; i < 8000; i++) sum += zoo_outer(i); print sum }
