# Functions, a closure and sapply, which calls back from C.
zoo_inner <- function(n) { for (i in 1:2000) n <- (n * 1103 + i) %% 65536; n }
zoo_middle <- function(visit, values) sum(sapply(values, visit)) + 1
zoo_outer <- function(n) zoo_middle(function(value) zoo_inner(value) + 1, c(n, n + 1)) + 1
total <- 0
for (i in 1:8000) total <- total + zoo_outer(i)
print(total)
