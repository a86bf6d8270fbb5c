;; WebAssembly functions, one of which is called through a table.
(module
  (type $visit (func (param i64) (result i64)))
  (table 1 funcref)
  (elem (i32.const 0) $zoo_inner)
  (func $zoo_inner (param $n i64) (result i64)
    (local $i i64)
    (loop $again
      (local.set $n (i64.add (i64.mul (local.get $n) (i64.const 6364136223846793005)) (local.get $i)))
      (local.set $i (i64.add (local.get $i) (i64.const 1)))
      (br_if $again (i64.lt_u (local.get $i) (i64.const 200))))
    (local.get $n))
  (func $zoo_middle (param $n i64) (result i64)
    (i64.add (call_indirect (type $visit) (local.get $n) (i32.const 0)) (i64.const 1)))
  (func $zoo_outer (param $n i64) (result i64)
    (i64.add (call $zoo_middle (local.get $n)) (i64.const 1)))
  (func (export "rounds") (result i64)
    (local $i i64)
    (local $sum i64)
    (loop $again
      (local.set $sum (i64.add (local.get $sum) (call $zoo_outer (local.get $i))))
      (local.set $i (i64.add (local.get $i) (i64.const 1)))
      (br_if $again (i64.lt_u (local.get $i) (i64.const 4000000))))
    (local.get $sum)))
