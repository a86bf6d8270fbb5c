# Functions of a module that are not in tail position; compiled when the script is loaded.
defmodule Zoo do
  def loop(n, 0), do: n
  def loop(n, i), do: loop(rem(n * 1103 + i, 65536), i - 1)
  def zoo_inner(n), do: loop(n, 2000) + 1
  def zoo_middle(n), do: zoo_inner(n) + 1
  def zoo_outer(n), do: zoo_middle(n) + 1
  def zoo_rounds(0, sum), do: sum
  def zoo_rounds(i, sum), do: zoo_rounds(i - 1, sum + zoo_outer(i))
end

IO.puts(Zoo.zoo_rounds(100_000, 0))
