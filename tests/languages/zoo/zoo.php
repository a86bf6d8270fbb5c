<?php
// Functions, a closure and usort, which calls back from C.
function zoo_inner($n) { for ($i = 0; $i < 2000; $i++) $n = ($n * 1103 + $i) % 65536; return $n; }
function zoo_middle($visit, $values) { usort($values, fn($a, $b) => $visit($a) <=> $visit($b)); return $values[0] + 1; }
function zoo_outer($n) { return zoo_middle(fn($value) => zoo_inner($value) + 1, [$n, $n + 1, $n + 2]) + 1; }
$sum = 0;
for ($i = 0; $i < 14000; $i++) $sum += zoo_outer($i);
echo $sum, "\n";
