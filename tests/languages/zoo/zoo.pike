// Functions, a lambda and map() between main and the loop.
int zoo_inner(int n) { for (int i = 0; i < 2000; i++) n = (n * 1103 + i) % 65536; return n; }
int zoo_middle(function(int:int) visit, array(int) values) { return `+(@map(values, visit)) + 1; }
int zoo_outer(int n) { return zoo_middle(lambda(int value) { return zoo_inner(value) + 1; }, ({ n, n + 1 })) + 1; }
int main() { int sum; for (int i = 0; i < 10000; i++) sum += zoo_outer(i); write("%d\n", sum); return 0; }
