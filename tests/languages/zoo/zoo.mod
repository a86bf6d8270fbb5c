(* Procedures of a module, called from its body. *)
MODULE zoo;

FROM NumberIO IMPORT WriteCard;
FROM StrIO IMPORT WriteLn;

VAR
   total, round: CARDINAL;

PROCEDURE ZooInner (start: CARDINAL): CARDINAL;
VAR
   n, i: CARDINAL;
BEGIN
   n := start MOD 1000;
   FOR i := 1 TO 200 DO
      n := (n * 1103 + i) MOD 65536
   END;
   RETURN n
END ZooInner;

PROCEDURE ZooMiddle (n: CARDINAL): CARDINAL;
BEGIN
   RETURN ZooInner (n) + 1
END ZooMiddle;

PROCEDURE ZooOuter (n: CARDINAL): CARDINAL;
BEGIN
   RETURN ZooMiddle (n) + 1
END ZooOuter;

BEGIN
   total := 0;
   FOR round := 1 TO 2000000 DO
      total := (total + ZooOuter (round)) MOD 65536
   END;
   WriteCard (total, 0);
   WriteLn
END zoo.
