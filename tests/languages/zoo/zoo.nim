# A method with dynamic dispatch, a closure and an iterator between main and the loop.
type
  Animal = ref object of RootObj
    weight: uint64

method zooInner(animal: Animal, start: uint64): uint64 {.base, noinline.} =
  var n = start
  for i in 0'u64 ..< 200'u64:
    n = n * 6364136223846793005'u64 + i + animal.weight
  n

proc zooMiddle(visit: proc (n: uint64): uint64 {.closure.}, n: uint64): uint64 {.noinline.} =
  visit(n) + 1

proc zooOuter(animal: Animal, n: uint64): uint64 {.noinline.} =
  zooMiddle(proc (value: uint64): uint64 = animal.zooInner(value) + 1, n) + 1

proc main() =
  let animal = Animal(weight: 1)
  var sum = 0'u64
  for i in 0'u64 ..< 4_000_000'u64:
    sum += zooOuter(animal, i)
  echo sum

main()
