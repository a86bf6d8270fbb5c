(* Functions, and a closure that List.iter calls; an exception ends the loop. *)
exception Full of int

let[@inline never] zoo_inner start =
  let n = ref start in
  for i = 1 to 200 do
    n := (!n * 1103515245) + i
  done;
  if !n land 1023 = 0 then raise (Full !n);
  !n

let[@inline never] zoo_middle values =
  let sum = ref 0 in
  List.iter (fun n -> sum := !sum + zoo_inner n) values;
  !sum + 1

let[@inline never] zoo_outer values = try zoo_middle values + 1 with Full n -> n

let () =
  let sum = ref 0 in
  for i = 1 to 1_700_000 do
    sum := !sum + zoo_outer [ i; i + 1; i + 2 ]
  done;
  print_int !sum
