(* Functions that are not in tail position, with an exception handler. *)
exception Full
fun loop (n, i) = if i = 200 then n else loop ((n * 1103 + i) mod 65536, i + 1)
fun zooInner n = if n < 0 then raise Full else loop (n, 0)
fun zooMiddle n = (zooInner n handle Full => 0) + 1
fun zooOuter n = zooMiddle n + 1
fun zooRounds (0, sum) = sum
  | zooRounds (rounds, sum) = zooRounds (rounds - 1, (sum + zooOuter rounds) mod 65536)
fun main () = print (Int.toString (zooRounds (1000000, 0)) ^ "\n")
