{ A virtual method and a nested procedure between the program and the loop. }
program zoo;
{$mode objfpc}
{$Q-}{$R-}
type
  TAnimal = class
    weight: qword;
    function zoo_inner(start: qword): qword; virtual;
  end;

function TAnimal.zoo_inner(start: qword): qword;
var
  i: longint;
begin
  result := start;
  for i := 1 to 200 do
    result := result * 6364136223846793005 + qword(i) + weight;
end;

function zoo_middle(animal: TAnimal; n: qword): qword;
begin
  result := animal.zoo_inner(n) + 1;
end;

function zoo_outer(animal: TAnimal; n: qword): qword;
begin
  result := zoo_middle(animal, n) + 1;
end;

var
  animal: TAnimal;
  sum: qword = 0;
  i: longint;
begin
  animal := TAnimal.Create;
  for i := 1 to 4000000 do
    sum := sum + zoo_outer(animal, i);
  writeln(sum);
end.
