% Functions that are not in tail position; an Erlang process has another stack than its thread.
-module(zoo).
-export([main/0]).

loop(N, 0) -> N;
loop(N, I) -> loop((N * 1103 + I) rem 65536, I - 1).

zoo_inner(N) -> loop(N, 2000) + 1.
zoo_middle(N) -> zoo_inner(N) + 1.
zoo_outer(N) -> zoo_middle(N) + 1.

zoo_rounds(0, Sum) -> Sum;
zoo_rounds(I, Sum) -> zoo_rounds(I - 1, Sum + zoo_outer(I)).

main() -> io:format("~p~n", [zoo_rounds(100000, 0)]), halt().
