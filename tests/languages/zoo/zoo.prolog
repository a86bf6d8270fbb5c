% Predicates; the last goal of each is a tail call, so the arithmetic comes after the calls.
zoo_inner(N, 0, N) :- !.
zoo_inner(N, I, R) :- M is (N * 1103 + I) mod 65536, J is I - 1, zoo_inner(M, J, R).
zoo_middle(N, R) :- zoo_inner(N, 2000, M), R is M + 1.
zoo_outer(N, R) :- zoo_middle(N, M), R is M + 1.
zoo_rounds(0, Sum, Sum) :- !.
zoo_rounds(I, Sum, R) :- zoo_outer(I, M), T is Sum + M, J is I - 1, zoo_rounds(J, T, R).
zoo :- zoo_rounds(3000, 0, Sum), write(Sum), nl, halt.
:- initialization(zoo).
