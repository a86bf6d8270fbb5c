# Procedures, and lsort, which calls back from C.
proc zoo_inner {n} {
    for {set i 0} {$i < 2000} {incr i} { set n [expr {($n * 1103 + $i) % 65536}] }
    return $n
}
proc zoo_compare {a b} { return [expr {[zoo_inner $a] - [zoo_inner $b]}] }
proc zoo_middle {values} { return [expr {[lindex [lsort -command zoo_compare $values] 0] + 1}] }
proc zoo_outer {n} { return [expr {[zoo_middle [list $n [expr {$n + 1}] [expr {$n + 2}]]] + 1}] }
set sum 0
for {set i 0} {$i < 2000} {incr i} { incr sum [zoo_outer $i] }
puts $sum
