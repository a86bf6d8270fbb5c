# Subroutines, a closure and sort, which calls back from C.
use strict;
use integer;

sub zoo_inner { my $n = shift; for my $i (1 .. 2000) { $n = ($n * 1103 + $i) % 65536 } return $n }
sub zoo_middle { my ($visit, @values) = @_; my @sorted = sort { $visit->($a) <=> $visit->($b) } @values; return $sorted[0] + 1 }
sub zoo_outer { my $n = shift; return zoo_middle(sub { zoo_inner($_[0]) + 1 }, $n, $n + 1, $n + 2) + 1 }

my $sum = 0;
$sum += zoo_outer($_) for 1 .. 3000;
print "$sum\n";
