% Functions and arrayfun, which calls back from C++.
1;
function n = zoo_inner (n)
  for i = 1:2000
    n = mod (n * 1103 + i, 65536);
  end
end
function m = zoo_middle (visit, values)
  m = sum (arrayfun (visit, values)) + 1;
end
function m = zoo_outer (n)
  m = zoo_middle (@(value) zoo_inner (value) + 1, [n, n + 1]) + 1;
end
total = 0;
for i = 1:250
  total += zoo_outer (i);
end
disp (total)
