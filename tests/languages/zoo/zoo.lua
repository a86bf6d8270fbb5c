-- Functions, a closure and table.sort, which calls back from C.
local function zoo_inner(n)
  for i = 1, 2000 do n = (n * 1103 + i) % 65536 end
  return n
end

local function zoo_middle(visit, values)
  table.sort(values, function(a, b) return visit(a) < visit(b) end)
  return values[1] + 1
end

local function zoo_outer(n)
  return zoo_middle(function(value) return zoo_inner(value) + 1 end, {n, n + 1, n + 2}) + 1
end

local sum = 0
for i = 1, jit and 20000 or 10000 do sum = sum + zoo_outer(i) end
print(sum)
