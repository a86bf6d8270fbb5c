--  Nested subprograms, called through the main procedure.
with Ada.Text_IO;
with Interfaces; use Interfaces;

procedure Zoo is
   function Zoo_Inner (Start : Unsigned_64) return Unsigned_64;
   pragma No_Inline (Zoo_Inner);
   function Zoo_Middle (N : Unsigned_64) return Unsigned_64;
   pragma No_Inline (Zoo_Middle);
   function Zoo_Outer (N : Unsigned_64) return Unsigned_64;
   pragma No_Inline (Zoo_Outer);

   function Zoo_Inner (Start : Unsigned_64) return Unsigned_64 is
      N : Unsigned_64 := Start;
   begin
      for I in Unsigned_64 range 1 .. 200 loop
         N := N * 6364136223846793005 + I;
      end loop;
      return N;
   end Zoo_Inner;

   function Zoo_Middle (N : Unsigned_64) return Unsigned_64 is (Zoo_Inner (N) + 1);

   function Zoo_Outer (N : Unsigned_64) return Unsigned_64 is (Zoo_Middle (N) + 1);

   Total : Unsigned_64 := 0;
begin
   for I in Unsigned_64 range 1 .. 5_000_000 loop
      Total := Total + Zoo_Outer (I);
   end loop;
   Ada.Text_IO.Put_Line (Unsigned_64'Image (Total));
end Zoo;
