\ Words that call words, with an addition after each call.
: zoo-inner ( n -- n ) 2000 0 do 1103 * i + 65535 and loop ;
: zoo-middle ( n -- n ) zoo-inner 1 + ;
: zoo-outer ( n -- n ) zoo-middle 1 + ;
: zoo-rounds ( -- n ) 0 150000 0 do i zoo-outer + loop ;
zoo-rounds . cr bye
