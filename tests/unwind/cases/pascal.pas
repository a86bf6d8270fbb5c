{ Procedures, nested ones, and calls of the run-time library, whose units have no call frame information. }
program pascal;

{$mode objfpc}

uses SysUtils, Classes;

var
  Sink: longint;

procedure CorpusBegin; public name 'corpus_begin';
begin
  Sink := Sink + 1;
end;

procedure CorpusEnd; public name 'corpus_end';
begin
  Sink := Sink + 1;
end;

function Leaf(A, B: longint): longint;
begin
  Leaf := A * 3 + B;
end;

function Outer(N: longint): longint;
var
  Sum: longint;

  procedure Nested(K: longint);
  begin
    Sum := Sum + Leaf(K, N);
    if K > 0 then
      Nested(K - 1);
  end;

begin
  Sum := 0;
  Nested(N);
  Outer := Sum;
end;

function Guarded(N: longint): longint;
begin
  try
    if N > 1 then
      raise Exception.Create('n');
    Guarded := Leaf(N, N);
  except
    Guarded := Leaf(0, N);
  end;
end;

var
  List: TStringList;
  I: longint;

begin
  CorpusBegin;
  List := TStringList.Create;
  for I := 1 to 8 do
    List.Add(IntToStr(I * 7 mod 5));
  List.Sort;
  List.Free;
  Sink := Sink + Outer(3) + Guarded(1) + Guarded(2);
  CorpusEnd;
end.
